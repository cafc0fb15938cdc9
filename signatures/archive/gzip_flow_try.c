/* SPDX-License-Identifier: Apache-2.0
 * signatures/archive/gzip_flow_try.c - see gzip_flow.h. */
#include <string.h>

#include "signatures/archive/gzip_flow.h"

enum {
    FLOW_TRAILER = 8,
    FLOW_LOST = 10 * FLOW_BIT,   /* so much below nothing one of a hundred right ways comes, */
    FLOW_SOME = 128,             /* and behind so many tokens, */
    FLOW_WORTH = 4 * FLOW_BIT,   /* if it is not worth so much */
    FLOW_BLOCK = 30 * FLOW_BIT,  /* what the beginning of a block says, */
    FLOW_LENGTH = 60 * FLOW_BIT, /* and the length at the end */
    FLOW_SOON = 96,              /* bytes that nearly all ways have turned out wrong within */
};

/* Bytes behind a seam. */
struct flow_try {
    struct deflate_bits bits;
    struct flow_at at;
    uint32_t fresh, count; /* bytes, and tokens */
    uint32_t copied_from;  /* how far back the copy before was from; 0: none behind the seam was */
    int32_t score;
};

/* The inflated byte of this number, which lies behind the seam. Copies are followed, not made: most
 * of them are never looked at. */
static uint8_t flow_fresh_byte(const struct flow *flow, const struct flow_try *try, uint32_t at)
{
    uint32_t token = try->count;

    while (at >= try->at.out) {
        while (flow->fresh[token - 1].at > at)
            token--;
        if (flow->fresh[token - 1].distance == 0)
            return flow->fresh[token - 1].literal;
        at -= flow->fresh[token - 1].distance;
    }
    return flow->out[at];
}

/* The byte so far back. */
static inline uint8_t flow_byte(const struct flow *flow, const struct flow_try *try, uint32_t back)
{
    const uint32_t out = try->at.out + try->fresh;

    if (back > out)
        return 0;
    return out - back < try->at.out ? flow->out[out - back]
                                    : flow_fresh_byte(flow, try, out - back);
}

/* As gzip_flow_score, of what may be kept. */
static int32_t flow_score_of(struct flow *flow, const struct flow_at *at, uint8_t before,
                             uint32_t literal)
{
    const int16_t kept = flow->scores[at->block][at->copied][before][literal];

    return kept != 0 ? kept - FLOW_SCORED
                     : gzip_flow_score(flow, at->block, at->copied, before, literal);
}

/* What the literal is worth. The byte that would have made a copy longer is looked at here alone:
 * half of all copies have another one behind them. */
static int32_t flow_worth(struct flow *flow, const struct flow_try *try, uint32_t literal)
{
    const int32_t score = flow_score_of(flow, &try->at, flow_byte(flow, try, 1), literal);

    if (!try->at.copied)
        return score;
    const uint8_t longer =
        try->copied_from != 0 ? flow_byte(flow, try, try->copied_from) : try->at.longer;
    return longer == literal ? score - FLOW_LONGER : score;
}

static void flow_add_literal(struct flow *flow, struct flow_try *try, uint32_t literal)
{
    flow->fresh[try->count++] =
        (struct flow_fresh){ .at = try->at.out + try->fresh, .literal = (uint8_t)literal };
    try->fresh++;
    try->at.copied = false;
}

static void flow_add_copy(struct flow *flow, struct flow_try *try,
                          const struct deflate_token *token)
{
    flow->fresh[try->count++] =
        (struct flow_fresh){ .at = try->at.out + try->fresh, .distance = token->distance };
    try->fresh += token->len;
    try->at.copied = token->len < DEFLATE_MATCH_MOST;
    try->copied_from = token->distance;
}

/* What stands behind the last block: the length of what was inflated is there. False: it is not. */
static bool flow_length(struct flow_try *try)
{
    const uint64_t at = (try->bits.at + 7) / 8;

    if ((at + FLOW_TRAILER) * 8 > try->bits.end)
        return true;
    try->score += FLOW_LENGTH;
    return bytes_u32le(try->bits.bytes + at + 4) == try->at.out + try->fresh;
}

/* What stands behind a block. False: it does not. */
static bool flow_next(const struct flow *flow, struct flow_try *try)
{
    struct deflate_block next;
    const uint64_t left = try->bits.end - try->bits.at;

    if (flow->blocks[try->at.block].last)
        return flow_length(try);
    if (left < FLOW_CARRY * 8)
        return true; /* it may go over the end of what is known */
    if (!deflate_block(&try->bits, &next))
        return false;
    try->score += next.kind == DEFLATE_DYNAMIC ? FLOW_BLOCK : 0;
    return true;
}

/* Whether a block begins so. */
static bool flow_begins(struct flow_try *try)
{
    struct deflate_block next;

    if (!deflate_block(&try->bits, &next) || next.kind != DEFLATE_DYNAMIC)
        return false;
    try->score += FLOW_BLOCK;
    return true;
}

/* Whether the bytes may go on so; try->score says how well. */
static bool flow_follows(struct flow *flow, struct flow_try *try)
{
    const struct deflate_block *block = &flow->blocks[try->at.block];
    bool good = true;

    for (uint32_t i = 0; good && i < FLOW_TOKENS && try->bits.at + FLOW_TOKEN < try->bits.end;
         i++) {
        struct deflate_token token;

        deflate_token(&try->bits, block, &token);
        if (token.symbol == DEFLATE_NONE)
            return false;
        if (token.symbol == DEFLATE_END)
            return flow_next(flow, try);
        if (token.symbol < DEFLATE_END) {
            try->score += flow_worth(flow, try, token.symbol);
            flow_add_literal(flow, try, token.symbol);
        } else if (token.distance > try->at.out + try->fresh)
            return false;
        else
            flow_add_copy(flow, try, &token);
        good = try->score > (i < FLOW_SOME ? -FLOW_LOST : FLOW_WORTH);
    }
    return good;
}

/* Whether the first `len` bytes that were joined may go on from an end of the first piece; *score
 * says how well. */
static bool flow_goes_on(struct flow *flow, const struct flow_end *from, uint32_t len,
                         int32_t *score)
{
    const uint32_t carry = from->place - (uint32_t)(from->at.bit / 8);
    struct flow_try try = { .bits = { .bytes = flow->joined,
                                      .at = (FLOW_CARRY - carry) * 8ull + from->at.bit % 8,
                                      .end = (FLOW_CARRY + len) * 8ull },
                            .at = from->at };

    memcpy(flow->joined + FLOW_CARRY - carry, flow->job.here + from->place - carry, carry);
    const bool good = from->at.begins ? flow_begins(&try) : flow_follows(flow, &try);
    *score = try.score;
    return good;
}

/* Joins the bytes from `from` on, up to `to`. */
static void flow_join(struct flow *flow, const uint8_t *there, uint32_t from, uint32_t to)
{
    memcpy(flow->joined + FLOW_CARRY + from, there + from, to - from);
    memset(flow->joined + FLOW_CARRY + to, 0, DEFLATE_SLACK);
}

uint32_t gzip_flow_follow(void *memory, const uint8_t *there, uint32_t len, uint32_t *end)
{
    struct flow *flow = memory;
    int32_t best = 0;

    len = len < FLOW_THERE ? len : FLOW_THERE;
    uint32_t have = len < FLOW_SOON ? len : FLOW_SOON;
    flow_join(flow, there, 0, have);
    for (uint32_t i = 0; i < flow->end_count; i++) {
        const struct flow_end *from = &flow->ends[i];
        int32_t score = 0;
        /* What is wrong in a few bytes is wrong in all. A block's beginning has more of them. */
        bool good = (from->at.begins && have < len) || flow_goes_on(flow, from, have, &score);

        if (good && have < len) {
            flow_join(flow, there, have, len);
            have = len;
            good = flow_goes_on(flow, from, have, &score);
        }
        if (good && score > best) {
            best = score;
            *end = from->place;
        }
    }
    return (uint32_t)best / FLOW_BIT;
}
