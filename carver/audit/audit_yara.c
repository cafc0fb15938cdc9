/* SPDX-License-Identifier: Apache-2.0
 * carver/audit/audit_yara.c - the stage of an audit that tries rules of YARA on the objects which
 * its scan has found: see audit.h. It does what `burin search --yara` does; each rule of the policy
 * is a namespace. */
#include <stdlib.h>

#include "carver/audit/audit.h"
#include "carver/audit/id_set.h"
#include "carver/cli/interrupt.h"
#include "carver/yara/tries.h"
#include "carver/yara/tries_case.h"

_Static_assert((int)POLICY_RULES_MAX <= (int)YARA_RULES_FILES_MAX, "a file for each rule");
_Static_assert((int)POLICY_NAME_MAX <= (int)YARA_RULES_NAME_MAX, "a rule's name is a namespace");

static enum err_code yara_open(const struct policy *policy, struct yara_rules *rules,
                               struct err *err)
{
    enum err_code rc = ERR_OK;

    for (uint32_t i = 0; rc == ERR_OK && i < policy->rule_count; i++)
        if (policy->rules[i].kind == POLICY_YARA)
            rc = yara_rules_add(rules, policy->rules[i].what[POLICY_YARA].text,
                                policy->rules[i].name.text, err);
    return rc == ERR_OK ? yara_rules_open(rules, YARA_RULES_SECONDS, err) : rc;
}

/* The objects that a rule is to be tried on; *all: there is a rule that is of all of them. */
static enum err_code yara_objects(const struct policy *policy, struct db_case *db,
                                  struct id_set *out, bool *all, struct err *err)
{
    enum err_code rc = ERR_OK;

    for (uint32_t i = 0; rc == ERR_OK && i < policy->rule_count; i++) {
        const char *where = policy->rules[i].what[POLICY_WHERE].text;

        if (policy->rules[i].kind != POLICY_YARA)
            continue;
        *all |= where == NULL;
        if (where != NULL)
            rc = id_set_where(db, where, out, err);
        if (rc != ERR_OK)
            err_while(err, "asking for rule %s", policy->rules[i].name.text);
    }
    return rc;
}

static bool yara_wants(void *arg, int64_t object_id)
{
    return id_set_has(arg, object_id);
}

static enum err_code yara_tries(const struct audit *audit, struct yara_rules *rules,
                                struct audit_counts *counts, enum exit_status *status,
                                struct err *err)
{
    const struct tries_where where = { .command = "audit",
                                       .case_path = audit->state.unfinished,
                                       .reach = (const char *const *)audit->images.gl_pathv,
                                       .reach_count = (uint32_t)audit->images.gl_pathc,
                                       .no_jail = audit->options.no_jail };
    struct tries_case of = { 0 };
    struct tries_totals totals = { 0 };
    struct id_set wanted = { 0 };
    bool all = false;
    enum err_code rc = tries_case_open(&where, &of, err);

    if (rc == ERR_OK)
        rc = yara_objects(&audit->policy, of.db, &wanted, &all, err);
    if (rc == ERR_OK) {
        const struct tries_job job = { .db = of.db,
                                       .images = &of.images,
                                       .rules = rules,
                                       .command = "search",
                                       .command_line = audit->command_line,
                                       .note = of.confine.note,
                                       .wants = all ? NULL : yara_wants,
                                       .arg = &wanted };

        for (uint32_t i = 0; i < of.images.count; i++)
            io_image_max_read(of.images.items[i], audit->policy.max_read, interrupt_requested);
        rc = tries_run(&job, &totals, &counts->yara_run, err);
    }
    counts->tried = rc == ERR_OK;
    counts->undecided = totals.left;
    if (totals.left > 0)
        *status = EXIT_PARTLY;
    id_set_release(&wanted);
    tries_case_close(&of);
    return rc;
}

enum err_code audit_yara(struct audit *audit, struct audit_counts *counts, enum exit_status *status,
                         struct err *err)
{
    struct yara_rules *rules = calloc(1, sizeof *rules);

    if (rules == NULL)
        return ERR_NO_MEMORY(err, sizeof *rules);
    enum err_code rc = yara_open(&audit->policy, rules, err);
    if (rc == ERR_OK)
        rc = yara_tries(audit, rules, counts, status, err);
    yara_rules_close(rules);
    free(rules);
    return rc;
}
