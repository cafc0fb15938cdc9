/* SPDX-License-Identifier: Apache-2.0
 * carver/audit/findings.c - see findings.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "carver/audit/findings.h"

enum { FINDINGS_ROOM = 256 };

static int findings_by_what(const void *left, const void *right)
{
    const struct finding *a = left, *b = right;
    int order = strcmp(a->rule, b->rule);

    if (order == 0 && a->image_id != b->image_id)
        order = a->image_id < b->image_id ? -1 : 1;
    if (order == 0)
        order = strcmp(a->fingerprint, b->fingerprint);
    if (order == 0 && a->offset != b->offset)
        order = a->offset < b->offset ? -1 : 1;
    return order;
}

static int findings_by_place(const void *left, const void *right)
{
    const struct finding *a = left, *b = right;
    int order = strcmp(a->rule, b->rule);

    if (order == 0 && a->image_id != b->image_id)
        order = a->image_id < b->image_id ? -1 : 1;
    if (order == 0 && a->offset != b->offset)
        order = a->offset < b->offset ? -1 : 1;
    return order != 0 ? order : strcmp(a->fingerprint, b->fingerprint);
}

/* Makes one of those that are the same. */
static void findings_merge(struct findings *findings)
{
    size_t kept = 0;

    if (findings->count == 0)
        return;
    qsort(findings->items, findings->count, sizeof *findings->items, findings_by_what);
    for (size_t i = 1; i < findings->count; i++) {
        struct finding *last = &findings->items[kept], *next = &findings->items[i];

        if (strcmp(last->rule, next->rule) == 0 && last->image_id == next->image_id &&
            strcmp(last->fingerprint, next->fingerprint) == 0)
            last->places += next->places;
        else
            findings->items[++kept] = *next;
    }
    findings->count = kept + 1;
}

enum err_code findings_add(struct findings *findings, const struct finding *finding,
                           struct err *err)
{
    if (findings->count == findings->room)
        findings_merge(findings);
    if (2 * findings->count >= findings->room && findings->room < 2 * (size_t)FINDINGS_MAX) {
        const size_t room = findings->room == 0 ? FINDINGS_ROOM : 2 * findings->room;
        struct finding *items = realloc(findings->items, room * sizeof *items);

        if (items == NULL)
            return ERR_NO_MEMORY(err, room * sizeof *items);
        findings->items = items;
        findings->room = room;
    }
    if (findings->count < findings->room)
        findings->items[findings->count++] = *finding;
    else
        findings->left_out++;
    return ERR_OK;
}

void findings_settle(struct findings *findings)
{
    findings_merge(findings);
    if (findings->count > 0)
        qsort(findings->items, findings->count, sizeof *findings->items, findings_by_place);
    while (findings->count > FINDINGS_MAX)
        findings->left_out += findings->items[--findings->count].places;
}

void findings_release(struct findings *findings)
{
    free(findings->items);
    *findings = (struct findings){ 0 };
}

struct findings_walk {
    struct findings *findings;
    bool gone;
};

static enum err_code findings_row(void *arg, const struct db_finding *row, struct err *err)
{
    const struct findings_walk *walk = arg;
    struct finding finding = { .severity = POLICY_CRITICAL,
                               .image_id = row->image_id,
                               .object_id = row->object_id,
                               .offset = row->offset,
                               .len = row->len,
                               .places = row->places };

    if (!walk->gone && strcmp(row->change, diff_word(DIFF_GONE)) == 0)
        return ERR_OK;
    for (uint32_t i = 0; i < POLICY_SEVERITIES; i++)
        if (strcmp(row->severity, policy_severity_name((enum policy_severity)i)) == 0)
            finding.severity = (enum policy_severity)i;
    for (uint32_t i = 0; i < DIFF_CHANGES; i++)
        if (strcmp(row->change, diff_word((enum diff_change)i)) == 0)
            finding.change = (enum diff_change)i;
    snprintf(finding.rule, sizeof finding.rule, "%s", row->rule);
    snprintf(finding.fingerprint, sizeof finding.fingerprint, "%s", row->fingerprint);
    snprintf(finding.excerpt, sizeof finding.excerpt, "%s", row->excerpt);
    snprintf(finding.allowed, sizeof finding.allowed, "%s", row->allowed);
    return findings_add(walk->findings, &finding, err);
}

enum err_code findings_load(struct findings *findings, struct db_case *db, bool gone,
                            struct err *err)
{
    struct findings_walk walk = { findings, gone };

    return db_findings_walk(db, 0, findings_row, &walk, err);
}
