/* SPDX-License-Identifier: Apache-2.0
 * carver/scan/shards_read.c - reads the shards one behind another, ahead of who takes their parts:
 * see shards_impl.h.
 */
#include <inttypes.h>
#include <string.h>

#include "base/hex.h"
#include "carver/scan/shards_impl.h"

enum {
    SHARDS_NOTE = 4096,     /* bytes of a line of the log */
    SHARDS_BLANK = 1 << 30, /* bytes of a part that stands for what is missing */
};

/* A line for the log, in its turn; say: and for who looks on. */
static enum err_code shards_line(struct shards *s, const char *line, bool say, struct err *err)
{
    struct shards_slot *slot = shards_ahead_next(&s->ahead);

    if (slot == NULL)
        return ERR_OK;
    slot->line = strdup(line);
    if (slot->line == NULL)
        return ERR_NO_MEMORY(err, strlen(line));
    slot->say = say;
    shards_ahead_add(&s->ahead);
    return ERR_OK;
}

static enum err_code shards_missing(struct shards *s, struct err *err)
{
    char line[SHARDS_NOTE];

    snprintf(line, sizeof line,
             "part %" PRIu32 " of %" PRIu32 " is missing: the %" PRIu64
             " bytes from offset %" PRIu64 " on were not scanned",
             s->number, s->about.count, s->to - s->at, s->at);
    return shards_line(s, line, true, err);
}

/* Begins to read the next shard, when it is there. */
static enum err_code shards_enter(struct shards *s, struct err *err)
{
    bool there = shards_state(s, s->number) == SHARD_WHOLE;
    enum err_code rc = ERR_OK;

    while (rc == ERR_OK && !there && s->follow && !shards_ahead_is_stopped(&s->ahead))
        rc = shards_wait(s, s->number, &there, err);
    if (rc != ERR_OK)
        return rc;
    s->at = shard_cut_at(&s->cut, s->number);
    s->to = shard_cut_at(&s->cut, s->number + 1);
    s->open = true;
    if (!there)
        return s->at < s->to && s->from < s->to ? shards_missing(s, err) : ERR_OK;
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
static enum err_code shards_note(struct shards *s, struct err *err)
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
    return shards_line(s, line, false, err);
}

/* Goes on with the shard behind this one. */
static enum err_code shards_leave(struct shards *s, struct err *err)
{
    enum err_code rc = ERR_OK;

    if (s->file.path != NULL) {
        if (shard_cut_next(&s->cut, s->at) != shard_cut_next(&s->cut, s->to))
            rc = ERR_RAISE(err, ERR_INPUT,
                           "%s: says nothing of what lies behind offset %" PRIu64
                           "; remove it and scan the part again",
                           s->path, s->at);
        else if (s->from < s->to)
            rc = shards_note(s, err);
        shard_file_close(&s->file);
    }
    s->open = false;
    s->number++;
    return rc;
}

/* The next part of what nobody has scanned. *there false: there is none any more. */
static void shards_blank(struct shards *s, bool *there)
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
        if (to <= s->from)
            return;
        struct shards_slot *slot = shards_ahead_next(&s->ahead);
        if (slot == NULL)
            return;
        slot->is_blank = true;
        slot->range = (struct io_range){ from, to - from };
        shards_ahead_add(&s->ahead);
        return;
    }
}

/* Whether the part lies where the one before ended, in one range and in the shard. */
static bool shards_fits(const struct shards *s, const struct io_range *place)
{
    const uint64_t to = place->offset + place->len;

    for (uint32_t i = 0; i < s->cut.range_count; i++) {
        const struct io_range *range = &s->cut.ranges[i];

        if (place->offset >= range->offset && place->offset < range->offset + range->len)
            return to <= range->offset + range->len && to <= s->to &&
                   place->offset == shard_cut_next(&s->cut, s->at);
    }
    return false;
}

enum err_code shards_damaged(const char *path, uint64_t at, struct err *err)
{
    return ERR_RAISE(err, ERR_INPUT,
                     "%s: is damaged: what it says of the bytes behind offset %" PRIu64
                     " cannot be; remove it and scan the part again",
                     path, at);
}

/* Reads the bytes of the next part, which threads make a part of. */
static enum err_code shards_read(struct shards *s, bool *there, struct err *err)
{
    const uint64_t end = s->cut.whole.offset + s->cut.whole.len;
    struct shard_file *file = &s->file;
    struct io_range place;
    size_t len = 0;
    enum err_code rc = shard_file_next(file, &len, err);

    *there = rc == ERR_OK && len > 0;
    if (!*there)
        return rc;
    if (!part_saved_place(file->bytes, len, end, &place) || !shards_fits(s, &place))
        return shards_damaged(s->path, s->at, err);
    s->at = place.offset + place.len;
    if (s->at <= s->from)
        return ERR_OK;
    struct shards_slot *slot = shards_ahead_next(&s->ahead);
    if (slot == NULL)
        return ERR_OK;
    uint8_t *const bytes = slot->bytes; /* goes to the file for the next part */
    const size_t room = slot->room;
    slot->bytes = file->bytes;
    slot->room = file->room;
    file->bytes = bytes;
    file->room = room;
    slot->len = len;
    slot->at = file->at - len;
    slot->shard = s->number;
    slot->is_part = true;
    shards_ahead_add(&s->ahead);
    return ERR_OK;
}

void shards_bring(void *arg)
{
    struct shards *s = arg;
    struct err err = { 0 };
    enum err_code rc = ERR_OK;

    while (rc == ERR_OK && s->number < s->about.count && !shards_ahead_is_stopped(&s->ahead)) {
        bool there = false;

        if (!s->open)
            rc = shards_enter(s, &err);
        if (rc == ERR_OK && s->file.path != NULL)
            rc = shards_read(s, &there, &err);
        else if (rc == ERR_OK)
            shards_blank(s, &there);
        if (rc == ERR_OK && !there)
            rc = shards_leave(s, &err);
    }
    struct shards_slot *slot = rc != ERR_OK ? shards_ahead_next(&s->ahead) : NULL;
    if (slot != NULL) {
        slot->rc = rc;
        slot->err = err;
        shards_ahead_add(&s->ahead);
    }
    shards_ahead_end(&s->ahead);
}
