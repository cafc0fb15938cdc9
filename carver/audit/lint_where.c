/* SPDX-License-Identifier: Apache-2.0
 * carver/audit/lint_where.c - see lint_where.h. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "carver/audit/lint_where.h"
#include "carver/audit/state.h"
#include "carver/cli/near.h"
#include "carver/feature/letter.h"
#include "db/case.h"
#include "signatures/sig.h"

enum { WHERE_WORD_MAX = 64, WHERE_NEAR_MAX = 4096 };

/* A token of SQL: what is between spaces and signs. */
struct where_token {
    const char *at;
    size_t len;
    char kind; /* 'w' a word, 's' a text between quotes, else the sign itself; 0: the end */
};

static const char *where_next(const char *at, struct where_token *out)
{
    at += strspn(at, " \t\r\n");
    *out = (struct where_token){ .at = at, .len = 1, .kind = *at };
    if (*at == '\'') {
        const char *end = strchr(at + 1, '\'');

        *out = (struct where_token){ at + 1, end != NULL ? (size_t)(end - at) - 1 : strlen(at + 1),
                                     's' };
        return end != NULL ? end + 1 : at + 1 + out->len;
    }
    if (letter_alpha(*at) || *at == '_') {
        out->kind = 'w';
        while (letter_alnum(at[out->len]) || at[out->len] == '_')
            out->len++;
    }
    return *at != '\0' ? at + out->len : at;
}

static bool where_is(const struct where_token *token, const char *word)
{
    return token->kind == 'w' && token->len == strlen(word) &&
           strncasecmp(token->at, word, token->len) == 0;
}

/* The names that are allowed; a type's are those of all signatures. */
static size_t where_names(bool types, const char *names[WHERE_NEAR_MAX])
{
    static const char *const states[] = { "complete", "footer", "truncated", "fragmented" };
    size_t count = 0;
    uint32_t sigs = 0;
    const struct sig *const *all = sig_builtin(&sigs);

    for (size_t i = 0; !types && i < sizeof states / sizeof states[0]; i++)
        names[count++] = states[i];
    for (uint32_t i = 0; types && i < sigs; i++)
        for (uint32_t k = 0; k < SIG_TYPES_MAX && all[i]->types[k].name != NULL; k++)
            if (count < WHERE_NEAR_MAX)
                names[count++] = all[i]->types[k].name;
    return count;
}

static enum err_code where_literal(const struct policy *policy, const struct policy_rule *rule,
                                   const struct where_token *token, bool types, struct err *err)
{
    const char **names = calloc(WHERE_NEAR_MAX, sizeof *names);
    char word[WHERE_WORD_MAX];
    enum err_code rc = ERR_OK;
    bool is = false;

    if (names == NULL)
        return ERR_NO_MEMORY(err, WHERE_NEAR_MAX * sizeof *names);
    const size_t count = where_names(types, names);
    snprintf(word, sizeof word, "%.*s", (int)token->len, token->at);
    for (size_t i = 0; !is && i < count; i++)
        is = strcmp(names[i], word) == 0;
    const char *near = near_best(word, strlen(word), names, count);
    if (!is)
        rc =
            POLICY_FAULT(err, policy, rule->what[POLICY_WHERE].line,
                         near != NULL ? "rule %s: no %s is '%s', so it can never match; did you "
                                        "mean '%s'?"
                                      : "rule %s: no %s is '%s', so it can never match",
                         rule->name.text, types ? "type" : "state", word, near != NULL ? near : "");
    free(names);
    return rc;
}

/* Texts behind "type =", "type IN (": one, or several with commas between. */
static enum err_code where_literals(const struct policy *policy, const struct policy_rule *rule,
                                    const char **at, bool types, struct err *err)
{
    struct where_token token;
    const char *next = where_next(*at, &token);
    const bool list = where_is(&token, "in");
    enum err_code rc = ERR_OK;

    if (!list && token.kind != '=')
        return ERR_OK;
    next = where_next(next, &token);
    if ((list && token.kind == '(') || (!list && token.kind == '=')) /* "==" is SQLite's, too */
        next = where_next(next, &token);
    while (rc == ERR_OK && token.kind == 's') {
        rc = where_literal(policy, rule, &token, types, err);
        *at = next;
        next = where_next(next, &token);
        if (!list || token.kind != ',')
            break;
        next = where_next(next, &token);
    }
    return rc;
}

enum err_code lint_where_types(const struct policy *policy, const struct policy_rule *rule,
                               struct err *err)
{
    const char *at = rule->what[POLICY_WHERE].text;
    struct where_token token = { .kind = 'w' };
    enum err_code rc = ERR_OK;

    while (rc == ERR_OK && token.kind != '\0') {
        at = where_next(at, &token);
        if (where_is(&token, "type") || where_is(&token, "state"))
            rc = where_literals(policy, rule, &at, where_is(&token, "type"), err);
    }
    return rc;
}

static enum err_code where_none(void *arg, int64_t id, struct err *err)
{
    (void)arg;
    (void)id;
    (void)err;
    return ERR_OK;
}

/* Asks all of them of a case file in this folder. */
static enum err_code where_ask(const struct policy *policy, const char *folder, struct err *err)
{
    char path[LIMIT_PATH];
    struct db_case *db = NULL;
    struct err why = { 0 };

    snprintf(path, sizeof path, "%s/empty.burin", folder);
    enum err_code rc = db_case_create(path, false, &db, err);
    for (uint32_t i = 0; rc == ERR_OK && i < policy->rule_count; i++) {
        const struct policy_rule *rule = &policy->rules[i];

        if (rule->what[POLICY_WHERE].text == NULL)
            continue;
        rc = db_where(db, rule->what[POLICY_WHERE].text, NULL, NULL, where_none, NULL, &why);
        if (rc == ERR_ARG)
            rc = POLICY_FAULT(err, policy, rule->what[POLICY_WHERE].line, "rule %s: %s",
                              rule->name.text, why.text);
        else if (rc != ERR_OK)
            *err = why;
    }
    db_case_close(db);
    const enum err_code removed = state_remove(path, rc == ERR_OK ? err : NULL);
    return rc == ERR_OK ? removed : rc;
}

enum err_code lint_where_compile(const struct policy *policy, struct err *err)
{
    const char *above = getenv("TMPDIR");
    char folder[LIMIT_PATH - 16];
    bool any = false;

    for (uint32_t i = 0; i < policy->rule_count; i++)
        any |= policy->rules[i].what[POLICY_WHERE].text != NULL;
    if (!any)
        return ERR_OK;
    if (snprintf(folder, sizeof folder, "%s/burin-audit-XXXXXX", above != NULL ? above : "/tmp") >=
            (int)sizeof folder ||
        mkdtemp(folder) == NULL)
        return ERR_RAISE(err, ERR_ENV, "no folder for a file to try expressions in: %s",
                         strerror(errno));
    const enum err_code rc = where_ask(policy, folder, err);
    (void)rmdir(folder);
    return rc;
}
