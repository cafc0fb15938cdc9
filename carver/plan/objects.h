/*
 * carver/plan/objects.h - objects whose checkers have not given their verdict yet.
 *
 * An object is run whenever the bytes it last asked for have come; what it finds comes out through a callback, in an order that
 * depends on the bytes alone. All objects of one signature form a list, oldest first. Objects do not know of each other, so many of
 * them are run by several threads while the caller goes on (objects_launch, objects_wait); the callback is always called in
 * the caller's thread.
 */
#ifndef BURIN_CARVER_PLAN_OBJECTS_H
#define BURIN_CARVER_PLAN_OBJECTS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "carver/plan/sums.h"
#include "carver/plan/window.h"
#include "signatures/sig.h"

struct objects; /* owned by the caller of objects_open */

struct objects_verdict {
    uint32_t sig; /* index given to objects_start */
    uint64_t tag; /* likewise */
    const struct sig_type *type;
    struct sig_result result; /* never SIG_MORE */
    uint64_t start;           /* image offset */
    uint64_t unpacked;        /* bytes: see sig_unpacked */
    bool has_before;          /* the CRC up to the start was taken, before its bytes left memory */
    uint64_t before;          /* it */
};

typedef enum err_code (*objects_done_fn)(void *arg, const struct objects_verdict *verdict, struct err *err);

/* sigs[i] for every index used later; done is called with arg. All stay the caller's. threads: 1..LIMIT_THREADS. */
ERR_MUST_CHECK enum err_code objects_open(const struct sig *const *sigs, uint32_t sig_count,
                                          const struct window *window, uint32_t threads, objects_done_fn done,
                                          void *arg, struct objects **out, struct err *err);
void objects_close(struct objects *objects); /* NULL is a no-op */

/* Objects begun from now on end at image offset end at the latest. */
void objects_set_end(struct objects *objects, uint64_t end);

/*
 * Begins an object of signature sig at image offset start; it is run with the others of its
 * signature. sharers: other objects that unpack the same bytes (sig_unpacked).
 */
ERR_MUST_CHECK enum err_code objects_start(struct objects *objects, uint32_t sig, uint64_t start, uint64_t tag,
                                           uint32_t sharers, struct err *err);

/*
 * Runs all open objects of signatures that unpack, as far as the window's limit lets them; *count
 * says how many are still open then.
 */
ERR_MUST_CHECK enum err_code objects_unpacking(struct objects *objects, uint32_t *count, struct err *err);

/*
 * Ends the oldest open objects of the signature, as broken where they stand, until no more than
 * `most` are open; *evicted counts them. Not while objects of the signature are being run by a
 * launch.
 */
ERR_MUST_CHECK enum err_code objects_trim(struct objects *objects, uint32_t sig, uint32_t most, uint64_t *evicted,
                                          struct err *err);

/* Bytes of the image that were read again. */
uint64_t objects_reread(const struct objects *objects);
struct window_view *objects_view(struct objects *objects); /* that of the caller's thread */

/* Runs the open objects of one signature, now, as far as the window's limit lets them. */
ERR_MUST_CHECK enum err_code objects_run(struct objects *objects, uint32_t sig, struct err *err);

/*
 * Begins to run all open objects as far as the window's limit lets them: those that are kept in step at once, the others in threads of their own,
 * which read the newest `keep` segments of the window from memory and the rest from the image. Waits for a launch before it.
 */
ERR_MUST_CHECK enum err_code objects_launch(struct objects *objects, uint32_t keep, struct err *err);

/* Waits until what was launched has been run, and hands out the verdicts. */
ERR_MUST_CHECK enum err_code objects_wait(struct objects *objects, struct err *err);

/* The bytes before image offset below leave memory: takes the CRC up to the start of what began among them. */
ERR_MUST_CHECK enum err_code objects_leave(struct objects *objects, struct sums *sums, uint64_t below, struct err *err);

/* Image offset: segments that begin here or behind it are being read and must stay. UINT64_MAX: none. */
uint64_t objects_held(const struct objects *objects);

/* Whether objects of the signature have to be run up to a header of it before it can be told what that header is. */
bool objects_in_step(const struct sig *sig);

/*
 * True when an object of the signature has said that image offset at belongs to it, or, for a stream, has been found right for it.
 * Forgets claims below at.
 */
bool objects_claimed(struct objects *objects, uint32_t sig, uint64_t at);

#endif
