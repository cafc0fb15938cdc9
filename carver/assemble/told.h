/* SPDX-License-Identifier: Apache-2.0
 * carver/assemble/told.h - rows of files that were put together, on their way into the case file:
 * they stay in memory while somebody else writes to it.
 *
 * Threads: one at a time.
 */
#ifndef BURIN_CARVER_ASSEMBLE_TOLD_H
#define BURIN_CARVER_ASSEMBLE_TOLD_H

#include "base/arena.h"
#include "db/case.h"

enum { TOLD_BYTES = 64 << 20 /* of what rows have beside themselves */ };

struct told_row {
    bool likely; /* which of the two it is */
    union {
        struct db_assembled assembled;
        struct db_likely file;
    };
};

struct told {
    struct arena arena; /* all that rows point to; made by the first one */
    struct told_row *items;
    size_t count, room;
    bool full; /* a row had no room: nothing here is whole */
};

/* Copies the row and all that it points to, but for words and reasons, which are static: type,
 * extension, state, reason, kinds of seams and keys of facts. Errors: ERR_ENV. */
ERR_MUST_CHECK enum err_code told_assembled(struct told *told, const struct db_assembled *row,
                                            struct err *err);
ERR_MUST_CHECK enum err_code told_likely(struct told *told, const struct db_likely *row,
                                         struct err *err);

/* Stores all in their order, and forgets them. Inside a transaction. Errors: those of the case
 * file. */
ERR_MUST_CHECK enum err_code told_store(struct told *told, struct db_case *db, int64_t run_id,
                                        struct err *err);
/* Of a zeroed one: a no-op. */
void told_release(struct told *told);

#endif
