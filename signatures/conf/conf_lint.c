/* SPDX-License-Identifier: Apache-2.0
 * signatures/conf/conf_lint.c - warnings of rules that can never work, or surely do not mean what
 * they say.
 *
 * Every check warns of one habit of the parser that has misled writers of rules; the shipped files
 * of Scalpel and foremost hold examples of most. A warning changes nothing in how the rule is read.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "signatures/conf/conf_lint.h"

/* Where the digits of a size that begins at `from` end. */
static size_t lint_digits(const struct conf_token *token, size_t from)
{
    size_t i = from < token->len && token->text[from] == '+' ? from + 1 : from;

    while (i < token->len && token->text[i] >= '0' && token->text[i] <= '9')
        i++;
    return i;
}

static void lint_size(struct lint *lint)
{
    const struct conf_token *token = &lint->line->tokens[CONF_SIZE];
    const struct sig *rule = lint->rule;
    const bool foremost = lint->parse->compat == SIG_COMPAT_FOREMOST;
    size_t end = lint_digits(token, 0);

    if (end < token->len && token->text[end] == ':' && foremost) {
        LINT_WARN(lint, token->column + (uint32_t)end,
                  "foremost knows no min:max: the maximum is %" PRIu64 " bytes; write it alone",
                  rule->size_max);
    } else if (end < token->len && token->text[end] == ':') {
        if (rule->size_min > rule->size_max)
            LINT_WARN(lint, token->column,
                      "the minimum of %" PRIu64 " bytes is above the maximum of %" PRIu64
                      ", so nothing is ever carved; write min:max",
                      rule->size_min, rule->size_max);
        end = lint_digits(token, end + 1);
    }
    if (end < token->len && token->text[end] != ':') {
        char quoted[CONF_QUOTE_MAX];
        const char *shown = conf_quote(token, quoted);

        LINT_WARN(lint, token->column + (uint32_t)end,
                  "size \"%s\" is read up to its first character that is not a digit: the "
                  "maximum is %" PRIu64 " bytes; write all digits, without K, M or 0x",
                  shown, rule->size_max);
    }
    if (rule->size_max == 0)
        LINT_WARN(lint, token->column,
                  "a maximum of 0 bytes: nothing is ever carved; write the largest size in bytes");
}

static void lint_lengths(struct lint *lint)
{
    const struct sig *rule = lint->rule;
    const uint32_t head = (rule->flags & SIG_REGEX_HEADER) != 0 ? 0 : rule->headers[0].len;
    const uint32_t foot = (rule->flags & SIG_REGEX_FOOTER) != 0 ? 0 : rule->footer.len;

    if (rule->size_max > 0 && head > rule->size_max)
        LINT_WARN(lint, lint->line->tokens[CONF_HEADER].column,
                  "the header of %" PRIu32 " bytes is longer than the maximum of %" PRIu64
                  ": a carved file does not even hold it",
                  head, rule->size_max);
    if (rule->size_max > 0 && foot > rule->size_max && rule->mode == SIG_FORWARD)
        LINT_WARN(lint, lint->line->tokens[CONF_FOOTER].column,
                  "the footer of %" PRIu32 " bytes is longer than the maximum of %" PRIu64
                  ", so it can never end a file",
                  foot, rule->size_max);
    if (head == 1)
        LINT_WARN(lint, lint->line->tokens[CONF_HEADER].column,
                  "a header of one byte is found about once in every 256 bytes of any data; write "
                  "a longer one");
}

/* "PNG?" with the footer fc fd fe: in every shipped file, and never the end of a PNG. */
static void lint_png(struct lint *lint)
{
    static const char footer[] = "\xff\xfc\xfd\xfe";
    const struct sig *rule = lint->rule;
    const struct sig_pattern *header = &rule->headers[0];

    if ((rule->flags & SIG_REGEX_HEADER) == 0 &&
        conf_has_prefix(&lint->line->tokens[CONF_EXTENSION], "PNG") && header->len >= 3 &&
        memcmp(header->bytes, "PNG", 3) == 0)
        LINT_WARN(lint, lint->line->tokens[CONF_HEADER].column,
                  "a PNG file begins one byte before the letters PNG; write "
                  "\\x89PNG\\x0d\\x0a\\x1a\\x0a");
    if (header->len > 0 && rule->footer.len == 4 && memcmp(rule->footer.bytes, footer, 4) == 0)
        LINT_WARN(lint, lint->line->tokens[CONF_FOOTER].column,
                  "no PNG file ends with these bytes; write IEND\\xae\\x42\\x60\\x82");
}

static void lint_type(struct lint *lint)
{
    static const char *const words[] = { "REVERSE", "NEXT", "FORWARD", "ASCII" };
    const struct conf_line *line = lint->line;
    const struct conf_token *footer = &line->tokens[CONF_FOOTER], *type = &line->tokens[CONF_TYPE];
    const uint32_t known = lint->parse->compat == SIG_COMPAT_SCALPEL ? 3 : 4;
    char quoted[CONF_QUOTE_MAX];

    if (line->count == CONF_FOOTER + 1)
        for (uint32_t i = 0; i < known; i++)
            if (conf_is_word(footer, words[i]))
                LINT_WARN(lint, footer->column,
                          "the fifth column is the footer: the text %s is looked for; write a "
                          "footer before the type",
                          words[i]);
    if (line->count <= CONF_TYPE)
        return;
    conf_quote(type, quoted);
    if (conf_is_word(type, "FORWARD_NEXT")) {
        LINT_WARN(lint, type->column,
                  "FORWARD_NEXT is FORWARD: the footer becomes part of the file; write NEXT to "
                  "leave it out, else FORWARD");
        return;
    }
    for (uint32_t i = 0; i < known; i++) {
        if (conf_is_word(type, words[i]))
            return;
        if (conf_has_prefix(type, words[i])) {
            LINT_WARN(lint, type->column, "\"%s\" is read as %s; write that", quoted, words[i]);
            return;
        }
    }
    if (!lint->comment)
        LINT_WARN(lint, type->column,
                  "\"%s\" is not a type and is read as FORWARD; write REVERSE, NEXT or FORWARD",
                  quoted);
}

static void lint_columns(struct lint *lint)
{
    const struct conf_line *line = lint->line;
    const struct conf_token *name = &line->tokens[CONF_EXTENSION],
                            *sensitive = &line->tokens[CONF_CASE];
    const char first = sensitive->text[0];
    char quoted[CONF_QUOTE_MAX];

    for (uint32_t i = CONF_HEADER; i < line->count; i++) {
        const struct conf_token *token = &line->tokens[i];

        /* "#include #include ASCII" means what it says. */
        if (token->text[0] == '#' &&
            (token->len == 1 || (i >= CONF_FOOTER && line->tokens[CONF_HEADER].text[0] != '#'))) {
            static const char *const names[] = { [CONF_HEADER] = "the header",
                                                 [CONF_FOOTER] = "the footer",
                                                 [CONF_TYPE] = "the type",
                                                 [CONF_COLUMNS] = "a seventh column" };

            lint->comment = true;
            LINT_WARN(lint, token->column,
                      "# begins a comment only at the start of a line: here it is %s; put the "
                      "comment on a line of its "
                      "own, or write \\x23 for this byte",
                      names[i]);
            break;
        }
    }
    if (line->count > CONF_COLUMNS && !lint->comment)
        LINT_WARN(lint, line->tokens[CONF_COLUMNS].column,
                  "only six columns are read: the rest of the line is ignored");
    if (conf_has_prefix(name, "NONE") && name->len > 4)
        LINT_WARN(lint, name->column,
                  "\"%s\" begins with NONE, which means no extension at all; write another name",
                  conf_quote(name, quoted));
    if (sensitive->len > 1 ? !conf_is_word(sensitive, "yes") && !conf_is_word(sensitive, "no")
                           : first != 'y' && first != 'Y' && first != 'n' && first != 'N')
        LINT_WARN(lint, sensitive->column,
                  "\"%s\" is read as %s (case %s), by its first letter alone; write y or n",
                  conf_quote(sensitive, quoted), (lint->rule->flags & SIG_NO_CASE) != 0 ? "n" : "y",
                  (lint->rule->flags & SIG_NO_CASE) != 0 ? "is ignored" : "matters");
}

static void lint_foremost(struct lint *lint)
{
    const struct conf_line *line = lint->line;
    const struct sig *rule = lint->rule;

    if (line->tokens[CONF_EXTENSION].len > 7)
        LINT_WARN(lint, line->tokens[CONF_EXTENSION].column,
                  "foremost writes names of more than 7 letters with garbage behind them; here the "
                  "name is kept whole");
    if (rule->mode == SIG_REVERSE && line->count > CONF_TYPE)
        LINT_WARN(lint, line->tokens[CONF_TYPE].column,
                  "a REVERSE rule finds nothing in foremost, and so here; leave out --compat to "
                  "have it work");
    else if (rule->mode == SIG_NEXT && rule->footer.len == 0)
        LINT_WARN(lint, line->tokens[CONF_TYPE].column,
                  "NEXT ignores its footer in foremost unless it equals the header, and carves the "
                  "maximum; leave out "
                  "--compat to have it work");
    else if (rule->mode == SIG_FORWARD && line->count > CONF_FOOTER && rule->footer.len == 0)
        LINT_WARN(lint, line->tokens[CONF_FOOTER].column,
                  "foremost ignores a footer that begins with a NUL byte and carves the maximum; "
                  "leave out --compat to have it work");
}

enum err_code conf_lint_rule(struct conf_parse *parse, const struct conf_line *line,
                             const struct sig *rule, struct err *err)
{
    const uint32_t peer_line_max = parse->compat == SIG_COMPAT_SCALPEL    ? 6 * 4096 - 1
                                   : parse->compat == SIG_COMPAT_FOREMOST ? 1024 - 1
                                                                          : UINT32_MAX;
    struct lint lint = { parse, line, rule, err, false, ERR_OK };

    lint_columns(&lint);
    lint_size(&lint);
    conf_lint_pattern(&lint, &line->tokens[CONF_HEADER], "header");
    if (line->count > CONF_FOOTER)
        conf_lint_pattern(&lint, &line->tokens[CONF_FOOTER], "footer");
    lint_lengths(&lint);
    lint_png(&lint);
    lint_type(&lint);
    if (parse->compat == SIG_COMPAT_FOREMOST)
        lint_foremost(&lint);
    if (line->len > peer_line_max)
        LINT_WARN(&lint, peer_line_max + 1,
                  "the tool reads a line only up to here, and the rest as another line; burin "
                  "reads it as one line");
    return lint.rc;
}

enum err_code conf_lint_wildcard(struct conf_parse *parse, const struct conf_line *line,
                                 struct err *err)
{
    const struct conf_token *value = &line->tokens[1];
    struct lint lint = { parse, line, NULL, err, false, ERR_OK };
    uint8_t bytes[CONF_PATTERN_TEXT_MAX];

    if (line->count < 2) {
        LINT_WARN(
            &lint, value->column,
            "wildcard without a character: the line is ignored; write one, as in: wildcard ?");
        return lint.rc;
    }
    if (conf_translate(value->text, value->len < sizeof bytes ? value->len : sizeof bytes, bytes) >
        1)
        LINT_WARN(&lint, value->column,
                  "a wildcard is one character: the first one (0x%02x) is used", bytes[0]);
    if (line->number != parse->wildcard_line)
        LINT_WARN(&lint, line->tokens[0].column,
                  "this wildcard is never used: the one in line %" PRIu32
                  " holds for the whole file; keep one line",
                  parse->wildcard_line);
    else if (parse->conf->rule_count > 0)
        LINT_WARN(&lint, line->tokens[0].column,
                  "this wildcard holds for the rules above it, too; put the line in front of the "
                  "first rule");
    return lint.rc;
}

/* Order of rules by what they look for; equal ones by line. */
static int lint_compare_patterns(const struct sig_pattern *a, const struct sig_pattern *b)
{
    if (a->len != b->len || a->len == 0)
        return (a->len > b->len) - (a->len < b->len);
    const int order = memcmp(a->bytes, b->bytes, a->len);

    return order != 0 ? order : (a->mask != NULL) - (b->mask != NULL);
}

static int lint_compare(const void *left, const void *right)
{
    const struct sig *a = *(const struct sig *const *)left, *b = *(const struct sig *const *)right;
    const uint32_t kind_a = a->flags << 8 | (uint32_t)a->mode,
                   kind_b = b->flags << 8 | (uint32_t)b->mode;
    int order = lint_compare_patterns(&a->headers[0], &b->headers[0]);

    if (order == 0)
        order = lint_compare_patterns(&a->footer, &b->footer);
    if (order == 0)
        order = (kind_a > kind_b) - (kind_a < kind_b);
    return order;
}

static int lint_compare_then_line(const void *left, const void *right)
{
    const struct sig *a = *(const struct sig *const *)left, *b = *(const struct sig *const *)right;
    const int order = lint_compare(left, right);

    return order != 0 ? order : (a->line > b->line) - (a->line < b->line);
}

static int lint_compare_warnings(const void *left, const void *right)
{
    const struct sig_conf_warning *a = left, *b = right;

    if (a->line != b->line)
        return a->line < b->line ? -1 : 1;
    if (a->column != b->column)
        return a->column < b->column ? -1 : 1;
    return strcmp(a->text, b->text);
}

enum err_code conf_lint_all(struct conf_parse *parse, struct err *err)
{
    struct sig_conf *conf = parse->conf;
    const struct sig **order = arena_alloc(&conf->arena, (conf->rule_count + 1) * sizeof *order);
    enum err_code rc = ERR_OK;

    if (order == NULL)
        return ERR_NO_MEMORY(err, conf->rule_count * sizeof *order);
    for (uint32_t i = 0; i < conf->rule_count; i++)
        order[i] = &conf->rules[i];
    qsort(order, conf->rule_count, sizeof *order, lint_compare_then_line);
    for (uint32_t i = 1; i < conf->rule_count && rc == ERR_OK; i++)
        if (lint_compare(&order[i - 1], &order[i]) == 0)
            rc = conf_warn(parse, order[i]->line, 1, err,
                           "looks for the same as the rule in line %" PRIu32
                           ": every file is carved twice; remove one",
                           order[i - 1]->line);
    if (conf->warning_count > 0)
        qsort(conf->warnings, conf->warning_count, sizeof *conf->warnings, lint_compare_warnings);
    return rc;
}
