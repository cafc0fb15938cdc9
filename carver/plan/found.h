/* SPDX-License-Identifier: Apache-2.0
 * carver/plan/found.h - what the scan of one part of an image has found: rows in memory, which
 * become rows of the case file when the parts before are known.
 *
 * Besides hits and objects these are notes on what a decision rested on. With them scan/stitch.c
 * sees whether a planner that had begun before the part would have decided alike.
 */
#ifndef BURIN_CARVER_PLAN_FOUND_H
#define BURIN_CARVER_PLAN_FOUND_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/hit.h"
#include "carver/case/fact_pack.h"
#include "carver/plan/sig_set.h"
#include "db/case.h"
#include "signatures/sig.h"

struct found_object {
    uint64_t tag;         /* of its header: the index of its hit, until the hits have their ids */
    uint64_t offset, len; /* bytes of the image */
    uint64_t ends_by;     /* see struct objects_verdict */
    uint64_t crc64;
    uint64_t before; /* CRC of the range up to its beginning, with has_before */
    const struct sig_type *type;
    const char *why;         /* static text */
    struct fact_place facts; /* in the facts of what it stands in */
    uint32_t sig;
    enum db_slack slack;
    bool complete, proven, has_crc64, has_before;
    bool spent; /* or ended because too many were open */
};

/* An object that may unpack, with whatever verdict; SIG_MORE: it was put off (plan_tail). */
struct found_unpack {
    uint64_t start, ends_by; /* image offsets; see struct objects_verdict; UINT64_MAX: put off */
    uint64_t len;
    const struct sig_type *type;
    const char *why;
    enum sig_verdict verdict;
    uint32_t sig, sharers, sharers_most;
    bool spent;
};

/* Such an object, when it begins. */
struct found_begin {
    uint64_t start; /* image offset */
    uint32_t hit;   /* index of the hit */
    uint32_t sig;
};

/* A header of a signature in step. */
struct found_step {
    uint32_t hit; /* index of the hit */
    uint32_t sig;
    uint64_t hash; /* objects_hash when it was met */
};

/* CRC of the part's bytes before a place that a rule may begin or end an object at. */
struct found_sum {
    uint64_t at, value;
};

/* What is known of one signature. */
struct found_sig {
    uint32_t most;        /* open at a time, at most */
    uint64_t first_start; /* image offset of the object begun first, + 1; 0: none began */
};

struct found {
    struct hit *hits; /* that count, ascending by (offset, pattern) */
    struct found_object *objects;
    struct found_unpack *unpacks;
    struct found_begin *begins;
    struct found_step *steps;
    struct found_sum *sums;
    struct pack facts; /* of the objects, in their order */
    uint32_t hit_count, object_count, unpack_count, begin_count, step_count, sum_count;
    uint32_t hit_room, object_room, unpack_room, begin_room, step_room, sum_room;
    struct found_sig *sigs; /* [sig_count] */
    struct sig_set some;    /* of which there is something in sigs */
    uint32_t sig_count;
};

/* Opens it empty. Release with found_release. */
ERR_MUST_CHECK enum err_code found_open(uint32_t sig_count, struct found *out, struct err *err);
void found_release(struct found *found);         /* of a zeroed one: a no-op */
void found_clear(struct found *found);           /* empties it, and keeps the memory */
uint64_t found_bytes(const struct found *found); /* of memory that its rows take */

/*
 * Appends an object of another one, with its facts. Behind the last one that is dropped from its
 * place: found_settle forgets facts that no object has any more.
 */
ERR_MUST_CHECK enum err_code found_take_object(struct found *found,
                                               const struct found_object *object,
                                               const struct found *from, struct err *err);
void found_settle(struct found *found);

/* Sorts the CRCs by their places. */
void found_sort_sums(struct found *found);

/* The one of the `count` sorted CRCs that is of image offset at; NULL: there is none. */
const struct found_sum *found_sum_at(const struct found_sum *sums, uint32_t count, uint64_t at);

/* Makes room for so many hits at once. Errors: ERR_ENV. */
ERR_MUST_CHECK enum err_code found_room_hits(struct found *found, uint32_t count, struct err *err);

/* Each appends one row. */
ERR_MUST_CHECK enum err_code found_add_hit(struct found *found, const struct hit *hit,
                                           struct err *err);
ERR_MUST_CHECK enum err_code found_add_object(struct found *found,
                                              const struct found_object *object, struct err *err);
ERR_MUST_CHECK enum err_code found_add_unpack(struct found *found,
                                              const struct found_unpack *unpack, struct err *err);
ERR_MUST_CHECK enum err_code found_add_begin(struct found *found, const struct found_begin *begin,
                                             struct err *err);
ERR_MUST_CHECK enum err_code found_add_step(struct found *found, const struct found_step *step,
                                            struct err *err);
ERR_MUST_CHECK enum err_code found_add_sum(struct found *found, const struct found_sum *sum,
                                           struct err *err);

#endif
