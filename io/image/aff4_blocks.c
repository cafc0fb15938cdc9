/* SPDX-License-Identifier: Apache-2.0
 * io/image/aff4_blocks.c - see io/blocks.h. */
#include "io/image/aff4_blocks.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/blocks.h"
#include "io/image/container.h"

/* Digests of one kind of the chunks of a bevvy. */
struct blocks_loaded {
    uint64_t bevvy;
    bool loaded;
    uint8_t *bytes; /* owned; NULL: the container has none */
    uint64_t count;
};

struct io_blocks {
    struct io_aff4_alone alone;
    struct blocks_loaded loaded[IO_BLOCK_KINDS];
};

static const struct io_block_kind blocks_kinds[IO_BLOCK_KINDS] = {
    { "md5", 16 }, { "sha1", 20 }, { "sha256", 32 }, { "sha512", 64 }
};

const struct io_block_kind *io_blocks_kind(uint32_t kind)
{
    return &blocks_kinds[kind];
}

/* Whether the file is an AFF4, by what io_image_open takes it for. */
static enum err_code blocks_is_aff4(const char *path, bool *is, struct err *err)
{
    struct io_image *image = NULL;
    const enum err_code rc = io_image_open(path, NULL, &image, err);

    *is = rc == ERR_OK && strcmp(io_image_format(image), "AFF4") == 0;
    io_image_close(image);
    return rc;
}

enum err_code io_blocks_open(const char *path, uint32_t number, struct io_blocks **out,
                             struct err *err)
{
    bool is = false;
    enum err_code rc = blocks_is_aff4(path, &is, err);

    *out = NULL;
    if (rc != ERR_OK || !is)
        return rc;
    struct io_blocks *blocks = calloc(1, sizeof *blocks);
    if (blocks == NULL)
        return ERR_NO_MEMORY(err, sizeof *blocks);
    rc = io_aff4_alone(path, number, &blocks->alone, err);
    if (rc == ERR_OK && blocks->alone.image != NULL)
        *out = blocks;
    else
        io_blocks_close(blocks);
    return rc;
}

void io_blocks_close(struct io_blocks *blocks)
{
    if (blocks == NULL)
        return;
    for (uint32_t i = 0; i < IO_BLOCK_KINDS; i++)
        free(blocks->loaded[i].bytes);
    io_aff4_alone_release(&blocks->alone);
    free(blocks);
}

struct io_image *io_blocks_image(const struct io_blocks *blocks)
{
    return blocks->alone.image;
}

const char *io_blocks_name(const struct io_blocks *blocks)
{
    return blocks->alone.iri;
}

uint32_t io_blocks_len(const struct io_blocks *blocks)
{
    return blocks->alone.chunk;
}

/* The digests of a bevvy, from the volume that has them. */
static enum err_code blocks_load(struct io_blocks *blocks, uint64_t bevvy, uint32_t kind,
                                 struct err *err)
{
    struct blocks_loaded *loaded = &blocks->loaded[kind];
    const struct io_aff4_alone *alone = &blocks->alone;
    enum err_code rc = ERR_OK;
    char rest[48];

    free(loaded->bytes);
    *loaded = (struct blocks_loaded){ .bevvy = bevvy, .loaded = true };
    snprintf(rest, sizeof rest, "/%08" PRIu64 ".blockHash.%s", bevvy, blocks_kinds[kind].name);
    for (uint32_t i = 0; rc == ERR_OK && loaded->bytes == NULL && i < alone->volume_count; i++) {
        const struct io_zip_member *member = io_aff4_segment(alone->volumes[i], alone->iri, rest);

        if (member == NULL)
            continue;
        rc = io_zip_load(&alone->volumes[i]->zip, member, &loaded->bytes, err);
        loaded->count = member->len / blocks_kinds[kind].len;
    }
    return rc;
}

enum err_code io_blocks_digest(struct io_blocks *blocks, uint64_t block, uint32_t kind,
                               const uint8_t **out, struct err *err)
{
    struct blocks_loaded *loaded = &blocks->loaded[kind];
    const uint64_t bevvy = block / blocks->alone.per_bevvy, in = block % blocks->alone.per_bevvy;
    enum err_code rc = ERR_OK;

    if (!loaded->loaded || loaded->bevvy != bevvy)
        rc = blocks_load(blocks, bevvy, kind, err);
    *out = rc == ERR_OK && loaded->bytes != NULL && in < loaded->count
               ? loaded->bytes + in * blocks_kinds[kind].len
               : NULL;
    return rc;
}
