/* SPDX-License-Identifier: Apache-2.0
 * carver/bench/match/bench_match_dictionary.c - dictionaries for the benchmark, from files and by
 * name. See bench_match.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hex.h"
#include "base/input.h"
#include "carver/bench/match/bench_match.h"
#include "carver/cli/args.h"
#include "carver/plan/patterns.h"
#include "carver/select/types.h"
#include "signatures/conf.h"

enum { DICTIONARY_FILE_MAX = 256 << 20 };

static const char dictionary_scalpel[] = "/etc/scalpel/scalpel.conf";

enum err_code bench_dictionary_add(struct bench_dictionary *dictionary, const uint8_t *bytes,
                                   const uint8_t *mask, uint32_t len, bool fold_case,
                                   struct err *err)
{
    const struct match_pattern pattern = {
        .kind = MATCH_LITERAL, .bytes = bytes, .mask = mask, .len = len, .fold_case = fold_case
    };
    uint32_t index;
    const enum err_code rc = match_dictionary_add(dictionary->patterns, &pattern, &index, err);

    if (rc != ERR_OK)
        return rc == ERR_FULL ? ERR_INPUT
                              : rc; /* nobody here splits a dictionary that is too large */
    dictionary->shortest =
        dictionary->count == 0 || len < dictionary->shortest ? len : dictionary->shortest;
    dictionary->longest = len > dictionary->longest ? len : dictionary->longest;
    dictionary->count++;
    return ERR_OK;
}

/* The literals of signatures, as a scan would look for them. */
static enum err_code dictionary_sigs(struct bench_dictionary *dictionary,
                                     const struct sig *const *sigs, uint32_t count, struct err *err)
{
    struct patterns patterns;
    enum err_code rc = patterns_build(sigs, count, &patterns, err);

    if (rc != ERR_OK)
        return rc;
    for (uint32_t i = 0; rc == ERR_OK && i < match_dictionary_count(patterns.dictionary); i++) {
        const struct match_pattern *pattern = match_dictionary_get(patterns.dictionary, i);

        if (pattern->kind == MATCH_LITERAL)
            rc = bench_dictionary_add(dictionary, pattern->bytes, pattern->mask, pattern->len,
                                      pattern->fold_case, err);
        else
            dictionary->left_out++;
    }
    patterns_release(&patterns);
    return rc;
}

static enum err_code dictionary_burin(struct bench_dictionary *dictionary, struct err *err)
{
    struct types_selection selection;
    enum err_code rc = types_select(NULL, &selection, err);

    if (rc != ERR_OK)
        return rc;
    rc = dictionary_sigs(dictionary, selection.sigs, selection.count, err);
    types_release(&selection);
    return rc;
}

static enum err_code dictionary_conf(struct bench_dictionary *dictionary, const char *path,
                                     const char *text, size_t len, struct err *err)
{
    struct sig_conf conf;
    enum err_code rc = sig_conf_parse(path, text, len, SIG_COMPAT_NONE, &conf, err);

    if (rc != ERR_OK)
        return rc;
    const struct sig **sigs = calloc(conf.rule_count + 1u, sizeof *sigs);
    if (sigs != NULL) {
        for (uint32_t i = 0; i < conf.rule_count; i++)
            sigs[i] = &conf.rules[i];
        rc = dictionary_sigs(dictionary, sigs, conf.rule_count, err);
    } else {
        rc = ERR_NO_MEMORY(err, conf.rule_count * sizeof *sigs);
    }
    free(sigs);
    sig_conf_release(&conf);
    return rc;
}

/* Whether a line behind its # has the columns of a rule: extension, y or n, size, header. */
static bool dictionary_is_rule(const char *line, size_t len)
{
    char copy[1024], *rest = NULL;

    if (len >= sizeof copy)
        return false;
    memcpy(copy, line, len);
    copy[len] = '\0';
    const char *extension = strtok_r(copy, " \t", &rest), *letter = strtok_r(NULL, " \t", &rest);
    const char *size = strtok_r(NULL, " \t", &rest), *header = strtok_r(NULL, " \t", &rest);
    return extension != NULL && letter != NULL && size != NULL && header != NULL &&
           strchr("yYnN", letter[0]) != NULL && letter[1] == '\0' &&
           size[strspn(size, "0123456789")] == '\0';
}

/* Takes the # off every rule: the file is delivered with all of them as comments, for its user to
 * choose from. */
static void dictionary_uncomment(char *text, size_t len)
{
    for (size_t at = 0; at < len;) {
        const char *end = memchr(text + at, '\n', len - at);
        const size_t line = end != NULL ? (size_t)(end - text) - at : len - at;

        if (line > 0 && text[at] == '#' && dictionary_is_rule(text + at + 1, line - 1))
            text[at] = ' ';
        at += line + 1;
    }
}

static enum err_code dictionary_read(const char *path, char **text, size_t *len, struct err *err)
{
    FILE *file = NULL;
    const enum err_code rc = input_open(path, &file, err);

    if (rc != ERR_OK)
        return rc;
    *text = malloc(DICTIONARY_FILE_MAX + 1u);
    if (*text == NULL) {
        fclose(file);
        return ERR_NO_MEMORY(err, DICTIONARY_FILE_MAX);
    }
    *len = fread(*text, 1, DICTIONARY_FILE_MAX + 1u, file);
    const bool failed = ferror(file) != 0;
    fclose(file);
    if (!failed && *len <= DICTIONARY_FILE_MAX)
        return ERR_OK;
    free(*text);
    *text = NULL;
    return ERR_RAISE(err, ERR_INPUT, "%s: %s", path,
                     failed ? "cannot be read" : "too large for a dictionary");
}

/* FLAG<TAB>, FLAG s or i. */
static bool dictionary_flagged(const char *line, size_t len)
{
    return len >= 2 && (line[0] == 's' || line[0] == 'i') && line[1] == '\t';
}

/* A line of FLAG<TAB>HEX; how many bytes, 0: it is none. */
static uint32_t dictionary_hex_line(const char *line, size_t len, uint8_t bytes[LIMIT_PATTERN_LEN])
{
    uint32_t count = 0;

    if (!dictionary_flagged(line, len))
        return 0;
    for (size_t i = 2; i < len && line[i] != '\t'; i += 2) {
        const int high = hex_digit(line[i]), low = i + 1 < len ? hex_digit(line[i + 1]) : -1;

        if (high < 0 || low < 0 || count == LIMIT_PATTERN_LEN)
            return 0;
        bytes[count++] = (uint8_t)(high << 4 | low);
    }
    return count;
}

/* Lines of FLAG<TAB>HEX, or, where the first line has no FLAG, keywords. Empty lines and those that
 * begin with # do not count. */
static enum err_code dictionary_lines(struct bench_dictionary *dictionary, const char *path,
                                      const char *text, size_t len, bool fold_case, struct err *err)
{
    bool hex = false, first = true;
    uint32_t number = 0;
    enum err_code rc = ERR_OK;

    const size_t bom = len >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    for (size_t at = bom, next; rc == ERR_OK && at < len; at = next) {
        const char *line = text + at, *end = memchr(line, '\n', len - at);
        size_t line_len = end != NULL ? (size_t)(end - line) : len - at;
        uint8_t bytes[LIMIT_PATTERN_LEN];

        next = at + line_len + 1;
        number++;
        if (line_len > 0 && line[line_len - 1] == '\r')
            line_len--;
        if (line_len == 0 || line[0] == '#')
            continue;
        const uint32_t count = dictionary_hex_line(line, line_len, bytes);
        hex = first ? dictionary_flagged(line, line_len) : hex;
        first = false;
        if (hex && count == 0)
            return ERR_RAISE(err, ERR_INPUT,
                             "%s:%u: want s or i, a tab, and at most %d bytes in hexadecimal", path,
                             number, LIMIT_PATTERN_LEN);
        rc = hex ? bench_dictionary_add(dictionary, bytes, NULL, count, line[0] == 'i', err)
                 : bench_dictionary_add(dictionary, (const uint8_t *)line, NULL,
                                        line_len > UINT32_MAX ? UINT32_MAX : (uint32_t)line_len,
                                        fold_case, err);
        if (rc != ERR_OK)
            err_while(err, "reading line %u of %s", number, path);
    }
    return rc;
}

static enum err_code dictionary_file(struct bench_dictionary *dictionary, const char *path,
                                     bool uncomment, bool fold_case, struct err *err)
{
    const size_t path_len = strlen(path);
    char *text = NULL;
    size_t len = 0;
    enum err_code rc = args_file("--dictionary", path, err);

    if (rc == ERR_OK)
        rc = dictionary_read(path, &text, &len, err);
    if (rc != ERR_OK || text == NULL)
        return rc;
    if (uncomment)
        dictionary_uncomment(text, len);
    if (path_len > 5 && strcmp(path + path_len - 5, ".conf") == 0)
        rc = dictionary_conf(dictionary, path, text, len, err);
    else
        rc = dictionary_lines(dictionary, path, text, len, fold_case, err);
    free(text);
    return rc;
}

/* N or Ni of keywords:N. */
static enum err_code dictionary_keywords(struct bench_dictionary *dictionary, const char *text,
                                         bool fold_case, struct err *err)
{
    const size_t len = strlen(text);
    const bool folded = len > 1 && text[len - 1] == 'i';
    char number[16];
    uint64_t count = 0;

    snprintf(number, sizeof number, "%.*s", (int)(len - folded < 12 ? len - folded : 12), text);
    const enum err_code rc =
        args_count("--dictionary keywords:N", number, 1, LIMIT_KEYWORDS, &count, err);
    return rc != ERR_OK
               ? rc
               : bench_made_keywords(dictionary, (uint32_t)count, folded || fold_case, err);
}

/* N:LEN of random:N:LEN. */
static enum err_code dictionary_random(struct bench_dictionary *dictionary, const char *text,
                                       struct err *err)
{
    const size_t digits = strspn(text, "0123456789");
    char number[16];
    uint64_t count = 0, len = 0;

    if (text[digits] != ':')
        return ERR_RAISE(err, ERR_ARG, "--dictionary random:%s: want random:N:LEN", text);
    snprintf(number, sizeof number, "%.*s", (int)(digits < 12 ? digits : 12), text);
    enum err_code rc =
        args_count("--dictionary random:N:LEN", number, 1, LIMIT_KEYWORDS, &count, err);
    if (rc == ERR_OK)
        rc = args_count("--dictionary random:N:LEN", text + digits + 1, 1, LIMIT_PATTERN_LEN, &len,
                        err);
    return rc != ERR_OK ? rc : bench_made_random(dictionary, (uint32_t)count, (uint32_t)len, err);
}

enum err_code bench_dictionary_open(const char *spec, bool fold_case, struct bench_dictionary *out,
                                    struct err *err)
{
    const char *slash = strrchr(spec, '/');

    *out = (struct bench_dictionary){ 0 };
    snprintf(out->name, sizeof out->name, "%s", slash != NULL ? slash + 1 : spec);
    enum err_code rc = match_dictionary_create(&out->patterns, err);
    if (rc != ERR_OK)
        return rc;
    if (strcmp(spec, "burin") == 0)
        rc = dictionary_burin(out, err);
    else if (strcmp(spec, "scalpel") == 0)
        rc = dictionary_file(out, dictionary_scalpel, true, fold_case, err);
    else if (strcmp(spec, "snort") == 0)
        rc = bench_made_snort(out, err);
    else if (strncmp(spec, "keywords:", 9) == 0)
        rc = dictionary_keywords(out, spec + 9, fold_case, err);
    else if (strncmp(spec, "random:", 7) == 0)
        rc = dictionary_random(out, spec + 7, err);
    else
        rc = dictionary_file(out, spec, false, fold_case, err);
    if (rc == ERR_OK && out->count == 0)
        rc = ERR_RAISE(err, ERR_INPUT, "%s: there is no pattern in it", spec);
    if (rc != ERR_OK)
        bench_dictionary_close(out);
    return rc;
}

void bench_dictionary_close(struct bench_dictionary *dictionary)
{
    match_dictionary_destroy(dictionary->patterns);
    *dictionary = (struct bench_dictionary){ 0 };
}
