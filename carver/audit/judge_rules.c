/* SPDX-License-Identifier: Apache-2.0
 * carver/audit/judge_rules.c - the rules that ask the case file: see judge.h. */
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "carver/audit/id_set.h"
#include "carver/audit/judge.h"

enum { RULES_TEXT_MAX = 256 };

/* An object is known again by its content, wherever it lies. */
void judge_object_value(const struct db_object *object, const char *met,
                        char out[UNDECIDED_VALUE_MAX])
{
    if (object->sha256 != NULL)
        snprintf(out, UNDECIDED_VALUE_MAX, "%s%s%s", object->sha256, met[0] != '\0' ? " " : "",
                 met);
    else
        snprintf(out, UNDECIDED_VALUE_MAX, "%.64s %" PRIu64 " %" PRIx64 "%s%s", object->type,
                 object->len, object->has_crc64 ? object->crc64 : 0, met[0] != '\0' ? " " : "",
                 met);
}

enum err_code judge_object(struct judge *judge, const struct policy_rule *rule,
                           const struct db_object *object, const char *met, struct err *err)
{
    char value[UNDECIDED_VALUE_MAX];
    struct finding finding;

    judge_object_value(object, met, value);
    judge_finding(judge, rule, value, strlen(value), object->sha256, &finding);
    if (met[0] != '\0')
        snprintf(finding.excerpt, sizeof finding.excerpt, "%.40s: %.24s, %" PRIu64 " bytes", met,
                 object->type, object->len);
    else
        snprintf(finding.excerpt, sizeof finding.excerpt, "%.32s, %" PRIu64 " bytes, %.24s",
                 object->type, object->len, object->state);
    finding.image_id = object->image_id;
    finding.object_id = object->id;
    finding.offset = object->offset;
    finding.len = object->len;
    return findings_add(&judge->findings, &finding, err);
}

/* The objects for which the expression is true. */
static enum err_code rules_where(struct judge *judge, const struct policy_rule *rule,
                                 const char *expression, struct err *err)
{
    struct db_object_cursor *cursor = NULL;
    struct id_set list = { 0 };
    struct db_object object;
    bool found = false;
    enum err_code rc = id_set_where(judge->db, expression, &list, err);

    if (rc == ERR_OK)
        rc = db_objects_open_any(judge->db, &cursor, err);
    for (size_t i = 0; rc == ERR_OK && i < list.count; i++) {
        rc = db_objects_find(cursor, list.ids[i], &found, &object, err);
        if (rc == ERR_OK && found)
            rc = judge_object(judge, rule, &object, "", err);
    }
    db_objects_close(cursor);
    id_set_release(&list);
    return rc;
}

/* Known blocks, while they are gone over. */
struct rules_blocks {
    struct judge *judge;
    const struct policy_rule *rule;
    const char *path; /* of the set */
};

static enum err_code rules_block(void *arg, const struct db_known_run *run, const char *set_path,
                                 struct err *err)
{
    const struct rules_blocks *walk = arg;
    char value[RULES_TEXT_MAX];
    struct finding finding;

    if (strcmp(set_path, walk->path) != 0)
        return ERR_OK;
    snprintf(value, sizeof value, "block %.130s", run->digest);
    judge_finding(walk->judge, walk->rule, value, strlen(value), NULL, &finding);
    snprintf(finding.excerpt, sizeof finding.excerpt, "%" PRIu64 " bytes of %.60s", run->len,
             run->name != NULL ? run->name : "a known file");
    finding.image_id = run->image_id;
    finding.offset = run->offset;
    finding.len = run->len;
    return findings_add(&walk->judge->findings, &finding, err);
}

/* What the set knows: objects by their hashes, or blocks. */
static enum err_code rules_known(struct judge *judge, const struct policy_rule *rule,
                                 struct err *err)
{
    static const char head[] = "id IN (SELECT k.object_id FROM known_objects k JOIN known_sets s "
                               "ON s.id = k.set_id WHERE s.path = '";
    char expression[sizeof head + 2 * PATH_MAX + 4];
    char *absolute = realpath(rule->what[POLICY_KNOWN].text, NULL);
    const char *path = absolute != NULL ? absolute : rule->what[POLICY_KNOWN].text;
    const struct rules_blocks walk = { judge, rule, path };
    char *end = expression + snprintf(expression, sizeof expression, "%s", head);
    enum err_code rc;

    for (const char *c = path; *c != '\0' && end < expression + sizeof expression - 5; c++) {
        *end++ = *c;
        if (*c == '\'')
            *end++ = *c;
    }
    snprintf(end, 4, "')");
    rc = rules_where(judge, rule, expression, err);
    if (rc == ERR_OK)
        rc = db_known_runs_walk(judge->db, rules_block, (void *)(uintptr_t)&walk, err);
    free(absolute);
    return rc;
}

enum err_code judge_rules(struct judge *judge, struct err *err)
{
    const struct policy *policy = &judge->audit->policy;
    enum err_code rc = ERR_OK;

    for (uint32_t i = 0; rc == ERR_OK && i < policy->rule_count; i++) {
        const struct policy_rule *rule = &policy->rules[i];

        if (rule->kind == POLICY_WHERE)
            rc = rules_where(judge, rule, rule->what[POLICY_WHERE].text, err);
        else if (rule->kind == POLICY_KNOWN)
            rc = rules_known(judge, rule, err);
        if (rc != ERR_OK)
            err_while(err, "asking for rule %s", rule->name.text);
    }
    return rc;
}
