/*
 * carver/record.h - what a scan finds, on its way into the case file: hits and objects in batches, one transaction around
 * everything that belongs together. A batch is written by a thread of its own while the next one fills; the database is the record's
 * from record_open to record_close, but behind a record_checkpoint of `now`.
 *
 * Ids are given here: hits are numbered in the order of their offsets and an object has the number of its header's hit, so that two
 * scans of the same image number alike however the work was cut.
 */
#ifndef BURIN_CARVER_RECORD_H
#define BURIN_CARVER_RECORD_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "db/case.h"
#include "signatures/sig.h"

enum {
    RECORD_HITS = 2048,    /* hits kept back for one insert */
    RECORD_OBJECTS = 1024, /* objects kept back */
    RECORD_REASON = 200,   /* bytes of a reason, the NUL included */
};

struct record_object {
    int64_t hit_id;
    uint32_t sig; /* index into the signatures of the scan */
    const struct sig_type *type;
    const char *state;
    bool checked, proven, container;
    uint64_t offset, len;
    enum db_slack slack;
    char reason[RECORD_REASON];
};

/* What is kept back to be written together. */
struct record_batch {
    struct db_hit *hits; /* [RECORD_HITS] */
    uint32_t hit_count;
    struct record_object *objects; /* [RECORD_OBJECTS] */
    uint32_t object_count;
    bool commit; /* with it everything up to position is recorded */
    bool fold;   /* after that */
    uint64_t position;
    uint64_t commit_ns; /* that the commit took; 0: none since it was last looked at */
};

struct record {
    struct db_case *db;
    int64_t image_id, run_id;
    const int64_t *signature_ids; /* by index of the signature; the caller's */
    int64_t last_hit_id;
    struct record_batch batches[2];
    struct record_batch *fill; /* one of them; the other is being written, or empty */
    struct record_writer *writer;
    uint64_t hits_total, objects_total;
    uint64_t committed_ns; /* monotonic time of the last commit */
    uint64_t apart_ns;     /* to the next one, at least */
};

ERR_MUST_CHECK enum err_code record_open(struct db_case *db, int64_t image_id, int64_t run_id,
                                         const int64_t *signature_ids, struct record *out, struct err *err);
void record_close(struct record *record); /* what was not committed is lost */

/* Stores a hit; *id is its number. */
ERR_MUST_CHECK enum err_code record_hit(struct record *record, uint32_t sig, uint64_t offset, uint32_t len, bool footer,
                                        int64_t *id, struct err *err);
ERR_MUST_CHECK enum err_code record_object(struct record *record, const struct record_object *object, struct err *err);
ERR_MUST_CHECK enum err_code record_bad_range(struct record *record, uint64_t offset, uint64_t len, int cause,
                                              struct err *err);

/* Blocks that a set knows, as db_known_run_put: again for a run that has grown. */
ERR_MUST_CHECK enum err_code record_known_run(struct record *record, const struct db_known_run *run, struct err *err);
/* A line for the log. */
ERR_MUST_CHECK enum err_code record_note(struct record *record, const char *text, struct err *err);

/* Everything up to image offset position has been recorded: commits it now, or if some time has gone by since the last time: a second at most. */
ERR_MUST_CHECK enum err_code record_checkpoint(struct record *record, uint64_t position, bool now, struct err *err);

/* "TYPE/OFFSET.EXT" as carve names it; out holds at least RECORD_NAME_MAX bytes. */
enum { RECORD_NAME_MAX = 2 * SIG_NAME_MAX + 24 };
void record_name(char out[RECORD_NAME_MAX], const struct sig_type *type, uint64_t offset);

#endif
