/* SPDX-License-Identifier: Apache-2.0
 * carver/yara/yara_match.c - see yara_match.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "carver/yara/lib_yara.h"
#include "carver/yara/yara_match.h"

struct yara_match {
    struct lib_yara yara;
    const struct yara_rules *rules;
    struct yara_match_shared *shared;
    struct yara_match_answer *answer; /* during a call */
    YR_SCANNER *scanner;              /* NULL: not compiled yet */
    uint32_t rule_count;              /* that can be told */
};

enum err_code yara_match_open(const struct yara_rules *rules, struct yara_match_shared *shared,
                              struct yara_match **out, struct err *err)
{
    struct yara_match *match = calloc(1, sizeof *match);

    *out = match;
    if (match == NULL)
        return ERR_NO_MEMORY(err, sizeof *match);
    match->rules = rules;
    match->shared = shared;
    return lib_yara_open(&match->yara, err);
}

void yara_match_close(struct yara_match *match)
{
    free(match);
}

/* The first error alone. */
static void yara_match_wrong(int level, const char *file, int line, const YR_RULE *rule,
                             const char *text, void *arg)
{
    struct yara_match *match = arg;

    (void)file;
    (void)rule;
    if (level != YARA_ERROR_LEVEL_ERROR || match->answer->how == YARA_MATCH_WRONG_RULES)
        return;
    match->answer->how = YARA_MATCH_WRONG_RULES;
    match->shared->line = line > 0 ? (uint32_t)line : 0;
    snprintf(match->shared->text, sizeof match->shared->text, "%s", text);
}

static enum yara_match_how yara_match_error(int code)
{
    return code == ERROR_SUCCESS               ? YARA_MATCH_DONE
           : code == ERROR_SCAN_TIMEOUT        ? YARA_MATCH_TIME
           : code == ERROR_INSUFFICIENT_MEMORY ? YARA_MATCH_MEMORY
                                               : YARA_MATCH_FAILED;
}

static void yara_match_string(YR_SCAN_CONTEXT *context, YR_STRING *string,
                              struct yara_rules_match *out, bool *found)
{
    YR_MATCH place;

    /* The library packs its matches without regard to alignment, so each is copied. */
    for (const YR_MATCH *at = context->matches[string->idx].head; at != NULL; at = place.next) {
        memcpy(&place, (const void *)at, sizeof place);
        const uint64_t offset = (uint64_t)(place.base + place.offset);

        if (place.is_private || (*found && offset >= out->offset))
            continue;
        *found = true;
        out->offset = offset;
        snprintf(out->string, sizeof out->string, "%s", string->identifier);
    }
}

static void yara_match_take(struct yara_match *match, YR_SCAN_CONTEXT *context, YR_RULE *rule)
{
    struct yara_rules_match *out;
    YR_STRING *string;
    const char *tag;
    bool found = false;
    size_t used = 0;

    if (match->answer->count == YARA_RULES_MATCHES_MAX) {
        match->answer->left_out++;
        return;
    }
    out = &match->shared->matches[match->answer->count++];
    *out = (struct yara_rules_match){ .offset = 0 };
    snprintf(out->rule, sizeof out->rule, "%s", rule->identifier);
    snprintf(out->space, sizeof out->space, "%s", rule->ns->name);
    yr_rule_tags_foreach(rule, tag)
    {
        const size_t len = strlen(tag) + (used > 0);

        if (used + len <= YARA_RULES_TAGS_MAX)
            used += (size_t)snprintf(out->tags + used, sizeof out->tags - used, "%s%s",
                                     used > 0 ? "," : "", tag);
    }
    yr_rule_strings_foreach(rule, string)
    {
        yara_match_string(context, string, out, &found);
    }
}

static int yara_match_said(YR_SCAN_CONTEXT *context, int message, void *data, void *arg)
{
    if (message == CALLBACK_MSG_RULE_MATCHING)
        yara_match_take(arg, context, data);
    return CALLBACK_CONTINUE;
}

/* Private rules serve others alone, and are never told. */
static uint32_t yara_match_count(YR_RULES *rules)
{
    YR_RULE *rule;
    uint32_t count = 0;

    yr_rules_foreach(rules, rule)
    {
        count += !RULE_IS_PRIVATE(rule);
    }
    return count;
}

/* A process compiles once: what it has made of the rules lasts as long as it does. */
static int yara_match_compile(struct yara_match *match)
{
    const struct lib_yara *yara = &match->yara;
    YR_COMPILER *compiler = NULL;
    YR_RULES *rules = NULL;
    int code = yara->yr_compiler_create(&compiler);

    if (code != ERROR_SUCCESS)
        return code;
    yara->yr_compiler_set_callback(compiler, yara_match_wrong, match);
    yara->yr_compiler_set_include_callback(compiler, NULL, NULL, NULL);
    for (uint32_t i = 0; i < match->rules->file_count && match->answer->how == YARA_MATCH_NOTHING;
         i++) {
        const struct yara_rules_file *file = &match->rules->files[i];

        match->shared->file = i;
        (void)yara->yr_compiler_add_string(compiler, file->text, file->space);
    }
    if (match->answer->how == YARA_MATCH_NOTHING)
        code = yara->yr_compiler_get_rules(compiler, &rules);
    if (rules != NULL) {
        match->rule_count = yara_match_count(rules);
        code = yara->yr_scanner_create(rules, &match->scanner);
    }
    yara->yr_compiler_destroy(compiler);
    return code;
}

void yara_match_do(struct yara_match *match, bool with_object, size_t len,
                   struct yara_match_answer *answer)
{
    const struct lib_yara *yara = &match->yara;
    int code = ERROR_SUCCESS;

    match->answer = answer;
    if (match->scanner == NULL)
        code = yara_match_compile(match);
    if (!with_object)
        answer->count = match->rule_count;
    if (code == ERROR_SUCCESS && match->scanner != NULL && with_object) {
        yara->yr_scanner_set_callback(match->scanner, yara_match_said, match);
        /* Its handlers of signals would need calls of the system that the process does not have. */
        yara->yr_scanner_set_flags(match->scanner,
                                   SCAN_FLAGS_REPORT_RULES_MATCHING | SCAN_FLAGS_NO_TRYCATCH);
        yara->yr_scanner_set_timeout(match->scanner, (int)match->rules->seconds);
        code = yara->yr_scanner_scan_mem(match->scanner, match->shared->object, len);
    }
    if (answer->how == YARA_MATCH_NOTHING) {
        answer->how = yara_match_error(code);
        answer->code = (uint32_t)code;
    }
    match->answer = NULL;
}
