/*
 * tests/fuzz/fuzz_conf.c - a configuration file of any bytes, read in every mode.
 *
 * Found: crashes, pointers into the text, rules that break what conf.h and sig.h promise, warnings out of order.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "signatures/conf.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool right)
{
    if (!right)
        abort();
}

static void check_name(const char *name)
{
    must(strlen(name) < SIG_NAME_MAX && name[0] != '.' && name[0] != '-');
    for (const char *c = name; *c != '\0'; c++)
        must(*c > 0x20 && *c < 0x7f && *c != '/' && *c != '\\');
}

static void check_pattern(const struct sig_pattern *pattern, bool is_regex)
{
    bool fixed = pattern->mask == NULL;

    must(pattern->at == 0 && pattern->bytes != NULL);
    must(is_regex ? pattern->mask == NULL : pattern->len <= LIMIT_PATTERN_LEN);
    for (uint32_t i = 0; i < pattern->len && pattern->mask != NULL; i++) {
        must(pattern->mask[i] == '\0' || pattern->mask[i] == '\xff');
        fixed = fixed || pattern->mask[i] != '\0';
    }
    must(fixed);
}

static void check_rule(const struct sig *rule)
{
    must((rule->flags & SIG_FROM_CONF) != 0 && rule->line > 0 && rule->check == NULL && rule->size_max <= INT64_MAX);
    must(rule->types[0].name[0] != '\0' && rule->types[1].name == NULL && rule->what[0] != '\0');
    check_name(rule->types[0].name);
    check_name(rule->types[0].extension);
    must(rule->headers[0].len > 0 && rule->headers[1].len == 0);
    check_pattern(&rule->headers[0], (rule->flags & SIG_REGEX_HEADER) != 0);
    if (rule->footer.len > 0)
        check_pattern(&rule->footer, (rule->flags & SIG_REGEX_FOOTER) != 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    for (enum sig_compat compat = SIG_COMPAT_NONE; compat <= SIG_COMPAT_FOREMOST; compat++) {
        struct sig_conf conf;
        struct err err = { 0 };
        char *text = malloc(size > 0 ? size : 1);

        must(text != NULL);
        if (size > 0)
            memcpy(text, data, size);
        const enum err_code rc = sig_conf_parse("fuzz", text, size, compat, &conf, &err);
        free(text);
        if (rc != ERR_OK) {
            must(rc == ERR_INPUT && strncmp(err.text, "fuzz:", 5) == 0 && conf.rules == NULL);
            continue;
        }
        must(conf.rule_count > 0 && conf.warning_count <= SIG_CONF_WARNINGS_MAX);
        for (uint32_t i = 0; i < conf.rule_count; i++) {
            check_rule(&conf.rules[i]);
            must(i == 0 || conf.rules[i].line > conf.rules[i - 1].line);
        }
        for (uint32_t i = 0; i < conf.warning_count; i++) {
            const struct sig_conf_warning *w = &conf.warnings[i];

            must(w->line > 0 && w->column > 0 && strlen(w->text) > 10);
            must(i == 0 || w[-1].line < w->line || (w[-1].line == w->line && w[-1].column <= w->column));
            for (const char *c = w->text; *c != '\0'; c++)
                must(*c >= 0x20 && *c < 0x7f);
        }
        sig_conf_release(&conf);
    }
    return 0;
}
