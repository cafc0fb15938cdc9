/* SPDX-License-Identifier: Apache-2.0
 * carver/hashset/known_about.c - the header of a hash set. See known_set.h. */
#include <inttypes.h>
#include <openssl/evp.h>
#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "base/input.h"
#include "carver/hashset/known_set.h"

/* Where in the header what stands. */
enum {
    ABOUT_MAGIC = 0,
    ABOUT_VERSION = 8,
    ABOUT_HASH = 12,
    ABOUT_VERDICT = 16,
    ABOUT_BLOCK_LEN = 20,
    ABOUT_INDEX_BITS = 24,
    ABOUT_FILTER_K = 28,
    ABOUT_COUNT = 32,
    ABOUT_FILTER_BITS = 40,
    ABOUT_RATE = 48,
    ABOUT_SIZE = 56,
    ABOUT_PARTS = 64, /* hashes, index, filter, refs, names: offset and length each */
    ABOUT_LABEL = 256,
    ABOUT_CREATED = 512,
    ABOUT_WRITER = 576,
    ABOUT_BODY = 640,
    ABOUT_CRC64 = 672,
    ABOUT_HAS_CRC64 = 680,
    ABOUT_SHA256 = KNOWN_PAGE - KNOWN_SHA256,
    ABOUT_PART_COUNT = 5,
};

static const char about_magic[8] = { 'B', 'U', 'R', 'N', '-', 'S', 'E', 'T' };

void known_sha256(const void *bytes, size_t len, uint8_t out[KNOWN_SHA256])
{
    unsigned got = 0;

    memset(out, 0, KNOWN_SHA256);
    (void)EVP_Digest(bytes, len, out, &got, EVP_sha256(), NULL);
}

static void about_u32(uint8_t *at, uint32_t value)
{
    for (int i = 0; i < 4; i++)
        at[i] = (uint8_t)(value >> 8 * i);
}

static void about_u64(uint8_t *at, uint64_t value)
{
    about_u32(at, (uint32_t)value);
    about_u32(at + 4, (uint32_t)(value >> 32));
}

static void about_text(uint8_t *at, const char *text, size_t room)
{
    const size_t len = strlen(text);

    memcpy(at, text, len < room ? len : room - 1);
}

void known_about_store(const struct known_about *about, uint8_t page[KNOWN_PAGE])
{
    const struct known_part parts[ABOUT_PART_COUNT] = { about->hashes, about->index, about->bloom,
                                                        about->refs, about->names };
    uint64_t rate;

    memset(page, 0, KNOWN_PAGE);
    memcpy(&rate, &about->rate, sizeof rate);
    memcpy(page + ABOUT_MAGIC, about_magic, sizeof about_magic);
    about_u32(page + ABOUT_VERSION, KNOWN_SET_VERSION);
    about_u32(page + ABOUT_HASH, about->hash);
    about_u32(page + ABOUT_VERDICT, about->verdict);
    about_u32(page + ABOUT_BLOCK_LEN, about->block_len);
    about_u32(page + ABOUT_INDEX_BITS, about->index_bits);
    about_u32(page + ABOUT_FILTER_K, about->filter.k);
    about_u64(page + ABOUT_COUNT, about->count);
    about_u64(page + ABOUT_FILTER_BITS, about->filter.bits);
    about_u64(page + ABOUT_RATE, rate);
    about_u64(page + ABOUT_SIZE, about->size);
    for (int i = 0; i < ABOUT_PART_COUNT; i++) {
        about_u64(page + ABOUT_PARTS + (ptrdiff_t)16 * i, parts[i].at);
        about_u64(page + ABOUT_PARTS + (ptrdiff_t)16 * i + 8, parts[i].len);
    }
    about_text(page + ABOUT_LABEL, about->label, sizeof about->label);
    about_text(page + ABOUT_CREATED, about->created, sizeof about->created);
    about_text(page + ABOUT_WRITER, about->writer, sizeof about->writer);
    memcpy(page + ABOUT_BODY, about->body_sha256, KNOWN_SHA256);
    about_u64(page + ABOUT_CRC64, about->body_crc64);
    about_u32(page + ABOUT_HAS_CRC64, about->has_crc64);
    known_sha256(page, ABOUT_SHA256, page + ABOUT_SHA256);
}

static enum err_code about_damaged(const char *path, const char *what, struct err *err)
{
    return ERR_RAISE(err, ERR_INPUT, "%s: the hash set is damaged: %s; build it again", path, what);
}

/* A part must begin on a page, be in the file, and have the length that the counts give. */
static bool about_part_fits(const struct known_part *part, uint64_t len, uint64_t size)
{
    return part->at % KNOWN_PAGE == 0 && part->at >= KNOWN_PAGE && part->at <= size &&
           part->len <= size - part->at && part->len == len;
}

static enum err_code about_check(const char *path, const struct known_about *a, uint64_t size,
                                 struct err *err)
{
    const bool block = a->block_len >= KNOWN_BLOCK_MIN && a->block_len <= KNOWN_BLOCK_MAX &&
                       (a->block_len & (a->block_len - 1)) == 0;

    if (a->size != size)
        return ERR_RAISE(err, ERR_INPUT,
                         "%s: the hash set is damaged: it has %" PRIu64
                         " bytes, and its header says %" PRIu64 "; copy or build it again",
                         path, size, a->size);
    if ((unsigned)a->hash >= DIGEST_KINDS || (unsigned)a->verdict > KNOWN_BAD ||
        (a->block_len != 0 && !block))
        return about_damaged(path, "its kind is unknown", err);
    if (a->index_bits > KNOWN_INDEX_BITS_MAX || a->count > size || a->filter.k < 1 ||
        a->filter.k > BLOOM_K_BLOCKED_MAX || a->filter.bits == 0 ||
        a->filter.bits % BLOOM_LINE_BITS != 0)
        return about_damaged(path, "its counts are invalid", err);
    if (!about_part_fits(&a->hashes, a->count * digest_len(a->hash), size) ||
        !about_part_fits(&a->index, ((UINT64_C(1) << a->index_bits) + 1) * 8, size) ||
        !about_part_fits(&a->bloom, a->filter.bits / 8, size))
        return about_damaged(path, "a part of it is in the wrong place", err);
    if (a->has_names && (!about_part_fits(&a->refs, a->count * 16, size) ||
                         !about_part_fits(&a->names, a->names.len, size) || a->names.len == 0))
        return about_damaged(path, "its names are in the wrong place", err);
    return ERR_OK;
}

bool known_about_begins(const char *path)
{
    char magic[sizeof about_magic];
    FILE *file = NULL;
    const bool begins = input_open(path, &file, NULL) == ERR_OK &&
                        fread(magic, sizeof magic, 1, file) == 1 &&
                        memcmp(magic, about_magic, sizeof magic) == 0;

    if (file != NULL)
        fclose(file);
    return begins;
}

enum err_code known_about_load(const char *path, const uint8_t page[KNOWN_PAGE], uint64_t size,
                               struct known_about *out, struct err *err)
{
    uint8_t sha256[KNOWN_SHA256];
    struct known_part parts[ABOUT_PART_COUNT];
    const uint64_t rate = bytes_u64le(page + ABOUT_RATE);

    if (memcmp(page + ABOUT_MAGIC, about_magic, sizeof about_magic) != 0)
        return ERR_RAISE(err, ERR_INPUT,
                         "%s: not a hash set of burin; burin known build makes one of a list",
                         path);
    if (bytes_u32le(page + ABOUT_VERSION) != KNOWN_SET_VERSION)
        return ERR_RAISE(err, ERR_INPUT,
                         "%s: a hash set of version %" PRIu32
                         ", and this burin reads version %d; build it again",
                         path, bytes_u32le(page + ABOUT_VERSION), KNOWN_SET_VERSION);
    known_sha256(page, ABOUT_SHA256, sha256);
    if (memcmp(sha256, page + ABOUT_SHA256, sizeof sha256) != 0)
        return about_damaged(path, "its header was changed", err);
    for (int i = 0; i < ABOUT_PART_COUNT; i++)
        parts[i] = (struct known_part){ bytes_u64le(page + ABOUT_PARTS + (ptrdiff_t)16 * i),
                                        bytes_u64le(page + ABOUT_PARTS + (ptrdiff_t)16 * i + 8) };
    *out = (struct known_about){
        .hash = (enum digest_kind)bytes_u32le(page + ABOUT_HASH),
        .verdict = (enum known_verdict)bytes_u32le(page + ABOUT_VERDICT),
        .block_len = bytes_u32le(page + ABOUT_BLOCK_LEN),
        .count = bytes_u64le(page + ABOUT_COUNT),
        .filter = { .kind = BLOOM_BLOCKED,
                    .k = bytes_u32le(page + ABOUT_FILTER_K),
                    .bits = bytes_u64le(page + ABOUT_FILTER_BITS) },
        .index_bits = bytes_u32le(page + ABOUT_INDEX_BITS),
        .has_names = parts[3].at != 0,
        .hashes = parts[0],
        .index = parts[1],
        .bloom = parts[2],
        .refs = parts[3],
        .names = parts[4],
        .size = bytes_u64le(page + ABOUT_SIZE),
    };
    memcpy(&out->rate, &rate, sizeof rate);
    memcpy(out->body_sha256, page + ABOUT_BODY, KNOWN_SHA256);
    out->body_crc64 = bytes_u64le(page + ABOUT_CRC64);
    out->has_crc64 = bytes_u32le(page + ABOUT_HAS_CRC64) == 1;
    snprintf(out->label, sizeof out->label, "%.*s", KNOWN_LABEL_MAX - 1,
             (const char *)page + ABOUT_LABEL);
    snprintf(out->created, sizeof out->created, "%.*s", (int)sizeof out->created - 1,
             (const char *)page + ABOUT_CREATED);
    snprintf(out->writer, sizeof out->writer, "%.*s", (int)sizeof out->writer - 1,
             (const char *)page + ABOUT_WRITER);
    return about_check(path, out, size, err);
}
