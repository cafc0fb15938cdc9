/* SPDX-License-Identifier: Apache-2.0
 * base/object_saved.h - objects as bytes, behind the hits of their headers: how a shard has them.
 *
 * An object is the number of its header among the hits, its length, how far behind its beginning
 * it was sure, which of its signature's types it is, why, its slack, and flags; its CRC-64 where it
 * has one; and a number of facts. A fact is its key, its reach, whether it has a number, that, and
 * a text. Numbers and texts are as base/pack.h writes them, a CRC and a fact's number 8 bytes.
 *
 * Nobody vouches for the bytes that are read. What is wrong is in in->failed; texts are UTF-8
 * without control characters then, stand in the bytes, and end with no NUL.
 *
 * Threads: one at a time for each struct.
 */
#ifndef BURIN_BASE_OBJECT_SAVED_H
#define BURIN_BASE_OBJECT_SAVED_H

#include "base/pack.h"

enum {
    OBJECT_SAVED_TEXT = 256, /* bytes of a text, at most */
    OBJECT_SAVED_FACTS = 16, /* of an object, at most */
    OBJECT_SAVED_TYPES = 64, /* of a signature, at most */
    OBJECT_SAVED_SLACK = 3,  /* the greatest value */
    OBJECT_SAVED_LEAST = 10, /* bytes of an object, at least */
};

struct object_saved {
    uint32_t hit;    /* the number of its header */
    uint64_t len;    /* bytes of the image */
    uint64_t sure;   /* bytes from its beginning on */
    uint32_t type;   /* of its signature's types */
    const char *why; /* [why_len] */
    uint32_t why_len;
    uint32_t slack;
    bool complete, proven, has_crc64, spent;
    uint64_t crc64;
    uint32_t facts; /* so many follow */
};

struct fact_saved {
    uint32_t key;
    uint64_t reach;
    bool has_number;
    int64_t number;
    const char *text; /* [len] */
    uint32_t len;
};

void object_saved_put(const struct object_saved *object, struct pack *out);
void fact_saved_put(const struct fact_saved *fact, struct pack *out);

/* Reads an object whose header is one of hit_count hits; its facts are to be read next. */
void object_saved_next(struct unpack *in, uint32_t hit_count, struct object_saved *out);
void fact_saved_next(struct unpack *in, uint32_t key_count, struct fact_saved *out);

/* A text of OBJECT_SAVED_TEXT bytes at most; NULL, on an error. */
const char *text_saved_next(struct unpack *in, uint32_t *len);

#endif
