/* SPDX-License-Identifier: Apache-2.0
 * db/db_libraries.c - the libraries that db/ uses. See base/library.h. */
#include <openssl/crypto.h>
#include <sqlite3.h>
#include <stdio.h>

#include "base/library.h"

uint32_t db_libraries(struct library out[LIBRARY_COUNT_MAX])
{
    out[0] = (struct library){ .name = "sqlite" };
    snprintf(out[0].version, sizeof out[0].version, "%s", sqlite3_libversion());
    out[1] = (struct library){ .name = "libcrypto" };
    snprintf(out[1].version, sizeof out[1].version, "%s", OpenSSL_version(OPENSSL_VERSION_STRING));
    return 2;
}
