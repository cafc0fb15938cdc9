/* SPDX-License-Identifier: Apache-2.0
 * tests/fuzz/fuzz_policy.c - the policy of an audit, of any bytes.
 *
 * Found: crashes, values that break what policy.h promises, faults without a line. */
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "carver/audit/policy.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool right)
{
    if (!right)
        abort();
}

static void check_text(const struct policy_text *text, uint32_t lines)
{
    must(text->text == NULL ||
         (text->line > 0 && text->line <= lines && strlen(text->text) <= POLICY_VALUE_MAX));
}

static void check_rule(const struct policy_rule *rule, uint32_t lines)
{
    uint32_t kinds = 0;

    must(strlen(rule->name.text) <= POLICY_NAME_MAX && rule->name.text[0] != '\0');
    must(rule->severity < POLICY_SEVERITIES && rule->kind < POLICY_KINDS);
    must(rule->mask <= POLICY_MASK_MAX && rule->entropy >= 0 && rule->entropy <= 8);
    for (uint32_t i = 0; i < POLICY_KINDS; i++) {
        check_text(&rule->what[i], lines);
        kinds += rule->what[i].text != NULL;
    }
    must(rule->what[rule->kind].text != NULL);
    must(kinds == 1 ||
         (kinds == 2 && rule->kind == POLICY_YARA && rule->what[POLICY_WHERE].text != NULL));
    must(rule->kind != POLICY_PACK || rule->pack < FEATURE_PACKS);
    must(rule->kind != POLICY_PATTERN || rule->anchor.text != NULL ||
         rule->check != POLICY_CHECK_NONE);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct policy *policy = calloc(1, sizeof *policy);
    char *text = malloc(size + 1);
    struct err err = { 0 };
    uint32_t lines = 1;

    must(policy != NULL && text != NULL);
    memcpy(text, data, size);
    for (size_t i = 0; i < size; i++)
        lines += text[i] == '\n';
    const enum err_code rc = policy_parse("fuzz", text, size, policy, &err);
    free(text);
    must(rc == ERR_OK || (rc == ERR_INPUT && strncmp(err.text, "fuzz:", 5) == 0));
    if (rc == ERR_OK) {
        must(policy->name.text != NULL && policy->state.text[0] == '/' && policy->image_count > 0);
        must(policy->rule_count <= POLICY_RULES_MAX && policy->keep >= 1);
        for (uint32_t i = 0; i < policy->image_count; i++)
            check_text(&policy->images[i], lines);
        for (uint32_t i = 0; i < policy->rule_count; i++)
            check_rule(&policy->rules[i], lines);
    }
    policy_release(policy);
    free(policy);
    return 0;
}
