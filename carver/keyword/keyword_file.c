/* SPDX-License-Identifier: Apache-2.0
 * carver/keyword/keyword_file.c - lists of words, and of expressions: see keyword.h. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/input.h"
#include "base/limits.h"
#include "carver/keyword/keyword.h"

enum { KEYWORD_BOM = 3, KEYWORD_LINE_MAX = 65536 /* bytes */ };

static const char keyword_bom[] = "\xef\xbb\xbf";

/*
 * The next line without its end; false at the end of the file. *len is KEYWORD_LINE_MAX of one that
 * is longer.
 */
static bool keyword_line(FILE *file, char line[KEYWORD_LINE_MAX + 1], size_t *len)
{
    int c = getc(file);

    *len = 0;
    if (c == EOF)
        return false;
    for (; c != EOF && c != '\n' && *len < KEYWORD_LINE_MAX; c = getc(file))
        line[(*len)++] = (char)c;
    while (*len > 0 && line[*len - 1] == '\r')
        --*len;
    line[*len] = '\0';
    return true;
}

/* A word of a file: that it is wrong is told by the file, and not by the command line. */
static enum err_code keyword_add_line(struct keyword_set *set, const char *line, size_t len,
                                      keyword_add_fn add, struct err *err)
{
    struct err why = { 0 };
    enum err_code rc;

    if (len == KEYWORD_LINE_MAX)
        return ERR_RAISE(err, ERR_INPUT,
                         "%d bytes without an end of the line: this is not a list of words",
                         KEYWORD_LINE_MAX);
    if (strlen(line) != len)
        return ERR_RAISE(err, ERR_INPUT, "a NUL byte: this is not a list of words");
    rc = add(set, line, &why);
    if (rc != ERR_OK)
        rc = ERR_RAISE(err, rc == ERR_ARG ? ERR_INPUT : rc, "%s", why.text);
    return rc;
}

/* The list goes on where the set is full: counts its words, of which `words` have been read. */
static enum err_code keyword_too_many(FILE *file, char buffer[KEYWORD_LINE_MAX + 1],
                                      const char *path, uint64_t words, struct err *err)
{
    size_t len;

    while (keyword_line(file, buffer, &len))
        words += len > 0;
    return ERR_RAISE(err, ERR_INPUT,
                     "%s: the file has %" PRIu64
                     " keywords, and a search takes %d, whatever the encodings: split the file "
                     "(split -l %d), and search once for each part",
                     path, words, LIMIT_KEYWORDS, LIMIT_KEYWORDS);
}

static enum err_code keyword_add_lines(struct keyword_set *set, FILE *file, const char *path,
                                       keyword_add_fn add, struct err *err)
{
    char buffer[KEYWORD_LINE_MAX + 1];
    uint64_t number = 0, words = 0;
    size_t len;
    enum err_code rc = ERR_OK;

    while (rc == ERR_OK && keyword_line(file, buffer, &len)) {
        const bool mark =
            number++ == 0 && len >= KEYWORD_BOM && memcmp(buffer, keyword_bom, KEYWORD_BOM) == 0;
        const size_t skip = mark ? KEYWORD_BOM : 0;

        if (len == skip)
            continue;
        if (set->word_count == LIMIT_KEYWORDS)
            return keyword_too_many(file, buffer, path, words + 1, err);
        rc = keyword_add_line(set, buffer + skip, len - skip, add, err);
        if (rc != ERR_OK)
            err_while(err, "reading %s, line %" PRIu64, path, number);
        words++;
    }
    if (rc == ERR_OK && ferror(file))
        rc = ERR_RAISE(err, ERR_INPUT, "%s: cannot be read: %s", path, strerror(errno));
    if (rc == ERR_OK && words == 0)
        rc = ERR_RAISE(err, ERR_INPUT, "%s: the file has no keyword", path);
    return rc;
}

enum err_code keyword_add_file(struct keyword_set *set, const char *path, keyword_add_fn add,
                               struct err *err)
{
    FILE *file = NULL;
    enum err_code rc = ERR_OK;

    if (strcmp(path, "-") == 0)
        return keyword_add_lines(set, stdin, "standard input", add, err);
    rc = input_open(path, &file, err);
    if (rc != ERR_OK)
        return rc;
    rc = keyword_add_lines(set, file, path, add, err);
    fclose(file);
    return rc;
}
