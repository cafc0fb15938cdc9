/* SPDX-License-Identifier: Apache-2.0
 * carver/audit/judge_search.c - the rules that are looked for in the bytes of images: see judge.h.
 *
 * It goes the way of `burin search`; the values of the hits are looked at while the image is open,
 * and never stored.
 */
#include <stdlib.h>

#include "carver/audit/judge.h"
#include "carver/audit/value.h"
#include "carver/cli/interrupt.h"
#include "carver/keyword/keyword_context.h"
#include "carver/scan/scan.h"
#include "carver/scan/scan_keywords.h"
#include "carver/search/search_report.h"

struct judge_search {
    struct search_report names; /* first: search_report_name takes it for the whole */
    struct judge *judge;
    struct keyword_set keywords;
    uint32_t *rules;              /* [keywords.count] */
    const struct scan_done *done; /* of the image under way */
    struct keyword_context *around;
};

bool judge_searches(const struct policy *policy)
{
    return policy_has(policy, POLICY_PATTERN) || policy_has(policy, POLICY_PACK);
}

static uint32_t search_rule_of_pack(const struct policy *policy, enum feature_pack pack)
{
    uint32_t i = 0;

    while (policy->rules[i].kind != POLICY_PACK || policy->rules[i].pack != pack)
        i++;
    return i;
}

/* Which rule each keyword is of; `firsts` has the first pattern of each rule, and behind `patterns`
 * of them stand those of packs. */
static enum err_code search_rules(struct judge_search *s, const uint32_t *firsts, uint32_t patterns,
                                  struct err *err)
{
    const struct policy *policy = &s->judge->audit->policy;

    s->rules = calloc(s->keywords.count + 1u, sizeof *s->rules);
    if (s->rules == NULL)
        return ERR_NO_MEMORY(err, s->keywords.count * sizeof *s->rules);
    for (uint32_t k = 0, rule = 0; k < s->keywords.count; k++) {
        while (rule + 1 < policy->rule_count && firsts[rule + 1] <= k)
            rule++;
        s->rules[k] = k < patterns ? rule : search_rule_of_pack(policy, s->keywords.items[k].pack);
    }
    return ERR_OK;
}

/* All patterns, then all packs; and which rule each keyword is of. */
static enum err_code search_keywords(struct judge_search *s, struct err *err)
{
    const struct policy *policy = &s->judge->audit->policy;
    uint32_t packs = 0, *firsts = calloc(policy->rule_count + 1u, sizeof *firsts);

    if (firsts == NULL)
        return ERR_NO_MEMORY(err, policy->rule_count * sizeof *firsts);
    enum err_code rc = keyword_set_open("utf-8,utf-16le", false, &s->keywords, err);
    for (uint32_t i = 0; rc == ERR_OK && i < policy->rule_count; i++) {
        const struct policy_rule *rule = &policy->rules[i];

        firsts[i] = s->keywords.count;
        if (rule->kind == POLICY_PATTERN)
            rc = keyword_add_regex(&s->keywords, rule->what[POLICY_PATTERN].text, err);
        else if (rule->kind == POLICY_PACK)
            packs |= 1u << rule->pack;
    }
    const uint32_t patterns = s->keywords.count;
    if (rc == ERR_OK && packs != 0)
        rc = keyword_add_features(&s->keywords, packs, err);
    if (rc == ERR_OK)
        rc = search_rules(s, firsts, patterns, err);
    free(firsts);
    return rc;
}

static enum err_code search_hit(void *arg, const struct db_hit *hit, struct err *err)
{
    struct judge_search *s = arg;
    struct judge *judge = s->judge;
    const uint32_t number = (uint32_t)(hit->signature_id - s->done->ids->signatures[0]);
    const struct keyword *keyword = &s->keywords.items[number];
    const uint32_t index = s->rules[number];
    const struct policy_rule *rule = &judge->audit->policy.rules[index];
    struct finding finding;
    const uint8_t *bytes = NULL;
    char value[VALUE_MAX];
    uint32_t len = 0;

    if (interrupt_requested())
        return ERR_RAISE(err, ERR_INTERRUPTED, "stopped on request while matches were looked at");
    const enum err_code rc = keyword_context_bytes(s->around, hit->offset, hit->len, &bytes, err);
    if (rc != ERR_OK)
        return rc;
    judge->findings.matches[index]++;
    if (!value_of(rule, keyword, bytes, hit->len, value, &len))
        return ERR_OK;
    judge->findings.accepted[index]++;
    judge_finding(judge, rule, value, len, NULL, &finding);
    secret_mask(value, len, rule->mask, finding.excerpt);
    finding.image_id = hit->image_id;
    finding.offset = hit->offset;
    finding.len = hit->len;
    return findings_add(&judge->findings, &finding, err);
}

/* The job's report: the hits of an image. */
static enum err_code search_image(void *arg, const struct scan_done *done, struct err *err)
{
    struct judge_search *s = arg;
    enum err_code rc = keyword_context_open(done->image, &s->keywords, &s->around, err);

    s->done = done;
    if (rc == ERR_OK)
        rc = db_hits_walk(done->db, done->ids->image, done->ids->before, search_hit, s, err);
    keyword_context_close(s->around);
    s->around = NULL;
    return rc;
}

static enum err_code search_run(struct judge_search *s, enum exit_status *status, struct err *err)
{
    const struct audit *audit = s->judge->audit;
    struct scan_how how;
    struct patterns patterns = { 0 };
    enum err_code rc = keyword_patterns(&s->keywords, &patterns, err);

    if (rc == ERR_OK)
        rc = audit_how(audit, &how, err);
    const struct scan_job job = {
        .command = "search",
        .command_line = audit->command_line,
        .how = &how,
        .plan = scan_keywords_plan(&s->keywords, &patterns),
        .pick = { .unallocated = audit->policy.read == POLICY_READ_UNALLOCATED },
        .row_count = s->keywords.count,
        .name = search_report_name,
        .report = search_image,
        .arg = s,
    };
    if (rc == ERR_OK)
        rc = scan_images(&job, status, err);
    patterns_release(&patterns);
    return rc;
}

enum err_code judge_search(struct judge *judge, enum exit_status *status, struct err *err)
{
    struct judge_search s = { .names = { .keywords = &s.keywords }, .judge = judge };
    enum err_code rc = search_keywords(&s, err);

    if (rc == ERR_OK)
        rc = search_run(&s, status, err);
    free(s.rules);
    keyword_set_close(&s.keywords);
    return rc;
}
