/* SPDX-License-Identifier: Apache-2.0
 * carver/scan/shards.c - see shards.h. */
#include "carver/scan/shards.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/hex.h"
#include "carver/scan/shards_impl.h"
#include "signatures/fact.h"

enum {
    SHARDS_NOTE = 4096,     /* bytes of a line of the log */
    SHARDS_BLANK = 1 << 30, /* bytes of a part that stands for what is missing */
};

void shards_close(struct shards *s)
{
    if (s == NULL)
        return;
    shards_end(s);
    shard_about_release(&s->about);
    free(s->states);
    free(s);
}

const struct shard_about *shards_about(const struct shards *s)
{
    return &s->about;
}

uint32_t shards_count(const struct shards *s)
{
    return s->about.count;
}

enum shard_state shards_state(const struct shards *s, uint32_t number)
{
    return (enum shard_state)s->states[number];
}

const char *shards_folder(const struct shards *s)
{
    return s->folder;
}

const char *shards_engine(const struct shards *s)
{
    return s->engine;
}

void shards_accept_bad(struct shards *s)
{
    for (uint32_t i = 0; i < s->about.count; i++)
        if (s->states[i] == SHARD_UNPROVEN)
            s->states[i] = SHARD_WHOLE;
    s->accept_bad = true;
}

void shards_follow(struct shards *s)
{
    s->follow = true;
}

enum err_code shards_accept(struct shards *s, const struct scan_job *job, struct io_image *image,
                            const struct scan_pick *pick, const struct scan_map *map,
                            const struct known_scan *known, struct err *err)
{
    const struct scan_pick none = { 0 };
    struct scan_options options = s->about.options;
    struct shard_about_texts texts = { 0 };
    struct shard_about own;
    struct pack all = { 0 };

    options.part_count = s->about.count;
    enum err_code rc = shard_about_make(job, &options, image, pick != NULL ? pick : &none, map,
                                        known, &texts, &own, err);
    if (rc == ERR_OK && pick == NULL)
        own.selection = s->about.selection;
    if (rc == ERR_OK)
        shard_about_save(&own, &all);
    if (rc == ERR_OK && all.failed)
        rc = ERR_NO_MEMORY(err, all.len);
    const char *differs = rc == ERR_OK ? shard_about_differs(&s->about, &own) : NULL;
    if (differs != NULL)
        rc = ERR_RAISE(err, ERR_INPUT,
                       "%s: the shards do not fit what is here: a shard there %s (%s, burin %s)",
                       s->folder, differs, io_image_part_path(image, 0), own.version);
    pack_release(&all);
    shard_about_release(&own);
    shard_about_texts_release(&texts);
    return rc;
}

enum err_code shards_begin(struct shards *s, const struct scan_crew_image *image, struct err *err)
{
    s->facts = aligned_alloc(_Alignof(struct sig_facts), sizeof *s->facts);
    if (s->facts == NULL)
        return ERR_NO_MEMORY(err, sizeof *s->facts);
    s->reader = (struct part_reader){ .options = &image->job->plan,
                                      .known = image->known,
                                      .lookback = image->lookback,
                                      .whole = image->whole,
                                      .texts = &s->texts,
                                      .facts = s->facts };
    s->cut = (struct shard_cut){ .whole = image->whole,
                                 .ranges = image->ranges,
                                 .range_count = image->range_count,
                                 .count = s->about.count };
    s->from = image->from;
    s->number = 0;
    s->open = false;
    return part_open(&image->job->plan, image->lookback, &s->part, err);
}

void shards_end(struct shards *s)
{
    if (s->file.path != NULL)
        shard_file_close(&s->file);
    part_close(s->part);
    s->part = NULL;
    texts_release(&s->texts);
    free(s->facts);
    s->facts = NULL;
}

const uint8_t *shards_bytes(const struct shards *s, size_t *len)
{
    *len = s->len;
    return s->file.bytes;
}

bool shards_done(const struct shards *s)
{
    return s->number == s->about.count;
}

static enum err_code shards_missing(struct shards *s, struct record *record, struct err *err)
{
    char line[SHARDS_NOTE];

    snprintf(line, sizeof line,
             "part %" PRIu32 " of %" PRIu32 " is missing: the %" PRIu64
             " bytes from offset %" PRIu64 " on were not scanned",
             s->number, s->about.count, s->to - s->at, s->at);
    shards_say(s, line);
    return record != NULL ? record_note(record, line, err) : ERR_OK;
}

/* Begins to read the next shard. *ready false: it is waited for. */
static enum err_code shards_enter(struct shards *s, struct record *record, bool *ready,
                                  struct err *err)
{
    bool there = shards_state(s, s->number) == SHARD_WHOLE;
    enum err_code rc = ERR_OK;

    if (!there && s->follow)
        rc = shards_wait(s, s->number, &there, err);
    *ready = rc == ERR_OK && (there || !s->follow);
    if (!*ready)
        return rc;
    s->at = shard_cut_at(&s->cut, s->number);
    s->to = shard_cut_at(&s->cut, s->number + 1);
    s->open = true;
    if (!there)
        return s->at < s->to && s->from < s->to ? shards_missing(s, record, err) : ERR_OK;
    if (!shard_path(s->folder, s->number, s->path))
        return ERR_RAISE(err, ERR_INPUT, "%s: its name is too long", s->folder);
    rc = shard_file_open(s->path, &s->file, err);
    if (rc != ERR_OK)
        return rc;
    const char *differs = shard_about_differs(&s->file.about, &s->about);
    return differs == NULL
               ? ERR_OK
               : ERR_RAISE(err, ERR_INPUT, "%s: %s than it was before", s->path, differs);
}

/* The shard has been read: who made it, for the log. */
static enum err_code shards_note(const struct shards *s, struct record *record, struct err *err)
{
    const struct shard_about *about = &s->file.about;
    const struct shard_end *end = &s->file.end;
    char digest[2 * SHARD_SHA256 + 1] = "", bad[64] = "", line[SHARDS_NOTE];

    if (end->bad_bytes > 0)
        snprintf(bad, sizeof bad, " (%" PRIu64 " could not be read)", end->bad_bytes);
    hex_bytes(s->file.digest, SHARD_SHA256, digest);
    snprintf(line, sizeof line,
             "part %" PRIu32 " of %" PRIu32 ", %" PRIu64
             " bytes%s: scanned by %s on %s, engine %s, "
             "from %s to %s, shard sha256 %s: %s",
             s->number, s->about.count, end->bytes, bad, about->user, about->host, about->engine,
             about->started, end->finished, digest, about->command_line);
    return record_note(record, line, err);
}

/* Goes on with the shard behind this one. */
static enum err_code shards_leave(struct shards *s, struct record *record, struct err *err)
{
    enum err_code rc = ERR_OK;

    if (s->file.path != NULL) {
        if (shard_cut_next(&s->cut, s->at) != shard_cut_next(&s->cut, s->to))
            rc = ERR_RAISE(err, ERR_INPUT,
                           "%s: says nothing of what lies behind offset %" PRIu64
                           "; remove it and scan the part again",
                           s->path, s->at);
        else if (s->from < s->to && record != NULL)
            rc = shards_note(s, record, err);
        shard_file_close(&s->file);
    }
    s->open = false;
    s->number++;
    return rc;
}

/* The next part of what nobody has scanned. *there false: there is none any more. */
static enum err_code shards_blank(struct shards *s, bool *there, struct err *err)
{
    const struct shard_cut *cut = &s->cut;
    const uint64_t from = shard_cut_next(cut, s->at);

    *there = from < s->to;
    for (uint32_t i = 0; *there && i < cut->range_count; i++) {
        const uint64_t begin = cut->ranges[i].offset, end = begin + cut->ranges[i].len;
        uint64_t to = s->to < end ? s->to : end;

        if (from < begin || from >= end)
            continue;
        to = to - from > SHARDS_BLANK ? from + SHARDS_BLANK : to;
        s->at = to;
        return part_blank(&s->reader, &(struct io_range){ from, to - from }, s->part, err);
    }
    return ERR_OK;
}

/* Whether the part lies where the one before ended, in one range and in the shard. */
static bool shards_fits(const struct shards *s, const struct plan_part *place)
{
    for (uint32_t i = 0; i < s->cut.range_count; i++) {
        const struct io_range *range = &s->cut.ranges[i];

        if (place->from >= range->offset && place->from < range->offset + range->len)
            return place->to <= range->offset + range->len && place->to <= s->to &&
                   place->from == shard_cut_next(&s->cut, s->at);
    }
    return false;
}

static enum err_code shards_read(struct shards *s, bool *there, struct err *err)
{
    size_t len = 0;
    bool right = false;
    enum err_code rc = shard_file_next(&s->file, &len, err);

    *there = rc == ERR_OK && len > 0;
    if (!*there)
        return rc;
    s->len = len;
    rc = part_restore(&s->reader, s->file.bytes, len, s->part, &right, err);
    if (rc == ERR_OK && (!right || !shards_fits(s, &s->part->place)))
        rc = ERR_RAISE(err, ERR_INPUT,
                       "%s: is damaged: what it says of the bytes behind offset %" PRIu64
                       " cannot be; remove it and scan the part again",
                       s->path, s->at);
    s->part->shard = s->number;
    s->part->rows_at = s->file.at - len + (uint64_t)(s->part->rows - s->file.bytes);
    s->at = s->part->place.to;
    return rc;
}

enum err_code shards_next(struct shards *s, struct record *record, struct part **out,
                          struct err *err)
{
    bool ready = true;
    enum err_code rc = ERR_OK;

    *out = NULL;
    while (rc == ERR_OK && *out == NULL && !shards_done(s)) {
        bool there = false;

        if (!s->open)
            rc = shards_enter(s, record, &ready, err);
        if (!ready)
            return rc;
        if (rc == ERR_OK)
            rc = s->file.path != NULL ? shards_read(s, &there, err) : shards_blank(s, &there, err);
        if (rc == ERR_OK && !there)
            rc = shards_leave(s, record, err);
        else if (rc == ERR_OK && s->part->place.to > s->from)
            *out = s->part;
    }
    return rc;
}
