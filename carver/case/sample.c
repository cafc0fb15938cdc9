/* SPDX-License-Identifier: Apache-2.0
 * carver/case/sample.c - see sample.h. */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "base/pack.h"
#include "carver/case/sample.h"
#include "carver/cli/interrupt.h"
#include "db/sha256.h"

/* Where a sample lies. False behind the last one. */
static bool sample_place(uint64_t size, uint32_t i, uint64_t *offset, uint64_t *len)
{
    if (size <= SAMPLE_WHOLE) {
        *offset = (uint64_t)i * SAMPLE_PIECE;
        *len = *offset < size && size - *offset < SAMPLE_PIECE ? size - *offset : SAMPLE_PIECE;
        return *offset < size;
    }
    *len = i == 0 || i > SAMPLE_BLOCKS ? SAMPLE_EDGE : SAMPLE_BLOCK;
    if (i == 0)
        *offset = 0;
    else if (i > SAMPLE_BLOCKS)
        *offset = size - SAMPLE_EDGE;
    else
        *offset = size / (SAMPLE_BLOCKS + 1) * i / SAMPLE_BLOCK * SAMPLE_BLOCK;
    return i < SAMPLE_MAX;
}

/* Blocks near the edges of a small image would lie in them. */
static bool sample_counts(uint64_t size, uint64_t offset, uint64_t len)
{
    return len != SAMPLE_BLOCK || size <= SAMPLE_WHOLE ||
           (offset >= SAMPLE_EDGE && offset + len <= size - SAMPLE_EDGE);
}

static void sample_note_bad(void *arg, const struct io_bad_range *range)
{
    bool *bad = arg;

    (void)range;
    *bad = true;
}

/* *readable false: a part of the block cannot be read. */
static enum err_code sample_read(struct io_image *image, uint64_t offset, uint64_t len,
                                 uint8_t *buffer, bool *readable, struct err *err)
{
    bool bad = false;
    const enum err_code rc =
        io_salvage_read(image, offset, buffer, (size_t)len, sample_note_bad, &bad, err);

    *readable = rc == ERR_OK && !bad;
    return rc;
}

/* They lie far from each other: a disk that takes many requests at a time has them all at once. */
static void sample_soon(const struct io_image *image)
{
    const uint64_t size = io_image_size(image);
    uint64_t offset, len;

    for (uint32_t i = 0; sample_place(size, i, &offset, &len); i++)
        if (sample_counts(size, offset, len))
            io_image_soon(image, offset, len);
}

void sample_release(struct sample *sample)
{
    free(sample->blocks);
    *sample = (struct sample){ 0 };
}

/* Reads the blocks into a buffer of SAMPLE_EDGE bytes. */
static enum err_code sample_blocks(struct io_image *image, uint8_t *buffer, struct sample *sample,
                                   struct err *err)
{
    const uint64_t size = io_image_size(image);
    enum err_code rc = ERR_OK;
    uint64_t offset, len;

    for (uint32_t i = 0; rc == ERR_OK && sample_place(size, i, &offset, &len); i++) {
        struct db_sample *block = &sample->blocks[sample->count];
        bool readable = false;

        if (interrupt_requested())
            return ERR_RAISE(err, ERR_INTERRUPTED, "interrupted before the image was read");
        if (!sample_counts(size, offset, len))
            continue;
        /* A disk that is gone is noticed by the scan, which keeps what it has found until then. */
        if (sample_read(image, offset, len, buffer, &readable, NULL) != ERR_OK || !readable)
            continue;
        rc = db_sha256(buffer, len, block->sha256, err);
        block->offset = offset;
        block->len = len;
        sample->count++;
    }
    return rc;
}

enum err_code sample_take(struct io_image *image, struct sample *sample, struct err *err)
{
    enum err_code rc = ERR_OK;

    if (sample->blocks != NULL)
        return ERR_OK;
    uint8_t *buffer = aligned_alloc(4096, SAMPLE_EDGE);
    sample->blocks = calloc(SAMPLE_MAX, sizeof *sample->blocks);
    if (buffer == NULL || sample->blocks == NULL)
        rc = ERR_NO_MEMORY(err, SAMPLE_EDGE);
    if (rc == ERR_OK) {
        sample_soon(image);
        rc = sample_blocks(image, buffer, sample, err);
    }
    if (rc != ERR_OK) {
        err_while(err, "taking the fingerprint of the image");
        sample_release(sample);
    }
    free(buffer);
    return rc;
}

enum err_code sample_record(struct db_case *db, int64_t image_id, const struct sample *sample,
                            struct err *err)
{
    const enum err_code rc = db_image_samples_add(db, image_id, sample->blocks, sample->count, err);

    if (rc != ERR_OK)
        err_while(err, "storing the fingerprint of the image");
    return rc;
}

enum err_code sample_digest(const struct sample *sample, char out[DB_SHA256_HEX + 1],
                            struct err *err)
{
    struct pack all = { 0 };

    for (uint32_t i = 0; i < sample->count; i++) {
        pack_number(&all, sample->blocks[i].offset);
        pack_number(&all, sample->blocks[i].len);
        pack_text(&all, sample->blocks[i].sha256);
    }
    const enum err_code rc =
        all.failed ? ERR_NO_MEMORY(err, all.len) : db_sha256(all.bytes, all.len, out, err);
    pack_release(&all);
    return rc;
}

struct sample_comparing {
    struct io_image *image;
    uint8_t *buffer;
    struct sample_answer *out;
};

static enum err_code sample_compare_one(void *arg, const struct db_sample *sample, struct err *err)
{
    struct sample_comparing *comparing = arg;
    const uint64_t size = io_image_size(comparing->image);
    char sha256[DB_SHA256_HEX + 1] = "";
    bool readable = false;

    if (sample->len > SAMPLE_EDGE || sample->offset > size || sample->len > size - sample->offset)
        return ERR_RAISE(err, ERR_INPUT,
                         "the case file is damaged: a sample lies outside the image");
    if (interrupt_requested())
        return ERR_RAISE(err, ERR_INTERRUPTED, "interrupted; nothing was written");
    enum err_code rc = sample_read(comparing->image, sample->offset, sample->len, comparing->buffer,
                                   &readable, err);
    if (rc != ERR_OK || !readable)
        return rc;
    rc = db_sha256(comparing->buffer, sample->len, sha256, err);
    if (rc != ERR_OK)
        return rc;
    comparing->out->blocks++;
    if (strcmp(sha256, sample->sha256) == 0)
        return ERR_OK;
    if (comparing->out->changed++ == 0)
        comparing->out->first = sample->offset;
    return ERR_OK;
}

enum err_code sample_compare(struct db_case *db, int64_t image_id, struct io_image *image,
                             struct sample_answer *out, struct err *err)
{
    struct sample_comparing comparing = { image, aligned_alloc(4096, SAMPLE_EDGE), out };

    *out = (struct sample_answer){ 0 };
    if (comparing.buffer == NULL)
        return ERR_NO_MEMORY(err, SAMPLE_EDGE);
    const enum err_code rc = db_image_samples(db, image_id, sample_compare_one, &comparing, err);
    free(comparing.buffer);
    return rc;
}

bool sample_part(const char *path, uint64_t *size, char modified[SAMPLE_TIME_MAX])
{
    struct stat st;
    struct tm utc;
    char seconds[SAMPLE_TIME_MAX - 12];

    modified[0] = '\0';
    if (stat(path, &st) != 0)
        return false;
    *size = (uint64_t)st.st_size;
    if (S_ISREG(st.st_mode) && gmtime_r(&st.st_mtim.tv_sec, &utc) != NULL &&
        strftime(seconds, sizeof seconds, "%Y-%m-%dT%H:%M:%S", &utc) > 0)
        snprintf(modified, SAMPLE_TIME_MAX, "%s.%09ldZ", seconds, st.st_mtim.tv_nsec % 1000000000);
    return true;
}

char *sample_note_time(const struct db_image *image, uint32_t blocks)
{
    char modified[SAMPLE_TIME_MAX], *note = NULL;
    uint64_t size;

    for (uint32_t i = 0; i < image->part_count; i++) {
        const struct db_image_part *part = &image->parts[i];

        if (part->modified == NULL || !sample_part(part->path, &size, modified) ||
            strcmp(part->modified, modified) == 0)
            continue;
        if (asprintf(&note,
                     "%s was last written to at %s, and at %s when it was scanned; the %" PRIu32
                     " blocks of its fingerprint are the same",
                     part->path, modified, part->modified, blocks) < 0)
            note = NULL;
        break;
    }
    return note;
}
