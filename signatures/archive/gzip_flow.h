/* SPDX-License-Identifier: Apache-2.0
 * signatures/archive/gzip_flow.h - the flow of gzip, and what its parts share.
 *
 *   gzip_flow.c      the first piece: where it may end, and what literals follow one another
 *   gzip_flow_try.c  how well other bytes go on there
 */
#ifndef BURIN_SIGNATURES_ARCHIVE_GZIP_FLOW_H
#define BURIN_SIGNATURES_ARCHIVE_GZIP_FLOW_H

#include "signatures/archive/deflate_code.h"
#include "signatures/sig.h"

enum {
    FLOW_ENDS = 3,     /* places where the first piece may end, */
    FLOW_BLOCKS = 4,   /* blocks in which they may lie */
    FLOW_CARRY = 512,  /* bytes from a token, or a block's beginning, to a place behind it */
    FLOW_TOKENS = 400, /* tokens behind a seam, */
    FLOW_THERE = 2048, /* and bytes of what lies there, at most */
    FLOW_TOKEN = 48,   /* bits of one, at most */
    FLOW_BIT = 16,
    FLOW_CLASSES = 10,          /* of bytes */
    FLOW_LONGER = 4 * FLOW_BIT, /* taken off for a copy that could have been longer */
    FLOW_SCORED = 1 << 14,      /* added to a score that is kept: 0 is none */
};

/* Where a walk is: between two tokens, or before a block. */
struct flow_at {
    uint64_t bit;
    uint32_t out;   /* bytes inflated so far */
    uint32_t block; /* number of the one it is in, modulo FLOW_BLOCKS; or that begins here: */
    bool begins;
    bool copied; /* a copy was before: the byte that would have made that longer */
    uint8_t longer;
};

/* A place where the first piece may end, and where a walk is that cannot go on without bytes from
 * behind it. */
struct flow_end {
    uint32_t place;
    struct flow_at at;
};

/* A token behind a seam. */
struct flow_fresh {
    uint32_t at, distance; /* bytes inflated before it; 0: it is a literal */
    uint8_t literal;
};

/* Literals so far behind each byte, and behind a copy, or none, whose last byte is of a class. */
struct flow_model {
    uint16_t pairs[256][256], classes[2][FLOW_CLASSES][256];
    uint32_t before[256], before_class[2][FLOW_CLASSES];
};

struct flow {
    struct sig_flow_job job;
    uint8_t *out;
    uint32_t out_len, out_room;
    struct deflate_block blocks[FLOW_BLOCKS];
    uint32_t weights[FLOW_BLOCKS]; /* see flow_weights */
    /* Of a literal behind a copy, or none, and a byte: those that were asked for. Most never are.
     */
    int16_t scores[FLOW_BLOCKS][2][256][256];
    uint8_t classes[256]; /* of each byte */
    struct flow_model model;
    struct flow_end ends[FLOW_ENDS];
    uint32_t end_count;
    uint8_t joined[FLOW_CARRY + FLOW_THERE + DEFLATE_SLACK];
    struct flow_fresh fresh[FLOW_TOKENS]; /* tokens behind a seam */
};

extern const struct sig_flow gzip_flow;

/* How much likelier a literal of the block is there than by the block's code; keeps that. */
int32_t gzip_flow_score(struct flow *flow, uint32_t block, bool copied, uint8_t before,
                        uint32_t literal);

/* See struct sig_flow. */
uint32_t gzip_flow_follow(void *flow, const uint8_t *there, uint32_t len, uint32_t *end);

#endif
