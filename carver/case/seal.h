/* SPDX-License-Identifier: Apache-2.0
 * carver/case/seal.h - the end of a command that wrote to a case file: its rows are sealed.
 *
 *   all rows but the log ──SHA-256──► entry "seal" of the log ──hash chain──► hash of that entry
 *                                                                              │
 *                             CASE.seal, one line beside the case file ◄───────┴──► --sign CMD
 *
 * Who has noted the hash of the entry, or has the line signed, can show later that neither the log
 * up to it nor any row was changed: docs/reference/case-file.md, "The seal".
 */
#ifndef BURIN_CARVER_CASE_SEAL_H
#define BURIN_CARVER_CASE_SEAL_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
#include "db/case.h"

#define SEAL_TEXT                                                                                  \
    "  --sign CMD           when the case file is sealed at the end, run CMD with the name of "    \
    "CASE.seal\n"                                                                                  \
    "                       behind it, by /bin/sh, to sign it\n"

enum {
    SEAL_LINE_MAX = 256 /* bytes of the line in CASE.seal, its line feed and the NUL included */
};

/* A process that waits to run a command. Zeroed: there is none. */
struct seal_signer {
    pid_t pid;
    int go; /* the end of a pipe: a byte starts the command */
    const char *command;
};

/* ERR_ARG: --sign with no command. */
ERR_MUST_CHECK enum err_code seal_check_command(const char *command, struct err *err);

/*
 * Makes the process that will run the command on the seal of the case file at path, because the
 * program gives up the right to run others. To be called before that, and before threads. command
 * NULL: none, a no-op. Errors: ERR_ENV; ERR_ARG: the path is none of a file.
 */
ERR_MUST_CHECK enum err_code seal_signer_open(const char *command, const char *path,
                                              struct seal_signer *out, struct err *err);
void seal_signer_close(struct seal_signer *signer); /* of a zeroed one: a no-op */

/*
 * What can be done before the last rows are written to the case file at path: for seal_case; the
 * caller closes it. rows: that it will read; hits: that were written; most: threads that read.
 * NULL: nothing that pays with so many, or it failed, and is done then.
 */
struct db_seal_readers *seal_soon(const char *path, uint64_t rows, uint64_t hits, uint64_t most);

/*
 * Seals the case file, writes its CASE.seal, and has it signed. ready: of seal_soon, or NULL. Not
 * in a transaction. Where a stop was asked for, or is meanwhile, it takes a second at most, and
 * then leaves it: the next command that writes will seal it. Errors: those of the case file;
 * ERR_ENV: CASE.seal cannot be written, or the command failed.
 */
ERR_MUST_CHECK enum err_code seal_case(struct db_case *db, const char *path,
                                       struct db_seal_readers *ready, struct seal_signer *signer,
                                       struct err *err);

/* Has the seal of this name signed. A no-op without a command. */
ERR_MUST_CHECK enum err_code seal_sign(struct seal_signer *signer, const char *name,
                                       struct err *err);

/* The text of the log's entry, and the line of CASE.seal for an entry. */
void seal_text(const struct db_seal *seal, char out[SEAL_LINE_MAX]);
void seal_line(const struct db_log_entry *entry, char out[SEAL_LINE_MAX]);

/* What CASE.seal of the case file at path has: its first line, or "" where it is not there. */
void seal_read(const char *path, char out[SEAL_LINE_MAX]);

#endif
