/* SPDX-License-Identifier: Apache-2.0
 * carver/audit/policy_keys.c - see policy_keys.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "carver/audit/policy_keys.h"
#include "carver/cli/args.h"
#include "carver/feature/letter.h"
#include "carver/scan/scan_how.h"
#include "io/image.h"

struct policy_rule *policy_last_rule(struct policy_reading *reading)
{
    return &reading->policy->rules[reading->policy->rule_count - 1];
}

enum err_code policy_copy(struct policy_reading *reading, const char *value,
                          struct policy_text *out)
{
    const char *copy = arena_copy(&reading->policy->arena, value, strlen(value));

    if (copy == NULL)
        return ERR_NO_MEMORY(reading->err, strlen(value));
    *out = (struct policy_text){ copy, reading->line };
    return ERR_OK;
}

/* A value of which there is one. */
static enum err_code keys_text(struct policy_reading *reading, const char *key, const char *value,
                               struct policy_text *out)
{
    if (out->text != NULL)
        return POLICY_FAULT(reading->err, reading->policy, reading->line,
                            "%s is given twice, the first time in line %u", key, out->line);
    return policy_copy(reading, value, out);
}

/* More of a value that may be long. */
enum err_code policy_join(struct policy_reading *reading, const char *between, const char *value)
{
    struct policy_text *text = reading->last;
    const size_t had = strlen(text->text), more = strlen(between) + strlen(value);

    if (had + more > POLICY_VALUE_MAX)
        return POLICY_FAULT(reading->err, reading->policy, reading->line,
                            "the value of %s has more than %d bytes", reading->last_key,
                            POLICY_VALUE_MAX);
    char *joined = arena_alloc(&reading->policy->arena, had + more + 1);
    if (joined == NULL)
        return ERR_NO_MEMORY(reading->err, had + more + 1);
    snprintf(joined, had + more + 1, "%s%s%s", text->text, between, value);
    text->text = joined;
    return ERR_OK;
}

/* A name that stands in file names, metrics and fingerprints. */
enum err_code policy_name(struct policy_reading *reading, const char *what, const char *value)
{
    const size_t len = strlen(value);
    bool right = len > 0 && len <= POLICY_NAME_MAX && letter_alnum(value[0]);

    for (size_t i = 0; right && i < len; i++)
        right = letter_alnum(value[i]) || value[i] == '-' || value[i] == '_';
    return right ? ERR_OK
                 : POLICY_FAULT(reading->err, reading->policy, reading->line,
                                "%s '%s': write 1 to %d letters, digits, - and _", what, value,
                                POLICY_NAME_MAX);
}

static enum err_code keys_path(struct policy_reading *reading, const char *key, const char *value)
{
    return value[0] == '/' ? ERR_OK
                           : POLICY_FAULT(reading->err, reading->policy, reading->line,
                                          "%s = %s: write a path that begins with /", key, value);
}

/* One of some words. */
static enum err_code keys_word(struct policy_reading *reading, const char *key, const char *value,
                               const char *const *words, uint32_t count, uint32_t *out)
{
    char list[128] = "";

    for (*out = 0; *out < count; ++*out) {
        if (strcmp(words[*out], value) == 0)
            return ERR_OK;
        snprintf(list + strlen(list), sizeof list - strlen(list), "%s%s", *out == 0 ? "" : ", ",
                 words[*out]);
    }
    return POLICY_FAULT(reading->err, reading->policy, reading->line, "%s = %s: write one of %s",
                        key, value, list);
}

/* A number or a time, with the line where it is said, which is there once. */
static enum err_code keys_once(struct policy_reading *reading, const char *key, uint32_t *line)
{
    if (*line != 0)
        return POLICY_FAULT(reading->err, reading->policy, reading->line,
                            "%s is given twice, the first time in line %u", key, *line);
    *line = reading->line;
    return ERR_OK;
}

static enum err_code keys_count(struct policy_reading *reading, const char *key, const char *value,
                                uint64_t min, uint64_t max, uint32_t *out)
{
    struct err why = { 0 };
    uint64_t number = 0;

    if (args_count(key, value, min, max, &number, &why) != ERR_OK)
        return POLICY_FAULT(reading->err, reading->policy, reading->line, "%s", why.text);
    *out = (uint32_t)number;
    return ERR_OK;
}

/* An image may be at a server. */
static enum err_code keys_image(struct policy_reading *reading, const char *key, const char *value)
{
    return io_image_is_address(value) ? ERR_OK : keys_path(reading, key, value);
}

/* A file or a pattern more of a list. */
static enum err_code keys_more(struct policy_reading *reading, const char *key, const char *value,
                               struct policy_text *list, uint32_t most, uint32_t *count)
{
    enum err_code rc = strcmp(key, "image") == 0 ? keys_image(reading, key, value)
                                                 : keys_path(reading, key, value);

    if (rc == ERR_OK && *count == most)
        rc = POLICY_FAULT(reading->err, reading->policy, reading->line,
                          "%s: at most %u are allowed", key, most);
    return rc == ERR_OK ? policy_copy(reading, value, &list[(*count)++]) : rc;
}

/* rules = keys, cards: as if each had a section of its own. */
static enum err_code keys_packs(struct policy_reading *reading, const char *value)
{
    char word[POLICY_NAME_MAX + 2];
    enum err_code rc = ERR_OK;

    for (const char *list = value; rc == ERR_OK && args_word(&list, word, sizeof word);) {
        rc = policy_pack_rule(reading, word + strspn(word, " \t"));
        if (rc == ERR_OK)
            rc = keys_text(reading, "pack", word + strspn(word, " \t"),
                           &policy_last_rule(reading)->what[POLICY_PACK]);
    }
    return rc;
}

enum err_code policy_take_audit(struct policy_reading *reading, const char *key, const char *value)
{
    static const char *const reads[] = { "all", "unallocated", "changed" };
    struct policy *policy = reading->policy;
    struct err why = { 0 };
    uint32_t word = 0;
    enum err_code rc = ERR_OK;

    if (strcmp(key, "image") == 0)
        return keys_more(reading, key, value, policy->images, POLICY_IMAGES_MAX,
                         &policy->image_count);
    if (strcmp(key, "rules") == 0)
        return keys_packs(reading, value);
    if (strcmp(key, "name") == 0) {
        rc = policy_name(reading, key, value);
        return rc == ERR_OK ? keys_text(reading, key, value, &policy->name) : rc;
    }
    if (strcmp(key, "state") == 0 || strcmp(key, "changed") == 0) {
        rc = keys_path(reading, key, value);
        return rc == ERR_OK ? keys_text(reading, key, value,
                                        key[0] == 's' ? &policy->state : &policy->changed)
                            : rc;
    }
    if (strcmp(key, "keep") == 0) {
        rc = keys_once(reading, key, &policy->keep_line);
        return rc == ERR_OK ? keys_count(reading, key, value, 1, POLICY_KEEP_MAX, &policy->keep)
                            : rc;
    }
    if (strcmp(key, "read") == 0) {
        rc = keys_once(reading, key, &policy->read_line);
        if (rc == ERR_OK)
            rc = keys_word(reading, key, value, reads, sizeof reads / sizeof reads[0], &word);
        policy->read = (enum policy_read)word;
        return rc;
    }
    if (strcmp(key, "max-read") == 0) {
        rc = keys_once(reading, key, &policy->max_read_line);
        if (rc == ERR_OK && args_size(key, value, SCAN_MAX_READ_LEAST, INT64_MAX, &policy->max_read,
                                      &why) != ERR_OK)
            rc = POLICY_FAULT(reading->err, policy, reading->line, "%s", why.text);
        return rc;
    }
    rc = keys_once(reading, key, &policy->time_line);
    if (rc == ERR_OK && args_time(key, value, POLICY_HOURS_MAX, &policy->time, &why) != ERR_OK)
        rc = POLICY_FAULT(reading->err, policy, reading->line, "%s", why.text);
    return rc;
}

static enum err_code keys_check(struct policy_reading *reading, const char *value)
{
    static const char *const checks[] = { "none", "luhn", "iban", "jwt", "pem" };
    struct policy_rule *rule = policy_last_rule(reading);
    char *end = NULL;
    uint32_t word = 0;

    if (strncmp(value, "entropy:", 8) != 0) {
        const enum err_code rc =
            keys_word(reading, "check", value, checks, sizeof checks / sizeof checks[0], &word);
        rule->check = (enum policy_check)word;
        return rc;
    }
    rule->check = POLICY_CHECK_ENTROPY;
    rule->entropy = value[8] >= '0' && value[8] <= '9' ? strtod(value + 8, &end) : 0;
    return end != NULL && *end == '\0' && rule->entropy > 0 && rule->entropy <= 8
               ? ERR_OK
               : POLICY_FAULT(reading->err, reading->policy, reading->line,
                              "check = %s: write entropy: and bits a character up to 8, such as "
                              "entropy:3.0",
                              value);
}

enum err_code policy_take_rule(struct policy_reading *reading, const char *key, const char *value)
{
    static const char *const severities[] = { "info", "warning", "critical" };
    static const char *const kinds[POLICY_KINDS] = { "where", "pattern", "known", "pack", "yara" };
    struct policy_rule *rule = policy_last_rule(reading);
    uint32_t word = 0;
    enum err_code rc = ERR_OK;

    for (uint32_t kind = 0; kind < POLICY_KINDS; kind++)
        if (strcmp(key, kinds[kind]) == 0) {
            rc = kind == POLICY_KNOWN || kind == POLICY_YARA ? keys_path(reading, key, value)
                                                             : ERR_OK;
            reading->last = &rule->what[kind];
            return rc == ERR_OK ? keys_text(reading, key, value, &rule->what[kind]) : rc;
        }
    if (strcmp(key, "severity") == 0) {
        rc = keys_once(reading, key, &rule->severity_line);
        if (rc == ERR_OK)
            rc = keys_word(reading, key, value, severities, POLICY_SEVERITIES, &word);
        rule->severity = (enum policy_severity)word;
        return rc;
    }
    if (strcmp(key, "anchor") == 0)
        return keys_text(reading, key, value, &rule->anchor);
    if (strcmp(key, "mask") == 0) {
        rc = keys_once(reading, key, &rule->mask_line);
        return rc == ERR_OK ? keys_count(reading, key, value, 0, POLICY_MASK_MAX, &rule->mask) : rc;
    }
    rc = keys_once(reading, key, &rule->check_line);
    return rc == ERR_OK ? keys_check(reading, value) : rc;
}

enum err_code policy_take_output(struct policy_reading *reading, const char *key, const char *value)
{
    static const char *const names[POLICY_OUTPUTS] = {
#define OUTPUT(name, value, help) #name,
#include "carver/audit/outputs.def"
#undef OUTPUT
    };
    enum err_code rc = keys_path(reading, key, value);

    for (uint32_t i = 0; rc == ERR_OK && i < POLICY_OUTPUTS; i++)
        if (strcmp(names[i], key) == 0)
            return keys_text(reading, key, value, &reading->policy->outputs[i]);
    return rc;
}

enum err_code policy_take_allow(struct policy_reading *reading, const char *key, const char *value)
{
    return keys_more(reading, key, value, reading->policy->allows, POLICY_ALLOWS_MAX,
                     &reading->policy->allow_count);
}
