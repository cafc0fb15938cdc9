/*
 * match/lane.h - one segment on its way through the matcher: its buffer, its hits, and how far they have been handed out.
 *
 * Hits of a segment come out in pieces, each one the hits that begin in a stretch of it, in ascending order: so all of them
 * together are in order too, and a piece that would be too large is made from a shorter stretch instead.
 */
#ifndef BURIN_MATCH_LANE_H
#define BURIN_MATCH_LANE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/pool.h"
#include "match/engine.h"
#include "match/matcher.h"
#include "match/matcher_read.h"
#include "match/regex.h"

struct match_grid;

/* What all lanes of a matcher share; immutable while lanes are at work. */
struct match_search {
    const struct match_engine *engine;
    void *program;                 /* the engine's; NULL when the dictionary has no literals */
    struct match_regexes *regexes; /* NULL when it has no expressions */
    struct match_grid *grid;       /* NULL when it has no patterns that go by sectors */
    uint32_t carry;                /* bytes */
    uint32_t longest;              /* longest literal, bytes */
    uint32_t hits_max;             /* of one piece; at least the number of patterns */
    uint32_t sink_max;             /* hits_max and room for the hits of one more byte */
    uint32_t segment_len;
    match_look *look; /* or NULL */
    void *look_arg;
    bool (*stop)(void); /* see match_options; or NULL */
};

struct match_lane {
    const struct match_search *search;
    uint32_t index;
    struct pool_job job;
    struct pool_job touch; /* see match_lane_touch */
    void *memory;          /* mapped; fresh lies inside */
    size_t memory_size;
    uint8_t *fresh;
    struct hit *hits; /* [search->sink_max] */

    match_read *read; /* that fills the buffer first, or NULL */
    void *read_arg;

    /* The segment. */
    struct match_text text;
    uint32_t from; /* index of the first fresh byte */
    bool ends_range;
    uint32_t next;    /* hits that begin before this index have been handed out */
    uint32_t stretch; /* bytes of starts to try for the next piece */

    /* The piece. */
    uint32_t count;
    bool collected; /* the piece has been handed out */
    enum err_code status;
    struct err err;
};

ERR_MUST_CHECK enum err_code match_lane_init(struct match_lane *lane, uint32_t index, const struct match_search *search,
                                             struct err *err);
void match_lane_release(struct match_lane *lane);

/*
 * Gives the segment its memory, near to the processor of the thread that calls this, and changes nothing in it: a reader may write to it
 * meanwhile. arg is the lane; a job of the pool.
 */
void match_lane_touch(void *arg);

/* Takes a segment over; the pool's job makes its first piece. */
void match_lane_start(struct match_lane *lane, const struct match_segment *segment);

/* Has the segment read, by the read function, and takes it over. arg is the lane; what a job of the pool does before it searches. */
void match_lane_read(void *arg);

/* The caller waits for the lane: a device that holds it back for the next one goes on. */
void match_lane_hurry(const struct match_lane *lane);

/* Makes the next piece: lane->count hits in order, and lane->status. */
void match_lane_fill(struct match_lane *lane);

static inline bool match_lane_more(const struct match_lane *lane)
{
    return lane->status == ERR_OK && lane->next < lane->text.len;
}

#endif
