/* SPDX-License-Identifier: Apache-2.0
 * carver/assemble/pages.h - texts in two pieces, by how their elements nest.
 *
 * Any text may follow a text, and validators of pages take it. But what is opened in a piece is
 * closed in the next one, mostly: of all places at which the second piece may begin, the right one
 * is that at which the fewest elements are left open, or closed twice (struct sig, nest).
 *
 * That tells two pages that lie around each other, A B A B, apart: the first pieces meet where
 * the second page begins, the second pieces where the first one ends, and only where B gives way to
 * A is to be found. And it tells a page that goes on behind bytes that are no text.
 */
#ifndef BURIN_CARVER_ASSEMBLE_PAGES_H
#define BURIN_CARVER_ASSEMBLE_PAGES_H

#include "carver/assemble/fork.h"

/*
 * Puts the page together, if it can: out->start stays NULL if not; out->wrong is the chance that it
 * is wrong (guess.h). Its signature has nest. *braid: it lies around another page, or the other way
 * round, and nothing else is to be tried. Errors: ERR_ENV.
 */
ERR_MUST_CHECK enum err_code pages_try(const struct fork_job *job, struct trial *trial,
                                       struct whole *out, bool *braid, struct err *err);

#endif
