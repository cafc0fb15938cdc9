/* SPDX-License-Identifier: Apache-2.0
 * carver/hashset/known_read.h - reads lists and databases of hashes, each in the format that others
 * publish them in.
 *
 *   sums        md5sum, sha1sum, sha256sum: GNU's "HASH  NAME" (with "\" before a line whose name
 *                                                        is escaped), BSD's "MD5 (NAME) = HASH", or
 *                                                        hashes alone
 *   rds2        NSRLFile.txt of the NSRL's reference data set 1 and 2: CSV with a heading
 *               (www.nist.gov/document/dataformatsofthensrlreferencedatasetrdspdf)
 *   rds3        the same, version 3: an SQLite database with a table METADATA or FILE
 *   encase      EnCase 6 .hash: a binary header of 1152 bytes, then MD5 and two more bytes for each
 *               file
 *   hashkeeper  a .hsh file: CSV with a heading
 *   words       a word a line: what is known is the hash of the word
 *
 * A list is read as a stream, in bounded memory. What is wrong with it is ERR_INPUT, with
 * FILE:LINE:COLUMN (byte offset in a binary file, table, row and column in a database) and what to
 * do.
 */
#ifndef BURIN_CARVER_HASHSET_KNOWN_READ_H
#define BURIN_CARVER_HASHSET_KNOWN_READ_H

#include <stdio.h>

#include "carver/hashset/known.h"

enum { KNOWN_LINE_MAX = 64 * 1024 /* longest line of a list, bytes */ };

enum known_format {
    KNOWN_AUTO,
    KNOWN_SUMS,
    KNOWN_RDS2,
    KNOWN_RDS3,
    KNOWN_ENCASE,
    KNOWN_HASHKEEPER,
    KNOWN_WORDS,
    KNOWN_FORMATS
};

const char *known_format_name(enum known_format format);
bool known_format_named(const char *name, enum known_format *out);

/*
 * A list, opened. KNOWN_AUTO becomes the format that its first bytes show: never words, which could
 * be anything. hash: what the list has, if it has one only; else the one that most use (SHA-1 of an
 * RDS).
 */
struct known_list {
    const char *path; /* the caller's; for messages */
    FILE *in;         /* NULL for a database */
    enum known_format format;
    enum digest_kind hash;
};

/* path "-": standard input. */
ERR_MUST_CHECK enum err_code known_list_open(const char *path, enum known_format format,
                                             struct known_list *out, struct err *err);
/* The same on a stream of the caller's that can be sought; for tests. */
ERR_MUST_CHECK enum err_code known_list_open_stream(const char *path, FILE *in,
                                                    enum known_format format,
                                                    struct known_list *out, struct err *err);
void known_list_close(struct known_list *list);

/* Hands out all entries, with hashes of the kind `hash`. Errors: ERR_INPUT, ERR_INTERRUPTED, and
 * each's own. */
ERR_MUST_CHECK enum err_code known_list_read(const struct known_list *list, enum digest_kind hash,
                                             known_entry_fn each, void *arg, struct err *err);

/* ---- between the files of the readers ---- */

/* Lines of a text, without their ends. */
struct known_lines {
    const char *path;
    FILE *in;
    char *buffer; /* KNOWN_LINE_MAX + what is read at a time */
    size_t at, have;
    bool ended;
    uint64_t number; /* of the line last given, from 1 */
};

ERR_MUST_CHECK enum err_code known_lines_open(const struct known_list *list,
                                              struct known_lines *out, struct err *err);
void known_lines_close(struct known_lines *lines);
/* *line is valid until the next call, *line NULL at the end. A byte order mark before the first
 * line is left out. */
ERR_MUST_CHECK enum err_code known_lines_next(struct known_lines *lines, const char **line,
                                              size_t *len, struct err *err);

/* ERR_INPUT at a place of the present line; column from 1. */
enum err_code known_lines_wrong(const struct known_lines *lines, size_t column, struct err *err,
                                const char *format, ...) __attribute__((format(printf, 4, 5)));

/* The hash at text[at]: exactly the digits of `hash`, or ERR_INPUT. */
ERR_MUST_CHECK enum err_code known_lines_digest(const struct known_lines *lines, const char *text,
                                                size_t len, size_t column, enum digest_kind hash,
                                                uint8_t out[DIGEST_MAX], struct err *err);

ERR_MUST_CHECK enum err_code known_read_sums(const struct known_list *list, enum digest_kind hash,
                                             known_entry_fn each, void *arg, struct err *err);
ERR_MUST_CHECK enum err_code known_read_csv(const struct known_list *list, enum digest_kind hash,
                                            known_entry_fn each, void *arg, struct err *err);
ERR_MUST_CHECK enum err_code known_read_encase(const struct known_list *list, enum digest_kind hash,
                                               known_entry_fn each, void *arg, struct err *err);
ERR_MUST_CHECK enum err_code known_read_words(const struct known_list *list, enum digest_kind hash,
                                              known_entry_fn each, void *arg, struct err *err);

/* The hash that a line of sums has; false when it has none. */
bool known_sums_hash(const char *line, size_t len, enum digest_kind *out);

#endif
