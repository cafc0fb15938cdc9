/* SPDX-License-Identifier: Apache-2.0
 * match/bloom_key.h - the positions of a key's bits in a Bloom filter. C and CUDA compile the same
 * functions, so both set the same bits.
 *
 * Bit p of a table is bit p % 32 of its 32-bit word p / 32. A position is the high half of the
 * product of a 64-bit hash and the number of bits (Lemire, Fast Random Integer Generation in an
 * Interval, 2019), which needs no division. All functions are pure; any thread may call them.
 */
#ifndef BURIN_MATCH_BLOOM_KEY_H
#define BURIN_MATCH_BLOOM_KEY_H

#include <stdint.h>
#include <string.h>

#include "base/host_device.h"

enum bloom_kind {
    BLOOM_SALTED,   /* as in the thesis (bloom.h): one hash of the whole key for each bit */
    BLOOM_STANDARD, /* one hash of the key; its two halves give all bits */
    BLOOM_BLOCKED,  /* one hash of the key; all its bits lie in one cache line */
};

enum {
    BLOOM_LINE_BITS = 512, /* bits of a cache line */
    BLOOM_LINE_WORDS = BLOOM_LINE_BITS / 32,
    BLOOM_FIELD_BITS = 9, /* bits of a hash that choose one bit of a line */
    BLOOM_FIELDS = 7,     /* such fields in a 64-bit word */
};

struct bloom_shape {
    enum bloom_kind kind;
    uint32_t k;    /* bits of a key */
    uint64_t bits; /* bits of the table, a multiple of BLOOM_LINE_BITS */
};

/* Keys that lie one behind the other, all of one length or each of its own. */
struct bloom_keys {
    const uint8_t *bytes;
    const uint64_t *starts; /* [count + 1] indices of bytes; NULL: every key has len bytes */
    uint32_t len;           /* bytes of every key, when starts is NULL */
    uint64_t count;         /* number of keys */
};

/* What a function needs of a filter to set and test bits. */
struct bloom_view {
    struct bloom_shape shape;
    uint32_t *words;       /* the table, [shape.bits / 32] */
    const uint32_t *salts; /* [shape.k], for BLOOM_SALTED only */
};

/* The two halves of a key's hash. */
struct bloom_hash {
    uint64_t a, b;
};

/* Key number index; *len is its length in bytes. */
HOST_DEVICE const uint8_t *bloom_key(const struct bloom_keys *keys, uint64_t index, uint32_t *len)
{
    if (keys->starts == 0) {
        *len = keys->len;
        return keys->bytes + index * keys->len;
    }
    *len = (uint32_t)(keys->starts[index + 1] - keys->starts[index]);
    return keys->bytes + keys->starts[index];
}

/* Four bytes as a little-endian number. */
HOST_DEVICE uint32_t bloom_load(const uint8_t *at)
{
#ifdef __CUDA_ARCH__
    if ((uintptr_t)at % 4 == 0)
        return *(const uint32_t *)at;
#endif
    return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

HOST_DEVICE uint64_t bloom_mix(uint64_t x)
{
    /* The finalizer of MurmurHash3, which is in the public domain */
    x = (x ^ x >> 33) * 0xff51afd7ed558ccdULL;
    x = (x ^ x >> 33) * 0xc4ceb9fe1a85ec53ULL;
    return x ^ x >> 33;
}

/* The high 64 bits of the product of x and y. */
HOST_DEVICE uint64_t bloom_high(uint64_t x, uint64_t y)
{
#ifdef __CUDA_ARCH__
    return __umul64hi(x, y);
#else
    __extension__ typedef unsigned __int128 wide;

    return (uint64_t)((wide)x * y >> 64);
#endif
}

/*
 * Hashes a key. Digests are random already, but words of a list are not, and somebody may choose
 * keys that collide; so every key is mixed.
 */
HOST_DEVICE struct bloom_hash bloom_hash_key(const uint8_t *key, uint32_t len)
{
    struct bloom_hash hash = { 0x9e3779b97f4a7c15ULL ^ len, 0xd1b54a32d192ed03ULL };
    uint32_t at = 0;

    for (; at + 8 <= len; at += 8) {
        const uint64_t word = bloom_load(key + at) | (uint64_t)bloom_load(key + at + 4) << 32;

        hash.a = (hash.a ^ word) * 0x87c37b91114253d5ULL;
        hash.a ^= hash.a >> 29;
        hash.b = (hash.b + word) * 0x4cf5ad432745937fULL + hash.a;
        hash.b ^= hash.b >> 31;
    }
    uint64_t rest = 0;
    for (uint32_t i = 0; at + i < len; i++)
        rest |= (uint64_t)key[at + i] << 8 * i;
    hash.a = bloom_mix(hash.a ^ rest);
    hash.b = bloom_mix(hash.b + rest + hash.a);
    return hash;
}

/*
 * One step of the hash function of the thesis (section 3.3, algorithm 3.3), which is Arash Partow's
 * and begins with a salt. It hashes what is left of a key after its blocks of eight bytes: four
 * bytes at a time, then two. Whether step is odd decides which of two formulas is used.
 */
HOST_DEVICE uint32_t bloom_ap_step(uint32_t hash, uint32_t word, uint32_t step)
{
    return step % 2 != 0 ? hash ^ hash << 7 ^ word * (hash >> 3)
                         : hash ^ ~((hash << 11) + (word ^ hash >> 5));
}

HOST_DEVICE uint32_t bloom_ap(const uint8_t *key, uint32_t len, uint32_t salt)
{
    uint32_t hash = salt, at = 0, step = 0;

    for (; len - at >= 8; at += 8) {
        const uint32_t first = bloom_load(key + at), second = bloom_load(key + at + 4);

        hash ^= hash << 7 ^ first * (hash >> 3) ^ ~((hash << 11) + (second ^ hash >> 5));
    }
    for (; len - at >= 4; at += 4)
        hash = bloom_ap_step(hash, bloom_load(key + at), step++);
    for (; len - at >= 2; at += 2)
        hash = bloom_ap_step(hash, (uint32_t)key[at] | (uint32_t)key[at + 1] << 8, step++);
    if (at < len)
        hash += (key[at] ^ hash * 0xa5a5a5a5u) + step;
    return hash;
}

/* A walk over the shape.k bits of a key: bloom_first begins it, each bloom_next returns one bit. */
struct bloom_walk {
    uint64_t line; /* BLOOM_BLOCKED: first bit of the key's cache line; else 0 */
    uint64_t x, y; /* hashes that the next bits are taken from */
    uint32_t at;   /* bits returned so far */
};

HOST_DEVICE struct bloom_walk bloom_first(const struct bloom_shape *shape, struct bloom_hash hash)
{
    struct bloom_walk walk = { 0, hash.a, hash.b, 0 };

    if (shape->kind == BLOOM_BLOCKED) {
        walk.line = bloom_high(hash.a, shape->bits / BLOOM_LINE_BITS) * BLOOM_LINE_BITS;
        walk.x = hash.b;
    }
    return walk;
}

/*
 * The position of the key's next bit. BLOOM_STANDARD uses enhanced double hashing (Dillinger and
 * Manolios, Bloom Filters in Probabilistic Verification, 2004).
 */
HOST_DEVICE uint64_t bloom_next(const struct bloom_shape *shape, struct bloom_walk *walk)
{
    uint64_t bit;

    if (shape->kind == BLOOM_BLOCKED) {
        if (walk->at % BLOOM_FIELDS == 0)
            walk->x = bloom_mix(walk->y + walk->at * 0x9e3779b97f4a7c15ULL);
        bit = walk->line + walk->x % BLOOM_LINE_BITS;
        walk->x >>= BLOOM_FIELD_BITS;
    } else {
        bit = bloom_high(walk->x, shape->bits);
        walk->x += walk->y;
        walk->y += walk->at;
    }
    walk->at++;
    return bit;
}

/* The position of bit number i of a key in a BLOOM_SALTED filter: algorithms 3.1 and 3.2. */
HOST_DEVICE uint64_t bloom_salted(const struct bloom_view *view, const uint8_t *key, uint32_t len,
                                  uint32_t i)
{
    const uint32_t hash = bloom_ap(key, len, view->salts[i]);

    return view->shape.bits >> 32 != 0 ? hash : hash % (uint32_t)view->shape.bits;
}

HOST_DEVICE int bloom_is_set(const struct bloom_view *view, uint64_t bit)
{
    return (int)(view->words[bit / 32] >> bit % 32 & 1);
}

#endif
