/* SPDX-License-Identifier: Apache-2.0
 * db/seal_rows.c - what is hashed of a case file, in its order.
 *
 * For each table in the order of their names: its name with a NUL; each group of rows as 'G', the
 * number of the group and the SHA-256 of its rows; and 'E'. A group has the rows of 4,096 ids of
 * hits, which are divided by that to give its number; tables whose keys do not begin with such an
 * id are one group, 0. In it stands each row in the order of its primary key, as 'R' and its
 * columns in their order. A column is 'N' for NULL, 'I' and 8 bytes for a number, or 'T' (text) or
 * 'B' (blob), 8 bytes for its length, and its bytes. Numbers and lengths are little-endian. So no
 * two contents have the same encoding, and it depends on nothing that VACUUM or a write-ahead log
 * change.
 *
 * Hits and objects that stay in shards are hashed by the SHA-256 that the table linked has of them.
 *
 * Tables that grow with the image are read in ranges of ids, of one group or more: others read, and
 * hash, the next range meanwhile.
 */
#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "db/bind.h"
#include "db/patterns.h"
#include "db/seal_rows.h"

enum { SEAL_SQL_MAX = 512 /* bytes */ };

/* Matches and their patterns are hashed as the hits that they are. */
static const struct {
    const char *name, *key;
    const char *hit; /* its first column, where that is the id of a hit; NULL: it is one group */
} seal_tables[] = {
    { "about", "key", NULL },
    { "assembled", "object_id", NULL },
    { "bad_ranges", "id", NULL },
    { "contents", "object_id", "object_id" },
    { "extents", "object_id, number", "object_id" },
    { "facts", "object_id, key", "object_id" },
    { "findings", "run_id, number", NULL },
    { "found_in", "object_id", "object_id" },
    { "hits", "id", "id" },
    { "image_facts", "image_id, name", NULL },
    { "image_hashes", "image_id, run_id, kind", NULL },
    { "image_parts", "image_id, number", NULL },
    { "image_samples", "image_id, offset", NULL },
    { "images", "id", NULL },
    { "joins", "object_id, number", NULL },
    { "known_blocks", "image_id, offset, set_id", NULL },
    { "known_objects", "object_id, set_id", NULL },
    { "known_sets", "id", NULL },
    { "likely", "hit_id", NULL },
    { "likely_pieces", "hit_id, number", NULL },
    { "link", "run_id", NULL },
    { "linked", "first_id", NULL },
    { "linked_nested", "last_id", NULL },
    { "nested", "object_id", "object_id" },
    { "objects", "id", "id" },
    { "outputs", "id", NULL },
    { "parts", "run_id, offset", NULL },
    { "patterns", "id", NULL },
    { "pieces", "object_id, number", NULL },
    { "resume", "run_id", NULL },
    { "runs", "id", NULL },
    { "scanned", "run_id, offset", NULL },
    { "signatures", "id", NULL },
    { "text_spots", "run_id, offset", NULL },
    { "tree_leaves", "image_id, run_id, number", NULL },
    { "triage", "run_id, sweep, volume", NULL },
    { "triage_found", "run_id, number", NULL },
    { "volumes", "run_id, number", NULL },
    { "yara", "run_id, number", NULL },
};

enum { SEAL_TABLES = sizeof seal_tables / sizeof seal_tables[0] };

_Static_assert((int)SEAL_TABLES <= (int)SEAL_TABLES_MAX, "each has room for its statement");

/* The range that begins at this id: the first one has all before it, and the last one all behind.
 */
static void seal_range_at(struct seal_range *range, int64_t id, int64_t last_id)
{
    const bool whole = seal_tables[range->table].hit == NULL;
    const int64_t least = range->sparse ? SEAL_SPARSE : 1;
    const int64_t ids = (last_id / SEAL_RANGES_MAX / SEAL_IDS + least) * SEAL_IDS;

    range->first_id = id;
    range->ends = whole || last_id - id < ids;
    range->end = range->ends ? INT64_MAX : id + ids;
}

struct seal_range seal_range_first(bool sparse)
{
    assert(seal_tables[0].hit == NULL);
    return (struct seal_range){
        .first_id = INT64_MIN, .end = INT64_MAX, .begins = true, .ends = true, .sparse = sparse
    };
}

bool seal_range_next(struct seal_range *range, int64_t last_id)
{
    range->begins = range->ends;
    if (!range->ends) {
        seal_range_at(range, range->end, last_id);
        return true;
    }
    if (range->table + 1 == SEAL_TABLES)
        return false;
    range->table++;
    seal_range_at(range, 0, last_id);
    range->first_id = INT64_MIN;
    return true;
}

static enum err_code seal_flush(struct seal_rows *rows, struct err *err)
{
    const enum err_code rc = rows->take(rows, err);

    rows->len = 0;
    rows->rows = 0;
    return rc;
}

/* Appends so few bytes. */
static enum err_code seal_add(struct seal_rows *rows, const void *bytes, size_t len,
                              struct err *err)
{
    const enum err_code rc = len > SEAL_BUFFER - rows->len ? seal_flush(rows, err) : ERR_OK;

    if (rc != ERR_OK)
        return rc;
    memcpy(rows->bytes + rows->len, bytes, len);
    rows->len += len;
    return ERR_OK;
}

static enum err_code seal_add_hash(struct seal_rows *rows, int64_t number,
                                   const uint8_t digest[SEAL_SHA256], struct err *err)
{
    uint8_t bytes[1 + 8 + SEAL_SHA256] = { 'G' };

    seal_put_number(bytes + 1, (uint64_t)number);
    memcpy(bytes + 9, digest, SEAL_SHA256);
    return seal_add(rows, bytes, sizeof bytes, err);
}

static enum err_code seal_add_group(struct seal_rows *rows, struct err *err)
{
    uint8_t digest[SEAL_SHA256];
    const enum err_code rc = seal_group_end(&rows->group, digest, err);

    return rc == ERR_OK ? seal_add_hash(rows, rows->number, digest, err) : rc;
}

/* The group of the row that the statement stands at. */
static int64_t seal_number_of(uint32_t table, sqlite3_stmt *stmt)
{
    const int64_t id = seal_tables[table].hit != NULL ? sqlite3_column_int64(stmt, 0) : 0;

    return id < 0 ? -1 - (-1 - id) / SEAL_IDS : id / SEAL_IDS;
}

static bool seal_is_hits(uint32_t table)
{
    return strcmp(seal_tables[table].name, "hits") == 0;
}

/* The statement that gives the rows of a table, or those of a range of it. */
static enum err_code seal_compile(struct seal_rows *rows, uint32_t table, struct err *err)
{
    const char *name = seal_tables[table].name, *key = seal_tables[table].key;
    const char *hit = seal_tables[table].hit;
    char sql[SEAL_SQL_MAX];

    if (rows->stmts[table] != NULL)
        return ERR_OK;
    if (hit == NULL)
        snprintf(sql, sizeof sql, "SELECT * FROM main.%s ORDER BY %s", name, key);
    else if (seal_is_hits(table))
        snprintf(sql, sizeof sql, DB_OWN_HITS " WHERE m.id BETWEEN ? AND ? ORDER BY m.id");
    else
        snprintf(sql, sizeof sql, "SELECT * FROM main.%s WHERE %s BETWEEN ? AND ? ORDER BY %s",
                 name, hit, key);
    return db_prepare_once(rows->db, sql, &rows->stmts[table], err);
}

enum err_code seal_rows_begin(struct seal_rows *rows, struct err *err)
{
    return seal_group_open(&rows->group, err);
}

enum err_code seal_rows_prepare(struct seal_rows *rows, struct err *err)
{
    enum err_code rc = ERR_OK;

    for (uint32_t i = 0; rc == ERR_OK && i < SEAL_TABLES; i++)
        if (seal_tables[i].hit != NULL)
            rc = seal_compile(rows, i, err);
    return rc;
}

static enum err_code seal_bind(struct seal_rows *rows, uint32_t table, int64_t first, int64_t last,
                               struct err *err)
{
    struct bind bind = bind_init(rows->db, rows->stmts[table], err);

    bind_int(&bind, first);
    bind_int(&bind, last);
    return bind.rc;
}

static enum err_code seal_encode_rows(struct seal_rows *rows, uint32_t table, struct err *err)
{
    sqlite3_stmt *const stmt = rows->stmts[table];
    bool found = false, open = false;
    enum err_code rc = db_step(rows->db, stmt, &found, "reading all rows", err);

    while (rc == ERR_OK && found) {
        const int64_t number = seal_number_of(table, stmt);

        if (open && number != rows->number)
            rc = seal_add_group(rows, err);
        if (rc == ERR_OK && (!open || number != rows->number))
            rc = seal_group_begin(&rows->group, err);
        open = true;
        rows->number = number;
        rows->rows++;
        if (rc == ERR_OK)
            rc = seal_group_row(&rows->group, rows->db, stmt, err);
        if (rc == ERR_OK)
            rc = db_step(rows->db, stmt, &found, "reading all rows", err);
    }
    return rc == ERR_OK && open ? seal_add_group(rows, err) : rc;
}

/* Encodes the rows whose hits have the ids first .. last. */
static enum err_code seal_encode_ids(struct seal_rows *rows, uint32_t table, int64_t first,
                                     int64_t last, struct err *err)
{
    const enum err_code rc = seal_bind(rows, table, first, last, err);

    return rc == ERR_OK ? seal_encode_rows(rows, table, err) : rc;
}

/* The same; groups of hits that are known are not read. */
static enum err_code seal_encode_hits(struct seal_rows *rows, uint32_t table, int64_t first,
                                      int64_t last, struct err *err)
{
    int64_t number = seal_ahead_next(rows->ahead, first);
    const uint8_t *digest = NULL;
    uint64_t known = 0;
    enum err_code rc = ERR_OK;

    while (rc == ERR_OK && seal_ahead_group(rows->ahead, number, &known, &digest) &&
           number * SEAL_IDS + SEAL_IDS - 1 <= last) {
        if (first < number * SEAL_IDS)
            rc = seal_encode_ids(rows, table, first, number * SEAL_IDS - 1, err);
        if (rc == ERR_OK)
            rc = seal_add_hash(rows, number, digest, err);
        rows->rows += known;
        first = ++number * SEAL_IDS;
    }
    return rc == ERR_OK && first <= last ? seal_encode_ids(rows, table, first, last, err) : rc;
}

enum err_code seal_rows_encode(struct seal_rows *rows, const struct seal_range *range,
                               struct err *err)
{
    const uint32_t table = range->table;
    const char *name = seal_tables[table].name;
    const int64_t last = range->ends ? INT64_MAX : range->end - 1;
    enum err_code rc = range->begins ? seal_add(rows, name, strlen(name) + 1, err) : ERR_OK;

    if (rc == ERR_OK)
        rc = seal_compile(rows, table, err);
    rows->db->ticks = 0;
    if (rc == ERR_OK && seal_tables[table].hit == NULL)
        rc = seal_encode_rows(rows, table, err);
    else if (rc == ERR_OK && seal_is_hits(table))
        rc = seal_encode_hits(rows, table, range->first_id, last, err);
    else if (rc == ERR_OK)
        rc = seal_encode_ids(rows, table, range->first_id, last, err);
    return rc == ERR_OK && range->ends ? seal_add(rows, "E", 1, err) : rc;
}

void seal_rows_end(struct seal_rows *rows)
{
    seal_group_close(&rows->group);
    for (uint32_t i = 0; i < SEAL_TABLES; i++) {
        sqlite3_finalize(rows->stmts[i]);
        rows->stmts[i] = NULL;
    }
}
