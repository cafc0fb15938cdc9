/* SPDX-License-Identifier: Apache-2.0
 * carver/scan/shards.c - see shards.h. */
#include "carver/scan/shards.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "carver/scan/shards_impl.h"

enum {
    SHARDS_PATIENCE = 200 /* milliseconds, until whoever follows shards may do something else */
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

uint64_t shards_objects(const struct shards *s)
{
    return s->objects;
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
                            struct sample *sample, const struct scan_pick *pick,
                            const struct scan_map *map, const struct known_scan *known,
                            struct err *err)
{
    const struct scan_pick none = { 0 };
    struct scan_options options = s->about.options;
    struct shard_about_texts texts = { 0 };
    struct shard_about own;
    struct pack all = { 0 };

    options.part_count = s->about.count;
    enum err_code rc = shard_about_make(job, &options, image, sample, pick != NULL ? pick : &none,
                                        map, known, &texts, &own, err);
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
    s->reader = (struct part_reader){ .options = &image->job->plan,
                                      .known = image->known,
                                      .lookback = image->lookback,
                                      .whole = image->whole };
    s->cut = (struct shard_cut){ .whole = image->whole,
                                 .ranges = image->ranges,
                                 .range_count = image->range_count,
                                 .count = s->about.count };
    s->from = image->from;
    s->number = 0;
    s->open = false;
    const enum err_code rc = shards_ahead_open(&s->ahead, &s->reader, image->lookback,
                                               image->job->link, image->job->how->threads, err);
    return rc == ERR_OK ? thread_start(&s->brings, "shards", shards_bring, s, err) : rc;
}

void shards_end(struct shards *s)
{
    if (s->brings.started)
        shards_ahead_stop(&s->ahead);
    thread_join(&s->brings);
    shards_ahead_close(&s->ahead);
    s->taken = NULL;
    if (s->file.path != NULL)
        shard_file_close(&s->file);
}

const uint8_t *shards_bytes(const struct shards *s, size_t *len)
{
    *len = s->taken->len;
    return s->taken->bytes;
}

bool shards_done(struct shards *s)
{
    return shards_ahead_is_done(&s->ahead);
}

/* The bytes of a part were none. */
static enum err_code shards_wrong(const struct shards *s, const struct shards_slot *slot,
                                  struct err *err)
{
    char path[LIMIT_PATH] = "";
    struct io_range place = { 0 };

    (void)shard_path(s->folder, slot->shard, path);
    (void)part_saved_place(slot->bytes, slot->len, UINT64_MAX, &place);
    return shards_damaged(path, place.offset, err);
}

enum err_code shards_next(struct shards *s, struct record *record, struct part **out,
                          struct err *err)
{
    enum err_code rc = ERR_OK;

    *out = NULL;
    while (rc == ERR_OK && *out == NULL) {
        struct shards_slot *slot = s->taken =
            shards_ahead_take(&s->ahead, s->follow ? SHARDS_PATIENCE : 0);

        if (slot == NULL)
            return ERR_OK;
        if (slot->line != NULL && slot->say)
            shards_say(s, slot->line);
        rc = slot->rc;
        if (rc != ERR_OK)
            *err = slot->err;
        else if (slot->is_part && !slot->right)
            rc = shards_wrong(s, slot, err);
        else if (slot->is_blank)
            rc = part_blank(&s->reader, &slot->range, slot->part, err);
        else if (slot->line != NULL && record != NULL)
            rc = record_note(record, slot->line, err);
        if (rc == ERR_OK && (slot->is_part || slot->is_blank))
            *out = slot->part;
    }
    return rc;
}
