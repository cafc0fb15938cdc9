/* SPDX-License-Identifier: Apache-2.0
 * db/seal_group.h - rows of a case file as bytes, and the SHA-256 of those of a group: see
 * seal_rows.c.
 *
 * One thread uses a group at a time.
 */
#ifndef BURIN_DB_SEAL_GROUP_H
#define BURIN_DB_SEAL_GROUP_H

#include <openssl/evp.h>

#include "base/err.h"
#include "db/connection.h"

enum {
    SEAL_SHA256 = 32,              /* bytes */
    SEAL_GROUP_BUFFER = 256 * 1024 /* as a rule a group fills it once */
};

struct seal_group {
    EVP_MD_CTX *hash;
    uint8_t *bytes; /* [SEAL_GROUP_BUFFER]: the first len of them are not hashed yet */
    size_t len;
};

/* Close it in any case. Errors: ERR_ENV, no memory. */
ERR_MUST_CHECK enum err_code seal_group_open(struct seal_group *group, struct err *err);
void seal_group_close(struct seal_group *group);

/* Errors of the following: ERR_ENV, OpenSSL fails. */
ERR_MUST_CHECK enum err_code seal_group_begin(struct seal_group *group, struct err *err);
/* Takes a row: that the statement of db stands at. Errors: those of the case file, too. */
ERR_MUST_CHECK enum err_code seal_group_row(struct seal_group *group, struct db_case *db,
                                            sqlite3_stmt *stmt, struct err *err);
/* Takes a row whose columns are these numbers. */
ERR_MUST_CHECK enum err_code seal_group_numbers(struct seal_group *group, const int64_t *columns,
                                                uint32_t count, struct err *err);
ERR_MUST_CHECK enum err_code seal_group_end(struct seal_group *group, uint8_t digest[SEAL_SHA256],
                                            struct err *err);

/* Eight bytes, the least significant one first. */
void seal_put_number(uint8_t *to, uint64_t value);
/* What a failure of OpenSSL is told as. */
enum err_code seal_hash_failed(struct err *err);

#endif
