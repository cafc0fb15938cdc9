/* SPDX-License-Identifier: Apache-2.0
 * carver/audit/judge_yara.c - the rules whose files of rules of YARA were tried (audit_yara.c): see
 * judge.h. */
#include <stdio.h>
#include <string.h>

#include "carver/audit/judge.h"

struct yara_rows {
    struct judge *judge;
    struct db_object_cursor *cursor;
};

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
    return rule < POLICY_RULES_MAX && judge->audit->policy.rules[rule].kind == POLICY_YARA
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
    rc = db_objects_open_any(judge->db, &rows.cursor, err);
    if (rc == ERR_OK)
        rc = db_yara_walk(judge->db, judge->counts->yara_run, yara_row, &rows, err);
    db_objects_close(rows.cursor);
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
