/* SPDX-License-Identifier: Apache-2.0
 * signatures/conf/conf.c - a configuration file: its lines, its tokens, and the two passes over
 * them.
 *
 * The wildcard of the last wildcard line holds for the whole file, so the first pass looks for
 * those lines alone (and counts the rules); the second one builds the rules. See conf_parse.h for
 * the other files of the parser.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/input.h"
#include "signatures/conf/conf_parse.h"

enum {
    CONF_ARENA_MAX =
        256 << 20, /* bytes; a file of SIG_CONF_RULES_MAX long rules takes less than half */
    CONF_SCALPEL_RULES_MAX = 101, /* MAX_FILE_TYPES 100, tested with > */
    CONF_FOREMOST_RULES_MAX = 50,
    CONF_WARNING_TEXT_MAX = 512,
};

static bool conf_is_space(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

/* Cuts the next line off parse->rest. False: there is none. */
static bool conf_next_line(struct conf_parse *parse, struct conf_line *line)
{
    if (parse->rest_len == 0)
        return false;
    const char *end = memchr(parse->rest, '\n', parse->rest_len);
    const size_t len = end == NULL ? parse->rest_len : (size_t)(end - parse->rest);

    *line = (struct conf_line){ .number = ++parse->line, .text = parse->rest, .len = len };
    parse->rest += end == NULL ? len : len + 1;
    parse->rest_len -= end == NULL ? len : len + 1;
    /* The peers take the CR off a CR LF only; at the end of a file without LF it is part of the
     * last column. */
    if (line->len > 0 && line->text[line->len - 1] == '\r' &&
        (end != NULL || parse->compat == SIG_COMPAT_NONE))
        line->len--;
    return true;
}

/* Splits line into tokens. A comment or an empty line has none. */
static void conf_split(struct conf_line *line)
{
    size_t at = 0;

    while (at < line->len && conf_is_space(line->text[at]))
        at++;
    if (at < line->len && line->text[at] == '#')
        at = line->len;
    while (line->count < CONF_TOKENS_MAX) {
        while (at < line->len && (line->text[at] == ' ' || line->text[at] == '\t'))
            at++;
        const size_t start = at;

        while (at < line->len && line->text[at] != ' ' && line->text[at] != '\t')
            at++;
        if (at == start)
            break;
        line->tokens[line->count++] =
            (struct conf_token){ line->text + start, at - start,
                                 start < UINT32_MAX ? (uint32_t)start + 1 : UINT32_MAX };
    }
    for (uint32_t i = line->count; i < CONF_TOKENS_MAX; i++)
        line->tokens[i] = (struct conf_token){ line->text + line->len, 0, (uint32_t)line->len + 1 };
}

static bool conf_is_wildcard_line(const struct conf_line *line)
{
    return line->count > 0 && conf_is_word(&line->tokens[0], "wildcard");
}

/* The first pass: the wildcard and how many rules there are. */
static enum err_code conf_survey(struct conf_parse *parse, uint32_t *rules, struct err *err)
{
    const uint32_t max = parse->compat == SIG_COMPAT_SCALPEL    ? CONF_SCALPEL_RULES_MAX
                         : parse->compat == SIG_COMPAT_FOREMOST ? CONF_FOREMOST_RULES_MAX
                                                                : SIG_CONF_RULES_MAX;
    struct conf_line line;

    *rules = 0;
    while (conf_next_line(parse, &line)) {
        conf_split(&line);
        if (line.count == 0)
            continue;
        const char *nul = memchr(line.text, '\0', line.len);
        if (nul != NULL)
            return ERR_RAISE(
                err, ERR_INPUT,
                "%s:%" PRIu32
                ":%zu: a NUL byte; write \\x00 for one in a pattern, and save the file as "
                "plain text (UTF-8, not UTF-16)",
                parse->path, line.number, (size_t)(nul - line.text) + 1);
        if (conf_is_wildcard_line(&line)) {
            const struct conf_token *value = &line.tokens[1];
            uint8_t bytes[CONF_PATTERN_TEXT_MAX];

            if (value->len == 0)
                continue;
            conf_translate(value->text, value->len < sizeof bytes ? value->len : sizeof bytes,
                           bytes);
            parse->wildcard = bytes[0];
            parse->wildcard_line = line.number;
            continue;
        }
        if (++*rules > max)
            return ERR_RAISE(err, ERR_INPUT,
                             "%s:%" PRIu32 ":%" PRIu32 ": more than %" PRIu32
                             " rules%s; split the file",
                             parse->path, line.number, line.tokens[0].column, max,
                             parse->compat == SIG_COMPAT_NONE
                                 ? ""
                                 : ", the most that this tool takes (leave out --compat)");
    }
    if (*rules == 0)
        return ERR_RAISE(err, ERR_INPUT,
                         "%s: no rule in this file, every line is empty or a comment; take the # "
                         "off the lines of the "
                         "types to look for",
                         parse->path);
    return ERR_OK;
}

/* The second pass. */
static enum err_code conf_build(struct conf_parse *parse, struct err *err)
{
    struct sig_conf *conf = parse->conf;
    struct conf_line line;
    enum err_code rc = ERR_OK;

    while (rc == ERR_OK && conf_next_line(parse, &line)) {
        conf_split(&line);
        if (line.count == 0)
            continue;
        if (conf_is_wildcard_line(&line)) {
            rc = conf_lint_wildcard(parse, &line, err);
            continue;
        }
        struct sig *rule = &conf->rules[conf->rule_count];

        rc = conf_rule(parse, &line, rule, err);
        if (rc == ERR_OK)
            rc = conf_lint_rule(parse, &line, rule, err);
        conf->rule_count++;
    }
    return rc == ERR_OK ? conf_lint_all(parse, err) : rc;
}

enum err_code conf_warn(struct conf_parse *parse, uint32_t line, uint32_t column, struct err *err,
                        const char *format, ...)
{
    struct sig_conf *conf = parse->conf;
    char text[CONF_WARNING_TEXT_MAX];
    va_list args;

    if (parse->warnings_cut)
        return ERR_OK;
    if (conf->warning_count == parse->warning_room) {
        const uint32_t room = parse->warning_room == 0 ? 64 : parse->warning_room * 2;
        struct sig_conf_warning *more = arena_alloc(&conf->arena, room * sizeof *more);

        if (more == NULL)
            return ERR_NO_MEMORY(err, room * sizeof *more);
        if (conf->warning_count > 0)
            memcpy(more, conf->warnings, conf->warning_count * sizeof *more);
        conf->warnings = more;
        parse->warning_room = room;
    }
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    parse->warnings_cut = conf->warning_count + 1 == SIG_CONF_WARNINGS_MAX;
    if (parse->warnings_cut)
        snprintf(text, sizeof text, "more warnings than are shown");

    char *copy = arena_copy(&conf->arena, text, strlen(text));
    if (copy == NULL)
        return ERR_NO_MEMORY(err, strlen(text));
    conf->warnings[conf->warning_count++] = (struct sig_conf_warning){ line, column, copy };
    return ERR_OK;
}

enum err_code sig_conf_parse(const char *path, const char *text, size_t len, enum sig_compat compat,
                             struct sig_conf *conf, struct err *err)
{
    static const char mark[] =
        "\xef\xbb\xbf"; /* some editors' byte order mark, in front of the first column */
    struct conf_parse parse = { .compat = compat, .conf = conf, .wildcard = '?' };
    uint32_t rules = 0;

    *conf = (struct sig_conf){ 0 };
    arena_init(&conf->arena, CONF_ARENA_MAX);
    if (len > SIG_CONF_SIZE_MAX)
        return ERR_RAISE(err, ERR_INPUT,
                         "%s: %zu bytes are too many for a configuration file; the most is %d",
                         path, len, SIG_CONF_SIZE_MAX);
    if (len >= 3 && memcmp(text, mark, 3) == 0) {
        text += 3;
        len -= 3;
    }
    parse.path = arena_copy(&conf->arena, path, strlen(path));
    if (parse.path == NULL)
        return ERR_NO_MEMORY(err, strlen(path));
    parse.rest = text;
    parse.rest_len = len;
    enum err_code rc = conf_survey(&parse, &rules, err);
    if (rc == ERR_OK) {
        conf->rules = arena_alloc(&conf->arena, rules * sizeof *conf->rules);
        if (conf->rules == NULL)
            rc = ERR_NO_MEMORY(err, rules * sizeof *conf->rules);
    }
    parse.rest = text;
    parse.rest_len = len;
    parse.line = 0;
    if (rc == ERR_OK)
        rc = conf_build(&parse, err);
    if (rc != ERR_OK)
        sig_conf_release(conf);
    return rc;
}

const char *sig_conf_name(const char *path)
{
    return strcmp(path, "-") == 0 ? "standard input" : path;
}

enum err_code sig_conf_read(const char *path, enum sig_compat compat, struct sig_conf *conf,
                            struct err *err)
{
    const bool piped = strcmp(path, "-") == 0;
    char *text = NULL;
    size_t len = 0;
    FILE *file = stdin;
    enum err_code rc = ERR_OK;

    path = sig_conf_name(path);
    *conf = (struct sig_conf){ 0 };
    if (!piped)
        rc = input_open(path, &file, err);
    if (rc != ERR_OK) {
        err_while(err, "looking for rules as scalpel.conf and foremost.conf have them");
        return rc;
    }
    /* A FIFO or a device on standard input is read to its end like a file, up to the cap. */
    rc = input_read(file, path, SIG_CONF_SIZE_MAX, &text, &len, err);
    if (rc == ERR_OK)
        rc = sig_conf_parse(path, text, len, compat, conf, err);
    free(text);
    if (!piped)
        fclose(file);
    return rc;
}

void sig_conf_release(struct sig_conf *conf)
{
    arena_release(&conf->arena);
    *conf = (struct sig_conf){ 0 };
}
