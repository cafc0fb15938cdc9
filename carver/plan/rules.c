/* SPDX-License-Identifier: Apache-2.0
 * carver/plan/rules.c - see rules.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "carver/plan/lookback.h"
#include "carver/plan/pair.h"
#include "carver/plan/pair_text.h"
#include "carver/plan/relabel.h"
#include "carver/plan/rules.h"

/* Headers of rules in the present PLAN_CROWD bytes. */
struct rules_crowd {
    uint64_t place; /* number of these bytes, + 1 */
    uint32_t count, rule_count;
    struct {
        uint64_t place;
        uint32_t count;
    } * rules; /* by rule */
};

struct rules {
    struct plan_options options;
    struct lookback lookback; /* of the image, without a segment */
    struct lookback_view view;
    struct record *record;
    struct sums_chain *chain;
    struct pair *pair;
    const struct sig **rules; /* those of the signatures that have no validator */
    uint32_t *rule_sigs;      /* index of a rule -> index of its signature */
    uint32_t *sig_rules;      /* and back */
    uint32_t rule_count;
    struct pair_text *texts; /* by rule: the last text of an ASCII rule */
    struct rules_crowd crowd;
    uint64_t labelled;               /* bytes of the range that validators were asked about */
    uint64_t begin;                  /* of the range */
    uint64_t range_begin, range_end; /* of the run of it that is under way */
    struct plan_totals totals;
};

static enum err_code rules_read(void *image, uint64_t offset, uint8_t *dst, uint32_t len,
                                struct err *err)
{
    return io_salvage_read(image, offset, dst, len, NULL, NULL, err);
}

static const char *rules_range_reason(const struct sig *rule, enum pair_how how)
{
    static const char *const by_mode[] = { [SIG_FORWARD] = "first footer after the header",
                                           [SIG_NEXT] = "up to the next footer",
                                           [SIG_REVERSE] = "last footer within the rule's maximum",
                                           [SIG_ASCII] = "printable text around the header" };

    if (how != PAIR_CUT)
        return by_mode[rule->mode];
    return rule->footer.len == 0 ? "the rule has no footer: cut at its maximum"
                                 : "no footer within the rule's maximum: cut there";
}

/*
 * Rules give objects that lie in one another as deep as there are headers: to ask a validator about
 * each would read the same bytes as often.
 */
static bool rules_may_relabel(struct rules *rules, const struct pair_range *range)
{
    const uint64_t passed = range->offset + range->len - rules->begin;

    if (rules->labelled + range->len > PLAN_LABEL_FREE + PLAN_LABEL_SHARE * passed) {
        rules->totals.unlabelled++;
        return false;
    }
    rules->labelled += range->len;
    return true;
}

static enum err_code rules_paired(void *arg, const struct pair_range *paired, struct err *err)
{
    struct rules *rules = arg;
    struct pair_range text = *paired;
    const struct pair_range *range = &text;
    bool fresh = true;
    const uint32_t sig = rules->rule_sigs[range->rule];
    const struct sig *rule = rules->options.sigs[sig];
    enum err_code rc = ERR_OK;

    if (paired->how == PAIR_TEXT)
        rc =
            pair_text_expand(&rules->texts[paired->rule], rules->range_begin, rules->range_end,
                             rule->size_max, rules_read, rules->lookback.image, &text, &fresh, err);
    struct record_object object = {
        .hit_id = (int64_t)range->tag,
        .sig = sig,
        .type = &rule->types[0],
        .state = range->how == PAIR_CUT ? "truncated" : "footer",
        .offset = range->offset,
        .len = range->len,
    };
    if (rc != ERR_OK || !fresh || !plan_wants(&rules->options, sig, object.type))
        return rc;
    snprintf(object.reason, sizeof object.reason, "%s", rules_range_reason(rule, range->how));
    if (rules->options.label && range->how == PAIR_FOOTER && (rule->flags & SIG_FROM_CONF) != 0 &&
        rules_may_relabel(rules, range))
        rc = relabel_object(&rules->view, &object, err);
    if (rc == ERR_OK)
        rc = sums_chain_record(rules->chain, &object, NULL, NULL, err);
    return rc;
}

static enum err_code rules_split(struct rules *rules, struct err *err)
{
    const uint32_t count = rules->options.sig_count;
    uint32_t own = 0;

    rules->rules = calloc(count + 1u, sizeof *rules->rules);
    rules->rule_sigs = calloc(count + 1u, sizeof *rules->rule_sigs);
    rules->sig_rules = calloc(count + 1u, sizeof *rules->sig_rules);
    rules->texts = calloc(count + 1u, sizeof *rules->texts);
    rules->crowd.rules = calloc(count + 1u, sizeof *rules->crowd.rules);
    if (rules->rules == NULL || rules->rule_sigs == NULL || rules->sig_rules == NULL ||
        rules->texts == NULL || rules->crowd.rules == NULL)
        return ERR_NO_MEMORY(err, count * sizeof *rules->rules);
    for (uint32_t i = 0; i < count; i++) {
        if (rules->options.sigs[i]->check != NULL)
            continue;
        rules->rules[own] = rules->options.sigs[i];
        rules->rule_sigs[own] = i;
        rules->sig_rules[i] = own++;
    }
    rules->rule_count = rules->crowd.rule_count = own;
    return pair_open(rules->rules, own, rules->options.compat, rules_paired, rules, &rules->pair,
                     err);
}

enum err_code rules_open(const struct plan_options *options, struct io_image *image,
                         struct record *record, struct sums_chain *chain, struct rules **out,
                         struct err *err)
{
    struct rules *rules = calloc(1, sizeof *rules);

    *out = NULL;
    if (rules == NULL)
        return ERR_NO_MEMORY(err, sizeof *rules);
    rules->options = *options;
    rules->lookback.image = image;
    rules->record = record;
    rules->chain = chain;
    lookback_view_open(&rules->lookback, &rules->view);
    const enum err_code rc = rules_split(rules, err);
    if (rc == ERR_OK)
        *out = rules;
    else
        rules_close(rules);
    return rc;
}

void rules_close(struct rules *rules)
{
    if (rules == NULL)
        return;
    lookback_view_close(&rules->view);
    pair_close(rules->pair);
    free(rules->rules);
    free(rules->rule_sigs);
    free(rules->sig_rules);
    free(rules->texts);
    free(rules->crowd.rules);
    free(rules);
}

static enum err_code rules_run(struct rules *rules, uint64_t begin, uint64_t end, struct err *err)
{
    rules->range_begin = begin;
    rules->range_end = end;
    rules->lookback.limit = end;
    memset(rules->texts, 0, rules->options.sig_count * sizeof *rules->texts);
    return pair_begin(rules->pair, begin, end, err);
}

enum err_code rules_begin(struct rules *rules, uint64_t begin, uint64_t end, struct err *err)
{
    rules->begin = begin;
    rules->labelled = 0;
    rules->crowd.place = 0;
    for (uint32_t i = 0; i < rules->rule_count; i++)
        rules->crowd.rules[i].place = 0;
    return rules_run(rules, begin, end, err);
}

enum err_code rules_next(struct rules *rules, uint64_t begin, uint64_t end, struct err *err)
{
    const enum err_code rc = pair_end(rules->pair, err);

    return rc == ERR_OK ? rules_run(rules, begin, end, err) : rc;
}

static enum err_code rules_footer(struct rules *rules, uint32_t sig, const struct hit *hit,
                                  int64_t *id, struct err *err)
{
    bool useful;
    enum err_code rc =
        pair_footer(rules->pair, rules->sig_rules[sig], hit->offset, hit->len, &useful, err);

    if (rc == ERR_OK && (useful || rules->options.all_hits))
        rc = record_hit(rules->record, sig, hit->offset, hit->len, true, id, err);
    return rc;
}

/*
 * Whether a header of a rule is one too many. A rule of one byte would make a million objects of
 * one MiB; what is left out is counted. A rule that finds little is not silenced by one that finds
 * much.
 */
static bool rules_crowded(struct rules *rules, uint32_t rule, uint64_t at)
{
    struct rules_crowd *crowd = &rules->crowd;
    const uint64_t place = at / PLAN_CROWD + 1;

    if (crowd->place != place)
        crowd->count = 0;
    if (crowd->rules[rule].place != place)
        crowd->rules[rule].count = 0;
    crowd->place = crowd->rules[rule].place = place;
    if (crowd->count >= PLAN_CROWD_MAX &&
        crowd->rules[rule].count >= PLAN_CROWD_MAX / crowd->rule_count) {
        if (rules->totals.crowded++ == 0)
            rules->totals.crowd_at = at;
        return true;
    }
    crowd->count++;
    crowd->rules[rule].count++;
    return false;
}

enum err_code rules_hit(struct rules *rules, const struct hit *hit, int64_t *id, struct err *err)
{
    const struct pattern_use *use = &rules->options.patterns->uses[hit->pattern];

    *id = 0;
    if (use->footer)
        return rules_footer(rules, use->sig, hit, id, err);
    if (rules_crowded(rules, rules->sig_rules[use->sig], hit->offset))
        return ERR_OK;
    const enum err_code rc =
        record_hit(rules->record, use->sig, hit->offset, hit->len, false, id, err);
    return rc == ERR_OK ? pair_header(rules->pair, rules->sig_rules[use->sig],
                                      hit->offset - use->at, hit->len, (uint64_t)*id, err)
                        : rc;
}

enum err_code rules_front(struct rules *rules, uint64_t front, struct err *err)
{
    return pair_advance(rules->pair, front, err);
}

void rules_save(const struct rules *rules, struct pack *out)
{
    const struct rules_crowd *crowd = &rules->crowd;

    pack_number(out, rules->labelled);
    pack_number(out, crowd->place);
    pack_number(out, crowd->count);
    for (uint32_t i = 0; i < rules->rule_count; i++) {
        pack_number(out, crowd->rules[i].place);
        pack_number(out, crowd->rules[i].count);
        pack_number(out, rules->texts[i].begin);
        pack_number(out, rules->texts[i].end);
    }
    pair_save(rules->pair, out);
    plan_totals_save(&rules->totals, out);
}

void rules_restore(struct rules *rules, uint64_t front, struct unpack *in)
{
    struct rules_crowd *crowd = &rules->crowd;

    rules->labelled = unpack_number(in, INT64_MAX);
    crowd->place = unpack_number(in, UINT64_MAX);
    crowd->count = (uint32_t)unpack_number(in, UINT32_MAX);
    for (uint32_t i = 0; i < rules->rule_count; i++) {
        crowd->rules[i].place = unpack_number(in, UINT64_MAX);
        crowd->rules[i].count = (uint32_t)unpack_number(in, UINT32_MAX);
        rules->texts[i].begin = unpack_number(in, rules->range_end);
        rules->texts[i].end = unpack_number(in, rules->range_end);
    }
    pair_restore(rules->pair, front, in);
    plan_totals_restore(&rules->totals, in);
}

enum err_code rules_end(struct rules *rules, struct err *err)
{
    return pair_end(rules->pair, err);
}

const struct plan_totals *rules_totals(const struct rules *rules)
{
    return &rules->totals;
}
