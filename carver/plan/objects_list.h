/* SPDX-License-Identifier: Apache-2.0
 * carver/plan/objects_list.h - the open objects of one signature, and what is known to belong to
 * one: memory for objects.c, which runs them. */
#ifndef BURIN_CARVER_PLAN_OBJECTS_LIST_H
#define BURIN_CARVER_PLAN_OBJECTS_LIST_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/pack.h"
#include "signatures/sig.h"

struct objects_one {
    struct objects_one *next; /* younger */
    struct sig_input in;
    uint32_t sig;
    uint64_t tag;
    uint64_t
        needs; /* image offset: running it before the lookback shows all bytes below is of no use */
    uint64_t shown; /* image offset: the lookback's limit when it was last run; 0: it was not */
    void *state;
    bool cold;                /* the state is not there: see objects_restore_exit */
    struct sig_result result; /* of the last run */
    bool has_before;          /* of its verdict: see objects.h */
    uint64_t before;
    uint64_t
        ends_by; /* image offset: with all bytes below shown it has its verdict; see objects.h */
};

/* Objects of one signature, oldest first. */
struct objects_list {
    struct objects_one *oldest, **youngest_end;
    struct objects_one
        *spare; /* memory of ended objects: states are large, and many objects are short */
    uint32_t count;
    uint64_t *claims; /* image offsets, in no order */
    uint32_t claim_count, claim_room;
    uint64_t covered; /* image offset: ended objects reach up to here */
};

void objects_list_init(struct objects_list *list);
void objects_list_release(struct objects_list *list);

/*
 * A zeroed object with a state zeroed as far as its validator needs it, the list's youngest, from
 * the spare ones if there is one. NULL: no memory.
 */
struct objects_one *objects_list_add(struct objects_list *list, const struct sig *sig);

/* Takes the object that *link leads to out of the list. It stays as it is until the next one is
 * added. */
struct objects_one *objects_list_drop(struct objects_list *list, struct objects_one **link);

/* The object is right up to image offset end: no other one of a stream begins in what it is sure to
 * reach. */
void objects_list_cover(struct objects_list *list, uint64_t end, bool complete);

/* Moves the claims that a validator has made to the list. */
ERR_MUST_CHECK enum err_code objects_list_claim(struct objects_list *list, struct sig_input *in,
                                                struct err *err);

/* Whether image offset at has been claimed; forgets claims below it. */
bool objects_list_claimed(struct objects_list *list, uint64_t at);

/* Adds copies of all objects and claims of `from` behind those of the list; told: with those
 * objects of which it was said by where they end. */
ERR_MUST_CHECK enum err_code objects_list_copy(struct objects_list *list,
                                               const struct objects_list *from,
                                               const struct sig *sig, bool told, struct err *err);

/* Writes down claims and cover; adds what was written down. */
void objects_list_save_claims(const struct objects_list *list, struct pack *out);
ERR_MUST_CHECK enum err_code objects_list_restore_claims(struct objects_list *list,
                                                         struct unpack *in, struct err *err);

void objects_list_forget_claims(struct objects_list *list, uint64_t below); /* image offset */

/* Forgets all objects and claims. */
void objects_list_clear(struct objects_list *list);

/*
 * A number for what decides about headers at image offset `at` and behind it: lists with the same
 * open objects, claims and (stream) cover have the same number, and others have it by a chance of
 * 2^-64.
 */
uint64_t objects_list_hash(const struct objects_list *list, bool stream, uint64_t at);

/* Whether image offset at lies in what an object, open or ended, has been found right for. */
bool objects_list_covers(const struct objects_list *list, uint64_t at);

#endif
