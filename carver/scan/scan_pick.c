/* SPDX-License-Identifier: Apache-2.0
 * carver/scan/scan_pick.c - see scan_pick.h. */
#include "carver/scan/scan_pick.h"

#include <inttypes.h>
#include <openssl/evp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hex.h"
#include "carver/cli/interrupt.h"
#include "carver/scan/part.h"
#include "carver/scan/stitch.h"

enum {
    PICK_GAP = 1 << 20, /* bytes: a shorter gap is read, for to read on is quicker than to seek */
    PICK_ROOM = 64,
    PICK_TEXT = 1024,
};

/* A list that grows. */
struct pick_list {
    struct io_range *items;
    uint32_t count, room;
};

static uint64_t pick_end(const struct io_range *range)
{
    return range->offset + range->len;
}

/* Adds [from, to), which lies behind what the list has; joins it with what is nearer than gap. */
static enum err_code pick_add(struct pick_list *list, uint64_t from, uint64_t to, uint64_t gap,
                              struct err *err)
{
    struct io_range *last = list->count > 0 ? &list->items[list->count - 1] : NULL;

    if (from >= to)
        return ERR_OK;
    if (last != NULL && from <= pick_end(last) + gap) {
        if (to > pick_end(last))
            last->len = to - last->offset;
        return ERR_OK;
    }
    if (list->count == list->room) {
        const uint32_t room = list->room == 0 ? PICK_ROOM : list->room * 2;
        struct io_range *items = realloc(list->items, room * sizeof *items);

        if (items == NULL)
            return ERR_NO_MEMORY(err, room * sizeof *items);
        list->items = items;
        list->room = room;
    }
    list->items[list->count++] = (struct io_range){ from, to - from };
    return ERR_OK;
}

static int pick_compare(const void *a, const void *b)
{
    const struct io_range *x = a, *y = b;

    return x->offset < y->offset ? -1 : x->offset > y->offset;
}

/* The slot of a table; NULL: there is none with this number. */
static bool pick_slot(const struct io_volumes *volumes, uint32_t number, struct io_range *out)
{
    for (uint32_t i = 0; i < io_volumes_count(volumes); i++) {
        const struct io_volume volume = io_volumes_get(volumes, i);

        if (volume.number != number || volume.kind == IO_VOLUME_LOGICAL ||
            volume.kind == IO_VOLUME_ALL)
            continue;
        *out = (struct io_range){ volume.offset, volume.len };
        return true;
    }
    return false;
}

/* The partitions that are asked for, as far as they lie in the whole. */
static enum err_code pick_partitions(const struct scan_pick_options *options, const char *path,
                                     const struct scan_pick *pick, struct pick_list *out,
                                     struct err *err)
{
    struct io_range slots[SCAN_PARTITIONS_MAX];
    const uint64_t begin = pick->whole.offset, end = pick_end(&pick->whole);
    enum err_code rc = ERR_OK;

    if (options->partition_count == 0)
        return pick_add(out, begin, end, 0, err);
    for (uint32_t i = 0; i < options->partition_count; i++)
        if (!pick_slot(pick->volumes, options->partitions[i], &slots[i]))
            return ERR_RAISE(err, ERR_INPUT,
                             "--partition %" PRIu32
                             ": %s has no such slot; burin info lists those that it has",
                             options->partitions[i], path);
    qsort(slots, options->partition_count, sizeof slots[0], pick_compare);
    for (uint32_t i = 0; rc == ERR_OK && i < options->partition_count; i++) {
        const uint64_t from = slots[i].offset > begin ? slots[i].offset : begin;
        const uint64_t to = pick_end(&slots[i]) < end ? pick_end(&slots[i]) : end;

        rc = pick_add(out, from, to, 0, err);
    }
    return rc;
}

/* What is asked for, without what is in use. */
static enum err_code pick_free(const struct pick_list *asked, const struct io_volumes *volumes,
                               struct pick_list *out, struct err *err)
{
    uint32_t count = 0, k = 0;
    const struct io_range *used = io_volumes_used(volumes, &count);
    enum err_code rc = ERR_OK;

    for (uint32_t i = 0; rc == ERR_OK && i < asked->count; i++) {
        const uint64_t end = pick_end(&asked->items[i]);
        uint64_t at = asked->items[i].offset;

        while (k < count && pick_end(&used[k]) <= at)
            k++;
        for (uint32_t n = k; rc == ERR_OK && n < count && used[n].offset < end; n++) {
            rc = pick_add(out, at, used[n].offset, 0, err);
            if (pick_end(&used[n]) > at)
                at = pick_end(&used[n]);
        }
        if (rc == ERR_OK)
            rc = pick_add(out, at, end, 0, err);
    }
    return rc;
}

/* What is read in one go: it begins and ends on units of the parts. */
static enum err_code pick_ranges(struct scan_pick *pick, struct err *err)
{
    const uint64_t begin = pick->whole.offset, end = pick_end(&pick->whole);
    struct pick_list list = { 0 };
    enum err_code rc = ERR_OK;

    for (uint32_t i = 0; rc == ERR_OK && i < pick->runs.count; i++) {
        const struct io_range *run = &pick->runs.items[i];
        const uint64_t from = (run->offset - begin) / PART_ALIGN * PART_ALIGN + begin;
        const uint64_t units = (pick_end(run) - begin + PART_ALIGN - 1) / PART_ALIGN;
        const uint64_t to = units * PART_ALIGN < end - begin ? begin + units * PART_ALIGN : end;

        rc = pick_add(&list, from, to, PICK_GAP, err);
    }
    pick->ranges = list.items;
    pick->range_count = list.count;
    return rc;
}

static enum err_code pick_hash(struct scan_pick *pick, struct err *err)
{
    uint8_t digest[EVP_MAX_MD_SIZE];
    unsigned len = 0;
    EVP_MD_CTX *ctx = EVP_MD_CTX_new();
    bool right = ctx != NULL && EVP_DigestInit_ex(ctx, EVP_sha256(), NULL) == 1;

    for (uint32_t i = 0; right && i < pick->runs.count; i++) {
        const struct io_range *run = &pick->runs.items[i];
        char line[64];
        const int size =
            snprintf(line, sizeof line, "%" PRIu64 " %" PRIu64 "\n", run->offset, run->len);

        right = EVP_DigestUpdate(ctx, line, (size_t)size) == 1;
        pick->bytes += run->len;
    }
    right = right && EVP_DigestFinal_ex(ctx, digest, &len) == 1 && 2 * len + 1 == SCAN_PICK_SHA256;
    EVP_MD_CTX_free(ctx);
    if (!right)
        return ERR_RAISE(err, ERR_ENV, "libcrypto cannot hash");
    hex_bytes(digest, len, pick->sha256);
    pick->sha256[SCAN_PICK_SHA256 - 1] = '\0';
    return ERR_OK;
}

static enum err_code pick_some(const struct scan_pick_options *options,
                               const struct io_image *image, const char *path,
                               struct scan_pick *pick, struct err *err)
{
    const bool unallocated = options->unallocated || options->slack;
    const uint32_t wants =
        (unallocated ? IO_VOLUMES_USED : 0) | (options->slack ? IO_VOLUMES_SLACK : 0);
    struct pick_list asked = { 0 }, found = { 0 };

    enum err_code rc = io_volumes_open(image, wants, interrupt_requested, &pick->volumes, err);
    if (rc == ERR_OK)
        rc = pick_partitions(options, path, pick, &asked, err);
    if (rc == ERR_OK && unallocated)
        rc = pick_free(&asked, pick->volumes, &found, err);
    pick->run_items = unallocated ? found.items : asked.items;
    pick->runs = (struct runs){ pick->run_items, unallocated ? found.count : asked.count };
    if (unallocated)
        free(asked.items);
    if (rc == ERR_OK)
        rc = pick_ranges(pick, err);
    return rc == ERR_OK ? pick_hash(pick, err) : rc;
}

enum err_code scan_pick_open(const struct scan_pick_options *options, const struct scan_how *how,
                             const struct io_image *image, const char *path, struct scan_pick *out,
                             struct err *err)
{
    struct pick_list all = { 0 };

    *out = (struct scan_pick){ 0 };
    enum err_code rc = scan_how_range(how, image, path, &out->whole, err);
    out->some = options->unallocated || options->slack || options->partition_count > 0;
    if (rc == ERR_OK && out->some)
        return pick_some(options, image, path, out, err);
    if (rc == ERR_OK)
        rc = pick_add(&all, out->whole.offset, pick_end(&out->whole), 0, err);
    out->ranges = all.items;
    out->range_count = all.count;
    return rc;
}

void scan_pick_release(struct scan_pick *pick)
{
    free(pick->ranges);
    free(pick->run_items);
    io_volumes_close(pick->volumes);
    *pick = (struct scan_pick){ 0 };
}

/* Bytes of the runs that lie in the volume. */
static uint64_t pick_scanned(const struct scan_pick *pick, const struct io_volume *volume)
{
    const uint64_t end = volume->offset + volume->len;
    uint64_t bytes = 0;

    if (volume->kind == IO_VOLUME_LOGICAL)
        return 0;
    for (uint32_t i = runs_from(&pick->runs, volume->offset);
         i < pick->runs.count && pick->runs.items[i].offset < end; i++) {
        const struct io_range *run = &pick->runs.items[i];
        const uint64_t from = run->offset > volume->offset ? run->offset : volume->offset;

        bytes += (pick_end(run) < end ? pick_end(run) : end) - from;
    }
    return bytes;
}

static enum err_code pick_log(struct db_case *db, int64_t run_id, const struct io_volume *volume,
                              struct err *err)
{
    char text[PICK_TEXT];

    if (volume->why[0] == '\0')
        return ERR_OK;
    snprintf(text, sizeof text, "slot %" PRIu32 "%s%s: %s: nothing of it counts as in use",
             volume->number, volume->description[0] != '\0' ? ", " : "", volume->description,
             volume->why);
    return db_log(db, run_id, "note", text, err);
}

static enum err_code pick_record_volume(const struct scan_pick *pick, struct db_case *db,
                                        int64_t run_id, uint32_t index, struct err *err)
{
    const struct io_volume volume = io_volumes_get(pick->volumes, index);
    const struct db_volume row = { .number = index,
                                   .slot = volume.number,
                                   .kind = io_volume_kind_name(volume.kind),
                                   .description = volume.description,
                                   .content = volume.content,
                                   .label = volume.label,
                                   .offset = volume.offset,
                                   .len = volume.len,
                                   .scanned = pick_scanned(pick, &volume),
                                   .why = volume.why };
    const enum err_code rc = db_volume_add(db, run_id, &row, err);

    return rc == ERR_OK ? pick_log(db, run_id, &volume, err) : rc;
}

enum err_code scan_pick_record(const struct scan_pick *pick, struct db_case *db, int64_t run_id,
                               struct err *err)
{
    char text[PICK_TEXT];
    enum err_code rc = ERR_OK;

    if (!pick->some)
        return ERR_OK;
    for (uint32_t i = 0; rc == ERR_OK && i < pick->runs.count; i++)
        rc = db_scanned_add(db, run_id, pick->runs.items[i].offset, pick->runs.items[i].len, err);
    for (uint32_t i = 0; rc == ERR_OK && i < io_volumes_count(pick->volumes); i++)
        rc = pick_record_volume(pick, db, run_id, i, err);
    if (rc == ERR_OK && io_volumes_note(pick->volumes)[0] != '\0')
        rc = db_log(db, run_id, "note", io_volumes_note(pick->volumes), err);
    snprintf(text, sizeof text,
             "looks at %" PRIu64 " of %" PRIu64 " bytes, in %" PRIu32 " runs (sha256 %s)",
             pick->bytes, pick->whole.len, pick->runs.count, pick->sha256);
    return rc == ERR_OK ? db_log(db, run_id, "note", text, err) : rc;
}

uint64_t scan_pick_begin(const struct scan_pick *pick)
{
    return pick->range_count > 0 ? pick->ranges[0].offset : pick->whole.offset;
}

uint64_t scan_pick_range_at(const struct scan_pick *pick, uint64_t position)
{
    const struct io_range *range = stitch_range(pick->ranges, pick->range_count, position);

    return range != NULL ? range->offset : scan_pick_begin(pick);
}

uint64_t scan_pick_left(const struct scan_pick *pick, uint64_t position)
{
    uint64_t left = 0;

    for (uint32_t i = 0; i < pick->range_count; i++) {
        const struct io_range *range = &pick->ranges[i];
        const uint64_t from = position > range->offset ? position : range->offset;

        left += from < pick_end(range) ? pick_end(range) - from : 0;
    }
    return left;
}
