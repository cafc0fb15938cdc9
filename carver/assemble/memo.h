/* SPDX-License-Identifier: Apache-2.0
 * carver/assemble/memo.h - answers about the bytes of one image, which are asked for again and
 * again.
 *
 * A file is tried in several rounds, with more work each time, and each of them asks the same of
 * megabytes around its seams. An answer that hangs on nothing but the question and the image is
 * kept here. A question may lose its answer to another one, and is then worked out anew: what comes
 * of it is the same.
 *
 * Threads: any number at a time.
 */
#ifndef BURIN_CARVER_ASSEMBLE_MEMO_H
#define BURIN_CARVER_ASSEMBLE_MEMO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

enum {
    MEMO_WORDS = 40,   /* of a question, at most */
    MEMO_BYTES = 1056, /* of an answer, at most */
    MEMO_SLOTS = 512,  /* answers that are kept, at most */
};

struct memo_question {
    uint64_t words[MEMO_WORDS]; /* [count]; what kind of question it is among them */
    uint32_t count;
};

struct memo; /* owned by the caller of memo_open */

/* Errors: ERR_ENV for no memory. */
ERR_MUST_CHECK enum err_code memo_open(struct memo **out, struct err *err);
void memo_close(struct memo *memo); /* NULL is a no-op */

/* Whether the answer is known: len bytes of it are copied then. NULL knows none. */
bool memo_knows(struct memo *memo, const struct memo_question *question, void *answer, size_t len);
void memo_keep(struct memo *memo, const struct memo_question *question, const void *answer,
               size_t len); /* NULL keeps none */

#endif
