/* SPDX-License-Identifier: Apache-2.0
 * carver/list/list_digest.h - `burin list --digest`: one hash for all that scans stored in a case.
 */
#ifndef BURIN_CARVER_LIST_LIST_DIGEST_H
#define BURIN_CARVER_LIST_LIST_DIGEST_H

#include "base/err.h"
#include "db/case.h"

/* Prints the SHA-256 of the lines of db_lines_walk on standard output, as hex digits and a line
 * feed. Errors: as of the walk; ERR_INTERRUPTED. */
ERR_MUST_CHECK enum err_code list_digest(struct db_case *db, struct err *err);

#endif
