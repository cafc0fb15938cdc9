/* SPDX-License-Identifier: Apache-2.0
 * carver/audit/policy_complete.c - what a policy file must have, and what goes with what: see
 * policy_keys.h. */
#include <string.h>

#include "carver/audit/policy_keys.h"
#include "carver/known/known_scan.h"

/* The packs by their names here. */
static const struct policy_pack {
    const char *name;
    enum feature_pack pack;
} policy_packs[] = {
    { "keys", FEATURE_KEY },
    { "cards", FEATURE_CARD },
    { "iban", FEATURE_IBAN },
    { "mail", FEATURE_EMAIL },
};

static enum err_code complete_pack(const struct policy *policy, struct policy_rule *rule,
                                   struct err *err)
{
    const struct policy_text *pack = &rule->what[POLICY_PACK];

    for (size_t i = 0; i < sizeof policy_packs / sizeof policy_packs[0]; i++)
        if (strcmp(policy_packs[i].name, pack->text) == 0) {
            rule->pack = policy_packs[i].pack;
            return ERR_OK;
        }
    return POLICY_FAULT(err, policy, pack->line,
                        "no pack '%s'; there are keys, cards, iban and mail", pack->text);
}

/* What it takes that a pattern is not tried at each byte of a disk, and what it means. */
static enum err_code complete_pattern(const struct policy *policy, const struct policy_rule *rule,
                                      struct err *err)
{
    const bool checked = rule->check != POLICY_CHECK_NONE && rule->check != POLICY_CHECK_ENTROPY;

    if (rule->anchor.text == NULL && !checked)
        return POLICY_FAULT(err, policy, rule->what[POLICY_PATTERN].line,
                            "rule %s: name an anchor, a text that each match holds, or a check "
                            "that is luhn, iban, jwt or pem",
                            rule->name.text);
    return ERR_OK;
}

static enum err_code complete_rule(const struct policy *policy, struct policy_rule *rule,
                                   struct err *err)
{
    uint32_t kinds = 0;

    for (uint32_t i = 0; i < POLICY_KINDS; i++)
        if (rule->what[i].text != NULL) {
            rule->kind = (enum policy_kind)i;
            kinds++;
        }
    if (kinds != 1 &&
        !(kinds == 2 && rule->kind == POLICY_YARA && rule->what[POLICY_WHERE].text != NULL))
        return POLICY_FAULT(err, policy, rule->name.line,
                            "rule %s: write one of where, pattern, known, pack and yara, or where "
                            "and yara",
                            rule->name.text);
    if (rule->kind != POLICY_PATTERN && rule->anchor.text != NULL)
        return POLICY_FAULT(err, policy, rule->anchor.line, "an anchor is of a pattern");
    if (rule->kind != POLICY_PATTERN && rule->check_line != 0)
        return POLICY_FAULT(err, policy, rule->check_line, "a check is of a pattern");
    if (rule->kind != POLICY_PATTERN && rule->kind != POLICY_PACK && rule->mask_line != 0)
        return POLICY_FAULT(err, policy, rule->mask_line, "a mask is of a pattern or a pack");
    return rule->kind == POLICY_PATTERN ? complete_pattern(policy, rule, err)
           : rule->kind == POLICY_PACK  ? complete_pack(policy, rule, err)
                                        : ERR_OK;
}

static bool complete_alike(const struct policy_text *a, const struct policy_text *b)
{
    return a->text == NULL || b->text == NULL ? a->text == b->text : strcmp(a->text, b->text) == 0;
}

/* A rule that looks for what another one looks for as well says everything twice. */
static enum err_code complete_twice(const struct policy *policy, uint32_t index, struct err *err)
{
    const struct policy_rule *rule = &policy->rules[index];

    for (uint32_t i = 0; i < index; i++) {
        const struct policy_rule *other = &policy->rules[i];

        if (other->kind == rule->kind && other->check == rule->check &&
            complete_alike(&other->what[rule->kind], &rule->what[rule->kind]) &&
            complete_alike(&other->what[POLICY_WHERE], &rule->what[POLICY_WHERE]))
            return POLICY_FAULT(err, policy, rule->name.line,
                                "rule %s looks for the same as rule %s of line %u", rule->name.text,
                                other->name.text, other->name.line);
    }
    return ERR_OK;
}

/* What goes with a map of changes. */
static enum err_code complete_changed(const struct policy *policy, struct err *err)
{
    if ((policy->read == POLICY_READ_CHANGED) != (policy->changed.text != NULL))
        return POLICY_FAULT(err, policy,
                            policy->changed.text != NULL ? policy->changed.line : policy->read_line,
                            "read = changed and changed = MAPFILE belong together");
    if (policy->read == POLICY_READ_CHANGED && policy->time != 0)
        return POLICY_FAULT(err, policy, policy->time_line,
                            "read = changed and time exclude each other: such a run cannot be "
                            "stopped and go on");
    return ERR_OK;
}

enum err_code policy_complete(struct policy *policy, struct err *err)
{
    uint32_t sets = 0;
    enum err_code rc = ERR_OK;

    if (policy->name.text == NULL || policy->state.text == NULL || policy->image_count == 0)
        return ERR_RAISE(err, ERR_INPUT, "%s: [audit] has no %s", policy->path,
                         policy->name.text == NULL    ? "name"
                         : policy->state.text == NULL ? "state"
                                                      : "image");
    rc = complete_changed(policy, err);
    for (uint32_t i = 0; rc == ERR_OK && i < policy->rule_count; i++) {
        rc = complete_rule(policy, &policy->rules[i], err);
        if (rc == ERR_OK)
            rc = complete_twice(policy, i, err);
        sets += rc == ERR_OK && policy->rules[i].kind == POLICY_KNOWN;
        if (rc == ERR_OK && sets > KNOWN_SETS_MAX)
            rc = POLICY_FAULT(err, policy, policy->rules[i].name.line,
                              "more than %d rules name sets; burin known add joins sets",
                              KNOWN_SETS_MAX);
    }
    return rc;
}
