/* SPDX-License-Identifier: Apache-2.0
 * carver/audit/judge.c - the stage of an audit that judges: see judge.h. */
#include <stdio.h>
#include <string.h>

#include "carver/audit/judge.h"
#include "carver/case/casefile.h"
#include "carver/case/confine.h"
#include "carver/case/seal.h"

uint32_t judge_rule(const struct policy *policy, const char *name)
{
    for (uint32_t i = 0; i < policy->rule_count; i++)
        if (strcmp(policy->rules[i].name.text, name) == 0)
            return i;
    return POLICY_RULES_MAX;
}

void judge_finding(const struct judge *judge, const struct policy_rule *rule, const void *value,
                   size_t len, const char *sha256, struct finding *out)
{
    const struct audit *audit = judge->audit;

    *out = (struct finding){ .severity = rule->severity, .places = 1, .change = DIFF_NEW };
    snprintf(out->rule, sizeof out->rule, "%s", rule->name.text);
    secret_fingerprint(audit->state.key, rule->name.text, value, len, out->fingerprint);
    const struct allow_entry *entry =
        allow_find(&audit->allow, audit->started, out->rule, out->fingerprint, sha256);
    if (entry != NULL)
        snprintf(out->allowed, sizeof out->allowed, "%s", entry->why);
}

/* What the search gave up lets the state folder be written, and so does this, without one. */
static enum err_code judge_confine(struct judge *judge, struct err *err)
{
    struct confine confine = { 0 };

    confine_open(&confine, judge->audit->options.no_jail, CONFINE_ALL);
    confine_case(&confine, judge->audit->state.unfinished);
    const enum err_code rc = confine_enter(&confine, err);
    snprintf(judge->jail, sizeof judge->jail, "%s", confine.note);
    return rc;
}

static enum err_code judge_count_states(struct judge *judge, struct err *err)
{
    struct db_totals totals;
    const enum err_code rc = db_totals(judge->db, 0, &totals, err);
    const uint64_t states[] = { totals.complete, totals.footer, totals.truncated,
                                totals.fragmented };

    if (rc == ERR_OK)
        memcpy(judge->counts->states, states, sizeof states);
    return rc;
}

/* The case file is complete: it is sealed, and its last entry can be noted. */
static enum err_code judge_seal(struct judge *judge, struct err *err)
{
    struct seal_signer signer = { 0 };
    enum err_code rc = seal_case(judge->db, judge->audit->state.unfinished, NULL, &signer, err);

    return rc == ERR_OK
               ? db_log_last(judge->db, &judge->counts->log_id, judge->counts->log_hash, err)
               : rc;
}

static enum err_code judge_work(struct judge *judge, bool search, enum exit_status *status,
                                struct err *err)
{
    const bool wanted = judge_searches(&judge->audit->policy);
    enum err_code rc =
        search && wanted ? judge_search(judge, status, err) : judge_confine(judge, err);

    judge->counts->searched = search || !wanted;
    if (rc == ERR_OK)
        rc = casefile_open("audit", judge->audit->state.unfinished, false, &judge->db, err);
    if (rc == ERR_OK)
        rc = judge_rules(judge, err);
    if (rc == ERR_OK)
        rc = judge_yara(judge, err);
    if (rc == ERR_OK)
        rc = judge_open_baseline(judge, err);
    if (rc == ERR_OK)
        rc = judge_change(judge, err);
    if (rc == ERR_OK)
        rc = judge_count_states(judge, err);
    if (rc == ERR_OK)
        rc = judge_record(judge, err);
    if (rc == ERR_OK)
        rc = judge_seal(judge, err);
    compare_close(&judge->compare);
    findings_release(&judge->findings);
    findings_release(&judge->before);
    undecided_release(&judge->undecided);
    db_case_close(judge->old);
    db_case_close(judge->db);
    return rc;
}

enum err_code audit_judge(struct audit *audit, struct audit_counts *counts,
                          enum exit_status *status, struct err *err)
{
    struct judge judge = { .audit = audit, .counts = counts };

    return judge_work(&judge, true, status, err);
}

enum err_code audit_judge_only(struct audit *audit, struct audit_counts *counts,
                               enum exit_status *status, struct err *err)
{
    struct judge judge = { .audit = audit, .counts = counts };

    return judge_work(&judge, false, status, err);
}
