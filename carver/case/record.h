/* SPDX-License-Identifier: Apache-2.0
 * carver/case/record.h - what a scan finds, on its way into the case file.
 *
 * Everything goes through one queue: hits, objects, ranges that could not be read, known blocks,
 * notes. A thread of the record's writes it in batches while the next ones fill, with one
 * transaction around everything that belongs together. From record_open to record_end the case is
 * that thread's: nobody else can reach it.
 *
 * Ids are given here: hits are numbered in the order of their offsets and an object has the number
 * of its header's hit, so that two scans of the same image number alike however the work was cut.
 */
#ifndef BURIN_CARVER_CASE_RECORD_H
#define BURIN_CARVER_CASE_RECORD_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/pack.h"
#include "carver/case/fact_pack.h"
#include "db/case.h"
#include "io/image.h"
#include "signatures/sig.h"

enum { RECORD_REASON = 200 /* bytes of a reason, the NUL included */ };

struct record; /* owned by the caller of record_open; used by one thread */

struct record_object {
    int64_t hit_id;
    uint32_t sig; /* index into the signatures of the scan */
    const struct sig_type *type;
    const char *state;
    bool validated, proven, container;
    uint64_t offset, len;
    enum db_slack slack;
    bool has_crc64;
    uint64_t crc64;
    char reason[RECORD_REASON];
    struct fact_place facts; /* in the pack that is given with it */
};

struct record_totals {
    uint64_t hits, objects;
    uint64_t failed_bytes;          /* of bad_bytes: reading them failed, or took too long */
    uint64_t bad_ranges, bad_bytes; /* ranges that touch each other count as one */
};

/* What the rows of a scan have in common. */
struct record_rows {
    int64_t image_id, run_id;
    int64_t scan_id; /* the run that began the scan: run_id, or the one that it goes on with */
    const int64_t *signature_ids; /* by number of the job's row; the caller's */
    uint64_t position;            /* image offset at which the run begins */
    bool linked;                  /* hits, and objects, stay in shards, as record_link says */
    bool merges;                  /* the rows come from shards */
    bool headers;                 /* record_headers is to have them */
    uint64_t objects;             /* that are expected; 0: nobody knows */
    int64_t first_hit_id;         /* with linked: of the run; record_open sets it */
};

/* On an error the case stays the caller's. */
ERR_MUST_CHECK enum err_code record_open(struct db_case *db, const struct record_rows *rows,
                                         struct record **out, struct err *err);
/* Takes the case back as it is, where record_end has not: what was not committed is not kept. NULL
 * is a no-op. */
void record_close(struct record *record);

int64_t record_image_id(const struct record *record);
const struct record_totals *record_totals(const struct record *record);

/* Stores a hit of a row of signature_ids, or, with rows.linked, numbers it; *id is its number. */
ERR_MUST_CHECK enum err_code record_hit(struct record *record, uint32_t row, uint64_t offset,
                                        uint32_t len, bool footer, int64_t *id, struct err *err);
/* facts: of the object among others, copied; NULL: it has none. */
ERR_MUST_CHECK enum err_code record_object(struct record *record,
                                           const struct record_object *object,
                                           const struct pack *facts, struct err *err);
/*
 * With rows.linked: gives `count` hits their numbers, one behind another from *first on. False:
 * headers are kept, and record_hit is to be told of each.
 */
bool record_hits_stay(struct record *record, uint32_t count, int64_t *first);
/* Counts an object of signature sig that stays in a shard as it is, with its facts: rows.linked.
 * place: all but its signature_id. */
void record_object_stays(struct record *record, uint32_t sig, const struct db_place *place);
/* The CRC-64 of an object that was recorded without. */
ERR_MUST_CHECK enum err_code record_crc64(struct record *record, int64_t hit_id, uint64_t crc64,
                                          struct err *err);

/*
 * All objects of the image by (offset, id), [*count]; they stay the record's. NULL: the image had
 * objects before, or has more than RECORD_PLACES_MAX (of a merge: RECORD_MERGED_MAX, as no thread
 * scans beside it): walk over them in the case file.
 */
enum { RECORD_PLACES_MAX = 1 << 20, RECORD_MERGED_MAX = 1 << 22 };
const struct db_place *record_places(struct record *record, uint32_t *count);

/* A header that was recorded. */
struct record_header {
    int64_t hit_id;
    uint64_t offset; /* of the hit */
    uint32_t row;    /* of signature_ids */
};
/*
 * All headers of the image in the order of their ids, [*count]; they stay the record's. NULL: they
 * are not asked for (rows.headers), the scan goes on with one that was stopped, or there are more
 * than RECORD_PLACES_MAX: walk over them in the case file.
 */
const struct record_header *record_headers(const struct record *record, uint32_t *count);

/*
 * Bytes of the image that could not be read, ascending. Those that touch each other become one row,
 * and one line of the log, however the segments cut them, where cause and source are the same.
 */
ERR_MUST_CHECK enum err_code record_bad_range(struct record *record,
                                              const struct io_bad_range *range, struct err *err);

/* Blocks that a set knows, as db_known_run_put, with the record's image: again for a run that has
 * grown. name must stay until record_end. */
ERR_MUST_CHECK enum err_code record_known_run(struct record *record, const struct db_known_run *run,
                                              struct err *err);
/* A line for the log. */
ERR_MUST_CHECK enum err_code record_note(struct record *record, const char *text, struct err *err);

/* Leaves of the tree hash of the image, from number `first` on; takes what malloc gave. */
ERR_MUST_CHECK enum err_code record_leaves(struct record *record, uint8_t *leaves, uint64_t first,
                                           uint64_t count, struct err *err);

/* Where plain text may begin in parts, of which the first begins at image offset `at`, as
 * db_text_spots_add stores it; copied. */
ERR_MUST_CHECK enum err_code record_text_spots(struct record *record, uint64_t at,
                                               const struct pack *spots, struct err *err);

/* With rows.linked: where the hits and objects of a part stand in a shard, behind the last one. Its
 * run is the record's; left_out and sha256 are copied. */
ERR_MUST_CHECK enum err_code record_link(struct record *record, const struct db_linked *linked,
                                         struct err *err);

/* A part of the image has been gone over: all that belongs to it has been recorded. */
ERR_MUST_CHECK enum err_code record_part(struct record *record, const struct db_part *part,
                                         struct err *err);

/* Image offset: the end of the last part, at first where the run begins. */
uint64_t record_position(const struct record *record);

/*
 * Whether it is time to commit: some time after the last commit, a few seconds at most. Between
 * parts.
 */
bool record_due(struct record *record);
uint32_t record_waiting(struct record *record); /* batches of rows that wait to be written */

/*
 * Commits all parts that have been recorded. state: what is needed to go on behind them; copied.
 * NULL: nobody will.
 */
ERR_MUST_CHECK enum err_code record_commit(struct record *record, const struct pack *state,
                                           struct err *err);

/* Writes down what decides about further rows, and brings it back before the first row. What is
 * wrong with the bytes is in in->failed. */
void record_save(const struct record *record, struct pack *out);
void record_restore(struct record *record, struct unpack *in);

/* Nothing more will be recorded: the thread writes what is left, and commits it, while the caller
 * does something else before record_end. */
ERR_MUST_CHECK enum err_code record_last(struct record *record, struct err *err);

/*
 * Behind record_last: has `then` called behind all rows, in the thread that writes, before
 * record_end returns. What it writes is in the transaction that is open then. Its error is one of
 * writing; where a row could not be written it is not called.
 */
typedef enum err_code (*record_then_fn)(void *arg, struct db_case *db, struct err *err);
void record_then(struct record *record, record_then_fn then, void *arg);

/* Behind record_last: waits until all rows are written, and what record_then has asked for, which
 * may be called again then. */
ERR_MUST_CHECK enum err_code record_written(struct record *record, struct err *err);

/*
 * The last call: the case is the caller's again, with a new transaction begun. What was recorded
 * since record_commit is committed too, or, where a part was left half recorded, dropped: torn. An
 * error may be that of any call before; the case is the caller's all the same.
 */
ERR_MUST_CHECK enum err_code record_end(struct record *record, bool torn, struct err *err);

/* "TYPE/OFFSET.EXT" as carve names it; out holds at least RECORD_NAME_MAX bytes. */
enum { RECORD_NAME_MAX = 2 * SIG_NAME_MAX + 24 };
void record_name(char out[RECORD_NAME_MAX], const struct sig_type *type, uint64_t offset);

#endif
