/* SPDX-License-Identifier: Apache-2.0
 * carver/scan/since.c - see since.h. */
#include "carver/scan/since.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bisect.h"
#include "base/grow.h"
#include "carver/plan/lookback.h"
#include "carver/scan/scan_options.h"
#include "carver/scan/shards.h"

/* Grows by doubling. */
struct since_list {
    struct io_range *items;
    uint32_t count;
    size_t room;
};

struct since {
    struct shards *shards;
    const char *folder;
    struct io_mapfile map; /* its `bad` are the bytes that were not changed */
    char sha256[SCAN_MAP_SHA256];
    struct scan_crew_image image; /* what parts are read for */
    struct scan_job own;
    struct lookback blank;      /* of the image, for a look at the parts alone */
    struct since_list kept;     /* places of the parts that are taken over */
    struct since_list gaps;     /* what lies between them */
    uint64_t kept_bytes, parts; /* parts: all that there were */

    /* Between since_begin and since_end. */
    bool reads;
    struct part *part; /* the next one that is taken over, or NULL */
    uint32_t next;     /* of kept */
};

static enum err_code since_add(struct since_list *list, uint64_t from, uint64_t to, struct err *err)
{
    const enum err_code rc =
        grow_items(&list->items, list->count, &list->room, sizeof *list->items, err);

    if (rc == ERR_OK)
        list->items[list->count++] = (struct io_range){ from, to - from };
    return rc;
}

enum err_code since_open(const char *folder, const char *changed, struct since **out,
                         struct err *err)
{
    struct since *since = calloc(1, sizeof *since);

    *out = NULL;
    if (since == NULL)
        return ERR_NO_MEMORY(err, sizeof *since);
    since->folder = folder;
    enum err_code rc = scan_map_load(changed, &since->map, since->sha256, err);
    if (rc != ERR_OK)
        err_while(err, "reading --changed");
    if (rc == ERR_OK)
        rc = shards_open(folder, NULL, NULL, &since->shards, err);
    if (rc == ERR_OK)
        *out = since;
    else
        since_close(since);
    return rc;
}

void since_close(struct since *since)
{
    if (since == NULL)
        return;
    since_end(since);
    shards_close(since->shards);
    io_mapfile_release(&since->map);
    free(since->kept.items);
    free(since->gaps.items);
    free(since);
}

static bool since_begins(const void *range, uint64_t at)
{
    return ((const struct io_bad_range *)range)->offset <= at;
}

/* Whether the map says of all bytes of the range that they were not changed. */
static bool since_unchanged(const struct since *since, const struct io_range *range)
{
    const struct io_bad_range *same = since->map.bad;
    const uint64_t end = range->offset + range->len;
    uint64_t at = range->offset;

    if (since->map.count == 0 || same[0].offset > at)
        return false;
    for (size_t i = bisect_last(same, since->map.count, sizeof *same, since_begins, at);
         at < end && i < since->map.count && same[i].offset <= at; i++)
        at = same[i].offset + same[i].len > at ? same[i].offset + same[i].len : at;
    return at >= end;
}

/* The identity of the parts, but for the content of the image, is that of the job. */
enum err_code since_check(const struct since *since, const struct scan_job *job,
                          struct io_image *image, const struct scan_map *map,
                          const struct known_scan *known, struct err *err)
{
    const struct scan_pick all_of_it = { 0 };
    const struct shard_about *about = shards_about(since->shards);
    struct scan_options options = *job->options;
    struct shard_about_texts texts = { 0 };
    struct shard_about own = { 0 };
    struct pack all = { 0 };

    options.part_count = about->count;
    enum err_code rc =
        shard_about_make(job, &options, image, NULL, &all_of_it, map, known, &texts, &own, err);
    if (rc == ERR_OK) {
        own.sample = about->sample;
        shard_about_save(&own, &all);
        if (all.failed)
            rc = ERR_NO_MEMORY(err, all.len);
    }
    const char *differs = rc == ERR_OK ? shard_about_differs(about, &own) : NULL;
    if (differs != NULL)
        rc = ERR_RAISE(err, ERR_INPUT,
                       "--since %s: the earlier scan %s than this one; scan the whole image, "
                       "without --since",
                       since->folder, differs);
    if (rc == ERR_OK && since->map.read_end > io_image_size(image))
        rc = ERR_RAISE(err, ERR_INPUT,
                       "--changed: line %" PRIu64 ": ends at byte %" PRIu64
                       ", and the image has %" PRIu64 "; it is the map of another image",
                       since->map.read_end_line, since->map.read_end, io_image_size(image));
    pack_release(&all);
    shard_about_release(&own);
    shard_about_texts_release(&texts);
    return rc;
}

/* Looks at all parts, and writes down which are taken over. */
static enum err_code since_choose(struct since *since, struct err *err)
{
    const struct io_range *whole = &since->image.whole;
    uint64_t at = whole->offset;
    struct part *part = NULL;
    enum err_code rc = shards_begin(since->shards, &since->image, err);

    while (rc == ERR_OK && (rc = shards_next(since->shards, NULL, &part, err)) == ERR_OK &&
           part != NULL) {
        since->parts++;
        if (part->bad_count > 0 || !since_unchanged(since, &part->looked))
            continue;
        if (part->place.from > at)
            rc = since_add(&since->gaps, at, part->place.from, err);
        if (rc == ERR_OK)
            rc = since_add(&since->kept, part->place.from, part->place.to, err);
        since->kept_bytes += part->place.to - part->place.from;
        at = part->place.to;
    }
    if (rc == ERR_OK && at < whole->offset + whole->len)
        rc = since_add(&since->gaps, at, whole->offset + whole->len, err);
    shards_end(since->shards);
    return rc;
}

enum err_code since_accept(struct since *since, const struct scan_job *job, struct io_image *image,
                           const struct scan_pick *pick, const struct scan_map *map,
                           const struct known_scan *known, struct err *err)
{
    enum err_code rc = since_check(since, job, image, map, known, err);

    if (rc != ERR_OK)
        return rc;
    since->own = *job;
    since->blank.image = image;
    since->image = (struct scan_crew_image){ .job = &since->own,
                                             .image = image,
                                             .whole = pick->whole,
                                             .ranges = pick->ranges,
                                             .range_count = pick->range_count,
                                             .from = pick->whole.offset,
                                             .known = known_scan_wants(known, true) ? known : NULL,
                                             .lookback = &since->blank };
    return since_choose(since, err);
}

const struct io_range *since_gaps(const struct since *since, uint32_t *count)
{
    *count = since->gaps.count;
    return since->gaps.items;
}

enum err_code since_begin(struct since *since, struct lookback *lookback, struct err *err)
{
    since->image.lookback = lookback;
    since->reads = true;
    since->next = 0;
    since->part = NULL;
    return shards_begin(since->shards, &since->image, err);
}

void since_end(struct since *since)
{
    if (since->reads)
        shards_end(since->shards);
    since->reads = false;
}

enum err_code since_next(struct since *since, uint64_t at, struct part **out, struct err *err)
{
    enum err_code rc = ERR_OK;
    struct part *part = NULL;

    *out = NULL;
    if (since->next == since->kept.count || since->kept.items[since->next].offset != at)
        return ERR_OK;
    do
        rc = shards_next(since->shards, NULL, &part, err);
    while (rc == ERR_OK && part != NULL && part->place.from < at);
    if (rc == ERR_OK && (part == NULL || part->place.from != at))
        rc = ERR_RAISE(err, ERR_INPUT, "--since %s: it was changed while it was read",
                       since->folder);
    since->next++;
    *out = rc == ERR_OK ? part : NULL;
    return rc;
}

const uint8_t *since_bytes(const struct since *since, size_t *len)
{
    return shards_bytes(since->shards, len);
}

void since_note(const struct since *since, char out[SINCE_NOTE])
{
    snprintf(
        out, SINCE_NOTE,
        "%" PRIu32 " of %" PRIu64 " parts, %" PRIu64
        " bytes, were taken over from an earlier scan, whose parts are in %.200s: no byte that "
        "they depend on is called changed by the map with the SHA-256 %s",
        since->kept.count, since->parts, since->kept_bytes, since->folder, since->sha256);
}
