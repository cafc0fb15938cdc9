/* SPDX-License-Identifier: Apache-2.0
 * signatures/system/cache2.c - what Firefox knows of an entry of its cache (cache2): the address,
 * when it was fetched, what the server answered.
 *
 *   content | u32be hash of what follows | u16be hash of each 256 KiB of the content | u32be
 * version 2 or 3 | u32be how often fetched | u32be last fetched | u32be last modified | u32be
 * frecency | u32be expires | u32be bytes of the key | u32be flags | key, 0 | name, 0, value, 0 ...
 * | u32be bytes of the content
 *
 * An entry begins with its content, whatever that is, so only what stands behind it can be found:
 * the object begins with the first hash. Behind more than 1 MiB of content it is not found.
 */
#include <string.h>

#include "base/bytes.h"
#include "signatures/facts/tell.h"
#include "signatures/lib/step.h"
#include "signatures/sig.h"

enum {
    CACHE2_HASH = 4,
    CACHE2_CHUNK = 256 << 10, /* bytes of the content with a hash of their own */
    CACHE2_CHUNKS_MAX = 4,
    CACHE2_HEAD = 32,
    CACHE2_KEY_MAX = 8192,
    CACHE2_SIZE_MAX = 60 << 10,
};

/* How the three words of the hash are mixed (R. Jenkins, lookup2). */
static void cache2_mix(uint32_t *a, uint32_t *b, uint32_t *c)
{
    static const uint8_t turns[3][3] = { { 13, 8, 13 }, { 12, 16, 5 }, { 3, 10, 15 } };

    for (uint32_t i = 0; i < 3; i++) {
        *a = (*a - *b - *c) ^ *c >> turns[i][0];
        *b = (*b - *c - *a) ^ *a << turns[i][1];
        *c = (*c - *a - *b) ^ *b >> turns[i][2];
    }
}

static uint32_t cache2_hash(const uint8_t *bytes, uint32_t len)
{
    const uint32_t all = len;
    uint32_t a = UINT32_C(0x9e3779b9), b = a, c = 0;
    uint8_t rest[12] = { 0 };

    for (; len >= sizeof rest; bytes += sizeof rest, len -= (uint32_t)sizeof rest) {
        a += bytes_u32le(bytes);
        b += bytes_u32le(bytes + 4);
        c += bytes_u32le(bytes + 8);
        cache2_mix(&a, &b, &c);
    }
    memcpy(rest, bytes, len);
    a += bytes_u32le(rest);
    b += bytes_u32le(rest + 4);
    c += all + (bytes_u32le(rest + 8) << 8); /* its lowest byte is that of the length */
    cache2_mix(&a, &b, &c);
    return c;
}

/* Where the head is: behind the hashes of so many pieces of content. 0: nowhere. */
static uint32_t cache2_head(const uint8_t *p, uint32_t chunks)
{
    const uint32_t at = CACHE2_HASH + 2 * chunks, version = bytes_u32be(p + at);

    return (version == 2 || version == 3) && bytes_u32be(p + at + 24) <= CACHE2_KEY_MAX &&
                   bytes_u32be(p + at + 24) > 0
               ? at
               : 0;
}

/*
 * The end: the bytes of the content that stand behind a pair of texts, and with them the hash.
 * STEP_BAD: there is none in the bytes at hand.
 */
static enum step cache2_end(struct sig_input *in, uint32_t chunks, uint32_t from, uint32_t *end)
{
    const uint32_t most = in->limit < CACHE2_SIZE_MAX ? (uint32_t)in->limit : CACHE2_SIZE_MAX;
    bool pair = true; /* the key is read: no name is open */

    for (uint32_t at = from; at + 4 <= most; at++) {
        const uint8_t *p = sig_bytes(in, 0, at + 4);

        if (p == NULL)
            return STEP_WAIT;
        const uint32_t content = bytes_u32be(p + at);
        const uint32_t pieces = content / CACHE2_CHUNK + (content % CACHE2_CHUNK != 0);
        if (pair && pieces == chunks &&
            cache2_hash(p + CACHE2_HASH, at - CACHE2_HASH) == bytes_u32be(p)) {
            *end = at + 4;
            return STEP_DONE;
        }
        const uint8_t *zero = memchr(p + at, 0, 4);
        if (pair && zero == p + at)
            return STEP_BAD; /* a name is not empty */
        while ((p = sig_bytes(in, at, 1)) != NULL && p[0] != 0 && at < most)
            at++;
        if (p == NULL)
            return STEP_WAIT;
        pair = !pair;
    }
    return STEP_BAD;
}

static struct sig_result cache2_check(struct sig_input *in, void *memory)
{
    (void)memory;
    const uint32_t most = CACHE2_HASH + 2 * CACHE2_CHUNKS_MAX + CACHE2_HEAD;
    for (uint32_t chunks = 0; chunks <= CACHE2_CHUNKS_MAX; chunks++) {
        const uint8_t *p = sig_bytes(in, 0, most);
        uint32_t end;

        if (p == NULL)
            return sig_short(in);
        const uint32_t head = cache2_head(p, chunks);
        if (head == 0)
            continue;
        const uint32_t key = head + CACHE2_HEAD, behind = key + bytes_u32be(p + head + 24);
        p = sig_bytes(in, key, behind - key + 1);
        if (p == NULL)
            return sig_short(in);
        if (memchr(p, 0, behind - key + 1) != p + (behind - key))
            continue;
        const enum step step = cache2_end(in, chunks, behind + 1, &end);
        if (step == STEP_WAIT)
            return sig_short(in);
        if (step == STEP_DONE)
            return sig_complete(in, end, "the hash over head, key and texts");
    }
    return sig_reject("no hash over head, key and texts");
}

/* The address is the end of the key, behind tags and a colon. */
static void cache2_facts(struct sig_facts *facts)
{
    const uint32_t most = CACHE2_HASH + 2 * CACHE2_CHUNKS_MAX + CACHE2_HEAD;
    const uint8_t *p = tell_bytes(facts, 0, most);
    uint32_t head = 0;

    for (uint32_t chunks = 0; p != NULL && head == 0 && chunks <= CACHE2_CHUNKS_MAX; chunks++)
        head = cache2_head(p, chunks);
    if (head == 0)
        return;
    const uint32_t len = bytes_u32be(p + head + 24), modified = bytes_u32be(p + head + 12);
    p = tell_bytes(facts, head + CACHE2_HEAD, len);
    const uint8_t *address = p == NULL ? NULL : memmem(p, len, ":http", 5);
    if (address != NULL)
        tell_text(facts, SIG_FACT_TITLE, address + 1, (size_t)(p + len - address - 1));
    if (modified != 0)
        tell_moment(facts, SIG_FACT_MODIFIED, modified);
}

#define CACHE2_KEY(before, tags)                                                                   \
    {                                                                                              \
        .bytes = "\0\0\0\2\0\0"                                                                    \
                 "??????????????????"                                                              \
                 "\0\0??\0\0\0?" tags,                                                             \
        .mask = "\xff\xff\xff\xfe\xff\xff\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\xff\xff\0\0"         \
                "\xff\xff\xff\0\xff\xff\xff\xff\xff",                                              \
        .len = 37, .at = CACHE2_HASH + 2 * (before)                                                \
    }

const struct sig sig_cache2 = {
    .name = "cache2",
    .what = "address and answer of an entry of Firefox's cache (cache2)",
    .proves = "the hash over head, key and texts; the content before it is no part of the object",
    .source = "Mozilla, netwerk/cache2/CacheFileMetadata.h; R. Jenkins, lookup2",
    .types = (const struct sig_type[]){ { "cache2", "cache2" }, { 0 } },
    .headers = { CACHE2_KEY(0, ":http"), CACHE2_KEY(1, ":http"), CACHE2_KEY(2, ":http"),
                 CACHE2_KEY(3, ":http"), CACHE2_KEY(4, ":http"), CACHE2_KEY(0, "O^par"),
                 CACHE2_KEY(1, "O^par"), CACHE2_KEY(2, "O^par"), CACHE2_KEY(3, "O^par"),
                 CACHE2_KEY(4, "O^par"), CACHE2_KEY(0, "a,:ht"), CACHE2_KEY(1, "a,:ht"),
                 CACHE2_KEY(2, "a,:ht"), CACHE2_KEY(3, "a,:ht"), CACHE2_KEY(4, "a,:ht") },
    .size_min = CACHE2_HASH + CACHE2_HEAD + 8,
    .size_max = CACHE2_SIZE_MAX,
    .seam = SIG_SEAM_EXACT,
    .check = cache2_check,
    .facts = cache2_facts,
};
