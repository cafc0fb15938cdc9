/* SPDX-License-Identifier: Apache-2.0
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
#include "match/engine.h"
#include "match/matcher.h"
#include "match/regex.h"

struct match_aligned;

/* What all slots of a matcher share. It does not change while slots are at work. */
struct match_search {
    const struct match_engine *engine;
    void *program;                     /* the engine's; NULL when the dictionary has no literals */
    struct match_regexes *regexes;     /* NULL when it has no expressions */
    struct match_aligned *aligned;     /* NULL when it has no patterns that go by sectors */
    const struct match_finder *finder; /* the dictionary's, or NULL */
    /* Most bytes in front of a segment; see match_dictionary_carry */
    uint32_t carry;
    uint32_t longest;     /* bytes of the longest literal; 0: there are no literals */
    uint32_t hits_max;    /* most hits of one piece; at least those that can begin at one byte */
    uint32_t sink_max;    /* hits_max + the literals that can end at one byte */
    uint32_t segment_len; /* bytes of the largest segment */
    bool (*stop)(void);   /* see match_options; or NULL */
};

struct match_slot {
    const struct match_search *search;
    uint32_t index;
    void *memory;       /* the mapping that holds carry and segment */
    size_t memory_size; /* bytes */
    uint8_t *fresh;     /* the segment's bytes, inside memory */
    struct hit *hits;   /* [search->sink_max] */

    /* The segment. */
    struct match_text text;
    uint32_t from;    /* index of the first fresh byte in text */
    bool ends_range;  /* see match_segment */
    uint32_t next;    /* index in text; hits that begin before it have been handed out */
    uint32_t stretch; /* bytes of the stretch to try for the next piece */

    /* The piece. */
    uint32_t count;       /* of hits */
    enum err_code status; /* of searching the segment */
    struct err err;
};

ERR_MUST_CHECK enum err_code match_slot_init(struct match_slot *slot, uint32_t index,
                                             const struct match_search *search, struct err *err);
void match_slot_release(struct match_slot *slot);

/* Takes a segment, which the slot's buffer holds; a device begins to search it. */
void match_slot_start(struct match_slot *slot, const struct match_segment *segment);

/*
 * The caller waits for the slot: a device that waits for a further slot first begins with this one.
 */
void match_slot_hurry(const struct match_slot *slot);

/* Makes the next piece: slot->count hits in ascending order, and slot->status. */
void match_slot_fill(struct match_slot *slot);

/* Whether the segment may have further pieces. */
static inline bool match_slot_more(const struct match_slot *slot)
{
    return slot->status == ERR_OK && slot->next < slot->text.len;
}

#endif
