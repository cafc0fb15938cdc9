/* SPDX-License-Identifier: Apache-2.0
 * signatures/database/sqlite_application.h - which application an SQLite database is of, by the
 * names of its tables: those in the statements of the schema.
 *
 * Source: https://www.sqlite.org/fileformat2.html; the tables of the applications from their
 * sources, or as their files have them.
 */
#ifndef BURIN_SIGNATURES_DATABASE_SQLITE_APPLICATION_H
#define BURIN_SIGNATURES_DATABASE_SQLITE_APPLICATION_H

#include "signatures/sig.h"

enum {
    SQLITE_APPLICATIONS_MAX = 64,
    SQLITE_APPLICATION_TABLES = 3, /* of an application that tell it, at most */
};

/* The tables met so far: a bit for each table of each application. Zeroed before the first page. */
struct sqlite_tables {
    uint8_t seen[SQLITE_APPLICATIONS_MAX];
};

/* Notes the tables that statements in this page of the schema make, ordinary and virtual ones. */
void sqlite_application_take(struct sqlite_tables *tables, const uint8_t *page, uint32_t len);

/* The name of the first application all of whose tables were met; NULL: none is known. */
const char *sqlite_application(const struct sqlite_tables *tables);

#endif
