/* SPDX-License-Identifier: Apache-2.0
 * carver/hashset/known_read.c - finds out what a list is, and calls its reader. See known_read.h.
 */
#include <errno.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "base/input.h"
#include "carver/cli/interrupt.h"
#include "carver/hashset/known_read.h"
#include "carver/hashset/known_stdin.h"
#include "db/rds.h"

enum { KNOWN_PEEK = KNOWN_STDIN_HEAD };

static const char *const known_formats[KNOWN_FORMATS] = { "auto",   "sums",       "rds2", "rds3",
                                                          "encase", "hashkeeper", "words" };

const char *known_format_name(enum known_format format)
{
    return known_formats[format];
}

bool known_format_named(const char *name, enum known_format *out)
{
    for (int i = 0; i < KNOWN_FORMATS; i++)
        if (strcmp(name, known_formats[i]) == 0) {
            *out = (enum known_format)i;
            return true;
        }
    return false;
}

static bool known_begins(const char *bytes, size_t len, const char *what, size_t what_len)
{
    return len >= what_len && memcmp(bytes, what, what_len) == 0;
}

/* The first line that is no comment, for lists of sums. */
static bool known_guess_sums(const char *bytes, size_t len, enum digest_kind *hash)
{
    size_t at = len >= 3 && memcmp(bytes, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;

    while (at < len) {
        const char *end = memchr(bytes + at, '\n', len - at);
        size_t line = (end != NULL ? (size_t)(end - bytes) : len) - at;

        while (line > 0 && bytes[at + line - 1] == '\r')
            line--;
        if (line > 0 && bytes[at] != '#')
            return known_sums_hash(bytes + at, line, hash);
        at = end != NULL ? (size_t)(end - bytes) + 1 : len;
    }
    return false;
}

static enum known_format known_guess(const char *bytes, size_t len, enum digest_kind *hash)
{
    static const char encase[] = "HASH\r\n\xff", sqlite[] = "SQLite format 3",
                      keeper[] = "\"file_id\"";
    const size_t bom = len >= 3 && memcmp(bytes, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;

    *hash = DIGEST_SHA1;
    if (known_begins(bytes, len, sqlite, sizeof sqlite))
        return KNOWN_RDS3;
    if (known_begins(bytes + bom, len - bom, "\"SHA-1\"", 7))
        return KNOWN_RDS2;
    *hash = DIGEST_MD5;
    if (known_begins(bytes, len, encase, sizeof encase))
        return KNOWN_ENCASE;
    if (known_begins(bytes + bom, len - bom, keeper, sizeof keeper - 1))
        return KNOWN_HASHKEEPER;
    if (known_guess_sums(bytes, len, hash))
        return KNOWN_SUMS;
    *hash = DIGEST_SHA256;
    return KNOWN_AUTO;
}

enum err_code known_list_open_stream(const char *path, FILE *in, enum known_format format,
                                     struct known_list *out, struct err *err)
{
    char bytes[KNOWN_PEEK];
    enum digest_kind hash;

    setvbuf(in, NULL, _IONBF, 0);
    const size_t got = fread(bytes, 1, sizeof bytes, in);
    const enum known_format guess = known_guess(bytes, got, &hash);
    *out = (struct known_list){
        .path = path, .in = in, .format = format != KNOWN_AUTO ? format : guess, .hash = hash
    };
    if (format == KNOWN_ENCASE || format == KNOWN_HASHKEEPER)
        out->hash = DIGEST_MD5;
    else if (format == KNOWN_RDS2 || format == KNOWN_RDS3)
        out->hash = DIGEST_SHA1;
    else if (format == KNOWN_WORDS)
        out->hash = DIGEST_SHA256;
    if (got == 0)
        return ERR_RAISE(err, ERR_INPUT, "%s:1:1: the file is empty", path);
    if (out->format == KNOWN_AUTO)
        return ERR_RAISE(err, ERR_INPUT,
                         "%s:1:1: unknown format of a hash list; if it is sums, rds2, rds3, "
                         "encase, hashkeeper or words, name it with --format",
                         path);
    if (fseeko(in, 0, SEEK_SET) != 0)
        return ERR_RAISE(err, ERR_INPUT,
                         "%s: cannot be read from its start again: %s; write it to a file first",
                         path, strerror(errno));
    return ERR_OK;
}

enum err_code known_list_open(const char *path, enum known_format format, struct known_list *out,
                              struct err *err)
{
    const bool piped = strcmp(path, "-") == 0;
    struct stat info;

    path = piped ? "standard input" : path;
    *out = (struct known_list){ .path = path };
    FILE *in = NULL;
    enum err_code rc = ERR_OK;
    if (!piped && stat(path, &info) == 0 && S_ISDIR(info.st_mode))
        return ERR_RAISE(err, ERR_INPUT, "%s: a folder, not a list; --files hashes the files in it",
                         path);
    if (piped && (in = known_stdin_open()) == NULL)
        rc = ERR_RAISE(err, ERR_INPUT, "%s: cannot be opened: %s", path, strerror(errno));
    else if (!piped)
        rc = input_open(path, &in, err);
    if (rc != ERR_OK)
        return rc;
    rc = known_list_open_stream(path, in, format, out, err);
    if (rc == ERR_OK && piped && out->format == KNOWN_RDS3)
        rc = ERR_RAISE(err, ERR_INPUT,
                       "standard input: an SQLite database; write it to a file and name that");
    if (rc == ERR_OK && out->format != KNOWN_RDS3)
        return ERR_OK;
    fclose(in);
    out->in = NULL;
    return rc;
}

void known_list_close(struct known_list *list)
{
    if (list->in != NULL)
        fclose(list->in);
    list->in = NULL;
}

/* From a row of a database to an entry. */
struct known_rds {
    enum digest_kind hash;
    known_entry_fn each;
    void *arg;
};

static enum err_code known_rds_row(void *arg, const struct db_rds_row *row, struct err *err)
{
    struct known_rds *rds = arg;
    uint8_t digest[DIGEST_MAX];
    const size_t wanted = 2 * digest_len(rds->hash);

    if (row->digest_len != wanted || known_parse_hex(row->digest, wanted, wanted, digest) != wanted)
        return ERR_RAISE(
            err, ERR_INPUT, "%s: table %s, row %lld, column %s: not %s; correct or delete the row",
            row->path, row->table, (long long)row->id, row->column, known_hash_name(rds->hash));
    const struct known_entry entry = { .digest = digest,
                                       .name = row->name,
                                       .name_len = row->name_len };
    return rds->each(rds->arg, &entry, err);
}

enum err_code known_list_read(const struct known_list *list, enum digest_kind hash,
                              known_entry_fn each, void *arg, struct err *err)
{
    struct known_rds rds = { .hash = hash, .each = each, .arg = arg };

    switch (list->format) {
    case KNOWN_RDS2:
    case KNOWN_HASHKEEPER:
        return known_read_csv(list, hash, each, arg, err);
    case KNOWN_RDS3:
        return db_rds_read(list->path, known_hash_name(hash), interrupt_requested, known_rds_row,
                           &rds, err);
    case KNOWN_ENCASE:
        return known_read_encase(list, hash, each, arg, err);
    case KNOWN_WORDS:
        return known_read_words(list, hash, each, arg, err);
    default:
        return known_read_sums(list, hash, each, arg, err);
    }
}
