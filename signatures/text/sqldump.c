/* SPDX-License-Identifier: Apache-2.0
 * signatures/text/sqldump.c - databases written out as statements: by mysqldump, mariadb-dump,
 * pg_dump and the shell of SQLite.
 *
 *   "-- MySQL dump ...", "-- MariaDB dump ..." up to "-- Dump completed ..."
 *   "--", "-- PostgreSQL database dump" up to "-- PostgreSQL database dump complete", "--"
 *   "PRAGMA foreign_keys=OFF;", "BEGIN TRANSACTION;" up to "COMMIT;"
 */
#include "signatures/lib/lines.h"

enum { SQLDUMP_BROKEN_MIN = 16 };

enum sqldump_kind { SQLDUMP_MYSQL, SQLDUMP_POSTGRES, SQLDUMP_SQLITE };

struct sqldump_state {
    struct lines lines;
    enum sqldump_kind kind;
    bool end; /* PostgreSQL: the last but one line was met */
};

static enum lines_word sqldump_first(struct sqldump_state *state, const struct chars_line *line)
{
    if (lines_begins(line, "-- M"))
        state->kind = SQLDUMP_MYSQL;
    else
        state->kind = lines_begins(line, "--") ? SQLDUMP_POSTGRES : SQLDUMP_SQLITE;
    return LINES_ON;
}

static enum lines_word sqldump_line(void *memory, const struct chars_line *line, uint64_t count,
                                    uint32_t *last)
{
    struct sqldump_state *state = memory;

    if (count == 0)
        return sqldump_first(state, line);
    switch (state->kind) {
    case SQLDUMP_MYSQL:
        return lines_begins(line, "-- Dump completed") && line->all > line->len ? LINES_LAST
                                                                                : LINES_ON;
    case SQLDUMP_POSTGRES:
        if (count == 1 && !lines_begins(line, "-- PostgreSQL database dump"))
            return LINES_WRONG;
        if (state->end && lines_mark(line, "--", last))
            return LINES_LAST;
        state->end = lines_begins(line, "-- PostgreSQL database dump complete");
        return LINES_ON;
    default:
        if (count == 1 && !lines_begins(line, "BEGIN TRANSACTION;"))
            return LINES_WRONG;
        return lines_mark(line, "COMMIT;", last) ? LINES_LAST : LINES_ON;
    }
}

static struct sig_result sqldump_check(struct sig_input *in, void *memory)
{
    static const struct lines_format format = { sqldump_line, SQLDUMP_BROKEN_MIN,
                                                "the lines lead to the end of the dump",
                                                "the dump has no end" };
    struct sqldump_state *state = memory;

    return lines_check(in, &state->lines, &format, state);
}

const struct sig sig_sqldump = {
    .name = "sql",
    .what = "database as statements (mysqldump, pg_dump, SQLite's .dump)",
    .proves = "lines of text from the first of a dump to the last; statements are not read",
    .source = "MySQL 8.0, client/mysqldump.cc; PostgreSQL 15, pg_dump/pg_backup_archiver.c; SQLite "
              "3.40, shell.c: .dump",
    .types = (const struct sig_type[]){ { "sql", "sql" }, { 0 } },
    .headers = { SIG_PATTERN("-- MySQL dump "), SIG_PATTERN("-- MariaDB dump "),
                 SIG_PATTERN("--\n-- PostgreSQL database dump"),
                 SIG_PATTERN("--\r\n-- PostgreSQL database dump"),
                 SIG_PATTERN("PRAGMA foreign_keys=OFF;") },
    .flags = SIG_SECTOR_ALIGNED,
    .size_min = 32,
    .size_max = UINT64_C(1) << 40, /* policy */
    .state_size = sizeof(struct sqldump_state),
    .check = sqldump_check,
};
