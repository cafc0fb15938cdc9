/* SPDX-License-Identifier: Apache-2.0
 * carver/hashset/known_csv.c - lists of hashes as CSV with a heading: the NSRL's reference data set
 * 1 and 2 (NSRLFile.txt) and HashKeeper (.hsh).
 *
 * The heading says in which column what stands. RDS 2 (Data Formats of the NSRL Reference Data Set,
 * NIST 2013):
 *   "SHA-1","MD5","CRC32","FileName","FileSize","ProductCode","OpSystemCode","SpecialCode"
 * RDS 1 has the same columns in another order. HashKeeper:
 *   "file_id","hashset_id","file_name","directory","hash","file_size","date_modified",...
 * A field stands in quotes or not, and a quote in it is doubled (RFC 4180). Some makers did not
 * double them: where a row does not come out with the columns of the heading, a quote ends a field
 * only before a comma or the end of the line.
 */
#include <string.h>

#include "carver/hashset/known_read.h"

enum { KNOWN_FIELDS_MAX = 64 };

struct known_field {
    const char *text;
    size_t len;
    size_t column; /* of its first byte, from 1 */
};

struct known_row {
    struct known_field fields[KNOWN_FIELDS_MAX];
    uint32_t count;
};

/* Which column is what; UINT32_MAX: there is none. */
struct known_columns {
    uint32_t digest, name, folder, count;
};

/* Index of the quote that ends the field which begins at from; len: none. */
static size_t known_csv_quote(const char *line, size_t len, size_t from, bool strict)
{
    for (size_t at = from; at < len; at++) {
        const bool ends = line[at] == '"' && (at + 1 == len || line[at + 1] == ',');

        if (strict && line[at] == '"' && at + 1 < len && line[at + 1] == '"')
            at++;
        else if (strict && line[at] == '"' && !ends)
            return len;
        else if (ends)
            return at;
    }
    return len;
}

/* strict: as RFC 4180 has it. False: a quote does not end, *column says which, or there are too
 * many fields. */
static bool known_csv_split(const char *line, size_t len, bool strict, struct known_row *row,
                            size_t *column)
{
    size_t at = 0;

    for (row->count = 0; row->count < KNOWN_FIELDS_MAX; at++) { /* the comma */
        const bool quoted = at < len && line[at] == '"';
        const size_t from = at + quoted;

        *column = at + 1;
        at = from;
        if (quoted)
            at = known_csv_quote(line, len, from, strict);
        else
            while (at < len && line[at] != ',')
                at++;
        if (quoted && at == len)
            return false;
        row->fields[row->count++] =
            (struct known_field){ .text = line + from, .len = at - from, .column = from + 1 };
        at += quoted;
        if (at == len)
            return true;
    }
    return false;
}

/* columns: of the heading; 0: this is it. */
static enum err_code known_csv_row(const struct known_lines *lines, const char *line, size_t len,
                                   uint32_t columns, struct known_row *row, struct err *err)
{
    size_t column = 1;

    if (known_csv_split(line, len, true, row, &column) && (columns == 0 || row->count == columns))
        return ERR_OK;
    if (known_csv_split(line, len, false, row, &column))
        return ERR_OK;
    if (row->count == KNOWN_FIELDS_MAX)
        return known_lines_wrong(lines, column, err, "more than %d columns; is --format right?",
                                 KNOWN_FIELDS_MAX);
    return known_lines_wrong(lines, column, err,
                             "the quote that begins here does not end in this line");
}

static uint32_t known_csv_find(const struct known_row *row, const char *name)
{
    for (uint32_t i = 0; i < row->count; i++)
        if (row->fields[i].len == strlen(name) &&
            memcmp(row->fields[i].text, name, strlen(name)) == 0)
            return i;
    return UINT32_MAX;
}

static enum err_code known_csv_heading(const struct known_lines *lines, const struct known_row *row,
                                       enum known_format format, enum digest_kind hash,
                                       struct known_columns *out, struct err *err)
{
    const bool rds = format == KNOWN_RDS2;
    const char *column = !rds                  ? "hash"
                         : hash == DIGEST_SHA1 ? "SHA-1"
                         : hash == DIGEST_MD5  ? "MD5"
                                               : "SHA-256";

    if (!rds && hash != DIGEST_MD5)
        return ERR_RAISE(err, ERR_INPUT, "%s: a HashKeeper list has only MD5; give --hash md5",
                         lines->path);
    *out = (struct known_columns){ .digest = known_csv_find(row, column),
                                   .name = known_csv_find(row, rds ? "FileName" : "file_name"),
                                   .folder = rds ? UINT32_MAX : known_csv_find(row, "directory"),
                                   .count = row->count };
    if (out->digest == UINT32_MAX && rds && hash == DIGEST_SHA256)
        return ERR_RAISE(err, ERR_INPUT,
                         "%s: NSRLFile.txt has only SHA-1 and MD5; give --hash sha1 or md5",
                         lines->path);
    if (out->digest == UINT32_MAX)
        return known_lines_wrong(
            lines, 1, err, "the heading has no column \"%s\"; the first line must name the columns",
            column);
    return ERR_OK;
}

static size_t known_csv_append(char *out, size_t used, const struct known_field *field)
{
    size_t i = 0;

    while (i < field->len && used < KNOWN_NAME_MAX) {
        const char c = field->text[i++];

        out[used++] = c;
        i += c == '"' && i < field->len && field->text[i] == '"'; /* doubled */
    }
    return used;
}

/* The name, with its folder in front where there is one. */
static size_t known_csv_name(const struct known_row *row, const struct known_columns *columns,
                             char out[KNOWN_NAME_MAX])
{
    size_t used = 0;

    if (columns->folder < row->count && row->fields[columns->folder].len > 0) {
        used = known_csv_append(out, used, &row->fields[columns->folder]);
        if (used < KNOWN_NAME_MAX && out[used - 1] != '\\')
            out[used++] = '\\';
    }
    return columns->name < row->count ? known_csv_append(out, used, &row->fields[columns->name])
                                      : used;
}

enum err_code known_read_csv(const struct known_list *list, enum digest_kind hash,
                             known_entry_fn each, void *arg, struct err *err)
{
    struct known_lines lines;
    struct known_columns columns = { 0 };
    struct known_row row;
    const char *line = NULL;
    size_t len = 0;
    enum err_code rc = known_lines_open(list, &lines, err);

    while (rc == ERR_OK && (rc = known_lines_next(&lines, &line, &len, err)) == ERR_OK &&
           line != NULL) {
        if (len == 0)
            continue;
        rc = known_csv_row(&lines, line, len, columns.count, &row, err);
        if (rc == ERR_OK && columns.count == 0) {
            rc = known_csv_heading(&lines, &row, list->format, hash, &columns, err);
            continue;
        }
        if (rc == ERR_OK && columns.digest >= row.count)
            rc = known_lines_wrong(&lines, len + 1, err,
                                   "the line has %u columns, and the heading %u; the line is cut "
                                   "short",
                                   row.count, columns.count);
        if (rc != ERR_OK)
            break;
        const struct known_field *field = &row.fields[columns.digest];
        uint8_t digest[DIGEST_MAX];
        char name[KNOWN_NAME_MAX];
        struct known_entry entry = { .digest = digest,
                                     .name = name,
                                     .name_len = known_csv_name(&row, &columns, name) };

        if (entry.name_len == 0)
            entry.name = NULL;
        rc = known_lines_digest(&lines, field->text, field->len, field->column, hash, digest, err);
        if (rc == ERR_OK)
            rc = each(arg, &entry, err);
    }
    known_lines_close(&lines);
    return rc;
}
