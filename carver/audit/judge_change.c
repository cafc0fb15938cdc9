/* SPDX-License-Identifier: Apache-2.0
 * carver/audit/judge_change.c - findings and objects beside those of the run before: see judge.h.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "carver/audit/judge.h"

enum { CHANGE_TEXT_MAX = 128 };

/* The log entry in which a run has noted the run before it; see judge_record.c. */
static const char change_kind[] = "baseline";

/* "run-000011.burin entry 57 HASH": the run before one is what this one has noted. */
static enum err_code change_chain_link(const struct state *state, uint32_t number, struct err *err)
{
    char path[STATE_PATH_MAX], before[STATE_PATH_MAX], head[CHANGE_TEXT_MAX];
    struct db_log_entry note = { 0 }, entry = { 0 };
    struct db_case *db = NULL;
    char *hash = NULL;

    if (!state_run(state, number, path) || !state_run(state, number - 1, before))
        return ERR_OK;
    enum err_code rc = db_case_open(path, DB_READ, &db, err);
    if (rc == ERR_OK)
        rc = db_log_find(db, change_kind, &note, err);
    db_case_close(db);
    db = NULL;
    snprintf(head, sizeof head, "run-%06u.burin entry ", number - 1);
    if (rc != ERR_OK || note.id == 0 || strncmp(note.text, head, strlen(head)) != 0)
        return rc; /* it was compared with another one, or with none */
    const int64_t id = strtoll(note.text + strlen(head), &hash, 10);
    hash += *hash == ' ';
    rc = db_case_open(before, DB_READ, &db, err);
    if (rc == ERR_OK)
        rc = db_log_get(db, id, &entry, err);
    db_case_close(db);
    if (rc == ERR_OK && (entry.id != id || strcmp(entry.hash, hash) != 0))
        rc = ERR_RAISE(err, ERR_INPUT,
                       "%s: entry %" PRId64 " of its log is not the one that %s has noted: it was "
                       "changed or replaced; move both away to go on without them",
                       before, id, path);
    return rc;
}

static enum err_code change_chain(struct judge *judge, struct err *err)
{
    const struct state *state = &judge->audit->state;
    char hash[DB_SHA256_HEX + 1];
    int64_t broken = 0, id = 0;
    enum err_code rc = ERR_OK;

    for (uint32_t n = state->last_number; rc == ERR_OK && n > 1; n--) {
        char path[STATE_PATH_MAX];

        if (!state_run(state, n, path))
            break;
        rc = change_chain_link(state, n, err);
    }
    if (rc == ERR_OK)
        rc = db_log_verify(judge->old, &broken, err);
    if (rc == ERR_OK && broken != 0)
        rc =
            ERR_RAISE(err, ERR_INPUT,
                      "%s: entry %" PRId64 " of its log was changed; move it away to go on without "
                      "it",
                      state->last, broken);
    if (rc == ERR_OK)
        rc = db_log_last(judge->old, &id, hash, err);
    if (rc == ERR_OK)
        snprintf(judge->baseline, sizeof judge->baseline, "run-%06u.burin entry %" PRId64 " %s",
                 state->last_number, id, hash);
    return rc;
}

enum err_code judge_open_baseline(struct judge *judge, struct err *err)
{
    const struct state *state = &judge->audit->state;

    judge->counts->has_baseline = state->last[0] != '\0';
    if (!judge->counts->has_baseline)
        return ERR_OK;
    const enum err_code rc = db_case_open(state->last, DB_READ, &judge->old, err);
    return rc == ERR_OK ? change_chain(judge, err) : rc;
}

/* Findings as things with a content and a place: those of the run before have the numbers of
 * compare's images already. */
static enum err_code change_side(const struct judge *judge, const struct findings *findings,
                                 struct diff_side *side, struct err *err)
{
    const bool before = findings == &judge->before;
    enum err_code rc = ERR_OK;

    for (size_t i = 0; rc == ERR_OK && i < findings->count; i++) {
        const struct finding *finding = &findings->items[i];
        /* Two findings at one place are two: no type is that of another, so none is "changed". */
        struct diff_item item = {
            .image = before ? (uint32_t)finding->image_id
                            : compare_image_number(&judge->compare, 1, finding->image_id),
            .type = (uint32_t)i | (before ? UINT32_C(1) << 31 : 0),
            .offset = finding->offset,
            .len = finding->len,
            .id = (int64_t)i,
        };
        char text[CHANGE_TEXT_MAX];

        snprintf(text, sizeof text, "%s %s", finding->rule, finding->fingerprint);
        diff_key(text, strlen(text), item.key);
        rc = diff_add(side, &item, err);
    }
    return rc;
}

/* Whether the rule was looked for at the place, so that the finding would have been seen. */
static bool change_was_read(void *arg, const struct diff_item *item)
{
    struct judge *judge = arg;
    const struct finding *finding = &judge->before.items[item->id];
    const uint32_t rule = judge_rule(&judge->audit->policy, finding->rule);

    if (rule < POLICY_RULES_MAX) {
        const enum policy_kind kind = judge->audit->policy.rules[rule].kind;

        if (!audit_asked(judge->counts, kind) ||
            (kind == POLICY_YARA && (finding->undecided != 0 || judge->undecided.many)))
            return false;
    }
    return compare_was_read(&judge->compare, item);
}

/* Adds what is there no more, at the place where it was. */
static enum err_code change_add_gone(struct judge *judge, const struct diff_side *old,
                                     struct err *err)
{
    enum err_code rc = ERR_OK;

    for (size_t i = 0; rc == ERR_OK && i < old->count; i++) {
        const struct diff_item *item = &old->items[i];
        struct finding finding = judge->before.items[item->id];

        if (item->change != DIFF_GONE && item->change != DIFF_UNKNOWN)
            continue;
        finding.change = item->change;
        finding.object_id = finding.undecided; /* that of the run before has no row here */
        finding.image_id =
            item->image < judge->compare.image_count ? judge->compare.images[item->image].id[1] : 0;
        judge->counts->gone += item->change == DIFF_GONE && finding.allowed[0] == '\0';
        if (finding.image_id != 0) /* an image of the run before alone has no row to refer to */
            rc = findings_add(&judge->findings, &finding, err);
    }
    return rc;
}

/* What the allow list let pass has never been told: without its entry it is new. */
static void change_set(struct judge *judge, const struct diff_item *item)
{
    struct finding *finding = &judge->findings.items[item->id];
    const bool was_allowed =
        item->change != DIFF_NEW && judge->before.items[item->partner].allowed[0] != '\0';

    finding->change = was_allowed && finding->allowed[0] == '\0' ? DIFF_NEW : item->change;
}

static enum err_code change_findings(struct judge *judge, struct err *err)
{
    struct diff_side old = { 0 }, now = { 0 };
    enum err_code rc = change_side(judge, &judge->before, &old, err);

    if (rc == ERR_OK)
        rc = change_side(judge, &judge->findings, &now, err);
    if (rc == ERR_OK) {
        diff_sides(&old, &now, change_was_read, judge);
        for (size_t i = 0; i < now.count; i++)
            change_set(judge, &now.items[i]);
        rc = change_add_gone(judge, &old, err);
    }
    diff_side_release(&old);
    diff_side_release(&now);
    return rc;
}

static void change_count(struct judge *judge)
{
    struct audit_counts *counts = judge->counts;

    for (size_t i = 0; i < judge->findings.count; i++) {
        const struct finding *finding = &judge->findings.items[i];
        const uint32_t rule = judge_rule(&judge->audit->policy, finding->rule);

        if (finding->change == DIFF_GONE || finding->change == DIFF_UNKNOWN ||
            rule == POLICY_RULES_MAX)
            continue;
        counts->allowed += finding->allowed[0] != '\0';
        counts->found[rule] += finding->allowed[0] == '\0';
        counts->fresh[rule] += finding->allowed[0] == '\0' && finding->change == DIFF_NEW;
    }
    counts->left_out = judge->findings.left_out;
}

/* Adds those of a case file's last audit to those that were there before. */
static enum err_code change_load(struct judge *judge, uint32_t which, struct err *err)
{
    struct findings found = { 0 };
    enum err_code rc = findings_load(&found, judge->compare.db[which], false, err);

    for (size_t i = 0; rc == ERR_OK && i < found.count; i++)
        found.items[i].image_id =
            compare_image_number(&judge->compare, which, found.items[i].image_id);
    if (rc == ERR_OK)
        rc = judge_yara_before(judge, judge->compare.db[which], &found, err);
    for (size_t i = 0; rc == ERR_OK && i < found.count; i++)
        rc = findings_add(&judge->before, &found.items[i], err);
    findings_release(&found);
    return rc;
}

/* Of the run before; and of earlier ones on this case file, which were stopped by their time and
 * have told them already. */
static enum err_code change_load_before(struct judge *judge, struct err *err)
{
    enum err_code rc = judge->old != NULL ? change_load(judge, 0, err) : ERR_OK;

    if (rc == ERR_OK)
        rc = change_load(judge, 1, err);
    findings_settle(&judge->before);
    return rc;
}

enum err_code judge_change(struct judge *judge, struct err *err)
{
    enum err_code rc = compare_open(judge->old, judge->db, &judge->compare, err);

    findings_settle(&judge->findings);
    if (rc == ERR_OK)
        rc = change_load_before(judge, err);
    if (rc == ERR_OK)
        rc = change_findings(judge, err);
    if (rc == ERR_OK && judge->old != NULL)
        rc = compare_objects(&judge->compare, err);
    if (rc == ERR_OK && judge->old != NULL)
        diff_count(&judge->compare.sides[0], &judge->compare.sides[1], judge->counts->changes);
    if (rc != ERR_OK)
        return rc;
    compare_bytes(&judge->compare, &judge->counts->read, &judge->counts->unreadable);
    findings_settle(&judge->findings);
    change_count(judge);
    return ERR_OK;
}
