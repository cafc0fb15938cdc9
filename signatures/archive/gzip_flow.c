/* SPDX-License-Identifier: Apache-2.0
 * signatures/archive/gzip_flow.c - where a gzip file that lies in two pieces goes on.
 *
 * Nothing marks the middle of deflated data, and other bytes inflate as well, for a while. Still
 * they do so less well: a copy from before the file's beginning, a block that ends where none may
 * begin, literals that do not follow one another in this file. Each literal counts by how often it
 * followed the byte before it so far, and bytes of its class, against its share of the block's
 * code: other bytes read as literals have that share whatever is before them. The sum of that is
 * the largest where the first piece ends, and grows behind the right place alone. No writer of the
 * usual ones has a copy followed by the byte that would have made it longer.
 */
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "signatures/archive/gzip_flow.h"

enum {
    FLOW_HEAD = 10,
    FLOW_HEADER_CRC = 1 << 1,
    FLOW_EXTRA = 1 << 2,
    FLOW_NAME = 1 << 3,
    FLOW_COMMENT = 1 << 4,
    FLOW_OUT = 32 << 20, /* bytes inflated before the seam, at most */
    FLOW_BEFORE = 1,     /* places before that where the sum is largest which may be the end, */
    FLOW_BEST = 10 * 16, /* if it is as large as this; else they are the last ones */
    FLOW_PRIOR = 60,     /* literals that what is known beforehand counts for */
    FLOW_FINE = 1024,
    FLOW_DROP = 128 * FLOW_BIT, /* the sum is so much below the largest one: the cut is behind */
};

/* A walk through the first piece. */
struct flow_walk {
    struct deflate_bits bits;
    struct flow_at at;
    uint64_t place;   /* the next one where the piece may end */
    uint64_t learn;   /* what begins before this bit is learnt from */
    int64_t sum;      /* of all literals; */
    int64_t best;     /* the largest one, */
    uint64_t best_at; /* and the bit behind it */
};

/* The logarithm of a number that is not 0, in FLOW_BITs. */
static int32_t flow_log(uint64_t number)
{
    static const uint8_t parts[FLOW_BIT] = {
        0, 1, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 14, 15
    };
    const int top = 63 - __builtin_clzll(number);
    const uint64_t part = top >= 4 ? number >> (top - 4) : number << (4 - top);

    return top * FLOW_BIT + parts[part % FLOW_BIT];
}

/* The weights of all literals of the block's code together; that of one with 15 bits is 1. */
static uint32_t flow_weights(const struct deflate_block *block)
{
    uint32_t all = 0;

    for (uint32_t i = 0; i < DEFLATE_END; i++)
        if (block->literals.lens[i] != 0)
            all += UINT32_C(1) << (DEFLATE_CODE_MAX - block->literals.lens[i]);
    return all;
}

static uint8_t flow_class(uint8_t byte)
{
    if (byte >= 'a' && byte <= 'z')
        return strchr("aeiou", byte) != NULL ? 0 : 1;
    if (byte >= 'A' && byte <= 'Z')
        return 2;
    if (byte >= '0' && byte <= '9')
        return 3;
    if (byte == ' ')
        return 4;
    if (byte == '\n' || byte == '\r')
        return 5;
    if (byte < ' ' || byte >= 0x80)
        return byte < ' ' ? 6 : 7;
    return strchr("<>/&;\"='", byte) != NULL ? 8 : 9;
}

/* How much likelier the literal is there than by the block's code. */
static int32_t flow_score(const struct flow *flow, const struct deflate_block *block,
                          uint32_t weights, bool copied, uint8_t before, uint32_t literal)
{
    const struct flow_model *model = &flow->model;
    const uint32_t class = flow->classes[before], len = block->literals.lens[literal];
    const uint64_t code = UINT64_C(1) << (DEFLATE_CODE_MAX - len); /* its share of weights */
    const uint64_t alike =
        (uint64_t)model->classes[copied][class][literal] * weights + FLOW_PRIOR * code;
    const uint64_t all = (model->before_class[copied][class] + FLOW_PRIOR) * code;
    const uint64_t same = (uint64_t)model->pairs[before][literal] * weights * FLOW_FINE +
                          FLOW_PRIOR * code * FLOW_FINE * alike / all + 1;

    return flow_log(same) - flow_log((model->before[before] + FLOW_PRIOR) * code * FLOW_FINE);
}

static void flow_learn(struct flow *flow, bool copied, uint8_t before, uint32_t literal)
{
    struct flow_model *model = &flow->model;
    const uint32_t class = flow->classes[before];

    if (model->pairs[before][literal] < UINT16_MAX) {
        model->pairs[before][literal]++;
        model->before[before]++;
    }
    if (model->classes[copied][class][literal] < UINT16_MAX) {
        model->classes[copied][class][literal]++;
        model->before_class[copied][class]++;
    }
}

int32_t gzip_flow_score(struct flow *flow, uint32_t block, bool copied, uint8_t before,
                        uint32_t literal)
{
    const int32_t score =
        flow_score(flow, &flow->blocks[block], flow->weights[block], copied, before, literal);

    flow->scores[block][copied][before][literal] = (int16_t)(score + FLOW_SCORED);
    return score;
}

/* Room for so many bytes more. */
static bool flow_room(struct flow *flow, uint32_t len)
{
    if (flow->out_len + len <= flow->out_room)
        return true;
    const uint32_t room = flow->out_room * 2 + (256 << 10);
    uint8_t *more = room <= FLOW_OUT ? realloc(flow->out, room) : NULL;

    if (more == NULL)
        return false;
    flow->out = more;
    flow->out_room = room;
    return true;
}

/* Notes the places from where the walk is up to a bit. */
static void flow_note(struct flow *flow, struct flow_walk *walk, uint64_t to)
{
    for (; walk->place * 8 < to && flow->end_count < FLOW_ENDS; walk->place += flow->job.step)
        if (walk->place * 8 >= walk->at.bit && walk->place - walk->at.bit / 8 <= FLOW_CARRY &&
            walk->place < flow->job.here_len)
            flow->ends[flow->end_count++] =
                (struct flow_end){ .place = (uint32_t)walk->place, .at = walk->at };
}

/* Copies bytes of a stored block. False: they are not all there. */
static bool flow_stored(struct flow *flow, struct flow_walk *walk, uint32_t len)
{
    const uint64_t at = walk->bits.at / 8;

    if (len > walk->bits.end / 8 - at || !flow_room(flow, len))
        return false;
    if (len > 0) /* there may be no room yet */
        memcpy(flow->out + flow->out_len, flow->job.here + at, len);
    flow->out_len += len;
    walk->bits.at += len * 8ull;
    walk->at.copied = false;
    return true;
}

static bool flow_literal(struct flow *flow, struct flow_walk *walk, uint32_t weights,
                         uint32_t literal)
{
    const struct deflate_block *block = &flow->blocks[walk->at.block];
    const uint8_t before = flow->out_len > 0 ? flow->out[flow->out_len - 1] : 0;

    if (!flow_room(flow, 1))
        return false;
    walk->sum += flow_score(flow, block, weights, walk->at.copied, before, literal);
    if (walk->at.copied && walk->at.longer == literal)
        walk->sum -= FLOW_LONGER;
    if (walk->at.bit < walk->learn)
        flow_learn(flow, walk->at.copied, before, literal);
    flow->out[flow->out_len++] = (uint8_t)literal;
    walk->at.copied = false;
    return true;
}

static bool flow_copy(struct flow *flow, struct flow_walk *walk, const struct deflate_token *token)
{
    if (token->distance > flow->out_len || !flow_room(flow, token->len))
        return false;
    for (uint32_t i = 0; i < token->len; i++, flow->out_len++)
        flow->out[flow->out_len] = flow->out[flow->out_len - token->distance];
    walk->at.copied = token->len < DEFLATE_MATCH_MOST;
    walk->at.longer = flow->out[flow->out_len - token->distance];
    return true;
}

/* Walks through the tokens of a block. False: they break. */
static bool flow_tokens(struct flow *flow, struct flow_walk *walk)
{
    const struct deflate_block *block = &flow->blocks[walk->at.block];
    const uint32_t weights = flow_weights(block);
    struct deflate_token token;

    do {
        walk->at.bit = walk->bits.at;
        walk->at.out = flow->out_len;
        deflate_token(&walk->bits, block, &token);
        const bool wrong = token.symbol == DEFLATE_NONE || walk->bits.at > walk->bits.end;
        flow_note(flow, walk, wrong ? walk->at.bit + FLOW_TOKEN : walk->bits.at);
        if (wrong || flow->end_count == FLOW_ENDS ||
            (token.symbol < DEFLATE_END
                 ? !flow_literal(flow, walk, weights, token.symbol)
                 : token.symbol > DEFLATE_END && !flow_copy(flow, walk, &token)))
            return false;
        if (walk->sum + FLOW_DROP < walk->best && walk->learn == UINT64_MAX)
            return false;
        if (walk->sum >= walk->best) {
            walk->best = walk->sum;
            walk->best_at = walk->bits.at;
        }
    } while (token.symbol != DEFLATE_END);
    return true;
}

/* Walks through the first piece, as far as it can be read, or until all ends are noted. */
static void flow_walk(struct flow *flow, struct flow_walk *walk)
{
    bool on = true;

    for (uint32_t number = 0; on; number++) {
        struct deflate_block *block = &flow->blocks[number % FLOW_BLOCKS];

        walk->at = (struct flow_at){ .bit = walk->bits.at,
                                     .out = flow->out_len,
                                     .block = number % FLOW_BLOCKS,
                                     .begins = true,
                                     .copied = walk->at.copied,
                                     .longer = walk->at.longer };
        on = deflate_block(&walk->bits, block);
        flow_note(flow, walk, on ? walk->bits.at : walk->at.bit + FLOW_CARRY * 8);
        walk->at.begins = false;
        if (on)
            on = block->kind == DEFLATE_STORED ? flow_stored(flow, walk, block->stored)
                                               : flow_tokens(flow, walk);
        on = on && !block->last && flow->end_count < FLOW_ENDS;
    }
}

/* Offset of the deflated data behind the header; 0: there is none. */
static uint32_t flow_data(const uint8_t *here, uint32_t len)
{
    const uint8_t flags = len > FLOW_HEAD ? here[3] : 0;
    uint32_t at = FLOW_HEAD;

    if (len < 2 * FLOW_HEAD || memcmp(here, "\x1f\x8b\x08", 3) != 0)
        return 0;
    if ((flags & FLOW_EXTRA) != 0)
        at += 2u + bytes_u16le(here + at);
    for (uint32_t i = (flags & FLOW_NAME) != 0, n = 0; n < 2;
         n++, i = n == 1 && (flags & FLOW_COMMENT) != 0) {
        const uint8_t *end = i != 0 && at < len ? memchr(here + at, 0, len - at) : NULL;

        if (i != 0 && end == NULL)
            return 0;
        at = end != NULL ? (uint32_t)(end - here) + 1 : at;
    }
    at += (flags & FLOW_HEADER_CRC) != 0 ? 2 : 0;
    return at < len ? at : 0;
}

static void gzip_flow_close(void *memory)
{
    struct flow *flow = memory;

    if (flow != NULL)
        free(flow->out);
    free(flow);
}

static void *gzip_flow_open(const struct sig_flow_job *job)
{
    const uint32_t data = flow_data(job->here, job->here_len);
    struct flow *flow = data != 0 ? calloc(1, sizeof *flow) : NULL;

    if (flow == NULL)
        return NULL;
    struct flow_walk walk = {
        .bits = { .bytes = job->here, .at = data * 8ull, .end = job->here_len * 8ull },
        .place = UINT64_MAX / 8,
        .learn = UINT64_MAX
    };

    flow->job = *job;
    for (uint32_t i = 0; i < 256; i++)
        flow->classes[i] = flow_class((uint8_t)i);
    flow_walk(flow, &walk);
    const uint64_t best = (walk.best >= FLOW_BEST ? walk.best_at : walk.at.bit) / 8,
                   back = (uint64_t)FLOW_BEFORE * job->step;
    const uint64_t low = best > back + job->cut
                             ? (best - back - job->cut) / job->step * job->step + job->cut
                             : job->cut;
    flow->model = (struct flow_model){ .before = { 0 } };
    flow->out_len = 0;
    walk = (struct flow_walk){
        .bits = { .bytes = job->here, .at = data * 8ull, .end = job->here_len * 8ull },
        .place = low,
        .learn = best * 8
    };
    flow_walk(flow, &walk);
    if (flow->end_count == 0) {
        gzip_flow_close(flow);
        return NULL;
    }
    for (uint32_t i = 0; i < FLOW_BLOCKS; i++)
        flow->weights[i] = flow_weights(&flow->blocks[i]);
    return flow;
}

const struct sig_flow gzip_flow = {
    .most = 2 << 20,
    .there = FLOW_THERE,
    .open = gzip_flow_open,
    .follow = gzip_flow_follow,
    .close = gzip_flow_close,
};
