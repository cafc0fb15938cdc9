/* SPDX-License-Identifier: Apache-2.0
 * carver/audit/policy_sections.c - the sections of a policy file, and which keys they have: see
 * policy_keys.h. */
#include <string.h>

#include "carver/audit/policy_keys.h"
#include "carver/cli/near.h"

enum policy_section { SECTION_AUDIT, SECTION_RULE, SECTION_ALLOW, SECTION_OUTPUT, SECTIONS };

static const char *const policy_sections[SECTIONS] = { "audit", "rule", "allow", "output" };

/* Every key: where it may stand, how a value that goes on is joined (NULL: it does not), and who
 * takes it. */
static const struct policy_known_key {
    enum policy_section section;
    const char *name, *join;
    policy_take_fn take;
} policy_known_keys[] = {
    { SECTION_AUDIT, "name", NULL, policy_take_audit },
    { SECTION_AUDIT, "image", NULL, policy_take_audit },
    { SECTION_AUDIT, "state", NULL, policy_take_audit },
    { SECTION_AUDIT, "changed", NULL, policy_take_audit },
    { SECTION_AUDIT, "keep", NULL, policy_take_audit },
    { SECTION_AUDIT, "read", NULL, policy_take_audit },
    { SECTION_AUDIT, "max-read", NULL, policy_take_audit },
    { SECTION_AUDIT, "time", NULL, policy_take_audit },
    { SECTION_AUDIT, "rules", NULL, policy_take_audit },
    { SECTION_RULE, "severity", NULL, policy_take_rule },
    { SECTION_RULE, "where", " ", policy_take_rule },
    { SECTION_RULE, "pattern", "", policy_take_rule },
    { SECTION_RULE, "known", NULL, policy_take_rule },
    { SECTION_RULE, "pack", NULL, policy_take_rule },
    { SECTION_RULE, "yara", NULL, policy_take_rule },
    { SECTION_RULE, "anchor", NULL, policy_take_rule },
    { SECTION_RULE, "check", NULL, policy_take_rule },
    { SECTION_RULE, "mask", NULL, policy_take_rule },
    { SECTION_ALLOW, "file", NULL, policy_take_allow },
#define OUTPUT(name, value, help) { SECTION_OUTPUT, #name, NULL, policy_take_output },
#include "carver/audit/outputs.def"
#undef OUTPUT
};
enum { POLICY_KNOWN_KEYS = sizeof policy_known_keys / sizeof policy_known_keys[0] };

/* The key, or a fault that names one that was perhaps meant. */
static enum err_code keys_find(struct policy_reading *reading, enum policy_section section,
                               const char *name, const struct policy_known_key **out)
{
    const char *names[POLICY_KNOWN_KEYS];
    size_t count = 0;

    for (size_t i = 0; i < POLICY_KNOWN_KEYS; i++) {
        if (policy_known_keys[i].section != section)
            continue;
        names[count++] = policy_known_keys[i].name;
        *out = &policy_known_keys[i];
        if (strcmp(name, (*out)->name) == 0)
            return ERR_OK;
    }
    const char *near = near_best(name, strlen(name), names, count);
    return POLICY_FAULT(reading->err, reading->policy, reading->line,
                        near != NULL ? "no key '%s' in [%s]; did you mean '%s'?"
                                     : "no key '%s' in [%s]",
                        name, policy_sections[section], near != NULL ? near : "");
}

static enum err_code keys_new_rule(struct policy_reading *reading, const char *name)
{
    struct policy *policy = reading->policy;
    struct policy_text text = { 0 };
    enum err_code rc = policy_name(reading, "rule", name);

    for (uint32_t i = 0; rc == ERR_OK && i < policy->rule_count; i++)
        if (strcmp(policy->rules[i].name.text, name) == 0)
            rc = POLICY_FAULT(reading->err, policy, reading->line,
                              "rule %s is given twice, the first time in line %u", name,
                              policy->rules[i].name.line);
    if (rc == ERR_OK && policy->rule_count == POLICY_RULES_MAX)
        rc = POLICY_FAULT(reading->err, policy, reading->line, "at most %d rules are allowed",
                          POLICY_RULES_MAX);
    if (rc == ERR_OK)
        rc = policy_copy(reading, name, &text);
    if (rc != ERR_OK)
        return rc;
    policy->rules[policy->rule_count++] = (struct policy_rule){
        .name = text, .severity = POLICY_WARNING, .kind = POLICY_KINDS, .mask = POLICY_MASK
    };
    return ERR_OK;
}

enum err_code policy_pack_rule(struct policy_reading *reading, const char *pack)
{
    const enum err_code rc = keys_new_rule(reading, pack);

    if (rc == ERR_OK && strcmp(pack, "keys") == 0)
        policy_last_rule(reading)->severity = POLICY_CRITICAL;
    else if (rc == ERR_OK && strcmp(pack, "mail") == 0)
        policy_last_rule(reading)->severity = POLICY_INFO;
    return rc;
}

/* Which section it is; a rule that begins is made. */
static enum err_code keys_section(struct policy_reading *reading, const char *section,
                                  enum policy_section *out)
{
    const size_t head = strlen("rule ");

    if (strncmp(section, "rule ", head) == 0) {
        *out = SECTION_RULE;
        if (reading->rule_line == reading->section_line && reading->policy->rule_count > 0)
            return ERR_OK;
        reading->rule_line = reading->section_line;
        return keys_new_rule(reading, section + head + strspn(section + head, " \t"));
    }
    for (uint32_t i = 0; i < SECTIONS; i++)
        if (i != SECTION_RULE && strcmp(policy_sections[i], section) == 0) {
            *out = (enum policy_section)i;
            return ERR_OK;
        }
    return POLICY_FAULT(reading->err, reading->policy,
                        reading->section_line != 0 ? reading->section_line : reading->line,
                        "no section [%s]; there are [audit], [rule NAME], [allow] and [output]",
                        section);
}

enum err_code policy_key(struct policy_reading *reading, const char *section, const char *name,
                         const char *value)
{
    const struct policy_known_key *key = NULL;
    enum policy_section which = SECTION_AUDIT;
    enum err_code rc = keys_section(reading, section, &which);

    if (rc == ERR_OK)
        rc = keys_find(reading, which, name, &key);
    if (rc != ERR_OK)
        return rc;
    if (reading->more && key->join != NULL && reading->last != NULL)
        return policy_join(reading, key->join, value);
    if (value[0] == '\0')
        return POLICY_FAULT(reading->err, reading->policy, reading->line, "%s has no value", name);
    reading->section_used = true;
    reading->last = NULL;
    reading->last_key = key->name;
    return key->take(reading, key->name, value);
}
