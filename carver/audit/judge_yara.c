/* SPDX-License-Identifier: Apache-2.0
 * carver/audit/judge_yara.c - the rules whose files of rules of YARA were tried (audit_yara.c): see
 * judge.h. */
#include <stdio.h>
#include <string.h>

#include "carver/audit/id_set.h"
#include "carver/audit/judge.h"

struct yara_rows {
    struct judge *judge;
    struct db_object_cursor *cursor;
    struct id_set of[POLICY_RULES_MAX]; /* the objects of a rule that has a where */
};

/* All rules are tried on the objects of any: which of them are a rule's own. */
static enum err_code yara_rows_open(struct yara_rows *rows, struct err *err)
{
    const struct policy *policy = &rows->judge->audit->policy;
    enum err_code rc = db_objects_open_any(rows->judge->db, &rows->cursor, err);

    for (uint32_t i = 0; rc == ERR_OK && i < policy->rule_count; i++)
        if (policy->rules[i].kind == POLICY_YARA &&
            policy->rules[i].what[POLICY_WHERE].text != NULL)
            rc = id_set_where(rows->judge->db, policy->rules[i].what[POLICY_WHERE].text,
                              &rows->of[i], err);
    return rc;
}

static void yara_rows_close(struct yara_rows *rows)
{
    for (uint32_t i = 0; i < POLICY_RULES_MAX; i++)
        id_set_release(&rows->of[i]);
    db_objects_close(rows->cursor);
}

/* Whether the rule is one of the policy's, and of this object. */
static bool yara_rows_has(const struct yara_rows *rows, uint32_t rule, int64_t object_id)
{
    const struct policy_rule *rules = rows->judge->audit->policy.rules;

    return rule < POLICY_RULES_MAX && rules[rule].kind == POLICY_YARA &&
           (rules[rule].what[POLICY_WHERE].text == NULL || id_set_has(&rows->of[rule], object_id));
}

static enum err_code yara_row(void *arg, const struct db_yara *row, struct err *err)
{
    const struct yara_rows *rows = arg;
    struct judge *judge = rows->judge;
    const uint32_t rule = judge_rule(&judge->audit->policy, row->space);
    struct db_object object;
    bool found = false;
    const enum err_code rc = db_objects_find(rows->cursor, row->object_id, &found, &object, err);

    if (rc != ERR_OK || !found)
        return rc;
    if (row->rule[0] == '\0') {
        struct undecided_object open = { .id = object.id,
                                         .image_id = object.image_id,
                                         .offset = object.offset };

        judge_object_value(&object, "", open.value);
        return undecided_add(&judge->undecided, &open, err);
    }
    return yara_rows_has(rows, rule, object.id)
               ? judge_object(judge, &judge->audit->policy.rules[rule], &object, row->rule, err)
               : ERR_OK;
}

enum err_code judge_yara(struct judge *judge, struct err *err)
{
    struct yara_rows rows = { .judge = judge };
    enum err_code rc = ERR_OK;

    if (!policy_has(&judge->audit->policy, POLICY_YARA))
        judge->counts->tried = true;
    if (judge->counts->yara_run == 0)
        return ERR_OK;
    rc = yara_rows_open(&rows, err);
    if (rc == ERR_OK)
        rc = db_yara_walk(judge->db, judge->counts->yara_run, yara_row, &rows, err);
    yara_rows_close(&rows);
    undecided_settle(&judge->undecided);
    return rc;
}

/* Which object of this run has the content of the finding, or lies where it lay, and is not
 * decided; where that one has no object, it was unknown before. */
static enum err_code yara_undecided(const struct judge *judge, struct db_object_cursor *cursor,
                                    struct finding *finding, struct err *err)
{
    const struct compare *compare = &judge->compare;
    char value[UNDECIDED_VALUE_MAX];
    struct db_object object;
    bool found = false;

    if (finding->object_id == 0) {
        if (finding->image_id < compare->image_count)
            finding->undecided = undecided_at(
                &judge->undecided, compare->images[finding->image_id].id[1], finding->offset);
        return ERR_OK;
    }
    const enum err_code rc = db_objects_find(cursor, finding->object_id, &found, &object, err);
    if (rc != ERR_OK || !found)
        return rc;
    judge_object_value(&object, "", value);
    finding->undecided = undecided_as(&judge->undecided, value);
    return ERR_OK;
}

enum err_code judge_yara_before(const struct judge *judge, struct db_case *db,
                                struct findings *before, struct err *err)
{
    const struct policy *policy = &judge->audit->policy;
    struct db_object_cursor *cursor = NULL;
    enum err_code rc = ERR_OK;

    if (judge->undecided.count == 0)
        return ERR_OK;
    rc = db_objects_open_any(db, &cursor, err);
    for (size_t i = 0; rc == ERR_OK && i < before->count; i++) {
        const uint32_t rule = judge_rule(policy, before->items[i].rule);

        if (rule < POLICY_RULES_MAX && policy->rules[rule].kind == POLICY_YARA)
            rc = yara_undecided(judge, cursor, &before->items[i], err);
    }
    db_objects_close(cursor);
    return rc;
}
