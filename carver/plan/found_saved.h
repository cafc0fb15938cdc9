/* SPDX-License-Identifier: Apache-2.0
 * carver/plan/found_saved.h - what the scan of one part has found, as bytes that another process
 * reads.
 *
 * Nobody vouches for the bytes: whatever they say, what is read of them can be handed on. Rows name
 * their hit, and take place and signature from it.
 */
#ifndef BURIN_CARVER_PLAN_FOUND_SAVED_H
#define BURIN_CARVER_PLAN_FOUND_SAVED_H

#include "base/err.h"
#include "base/pack.h"
#include "carver/plan/found.h"
#include "carver/plan/plan.h"
#include "carver/plan/texts.h"

void found_save(const struct found *found, const struct plan_options *options, struct pack *out);

/*
 * Fills an emptied *found with the hits of this part, which come first: of a planner with these
 * options. Errors: ERR_ENV. What is wrong with the bytes is in in->failed.
 */
ERR_MUST_CHECK enum err_code found_restore_hits(struct found *found,
                                                const struct plan_options *options,
                                                const struct plan_part *part, struct unpack *in,
                                                struct err *err);

/*
 * Goes on with the objects, and with all else that was found in the part by a planner with these
 * options.
 *
 * texts    Gets the reasons; it must live as long as anything of *found is used.
 * facts    Room for the facts of one object, the caller's.
 * Errors   ERR_ENV. What is wrong with the bytes is in in->failed.
 */
ERR_MUST_CHECK enum err_code found_restore_objects(struct found *found,
                                                   const struct plan_options *options,
                                                   const struct plan_part *part,
                                                   struct texts *texts, struct sig_facts *facts,
                                                   struct unpack *in, struct err *err);
ERR_MUST_CHECK enum err_code found_restore_notes(struct found *found,
                                                 const struct plan_options *options,
                                                 const struct plan_part *part, struct texts *texts,
                                                 struct unpack *in, struct err *err);

#endif
