/* SPDX-License-Identifier: Apache-2.0
 * carver/audit/audit_lint.c - whether a policy can do what it says: see audit_run.h. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "carver/audit/audit_run.h"
#include "carver/audit/lint_where.h"
#include "carver/cli/print_safe.h"
#include "carver/hashset/known_set.h"
#include "carver/keyword/keyword.h"
#include "carver/yara/yara_rules.h"
#include "match/regex.h"

/* The pattern can be looked for, and a match of it can hold the anchor. */
static enum err_code lint_pattern(const struct policy *policy, const struct policy_rule *rule,
                                  struct err *err)
{
    const struct policy_text *text = &rule->what[POLICY_PATTERN];
    const struct match_pattern pattern = { .kind = MATCH_REGEX,
                                           .bytes = (const uint8_t *)text->text,
                                           .len = (uint32_t)strlen(text->text),
                                           .escapes = true };
    struct keyword_set set = { 0 };
    struct err why = { 0 };
    bool can = true;
    enum err_code rc = keyword_set_open("utf-8,utf-16le", false, &set, err);

    if (rc != ERR_OK)
        return rc;
    if (keyword_add_regex(&set, text->text, &why) != ERR_OK)
        rc = POLICY_FAULT(err, policy, text->line, "rule %s: %s", rule->name.text, why.text);
    keyword_set_close(&set);
    if (rc != ERR_OK || rule->anchor.text == NULL)
        return rc;
    if (strlen(rule->anchor.text) > MATCH_HOLD_MAX)
        return POLICY_FAULT(err, policy, rule->anchor.line,
                            "rule %s: an anchor has at most %d bytes", rule->name.text,
                            MATCH_HOLD_MAX);
    rc = match_regex_can_hold(&pattern, (const uint8_t *)rule->anchor.text,
                              (uint32_t)strlen(rule->anchor.text), &can, err);
    return rc != ERR_OK || can
               ? rc
               : POLICY_FAULT(err, policy, rule->anchor.line,
                              "rule %s: no match of its pattern can hold the anchor '%s': it can "
                              "never find anything",
                              rule->name.text, rule->anchor.text);
}

/* The set can be read, and has something. */
static enum err_code lint_known(const struct policy *policy, const struct policy_rule *rule,
                                struct err *err)
{
    const struct policy_text *path = &rule->what[POLICY_KNOWN];
    struct known_set set = { 0 };
    struct err why = { 0 };
    enum err_code rc = ERR_OK;

    if (known_set_open(path->text, &set, &why) != ERR_OK)
        return POLICY_FAULT(err, policy, path->line, "rule %s: %s", rule->name.text, why.text);
    if (set.about.count == 0)
        rc = POLICY_FAULT(err, policy, path->line,
                          "rule %s: %s has no hash: it can never find anything", rule->name.text,
                          path->text);
    known_set_close(&set);
    return rc;
}

/* Libyara takes the file of rules, and one of them can be met. */
static enum err_code lint_yara(const struct policy *policy, const struct policy_rule *rule,
                               struct err *err)
{
    const struct policy_text *path = &rule->what[POLICY_YARA];
    struct yara_rules *rules = calloc(1, sizeof *rules);
    struct err why = { 0 };

    if (rules == NULL)
        return ERR_NO_MEMORY(err, sizeof *rules);
    enum err_code rc = yara_rules_add(rules, path->text, rule->name.text, &why);
    if (rc == ERR_OK)
        rc = yara_rules_open(rules, YARA_RULES_SECONDS, &why);
    if (rc == ERR_INPUT)
        rc = POLICY_FAULT(err, policy, path->line, "rule %s: %s", rule->name.text, why.text);
    else if (rc != ERR_OK)
        rc = ERR_RAISE(err, rc, "%s:%u: rule %s: yara: %s", policy->path, path->line,
                       rule->name.text, why.text);
    else if (rules->rule_count == 0)
        rc = POLICY_FAULT(err, policy, path->line,
                          "rule %s: %s has no rule that is not private: it can never find anything",
                          rule->name.text, path->text);
    yara_rules_close(rules);
    free(rules);
    return rc;
}

static enum err_code lint_rule(const struct policy *policy, const struct policy_rule *rule,
                               struct err *err)
{
    enum err_code rc = ERR_OK;

    if (rule->what[POLICY_WHERE].text != NULL)
        rc = lint_where_types(policy, rule, err);
    if (rc == ERR_OK && rule->kind == POLICY_PATTERN)
        rc = lint_pattern(policy, rule, err);
    else if (rc == ERR_OK && rule->kind == POLICY_KNOWN)
        rc = lint_known(policy, rule, err);
    else if (rc == ERR_OK && rule->kind == POLICY_YARA)
        rc = lint_yara(policy, rule, err);
    return rc;
}

/* Entries of rules that are not there let nothing pass; those that are old are told. */
static enum err_code lint_allow(const struct audit *audit, bool tell, struct err *err)
{
    const int64_t now = (int64_t)time(NULL);

    for (size_t i = 0; i < audit->allow.count; i++) {
        const struct allow_entry *entry = &audit->allow.entries[i];
        bool is = entry->rule == NULL;

        for (uint32_t k = 0; !is && k < audit->policy.rule_count; k++)
            is = strcmp(audit->policy.rules[k].name.text, entry->rule) == 0;
        if (!is)
            return ERR_RAISE(err, ERR_INPUT, "%s:%u: %s has no rule '%s'", entry->path, entry->line,
                             audit->policy.path, entry->rule);
        if (tell && entry->until <= now)
            print_safe_line(stdout, "%s:%u: note: this entry holds no more", entry->path,
                            entry->line);
    }
    return ERR_OK;
}

enum err_code audit_lint(struct audit *audit, bool tell, struct err *err)
{
    const struct policy *policy = &audit->policy;
    enum err_code rc = ERR_OK;

    for (uint32_t i = 0; rc == ERR_OK && i < policy->rule_count; i++)
        rc = lint_rule(policy, &policy->rules[i], err);
    if (rc == ERR_OK)
        rc = lint_where_compile(policy, err);
    for (uint32_t i = 0; rc == ERR_OK && i < policy->allow_count; i++) {
        struct err why = { 0 };

        rc = allow_read(&audit->allow, policy->allows[i].text, &why);
        if (rc != ERR_OK)
            rc = POLICY_FAULT(err, policy, policy->allows[i].line, "%s", why.text);
    }
    if (rc == ERR_OK)
        rc = lint_allow(audit, tell, err);
    if (rc == ERR_OK && tell)
        print_safe_line(stdout, "%s: right: %u rule%s, %zu entr%s in allow lists", policy->path,
                        policy->rule_count, plural_s(policy->rule_count), audit->allow.count,
                        audit->allow.count == 1 ? "y" : "ies");
    return rc;
}
