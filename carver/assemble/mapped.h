/* SPDX-License-Identifier: Apache-2.0
 * carver/assemble/mapped.h - files in pieces whose shifts their landmarks tell.
 *
 * Landmarks (landmarks.h) say where pieces lie, not where they are cut: anywhere between the last
 * one of a piece and the first one of the next. Of all cuts there the best one is taken, by
 * resemblance (resemble.h): what is before it goes on behind it in the other piece, and the bytes
 * change where one piece ends and the other begins. The validator has to take it, and how sure it
 * is depends on how much worse all others are that the validator takes, too. Of a format that
 * proves its seams (fonts) the first cut that is proven is enough. Of a film the samples tell
 * between which two cuts it is. What is told so is likely, and owns nothing, as not all other ways
 * were tried.
 */
#ifndef BURIN_CARVER_ASSEMBLE_MAPPED_H
#define BURIN_CARVER_ASSEMBLE_MAPPED_H

#include "carver/assemble/fork.h"
#include "carver/assemble/resemble.h"

/*
 * Puts the file together, if it can: out->start stays NULL if not; out->wrong is the chance that it
 * is wrong (guess.h). The file's signature has marks. Errors: ERR_ENV.
 */
ERR_MUST_CHECK enum err_code mapped_try(const struct fork_job *job,
                                        const struct resemble_table *table, struct trial *trial,
                                        struct whole *out, struct err *err);

#endif
