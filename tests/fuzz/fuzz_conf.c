/* SPDX-License-Identifier: Apache-2.0
 * tests/fuzz/fuzz_conf.c - a configuration file of any bytes, read in every mode.
 *
 * Found: crashes, pointers into the text, rules that break what conf.h and sig.h promise, warnings
 * out of order. The first regular expressions are looked for in the file itself, by a thread with a
 * small stack.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "match/regex.h"
#include "signatures/conf.h"

enum {
    LOOK_STACK = 256 << 10, /* bytes */
    LOOK_RULES = 8,
    LOOK_TEXT = 8 << 10,
    LOOK_HITS = 300,
};

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
    must((rule->flags & SIG_FROM_CONF) != 0 && rule->line > 0 && rule->check == NULL &&
         rule->size_max <= INT64_MAX);
    must(rule->types[0].name[0] != '\0' && rule->types[1].name == NULL && rule->what[0] != '\0');
    check_name(rule->types[0].name);
    check_name(rule->types[0].extension);
    must(rule->headers[0].len > 0 && rule->headers[1].len == 0);
    check_pattern(&rule->headers[0], (rule->flags & SIG_REGEX_HEADER) != 0);
    if (rule->footer.len > 0)
        check_pattern(&rule->footer, (rule->flags & SIG_REGEX_FOOTER) != 0);
}

/* What a thread looks for, and where. */
struct look {
    const struct sig_conf *conf;
    const uint8_t *data;
    size_t size;
};

static void look_add(struct match_dictionary *dictionary, const struct sig *rule,
                     const struct sig_pattern *source)
{
    const struct match_pattern pattern = { .kind = MATCH_REGEX,
                                           .bytes = (const uint8_t *)source->bytes,
                                           .len = source->len,
                                           .fold_case = (rule->flags & SIG_NO_CASE) != 0 };
    struct err err = { 0 };
    uint32_t index, at;

    const enum err_code rc = match_regex_check(&pattern, &at, &err);
    must(rc == ERR_OK || (rc == ERR_INPUT && at <= source->len && source->column > 0));
    must(match_dictionary_add(dictionary, &pattern, &index, &err) == rc);
}

static void *look_run(void *arg)
{
    const struct look *look = arg;
    const uint32_t len = look->size < LOOK_TEXT ? (uint32_t)look->size : LOOK_TEXT;
    const struct match_text text = { .bytes = look->data, .len = len };
    struct match_sink sink = { .items = malloc(LOOK_HITS * sizeof *sink.items), .max = LOOK_HITS };
    struct match_dictionary *dictionary = NULL;
    struct match_regexes *regexes = NULL;
    struct err err = { 0 };

    must(sink.items != NULL && match_dictionary_create(&dictionary, &err) == ERR_OK);
    for (uint32_t i = 0;
         i < look->conf->rule_count && match_dictionary_count(dictionary) < LOOK_RULES; i++) {
        const struct sig *rule = &look->conf->rules[i];

        if ((rule->flags & SIG_REGEX_HEADER) != 0)
            look_add(dictionary, rule, &rule->headers[0]);
        if ((rule->flags & SIG_REGEX_FOOTER) != 0)
            look_add(dictionary, rule, &rule->footer);
    }
    must(match_regexes_open(dictionary, 1, &regexes, &err) == ERR_OK);
    for (uint32_t from = 0, to; from < len && regexes != NULL; from = to) {
        to = len;
        sink.count = 0;
        must(match_regexes_scan(regexes, &text, from, &to, NULL, &sink, &err) == ERR_OK &&
             to > from && to <= len);
        for (uint32_t i = 0; i < sink.count; i++)
            must(sink.items[i].offset >= from && sink.items[i].offset < to &&
                 sink.items[i].len > 0 && sink.items[i].len <= LIMIT_REGEX_MATCH_LEN &&
                 sink.items[i].len <= len - sink.items[i].offset);
    }
    must(regexes == NULL || match_regexes_bytes(regexes) <= LIMIT_REGEX_MEMORY);
    match_regexes_close(regexes);
    match_dictionary_destroy(dictionary);
    free(sink.items);
    return NULL;
}

static void look_for_expressions(const struct sig_conf *conf, const uint8_t *data, size_t size)
{
    struct look look = { .conf = conf, .data = data, .size = size };
    uint32_t expressions = 0;
    pthread_attr_t attributes;
    pthread_t thread;

    for (uint32_t i = 0; i < conf->rule_count; i++)
        expressions += (conf->rules[i].flags & (SIG_REGEX_HEADER | SIG_REGEX_FOOTER)) != 0;
    if (expressions == 0)
        return;
    must(pthread_attr_init(&attributes) == 0 &&
         pthread_attr_setstacksize(&attributes, LOOK_STACK) == 0);
    must(pthread_create(&thread, &attributes, look_run, &look) == 0);
    must(pthread_join(thread, NULL) == 0);
    pthread_attr_destroy(&attributes);
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
            must(i == 0 || w[-1].line < w->line ||
                 (w[-1].line == w->line && w[-1].column <= w->column));
            for (const char *c = w->text; *c != '\0'; c++)
                must(*c >= 0x20 && *c < 0x7f);
        }
        if (compat == SIG_COMPAT_NONE)
            look_for_expressions(&conf, data, size);
        sig_conf_release(&conf);
    }
    return 0;
}
