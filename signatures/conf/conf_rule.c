/* SPDX-License-Identifier: Apache-2.0
 * signatures/conf/conf_rule.c - the six columns of a rule into a struct sig.
 *
 * Where the peers crash, write outside of a buffer or act on undefined values (an unsafe extension,
 * a size that does not fit, a header of wildcards alone), this is an error that names line and
 * column, in every mode.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "signatures/conf/conf_parse.h"

#define CONF_AT "%s:%" PRIu32 ":%" PRIu32 ": "
#define CONF_WHERE(parse, line, token) (parse)->path, (line)->number, (token)->column

enum { CONF_FOREMOST_SIZE_MAX = INT32_MAX }; /* foremost reads sizes with atoi */

/* A name that is safe as one component of a path, in XML, JSON and a shell: nothing else becomes a
 * folder or a file. */
static bool conf_is_safe_name(const struct conf_token *token)
{
    static const char others[] = "_-+.";

    for (size_t i = 0; i < token->len; i++) {
        const char c = token->text[i];
        const bool plain =
            (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');

        if (!plain && (c == '\0' || strchr(others, c) == NULL))
            return false;
    }
    return token->len > 0 && token->text[0] != '.' && token->text[0] != '-';
}

static enum err_code conf_name(struct conf_parse *parse, const struct conf_line *line,
                               struct sig *rule, struct err *err)
{
    const struct conf_token *token = &line->tokens[CONF_EXTENSION];
    struct arena *arena = &parse->conf->arena;
    const bool none = conf_has_prefix(token, "NONE");
    char quoted[CONF_QUOTE_MAX], what[48];

    if (!none && token->len >= SIG_NAME_MAX)
        return ERR_RAISE(err, ERR_INPUT,
                         CONF_AT "extension \"%s\" is %zu bytes long; write at most %d",
                         CONF_WHERE(parse, line, token), conf_quote(token, quoted), token->len,
                         SIG_NAME_MAX - 1);
    if (!none && !conf_is_safe_name(token))
        return ERR_RAISE(
            err, ERR_INPUT,
            CONF_AT
            "extension \"%s\" cannot be part of a file name; write letters, digits, _ - + . and "
            "begin with none of - and .",
            CONF_WHERE(parse, line, token), conf_quote(token, quoted));

    struct sig_type *types = arena_alloc(arena, 2 * sizeof *types);
    char *name = none ? arena_copy(arena, "none", 4) : arena_copy(arena, token->text, token->len);

    snprintf(what, sizeof what, "rule in line %" PRIu32, line->number);
    rule->what = arena_copy(arena, what, strlen(what));
    rule->source = parse->path;
    if (types == NULL || name == NULL || rule->what == NULL)
        return ERR_NO_MEMORY(err, token->len);
    types[0] = (struct sig_type){ name, none ? "" : name };
    rule->name = name;
    rule->types = types;
    return ERR_OK;
}

/* Digits up to the first other byte, as strtoull and atoi read them. False: a value above max. */
static bool conf_number(const char *text, size_t len, uint64_t max, uint64_t *out)
{
    size_t i = len > 0 && text[0] == '+' ? 1 : 0;

    *out = 0;
    for (; i < len && text[i] >= '0' && text[i] <= '9'; i++) {
        const uint64_t digit = (uint64_t)(text[i] - '0');

        if (*out > (max - digit) / 10)
            return false;
        *out = *out * 10 + digit;
    }
    return true;
}

static enum err_code conf_size(struct conf_parse *parse, const struct conf_line *line,
                               struct sig *rule, struct err *err)
{
    const struct conf_token *token = &line->tokens[CONF_SIZE];
    const bool foremost = parse->compat == SIG_COMPAT_FOREMOST;
    const uint64_t max = foremost ? CONF_FOREMOST_SIZE_MAX : INT64_MAX;
    const char *colon = foremost ? NULL : memchr(token->text, ':', token->len);
    const size_t first_len = colon == NULL ? token->len : (size_t)(colon - token->text);
    char quoted[CONF_QUOTE_MAX];
    uint64_t first = 0, second = 0;

    if (token->text[0] == '-' || (colon != NULL && first_len + 1 < token->len && colon[1] == '-'))
        return ERR_RAISE(err, ERR_INPUT,
                         CONF_AT
                         "size \"%s\" is negative; write the largest size in bytes, or min:max",
                         CONF_WHERE(parse, line, token), conf_quote(token, quoted));
    if (!conf_number(token->text, first_len, max, &first) ||
        (colon != NULL && !conf_number(colon + 1, token->len - first_len - 1, max, &second)))
        return ERR_RAISE(err, ERR_INPUT,
                         CONF_AT "size \"%s\" is too large; write at most %" PRIu64 "%s",
                         CONF_WHERE(parse, line, token), conf_quote(token, quoted), max,
                         foremost ? " (foremost counts sizes in 31 bits)" : "");
    rule->size_min = colon == NULL ? 0 : first;
    rule->size_max = colon == NULL ? first : second;
    return ERR_OK;
}

static enum err_code conf_read_pattern(struct conf_parse *parse, const struct conf_line *line,
                                       const struct conf_token *token, const char *what,
                                       struct conf_pattern *out, struct err *err)
{
    bool all_wild = true;

    out->regex = conf_is_regex(token, parse->compat);
    out->wild = false;
    if (token->len > CONF_PATTERN_TEXT_MAX)
        return ERR_RAISE(err, ERR_INPUT, CONF_AT "%s of %zu bytes of text; write at most %d bytes",
                         CONF_WHERE(parse, line, token), what, token->len, CONF_PATTERN_TEXT_MAX);
    if (out->regex) {
        out->len = (uint32_t)token->len - 2;
        if (out->len == 0)
            return ERR_RAISE(
                err, ERR_INPUT,
                CONF_AT
                "%s // is an empty regular expression; write \\x2f\\x2f to look for two slashes",
                CONF_WHERE(parse, line, token), what);
        memcpy(out->bytes, token->text + 1, out->len);
        return ERR_OK;
    }
    out->len = conf_translate(token->text, token->len, out->bytes);
    if (out->len > LIMIT_PATTERN_LEN)
        return ERR_RAISE(err, ERR_INPUT, CONF_AT "%s of %" PRIu32 " bytes; write at most %d",
                         CONF_WHERE(parse, line, token), what, out->len, LIMIT_PATTERN_LEN);
    for (uint32_t i = 0; i < out->len; i++) {
        const bool wild = out->bytes[i] == parse->wildcard;

        out->mask[i] = wild ? 0x00 : 0xff;
        out->wild = out->wild || wild;
        all_wild = all_wild && wild;
    }
    if (all_wild)
        return ERR_RAISE(err, ERR_INPUT,
                         CONF_AT "%s of wildcards alone matches everywhere; write at least one "
                                 "byte that is not the wildcard",
                         CONF_WHERE(parse, line, token), what);
    return ERR_OK;
}

static enum err_code conf_keep_pattern(struct conf_parse *parse, const struct conf_token *token,
                                       const struct conf_pattern *pattern, struct sig_pattern *out,
                                       struct err *err)
{
    out->bytes = arena_copy(&parse->conf->arena, pattern->bytes, pattern->len);
    out->mask = pattern->wild ? arena_copy(&parse->conf->arena, pattern->mask, pattern->len) : NULL;
    out->len = pattern->len;
    out->at = 0;
    out->column = token->column + pattern->regex; /* behind the slash */
    if (out->bytes == NULL || (pattern->wild && out->mask == NULL))
        return ERR_NO_MEMORY(err, pattern->len);
    return ERR_OK;
}

static enum sig_mode conf_mode(const struct conf_parse *parse, const struct conf_token *token)
{
    if (conf_has_prefix(token, "REVERSE"))
        return SIG_REVERSE;
    if (conf_has_prefix(token, "NEXT"))
        return SIG_NEXT;
    if (parse->compat != SIG_COMPAT_SCALPEL && conf_has_prefix(token, "ASCII"))
        return SIG_ASCII;
    return SIG_FORWARD;
}

/*
 * What foremost makes of a footer: one that begins with NUL is none to its strlen, and NEXT looks
 * for the header again instead of the footer, with the footer's skip table, and so finds it only
 * where the two are equal. Without a footer it carves max bytes.
 */
static bool conf_foremost_drops_footer(const struct sig *rule, const struct conf_pattern *header,
                                       const struct conf_pattern *footer)
{
    if (rule->mode == SIG_NEXT)
        return header->len != footer->len || memcmp(header->bytes, footer->bytes, header->len) != 0;
    return footer->bytes[0] == '\0';
}

enum err_code conf_rule(struct conf_parse *parse, const struct conf_line *line, struct sig *rule,
                        struct err *err)
{
    const struct conf_token *sensitive = &line->tokens[CONF_CASE];
    struct conf_pattern header = { .len = 0 }, footer = { .len = 0 };

    if (line->count < CONF_HEADER + 1)
        return ERR_RAISE(err, ERR_INPUT,
                         CONF_AT
                         "%" PRIu32
                         " columns, but a rule needs at least 4: extension, case (y or n), size, "
                         "header, and then footer and type; write # before a comment",
                         parse->path, line->number, line->tokens[0].column, line->count);
    *rule = (struct sig){ .flags = SIG_FROM_CONF, .line = line->number };
    if (sensitive->text[0] != 'y' && sensitive->text[0] != 'Y')
        rule->flags |= SIG_NO_CASE;
    rule->mode = conf_mode(parse, &line->tokens[CONF_TYPE]);

    enum err_code rc = conf_name(parse, line, rule, err);
    if (rc == ERR_OK)
        rc = conf_size(parse, line, rule, err);
    if (rc == ERR_OK)
        rc = conf_read_pattern(parse, line, &line->tokens[CONF_HEADER], "header", &header, err);
    if (rc == ERR_OK)
        rc = conf_keep_pattern(parse, &line->tokens[CONF_HEADER], &header, &rule->headers[0], err);
    if (rc != ERR_OK)
        return rc;
    rule->flags |= header.regex ? SIG_REGEX_HEADER : 0;
    if (line->count <= CONF_FOOTER)
        return ERR_OK;
    rc = conf_read_pattern(parse, line, &line->tokens[CONF_FOOTER], "footer", &footer, err);
    if (rc != ERR_OK)
        return rc;
    if (parse->compat == SIG_COMPAT_FOREMOST && conf_foremost_drops_footer(rule, &header, &footer))
        return ERR_OK;
    rule->flags |= footer.regex ? SIG_REGEX_FOOTER : 0;
    return conf_keep_pattern(parse, &line->tokens[CONF_FOOTER], &footer, &rule->footer, err);
}
