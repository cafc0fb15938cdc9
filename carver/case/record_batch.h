/* SPDX-License-Identifier: Apache-2.0
 * carver/case/record_batch.h - what a record keeps back, to be written together (record*.c only).
 */
#ifndef BURIN_CARVER_CASE_RECORD_BATCH_H
#define BURIN_CARVER_CASE_RECORD_BATCH_H

#include "carver/case/record.h"

enum {
    RECORD_BATCHES = 192,          /* that wait, are written or fill: 48 MiB, where all are full */
    RECORD_HITS = 2048,            /* of a batch, at most */
    RECORD_OBJECTS = 512,          /* likewise */
    RECORD_FACTS = 64 * 1024,      /* bytes of the facts of these, and those of one more */
    RECORD_SUMS = 1024,            /* likewise */
    RECORD_ASIDES = 64,            /* likewise */
    RECORD_DIGEST = 65,            /* bytes of a hash in hex digits, the NUL included */
    RECORD_STATE_KEPT = 64 * 1024, /* bytes of memory for a state that a batch keeps */
};

/* The CRC-64 of an object that has been recorded. */
struct record_sum {
    int64_t hit_id;
    uint64_t crc64;
};

/* What is neither a hit nor an object. */
struct record_aside {
    enum {
        RECORD_BAD_RANGE,
        RECORD_KNOWN_RUN,
        RECORD_PART,
        RECORD_LEAVES,
        RECORD_TEXT_SPOTS,
        RECORD_LINK,
        RECORD_LOG
    } kind;
    union {
        struct db_bad_range bad;
        struct db_part part;
        struct {
            struct db_known_run run; /* digest: NULL */
            char digest[RECORD_DIGEST];
        } known;
        struct {
            uint8_t *bytes; /* malloc */
            uint64_t first, count;
        } leaves;
        struct {
            struct pack pack; /* owned */
            uint64_t at;
        } spots;
        struct {
            struct db_linked row; /* sha256: NULL; left_out: malloc */
            char sha256[RECORD_DIGEST];
        } link;
        struct {
            const char *kind; /* static */
            char *text;       /* malloc */
        } log;
    };
};

struct record_batch {
    struct db_hit *hits; /* [RECORD_HITS] */
    uint32_t hit_count;
    int64_t last_hit_id;           /* that was given when the batch was full */
    struct record_object *objects; /* [RECORD_OBJECTS] */
    uint32_t object_count;
    struct pack facts;       /* of these */
    struct record_sum *sums; /* [RECORD_SUMS]; written behind the objects */
    uint32_t sum_count;
    struct record_aside *asides; /* [RECORD_ASIDES]; written in their order, behind all else */
    uint32_t aside_count;
    bool drop;   /* nothing of it counts, nor what was written since the last commit */
    bool commit; /* with it everything up to position is recorded */
    bool fold;   /* after that */
    uint64_t position;
    struct pack state;  /* to be kept with that; empty: none */
    uint64_t commit_ns; /* that the commit took, once it is done */
};

ERR_MUST_CHECK enum err_code record_batch_open(struct record_batch *batch, struct err *err);
void record_batch_empty(struct record_batch *batch);
void record_batch_close(struct record_batch *batch); /* of a zeroed batch: a no-op */

#endif
