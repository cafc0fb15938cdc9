/* SPDX-License-Identifier: Apache-2.0
 * carver/plan/objects.h - open objects: those whose validators have not given a verdict yet.
 *
 * To run an object is to call its validator. An object is run when the bytes that it last asked for
 * have come. Its verdict goes to a callback, in an order that depends only on the bytes of the
 * image. The open objects of a signature form a list, oldest first.
 *
 * A set of open objects can be copied: what is open at a place of the image is then there twice,
 * and each copy goes on for itself.
 *
 * Threads: one thread calls these functions, and the callback runs in that thread.
 */
#ifndef BURIN_CARVER_PLAN_OBJECTS_H
#define BURIN_CARVER_PLAN_OBJECTS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/pack.h"
#include "carver/plan/lookback.h"
#include "carver/plan/sig_set.h"
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
    uint32_t sharers;         /* as given to objects_start */
    uint32_t sharers_most;    /* with so many it would be the same: see sig_sharers_most */
    uint64_t ends_by;         /* the lookback's limit when the verdict came */
};

typedef enum err_code (*objects_done_fn)(void *arg, const struct objects_verdict *verdict,
                                         struct err *err);

/*
 * sigs: the signatures by index. done: called with arg for each verdict. Everything stays the
 * caller's and must outlive the objects.
 */
ERR_MUST_CHECK enum err_code objects_open(const struct sig *const *sigs, uint32_t sig_count,
                                          struct lookback *lookback, objects_done_fn done,
                                          void *arg, struct objects **out, struct err *err);
void objects_close(struct objects *objects); /* NULL is a no-op */

/* A range begins: nothing is open. Objects end at image offset end at the latest. */
void objects_begin(struct objects *objects, uint64_t end);

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
 * the bytes that were found right. *evicted grows by their number.
 */
ERR_MUST_CHECK enum err_code objects_trim(struct objects *objects, uint32_t sig, uint32_t most,
                                          uint64_t *evicted, struct err *err);

/* Bytes that validators had to read from the image again, since the range began. */
uint64_t objects_reread(const struct objects *objects);
struct lookback_view *objects_view(struct objects *objects); /* the view of the caller's thread */

/* Runs the open objects of one signature up to the lookback's limit. */
ERR_MUST_CHECK enum err_code objects_run(struct objects *objects, uint32_t sig, struct err *err);

/* Runs all open objects up to the lookback's limit. */
ERR_MUST_CHECK enum err_code objects_run_all(struct objects *objects, struct err *err);

uint32_t objects_count(const struct objects *objects, uint32_t sig); /* open ones */
/* Those that do not end by image offset at. */
uint32_t objects_count_at(const struct objects *objects, uint32_t sig, uint64_t at);

/*
 * Makes `to` a copy of `from`: open objects, claims and cover of one signature, added to those of
 * `to` behind what that has. Both were opened with the same signatures.
 */
ERR_MUST_CHECK enum err_code objects_copy(struct objects *to, const struct objects *from,
                                          uint32_t sig, struct err *err);
/* The same, but for the open objects of which it was said by where they have their verdict. */
ERR_MUST_CHECK enum err_code objects_copy_untold(struct objects *to, const struct objects *from,
                                                 uint32_t sig, struct err *err);
/* Whether nothing is open, claimed and covered of the signature. */
bool objects_is_blank(const struct objects *objects, uint32_t sig);
/*
 * The signatures of which that may be otherwise. Whoever adds others, or knows that one is blank
 * and removes it, changes nothing for the objects; objects_begin empties it.
 */
struct sig_set *objects_some(struct objects *objects);
/* Forgets what is open, claimed and covered of the signature. */
void objects_forget(struct objects *objects, uint32_t sig);
/* Forgets the open objects of the signature that end by image offset at, and claims below it. */
void objects_forget_ended(struct objects *objects, uint32_t sig, uint64_t at);
/*
 * Forgets the oldest open object of the signature; what it has claimed stays. False: none is open.
 * *start and *sharers become what was given to objects_start.
 */
bool objects_put_off(struct objects *objects, uint32_t sig, uint64_t *start, uint32_t *sharers);
/* Says of an open object by where it has its verdict; no such object is a no-op. */
void objects_set_ends_by(struct objects *objects, uint32_t sig, uint64_t start, uint64_t ends_by);
/* Image offset up to which objects of a stream cover; 0: they do not, or it is none. */
uint64_t objects_covered(const struct objects *objects, uint32_t sig);
/* The places that are claimed: [*count], in no order. */
const uint64_t *objects_claims(const struct objects *objects, uint32_t sig, uint32_t *count);
/* Least image offset that an open object waits for the bytes below of; UINT64_MAX: none is open. */
uint64_t objects_next_need(const struct objects *objects);
/*
 * Where the open objects of signatures with SIG_UNPACKS end: ends[max]. Returns their number, which
 * may be greater than max.
 */
uint32_t objects_unpacking_ends(const struct objects *objects, uint64_t *ends, uint32_t max);
/* Whether an object of the signature is open that begins at image offset start. */
bool objects_is_open(const struct objects *objects, uint32_t sig, uint64_t start);
/* Gives each object the tag tags[its tag]. */
void objects_retag(struct objects *objects, const int64_t *tags);
/* A number for the state of the signature at image offset at: see objects_list_hash. */
uint64_t objects_hash(const struct objects *objects, uint32_t sig, uint64_t at);

/*
 * The bytes below this image offset are about to leave memory. For each open object that begins
 * there, takes the CRC of the bytes before its start from sums.
 */
ERR_MUST_CHECK enum err_code objects_leave(struct objects *objects, struct sums *sums,
                                           uint64_t below, struct err *err);

/*
 * Writes down the open objects of a signature, their claims and their cover; and, after
 * objects_begin, opens them again and runs each as far as it had been run. They begin before image
 * offset `before`, which is not 0. What is wrong with the bytes is in in->failed. Errors: those of
 * reading the image, ERR_ENV.
 */
void objects_save(const struct objects *objects, uint32_t sig, struct pack *out);
ERR_MUST_CHECK enum err_code objects_restore(struct objects *objects, uint32_t sig, uint64_t before,
                                             struct unpack *in, struct err *err);

/*
 * The same for what is open at the end of a part, of which it is known by where it has its verdict.
 * What is opened again is cold: it is run from its beginning only when it has to be run further, so
 * that the image is not read for what nobody asks about. tags: their number; each tag is less.
 */
void objects_save_exit(const struct objects *objects, uint32_t sig, struct pack *out);
ERR_MUST_CHECK enum err_code objects_restore_exit(struct objects *objects, uint32_t sig,
                                                  uint64_t before, uint64_t tags, struct unpack *in,
                                                  struct err *err);

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
