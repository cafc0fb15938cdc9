/* SPDX-License-Identifier: Apache-2.0
 * carver/audit/judge_record.c - the run and its findings in the case file: see judge.h. */
#include <inttypes.h>
#include <stdio.h>

#include "carver/audit/judge.h"
#include "carver/case/run.h"

enum { RECORD_TEXT_MAX = 512 };

static void record_settings(const struct judge *judge, struct json *json)
{
    static const char *const reads[] = { "all", "unallocated", "changed" };
    const struct policy *policy = &judge->audit->policy;

    json_string(json, "policy", policy->path);
    json_string(json, "name", policy->name.text);
    json_string(json, "read", reads[policy->read]);
    json_bool(json, "since", judge->audit->state.has_parts);
    json_double(json, "time", (double)policy->time / 1e9);
    json_string(json, "baseline", judge->baseline[0] != '\0' ? judge->baseline : NULL);
    json_bool(json, "searched", judge->counts->searched);
    json_bool(json, "tried", judge->counts->tried);
    json_int(json, "yara_run", judge->counts->yara_run);
    json_uint(json, "undecided", judge->counts->undecided);
    json_open_array(json, "rules");
    for (uint32_t i = 0; i < policy->rule_count; i++) {
        json_open_object(json, NULL);
        json_string(json, "name", policy->rules[i].name.text);
        json_uint(json, "matches", judge->findings.matches[i]);
        json_uint(json, "accepted", judge->findings.accepted[i]);
        json_uint(json, "findings", judge->counts->found[i]);
        json_uint(json, "new", judge->counts->fresh[i]);
        json_close_object(json);
    }
    json_close_array(json);
}

static enum err_code record_run(struct judge *judge, int64_t *id, struct err *err)
{
    struct run_settings settings;
    const struct db_run run = { .command = "audit",
                                .command_line = judge->audit->command_line,
                                .options = settings.text };
    enum err_code rc = run_settings_open(&settings, err);

    if (rc != ERR_OK)
        return rc;
    record_settings(judge, &settings.json);
    rc = run_settings_close(&settings, err);
    return rc == ERR_OK ? run_begin(judge->db, &run, id, err) : rc;
}

static enum err_code record_findings(struct judge *judge, int64_t run, struct err *err)
{
    enum err_code rc = ERR_OK;

    for (size_t i = 0; rc == ERR_OK && i < judge->findings.count; i++) {
        const struct finding *finding = &judge->findings.items[i];
        struct db_finding row = { .number = (uint32_t)i,
                                  .rule = finding->rule,
                                  .severity = policy_severity_name(finding->severity),
                                  .image_id = finding->image_id,
                                  .object_id = finding->object_id,
                                  .offset = finding->offset,
                                  .len = finding->len,
                                  .places = finding->places,
                                  .excerpt = finding->excerpt,
                                  .change = diff_word(finding->change),
                                  .allowed = finding->allowed };

        snprintf(row.fingerprint, sizeof row.fingerprint, "%s", finding->fingerprint);
        rc = db_finding_add(judge->db, run, &row, err);
    }
    return rc;
}

/* What is no good news although nothing was found there; reports read it (sarif.c). */
static enum err_code record_partly(struct judge *judge, int64_t run, struct err *err)
{
    const struct audit_counts *counts = judge->counts;
    char text[RECORD_TEXT_MAX];

    if (counts->unreadable == 0 && counts->undecided == 0)
        return ERR_OK;
    snprintf(text, sizeof text,
             "%" PRIu64 " bytes could not be read; rules of YARA have not decided %" PRIu64
             " objects, or not by all of their bytes",
             counts->unreadable, counts->undecided);
    return db_log(judge->db, run, "partly", text, err);
}

static enum err_code record_log(struct judge *judge, bool all, int64_t run, struct err *err)
{
    const uint64_t *changes = judge->counts->changes;
    char text[RECORD_TEXT_MAX];
    enum err_code rc = ERR_OK;

    if (judge->jail[0] != '\0')
        rc = db_log(judge->db, run, "note", judge->jail, err);
    if (rc == ERR_OK && judge->baseline[0] != '\0')
        rc = db_log(judge->db, run, "baseline", judge->baseline, err);
    snprintf(text, sizeof text,
             "%zu findings; objects: %" PRIu64 " new, %" PRIu64 " moved, %" PRIu64
             " changed, %" PRIu64 " same, %" PRIu64 " gone, %" PRIu64 " unknown",
             judge->findings.count, changes[DIFF_NEW], changes[DIFF_MOVED], changes[DIFF_CHANGED],
             changes[DIFF_SAME], changes[DIFF_GONE], changes[DIFF_UNKNOWN]);
    if (rc == ERR_OK)
        rc = db_log(judge->db, run, "note", text, err);
    if (rc == ERR_OK)
        rc = record_partly(judge, run, err);
    if (rc == ERR_OK)
        rc = all ? db_log(judge->db, run, "end", "done", err)
                 : db_log(judge->db, run, run_status(ERR_INTERRUPTED),
                          "its time was over before all rules were asked", err);
    return rc;
}

enum err_code judge_record(struct judge *judge, struct err *err)
{
    const bool all = judge->counts->searched && judge->counts->tried;
    int64_t run = 0;
    enum err_code rc = db_begin(judge->db, err);

    if (rc == ERR_OK)
        rc = record_run(judge, &run, err);
    if (rc == ERR_OK)
        rc = record_findings(judge, run, err);
    if (rc == ERR_OK)
        rc = record_log(judge, all, run, err);
    if (rc == ERR_OK)
        rc = db_run_finish(judge->db, run, run_status(all ? ERR_OK : ERR_INTERRUPTED), err);
    if (rc == ERR_OK)
        return db_commit(judge->db, err);
    db_rollback(judge->db);
    return rc;
}
