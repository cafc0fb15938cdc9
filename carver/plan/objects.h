/*
 * carver/plan/objects.h - open objects: those whose validators have not given a verdict yet.
 *
 * To run an object is to call its validator. An object is run when the bytes that it last asked for
 * have come. Its verdict goes to a callback, in an order that depends only on the bytes of the
 * image. The open objects of a signature form a list, oldest first.
 *
 * Threads: one thread calls these functions, and the callback runs in that thread. Objects are
 * independent of each other, so several threads run them between objects_launch and objects_wait
 * while the caller goes on.
 */
#ifndef BURIN_CARVER_PLAN_OBJECTS_H
#define BURIN_CARVER_PLAN_OBJECTS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "carver/plan/lookback.h"
#include "carver/plan/sums.h"
#include "signatures/sig.h"

struct objects; /* owned by the caller of objects_open */

struct objects_verdict {
    uint32_t sig; /* as given to objects_start */
    uint64_t tag; /* as given to objects_start */
    const struct sig_type *type;
    struct sig_result result; /* never SIG_MORE */
    uint64_t start;           /* image offset */
    uint64_t unpacked;        /* bytes that its validator unpacked: see sig_unpacked */
    bool has_before;          /* `before` is set: see objects_leave */
    uint64_t before;          /* CRC-64 of the range's bytes before the start */
};

typedef enum err_code (*objects_done_fn)(void *arg, const struct objects_verdict *verdict,
                                         struct err *err);

/*
 * sigs: the signatures by index. done: called with arg for each verdict. Everything stays the
 * caller's and must outlive the objects. threads: 1..LIMIT_THREADS.
 */
ERR_MUST_CHECK enum err_code objects_open(const struct sig *const *sigs, uint32_t sig_count,
                                          const struct lookback *lookback, uint32_t threads,
                                          objects_done_fn done, void *arg, struct objects **out,
                                          struct err *err);
void objects_close(struct objects *objects); /* NULL is a no-op */

/* Objects that are started from now on end at image offset end at the latest. */
void objects_set_end(struct objects *objects, uint64_t end);

/*
 * Adds an object of signature number sig at image offset start, below the end. It is run later with
 * the others of its signature. tag comes back in the verdict. sharers: the number of other objects
 * that unpack the same bytes (sig_unpacked).
 */
ERR_MUST_CHECK enum err_code objects_start(struct objects *objects, uint32_t sig, uint64_t start,
                                           uint64_t tag, uint32_t sharers, struct err *err);

/*
 * Runs all open objects of signatures with SIG_UNPACKS up to the lookback's limit. *count becomes
 * the number of those that are still open.
 */
ERR_MUST_CHECK enum err_code objects_unpacking(struct objects *objects, uint32_t *count,
                                               struct err *err);

/*
 * Ends the oldest open objects of the signature until at most `most` are open. They break behind
 * the bytes that were found right. *evicted grows by their number. Not while a launch runs objects
 * of the signature.
 */
ERR_MUST_CHECK enum err_code objects_trim(struct objects *objects, uint32_t sig, uint32_t most,
                                          uint64_t *evicted, struct err *err);

/* Bytes that validators had to read from the image again. */
uint64_t objects_reread(const struct objects *objects);
struct lookback_view *objects_view(struct objects *objects); /* the view of the caller's thread */

/* Runs the open objects of one signature in the caller's thread, up to the lookback's limit. */
ERR_MUST_CHECK enum err_code objects_run(struct objects *objects, uint32_t sig, struct err *err);

/*
 * Runs all open objects up to the lookback's limit: those of signatures in step (objects_in_step)
 * in the caller's thread before it returns, the others in further threads after it returns. These
 * threads read the newest `keep` segments of the lookback from memory and other bytes from the
 * image. If an earlier launch still runs, the call waits for it first.
 */
ERR_MUST_CHECK enum err_code objects_launch(struct objects *objects, uint32_t keep,
                                            struct err *err);

/*
 * Waits for the objects that were launched, and calls done for their verdicts. The caller's thread
 * runs some of them itself.
 */
ERR_MUST_CHECK enum err_code objects_wait(struct objects *objects, struct err *err);

/*
 * The bytes below this image offset are about to leave memory. For each open object that begins
 * there, takes the CRC of the bytes before its start from sums.
 */
ERR_MUST_CHECK enum err_code objects_leave(struct objects *objects, struct sums *sums,
                                           uint64_t below, struct err *err);

/*
 * Threads may be reading the segments that begin at or behind this image offset, so these must
 * stay. UINT64_MAX: none is being read.
 */
uint64_t objects_held(const struct objects *objects);

/*
 * Whether a signature is kept in step: its open objects must be run up to a new header before it is
 * known whether that header begins a file.
 */
bool objects_in_step(const struct sig *sig);

/*
 * True when an object of the signature has claimed image offset at (sig_claim), or, for a
 * SIG_STREAM, when the bytes that an object has found right include it. Drops all claims below at.
 */
bool objects_claimed(struct objects *objects, uint32_t sig, uint64_t at);

#endif
