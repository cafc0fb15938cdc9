/*
 * match/slot.h - one segment on its way through the matcher: its buffer, its hits, and how many of
 * its hits have been handed out.
 *
 * The hits of a segment are handed out in pieces. One piece has the hits that begin in one stretch
 * of the segment, in ascending order, and the stretches ascend too; so all hits of the segment
 * ascend. When the hits of a stretch do not fit into one piece, the piece is made from a shorter
 * stretch.
 */
#ifndef BURIN_MATCH_SLOT_H
#define BURIN_MATCH_SLOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/pool.h"
#include "match/engine.h"
#include "match/matcher.h"
#include "match/regex.h"

struct match_grid;

/* What all lanes of a matcher share. It does not change while lanes are at work. */
struct match_search {
    const struct match_engine *engine;
    void *program;                 /* the engine's; NULL when the dictionary has no literals */
    struct match_regexes *regexes; /* NULL when it has no expressions */
    struct match_grid *grid;       /* NULL when it has no patterns that go by sectors */
    /* Most bytes in front of a segment; see match_dictionary_carry */
    uint32_t carry;
    uint32_t longest;     /* bytes of the longest literal; 0: there are no literals */
    uint32_t hits_max;    /* most hits of one piece; at least the number of patterns */
    uint32_t sink_max;    /* hits_max + the number of patterns */
    uint32_t segment_len; /* bytes of the largest segment */
    match_look *look;     /* see match_set_look; or NULL */
    void *look_arg;
    bool (*stop)(void); /* see match_options; or NULL */
};

struct match_lane {
    const struct match_search *search;
    uint32_t index;
    struct pool_job job;   /* makes the first piece */
    struct pool_job touch; /* see match_lane_touch */
    void *memory;          /* the mapping that holds carry and segment */
    size_t memory_size;    /* bytes */
    uint8_t *fresh;        /* the segment's bytes, inside memory */
    struct hit *hits;      /* [search->sink_max] */

    struct match_source source; /* of the segment */

    /* The segment. */
    struct match_text text;
    uint32_t from;    /* index of the first fresh byte in text */
    bool ends_range;  /* see match_segment */
    uint32_t next;    /* index in text; hits that begin before it have been handed out */
    uint32_t stretch; /* bytes of the stretch to try for the next piece */

    /* The piece. */
    uint32_t count;       /* of hits */
    bool collected;       /* the piece has been handed out */
    enum err_code status; /* of reading and searching the segment */
    struct err err;
};

ERR_MUST_CHECK enum err_code match_lane_init(struct match_lane *lane, uint32_t index,
                                             const struct match_search *search, struct err *err);
void match_lane_release(struct match_lane *lane);

/*
 * Asks the system for the segment's pages now, in the memory node of the thread that calls this. It
 * changes no byte, so a reader may write to the pages meanwhile. arg is the lane; it runs as a job
 * of the pool.
 */
void match_lane_touch(void *arg);

/*
 * Takes a segment. lane->job, which the caller then submits to the pool, reads it, if the source
 * has a read, and makes its first piece.
 */
void match_lane_start(struct match_lane *lane, const struct match_source *source);

/*
 * The caller waits for the lane: a device that waits for a further lane first begins with this one.
 */
void match_lane_hurry(const struct match_lane *lane);

/* Makes the next piece: lane->count hits in ascending order, and lane->status. */
void match_lane_fill(struct match_lane *lane);

/* Whether the segment may have further pieces. */
static inline bool match_lane_more(const struct match_lane *lane)
{
    return lane->status == ERR_OK && lane->next < lane->text.len;
}

#endif
