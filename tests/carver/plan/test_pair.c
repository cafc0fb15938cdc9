/* SPDX-License-Identifier: Apache-2.0
 * tests/carver/plan/test_pair.c - pairing against the semantics written down a second time.
 *
 * Goal: pair.c gives what its header says, in one order, however the hits are cut into calls.
 * Method: random rules and random hits; the reference looks at every header and every footer anew,
 * straight from the words, with no state at all.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "carver/plan/pair.h"

enum { RULES_MAX = 6, HITS_MAX = 600, ROUNDS = 6000 };

struct feed {
    uint64_t offset, tag;
    uint32_t rule, len;
    bool footer;
};

struct output {
    struct pair_range items[HITS_MAX];
    uint32_t count;
};

struct trial {
    struct sig sigs[RULES_MAX];
    const struct sig *rules[RULES_MAX];
    uint32_t rule_count;
    enum sig_compat compat;
    uint64_t begin, end; /* of the range */
    struct feed hits[HITS_MAX];
    uint32_t hit_count;
};

static uint64_t seed = 1;

static uint32_t roll(uint32_t below)
{
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)((seed >> 33) % below);
}

static int by_offset(const void *a, const void *b)
{
    const struct feed *x = a, *y = b;

    if (x->offset != y->offset)
        return x->offset < y->offset ? -1 : 1;
    if (x->rule != y->rule)
        return x->rule < y->rule ? -1 : 1;
    return (int)x->footer - (int)y->footer;
}

static void make_trial(struct trial *t)
{
    static const char text[] = "abcdefgh";
    const uint32_t room = 40 + roll(260), density = 1 + roll(6);

    *t = (struct trial){ .rule_count = 1 + roll(RULES_MAX),
                         .compat = (enum sig_compat)roll(3),
                         .begin = roll(3) * 1000 };
    t->end = t->begin + room;
    for (uint32_t r = 0; r < t->rule_count; r++) {
        struct sig *sig = &t->sigs[r];

        *sig = (struct sig){ .name = "x",
                             .mode = (enum sig_mode)roll(4),
                             .size_max = roll(4) == 0 ? roll(400) : roll(50) };
        sig->headers[0] = (struct sig_pattern){ .bytes = text, .len = 1 + roll(5) };
        if (roll(5) > 0)
            sig->footer = (struct sig_pattern){ .bytes = text, .len = 1 + roll(5) };
        if (roll(3) == 0)
            sig->size_min = roll(30);
        if (t->compat != SIG_COMPAT_FOREMOST && sig->footer.len > 0 && roll(3) == 0)
            sig->flags |= SIG_REGEX_FOOTER;
        if (roll(20) == 0)
            sig->size_max = UINT64_MAX;
        t->rules[r] = sig;
    }
    for (uint64_t at = t->begin; at < t->end; at++)
        for (uint32_t r = 0; r < t->rule_count; r++) {
            const struct sig *sig = &t->sigs[r];
            const uint64_t left = t->end - at;
            const uint32_t foot =
                (sig->flags & SIG_REGEX_FOOTER) != 0 ? 1 + roll(9) : sig->footer.len;

            if (t->hit_count + 2 > HITS_MAX)
                return;
            if (roll(8 * density) == 0 && sig->headers[0].len <= left)
                t->hits[t->hit_count++] =
                    (struct feed){ at, at * 3 + roll(2), r, sig->headers[0].len, false };
            if (foot > 0 && roll(9 * density) == 0 && foot <= left)
                t->hits[t->hit_count++] = (struct feed){ at, 0, r, foot, true };
        }
    qsort(t->hits, t->hit_count, sizeof t->hits[0], by_offset);
    /* The footer's pattern may have the lower number. */
    for (uint32_t i = 1; i < t->hit_count; i++)
        if (t->hits[i].offset == t->hits[i - 1].offset && t->hits[i].rule == t->hits[i - 1].rule &&
            roll(2) == 0) {
            const struct feed swap = t->hits[i];
            t->hits[i] = t->hits[i - 1];
            t->hits[i - 1] = swap;
        }
}

/* ---- the semantics, from the words ---- */

/* What counts as the end of footer i. */
static uint64_t footer_end(const struct trial *t, uint32_t i)
{
    const struct sig *sig = &t->sigs[t->hits[i].rule];

    if (t->compat == SIG_COMPAT_SCALPEL && (sig->flags & SIG_REGEX_FOOTER) != 0)
        return t->hits[i].offset + sig->footer.len + 2; /* "/…/" */
    return t->hits[i].offset + t->hits[i].len;
}

/* Is footer i one that header k looks at? */
static bool counts(const struct trial *t, uint32_t i, uint32_t k)
{
    const struct feed *f = &t->hits[i], *h = &t->hits[k];

    if (!f->footer || f->rule != h->rule || t->sigs[h->rule].footer.len == 0)
        return false;
    if (t->compat != SIG_COMPAT_FOREMOST)
        return f->offset > h->offset;
    return t->sigs[h->rule].mode == SIG_NEXT ? f->offset >= h->offset + h->len
                                             : f->offset >= h->offset;
}

/* Foremost goes on behind a header that it has taken. */
static bool taken(const struct trial *t, uint32_t k)
{
    uint64_t free_from = 0;

    if (t->compat != SIG_COMPAT_FOREMOST)
        return true;
    for (uint32_t i = 0; i <= k; i++) {
        if (t->hits[i].footer || t->hits[i].rule != t->hits[k].rule ||
            t->hits[i].offset < free_from)
            continue;
        if (i == k)
            return true;
        free_from = t->hits[i].offset + t->hits[i].len;
    }
    return false;
}

/* What header k gives: length 0 for nothing. */
static struct pair_range reference(const struct trial *t, uint32_t k)
{
    const struct feed *h = &t->hits[k];
    const struct sig *sig = &t->sigs[h->rule];
    const bool foremost = t->compat == SIG_COMPAT_FOREMOST;
    struct pair_range range = { h->rule, h->tag, h->offset, 0, PAIR_CUT };
    uint32_t first = HITS_MAX, last = HITS_MAX;

    if (!taken(t, k))
        return range;
    for (uint32_t i = 0; i < t->hit_count; i++) {
        if (!counts(t, i, k))
            continue;
        if (first == HITS_MAX)
            first = i;
        if (t->hits[i].offset - h->offset <= sig->size_max)
            last = i;
    }
    if (foremost && sig->mode == SIG_REVERSE)
        return range;
    if (sig->mode == SIG_ASCII) {
        range.how = PAIR_TEXT;
        range.len = h->len;
        return range;
    }
    if (sig->footer.len == 0) {
        range.len = sig->size_max;
    } else if (sig->mode == SIG_FORWARD) {
        if (first != HITS_MAX && footer_end(t, first) - h->offset <= sig->size_max) {
            range.how = PAIR_FOOTER;
            range.len = footer_end(t, first) - h->offset;
        } else if (foremost) {
            range.len = sig->size_max;
        }
    } else if (sig->mode == SIG_NEXT) {
        range.len = sig->size_max;
        if (first != HITS_MAX && t->hits[first].offset - h->offset <= sig->size_max) {
            range.how = PAIR_FOOTER;
            range.len = t->hits[first].offset - h->offset;
        }
    } else if (last != HITS_MAX) {
        range.how = PAIR_FOOTER;
        range.len = footer_end(t, last) - h->offset;
    }
    if (range.len > t->end - h->offset)
        range.len = t->end - h->offset;
    if (range.len < sig->size_min)
        range.len = 0;
    return range;
}

/* Is footer i in the reach of a header that no earlier footer has ended? */
static bool reference_useful(const struct trial *t, uint32_t i)
{
    for (uint32_t k = 0; k < t->hit_count; k++) {
        const struct sig *sig = &t->sigs[t->hits[k].rule];
        bool ended = false;

        /* Of hits at one offset, only what was fed before can be ended. */
        if (t->hits[k].footer || k > i || !taken(t, k) || !counts(t, i, k) ||
            sig->mode == SIG_ASCII ||
            (t->compat == SIG_COMPAT_FOREMOST && sig->mode == SIG_REVERSE))
            continue;
        for (uint32_t j = 0; j < i; j++)
            ended = ended || (counts(t, j, k) && sig->mode != SIG_REVERSE);
        const uint64_t reach = sig->mode == SIG_FORWARD ? footer_end(t, i) : t->hits[i].offset;
        if (!ended && reach - t->hits[k].offset <= sig->size_max)
            return true;
    }
    return false;
}

/* ---- */

static enum err_code keep(void *arg, const struct pair_range *range, struct err *err)
{
    struct output *out = arg;

    (void)err;
    assert_true(out->count < HITS_MAX);
    out->items[out->count++] = *range;
    return ERR_OK;
}

/* Feeds the hits, with an advance now and then (cuts: one in so many hits; 0: none). */
/* What is open is written down at a front, and another pair goes on with it. */
static void go_on_elsewhere(struct pair **pair, const struct trial *t, uint64_t front,
                            struct output *out)
{
    struct pack pack = { 0 };
    struct err err = { 0 };

    pair_save(*pair, &pack);
    pair_close(*pair);
    assert_int_equal(pair_open(t->rules, t->rule_count, t->compat, keep, out, pair, &err), ERR_OK);
    assert_int_equal(pair_begin(*pair, t->begin, t->end, &err), ERR_OK);
    struct unpack in = { .at = pack.bytes, .end = pack.bytes + pack.len };
    pair_restore(*pair, front, &in);
    assert_true(unpack_whole(&in));
    pack_release(&pack);
}

static void run_pair(struct pair **of, const struct trial *t, uint32_t cuts, bool *useful,
                     struct output *out)
{
    struct pair *pair = *of;
    struct err err = { 0 };

    assert_int_equal(pair_begin(pair, t->begin, t->end, &err), ERR_OK);
    for (uint32_t i = 0; i < t->hit_count; i++) {
        const struct feed *f = &t->hits[i];

        if (cuts > 0 && roll(cuts) == 0) {
            const uint64_t before = i == 0 ? t->begin : t->hits[i - 1].offset;
            const uint64_t front = before + roll((uint32_t)(f->offset - before) + 1);

            assert_int_equal(pair_advance(pair, front, &err), ERR_OK);
            if (front > before && roll(2) == 0)
                go_on_elsewhere(&pair, t, front, out);
        }
        if (f->footer)
            assert_int_equal(pair_footer(pair, f->rule, f->offset, f->len, &useful[i], &err),
                             ERR_OK);
        else
            assert_int_equal(pair_header(pair, f->rule, f->offset, f->len, f->tag, &err), ERR_OK);
    }
    if (cuts > 0)
        assert_int_equal(pair_advance(pair, t->end, &err), ERR_OK);
    assert_int_equal(pair_end(pair, &err), ERR_OK);
    *of = pair;
}

static bool same(const struct pair_range *a, const struct pair_range *b)
{
    return a->rule == b->rule && a->tag == b->tag && a->offset == b->offset && a->len == b->len &&
           a->how == b->how;
}

static void check_trial(const struct trial *t, uint32_t round)
{
    struct output whole = { .count = 0 }, again;
    struct err err = { 0 };
    struct pair *pair;
    bool useful[HITS_MAX] = { false }, useful_again[HITS_MAX];
    uint32_t want = 0;

    assert_int_equal(pair_open(t->rules, t->rule_count, t->compat, keep, &whole, &pair, &err),
                     ERR_OK);
    run_pair(&pair, t, 0, useful, &whole);
    pair_close(pair);
    for (uint32_t k = 0; k < t->hit_count; k++) {
        const struct feed *f = &t->hits[k];

        if (f->footer) {
            if (useful[k] != reference_useful(t, k))
                fail_msg("round %u: footer at %lu of rule %u (mode %d): useful %d", round,
                         f->offset, f->rule, t->sigs[f->rule].mode, useful[k]);
            continue;
        }
        const struct pair_range range = reference(t, k);
        uint32_t found = 0;

        if (range.len == 0)
            continue;
        want++;
        for (uint32_t i = 0; i < whole.count; i++)
            found += same(&whole.items[i], &range);
        if (found != 1)
            fail_msg("round %u: compat %d, mode %d, max %lu: header at %lu: want %lu (%d), found "
                     "%u times",
                     round, t->compat, t->sigs[f->rule].mode, t->sigs[f->rule].size_max, f->offset,
                     range.len, range.how, found);
    }
    if (whole.count != want)
        fail_msg("round %u: %u ranges, want %u", round, whole.count, want);

    /* The same order, cut anyhow, and by a pair that has been used before and left in the middle.
     */
    assert_int_equal(pair_open(t->rules, t->rule_count, t->compat, keep, &again, &pair, &err),
                     ERR_OK);
    for (uint32_t cuts = 1; cuts < 8; cuts += 2) {
        again.count = 0;
        memset(useful_again, 0, sizeof useful_again);
        run_pair(&pair, t, cuts, useful_again, &again);
        assert_int_equal(again.count, whole.count);
        for (uint32_t i = 0; i < whole.count; i++)
            if (!same(&again.items[i], &whole.items[i]))
                fail_msg("round %u: with cuts 1 in %u, range %u is another one", round, cuts, i);
        assert_memory_equal(useful_again, useful, sizeof useful);
        assert_int_equal(pair_begin(pair, t->begin, t->end, &err), ERR_OK);
        if (t->begin < t->end)
            assert_int_equal(pair_header(pair, 0, t->begin, 1, 7, &err), ERR_OK);
    }
    pair_close(pair);
}

static void random_hits_give_what_the_words_say(void **state)
{
    struct trial *t = malloc(sizeof *t);

    (void)state;
    for (uint32_t round = 0; round < ROUNDS; round++) {
        make_trial(t);
        check_trial(t, round);
    }
    free(t);
}

struct totals {
    uint64_t count, bytes, last, interrupt_after;
    uint32_t last_rule;
};

static enum err_code total(void *arg, const struct pair_range *range, struct err *err)
{
    struct totals *totals = arg;

    assert_true(range->offset >= totals->last);
    assert_true(totals->count == 0 || range->offset > totals->last ||
                range->rule > totals->last_rule);
    assert_int_equal(range->tag, range->offset ^ 0x5a5a);
    totals->last_rule = range->rule;
    totals->last = range->offset;
    totals->count++;
    totals->bytes += range->len;
    if (totals->count == totals->interrupt_after)
        return ERR_RAISE(err, ERR_ENV, "no room");
    return ERR_OK;
}

static void an_image_of_nothing_but_headers(void **state)
{
    enum { HEADERS = 3000000 };
    static const enum sig_mode mode_of[] = { SIG_FORWARD, SIG_NEXT, SIG_REVERSE };

    (void)state;
    for (uint32_t m = 0; m < 3; m++) {
        const struct sig sig = { .name = "x",
                                 .mode = mode_of[m],
                                 .headers = { { .bytes = "ab", .len = 2 } },
                                 .footer = { .bytes = "ef", .len = 2 },
                                 .size_max = 500000000 };
        const struct sig *const rules[] = { &sig };
        struct totals totals = { 0 };
        struct pair *pair;
        struct err err = { 0 };
        uint64_t at = 0, sum = 0;
        bool useful;

        assert_int_equal(pair_open(rules, 1, SIG_COMPAT_NONE, total, &totals, &pair, &err), ERR_OK);
        assert_int_equal(pair_begin(pair, 0, INT64_MAX, &err), ERR_OK);
        for (uint32_t i = 0; i < HEADERS; i++) {
            assert_int_equal(pair_header(pair, 0, at, 2, at ^ 0x5a5a, &err), ERR_OK);
            sum += at;
            at += i < HEADERS / 2 ? 4 : 2 + roll(9); /* runs, then none */
        }
        assert_int_equal(totals.count, 0);
        assert_int_equal(pair_footer(pair, 0, at, 2, &useful, &err), ERR_OK);
        assert_true(useful);
        assert_int_equal(pair_end(pair, &err), ERR_OK);
        assert_int_equal(totals.count, HEADERS);
        assert_int_equal(totals.bytes, (mode_of[m] == SIG_NEXT ? at : at + 2) * HEADERS - sum);
        pair_close(pair);
    }
}

static void many_rules_with_one_open_header_each(void **state)
{
    enum { RULES = 50000 };
    struct sig *sigs = calloc(RULES, sizeof *sigs);
    const struct sig **rules = calloc(RULES, sizeof *rules);
    struct totals totals = { 0 };
    struct pair *pair;
    struct err err = { 0 };

    (void)state;
    for (uint32_t i = 0; i < RULES; i++) {
        sigs[i] = (struct sig){ .name = "x",
                                .mode = SIG_NEXT,
                                .headers = { { .bytes = "ab", .len = 2 } },
                                .footer = { .bytes = "ef", .len = 2 },
                                .size_max = 1000000 };
        rules[i] = &sigs[i];
    }
    assert_int_equal(pair_open(rules, RULES, SIG_COMPAT_NONE, total, &totals, &pair, &err), ERR_OK);
    assert_int_equal(pair_begin(pair, 0, 10000000, &err), ERR_OK);
    for (uint64_t at = 0; at < 4; at++) /* the rules in another order than their numbers */
        for (uint32_t i = 0; i < RULES; i++)
            for (uint64_t twice = 0; twice < 2;
                 twice++) /* two patterns of a rule may stand at one place */
                assert_int_equal(
                    pair_header(pair, i * 7919 % RULES, at, 2, (at ^ 0x5a5a) + twice, &err),
                    ERR_OK);
    assert_int_equal(pair_advance(pair, 1000000, &err), ERR_OK);
    assert_int_equal(totals.count, 0);
    assert_int_equal(pair_advance(pair, 1000001, &err), ERR_OK);
    assert_int_equal(totals.count, RULES);
    assert_int_equal(pair_end(pair, &err), ERR_OK);
    assert_int_equal(totals.count, 4 * RULES);
    assert_int_equal(totals.bytes, 4 * RULES * UINT64_C(1000000));
    pair_close(pair);
    free(sigs);
    free(rules);
}

static void memory_has_an_end_and_it_is_told(void **state)
{
    const struct sig sig = { .name = "dense",
                             .line = 12,
                             .mode = SIG_FORWARD,
                             .headers = { { .bytes = "ab", .len = 2 } },
                             .footer = { .bytes = "ef", .len = 2 },
                             .size_max = UINT64_MAX };
    const struct sig *const rules[] = { &sig };
    struct totals totals = { 0 };
    struct pair *pair;
    struct err err = { 0 };
    enum err_code rc = ERR_OK;
    uint64_t count = 0;

    (void)state;
    assert_int_equal(pair_open(rules, 1, SIG_COMPAT_NONE, total, &totals, &pair, &err), ERR_OK);
    assert_int_equal(pair_begin(pair, 0, INT64_MAX, &err), ERR_OK);
    for (uint64_t at = 0; rc == ERR_OK && count <= PAIR_MEMORY_MAX;
         at += UINT64_C(1) << (35 + roll(3)), count++)
        rc = pair_header(pair, 0, at, 2, (uint64_t)roll(UINT32_MAX) << 33, &err);
    assert_int_equal(rc, ERR_FULL);
    assert_in_range(count, PAIR_MEMORY_MAX / 30, PAIR_MEMORY_MAX / 8);
    assert_non_null(strstr(err.text, "rule \"dense\" (line 12)"));
    pair_close(pair);
}

static void errors_of_the_receiver_come_back(void **state)
{
    const struct sig sig = { .name = "x",
                             .mode = SIG_FORWARD,
                             .headers = { { .bytes = "ab", .len = 2 } },
                             .footer = { .bytes = "ef", .len = 2 },
                             .size_max = 100 };
    const struct sig *const rules[] = { &sig };
    struct totals totals = { .interrupt_after = 2 };
    struct pair *pair;
    struct err err = { 0 };
    bool useful;

    (void)state;
    assert_int_equal(pair_open(rules, 1, SIG_COMPAT_NONE, total, &totals, &pair, &err), ERR_OK);
    assert_int_equal(pair_begin(pair, 5, 4, &err), ERR_ARG);
    assert_int_equal(pair_begin(pair, 0, UINT64_MAX, &err), ERR_ARG);
    assert_int_equal(pair_begin(pair, 0, 1000, &err), ERR_OK);
    for (uint64_t at = 0; at < 4; at++)
        assert_int_equal(pair_header(pair, 0, at, 2, at ^ 0x5a5a, &err), ERR_OK);
    assert_int_equal(pair_footer(pair, 0, 10, 2, &useful, &err), ERR_ENV);
    assert_int_equal(totals.count, 2);
    pair_close(pair);
    pair_close(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_hits_give_what_the_words_say),
        cmocka_unit_test(an_image_of_nothing_but_headers),
        cmocka_unit_test(many_rules_with_one_open_header_each),
        cmocka_unit_test(memory_has_an_end_and_it_is_told),
        cmocka_unit_test(errors_of_the_receiver_come_back),
    };
    return cmocka_run_group_tests_name("pair", tests, NULL, NULL);
}
