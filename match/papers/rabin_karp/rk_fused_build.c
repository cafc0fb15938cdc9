/* SPDX-License-Identifier: Apache-2.0
 * match/papers/rabin_karp/rk_fused_build.c - groups, filters and tables of rk_fused.h, in one piece
 * of memory as it will be on the device. */
#include <stdlib.h>

#include "match/papers/rabin_karp/rk_fused.h"
#include "match/papers/rabin_karp/rk_program.h"

static_assert((uint32_t)RK_Q == (uint32_t)RK_PRIME_Q, "one prime");

enum {
    BUILD_SHIFTS = RK_FUSED_LETTER,                 /* windows of a pattern in a group of words */
    BUILD_RUN = RK_FUSED_WINDOW + BUILD_SHIFTS - 1, /* bytes of a run that matter */
    BUILD_KINDS =
        2 * (BUILD_RUN + 1), /* of runs: by length, plain and with letters of either case */
    BUILD_FEW = 8,           /* groups up to which windows are as long as they can be */
    BUILD_RARE = 6,          /* a window of words passes by chance once in 2^6 or less */
    BUILD_SPARSE = 4,        /* words of a near filter for each entry */
    BUILD_FAR_SPARSE = 2,    /* of one in device memory */
    BUILD_FAR_BITS = 20,     /* its words at most, as a power of two */
};

struct build_kind {
    uint32_t count, letters; /* patterns; different bytes in their runs */
    bool seen[256];
    uint32_t way, window;
    uint32_t group;
};

struct build_draft {
    uint32_t group, sum;
    struct rk_fused_entry entry;
};

struct build {
    struct match_literals literals;
    struct build_kind kinds[BUILD_KINDS];
    struct build_draft *drafts; /* sorted by group, then sum */
    uint32_t draft_count;
    bool prime;
    uint32_t base;
    struct rk_fused_head head;
};

/* The least b with 2^b >= x. */
static uint32_t build_bits(uint32_t x)
{
    uint32_t bits = 0;

    while (bits < 31 && 1u << bits < x)
        bits++;
    return bits;
}

static struct match_run build_run(const struct match_literal *literal)
{
    return match_literal_run(literal, BUILD_RUN);
}

static uint32_t build_kind_of(struct match_run run)
{
    return run.len + (run.letters ? BUILD_RUN + 1u : 0);
}

static void build_count_kinds(struct build *b)
{
    for (uint32_t i = 0; i < b->literals.count; i++) {
        const struct match_literal *literal = &b->literals.items[i];
        const struct match_run run = build_run(literal);
        struct build_kind *kind = &b->kinds[build_kind_of(run)];

        kind->count++;
        for (uint32_t k = run.at; k < run.at + run.len; k++) {
            bool *seen = &kind->seen[literal->bytes[k] | (run.letters ? 0x20 : 0)];

            kind->letters += *seen ? 0 : 1;
            *seen = true;
        }
    }
}

/* Words where their windows are rare: by as many bits as the different letters of the patterns can
 * tell apart. */
static void build_choose_way(const struct build *b, struct build_kind *kind, uint32_t len)
{
    const uint32_t words = len < BUILD_SHIFTS ? 0 : (len - BUILD_SHIFTS + 1) / RK_FUSED_LETTER;
    const uint32_t bits =
        build_bits(kind->letters + 1) - (kind->letters > 0 ? 1 : 0); /* of a letter, down */

    kind->way = b->prime ? RK_FUSED_PRIME : RK_FUSED_BYTES;
    kind->window = len < RK_FUSED_WINDOW ? len : RK_FUSED_WINDOW;
    if (b->prime ||
        bits * words * RK_FUSED_LETTER < build_bits(BUILD_SHIFTS * kind->count) + BUILD_RARE)
        return;
    kind->way = RK_FUSED_WORDS;
    kind->window = words * RK_FUSED_LETTER;
}

/* Down to a power of two, so that groups become few. */
static void build_round(struct build_kind *kind)
{
    const uint32_t bits = build_bits(kind->window + 1);

    kind->window = bits == 0 ? kind->window : 1u << (bits - 1);
}

static uint32_t build_power(uint32_t base, uint32_t exponent, bool prime)
{
    uint32_t power = 1;

    for (uint32_t i = 0; i < exponent; i++)
        power = prime ? power * base % RK_Q : power * base;
    return power;
}

/* Gives each kind of run its group; how many groups there are, also past what there is room for. */
static uint32_t build_groups(struct build *b)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < BUILD_KINDS; i++) {
        struct build_kind *kind = &b->kinds[i];
        const uint32_t fold = i > BUILD_RUN ? 0x20202020 : 0;
        uint32_t g = 0;

        if (kind->count == 0 || i % (BUILD_RUN + 1) == 0)
            continue;
        while (g < count &&
               (b->head.groups[g].way != kind->way || b->head.groups[g].window != kind->window ||
                b->head.groups[g].fold != fold))
            g++;
        kind->group = g;
        if (g < count)
            continue;
        if (count == RK_FUSED_GROUPS)
            return count + 1;
        const bool prime = kind->way == RK_FUSED_PRIME;
        const uint32_t base = prime ? b->base : RK_FUSED_BASE;
        const uint32_t letters =
            kind->way == RK_FUSED_WORDS ? kind->window / RK_FUSED_LETTER : kind->window;
        const uint32_t power = build_power(base, letters, prime);
        b->head.groups[count++] =
            (struct rk_fused_group){ .way = kind->way,
                                     .window = kind->window,
                                     .fold = fold,
                                     .base = base,
                                     .drop = prime ? RK_Q - power : 0u - power };
    }
    return count;
}

static void build_choose(struct build *b)
{
    build_count_kinds(b);
    for (uint32_t i = 0; i < BUILD_KINDS; i++)
        build_choose_way(b, &b->kinds[i], i % (BUILD_RUN + 1));
    b->head.group_count = build_groups(b);
    if (b->head.group_count <= BUILD_FEW)
        return;
    for (uint32_t i = 0; i < BUILD_KINDS; i++)
        build_round(&b->kinds[i]);
    b->head.group_count = build_groups(b);
}

static int build_order(const void *a, const void *b)
{
    const struct build_draft *x = a, *y = b;

    if (x->group != y->group)
        return x->group < y->group ? -1 : 1;
    return x->sum < y->sum ? -1 : x->sum > y->sum;
}

/* The last windows of each run. */
static enum err_code build_drafts(struct build *b, struct err *err)
{
    b->drafts = calloc((size_t)b->literals.count * BUILD_SHIFTS + 1, sizeof *b->drafts);
    if (b->drafts == NULL)
        return ERR_NO_MEMORY(err,
                             ((size_t)b->literals.count * BUILD_SHIFTS + 1) * sizeof *b->drafts);
    for (uint32_t i = 0; i < b->literals.count; i++) {
        const struct match_literal *literal = &b->literals.items[i];
        const struct match_run run = build_run(literal);
        const uint32_t g = b->kinds[build_kind_of(run)].group;
        const struct rk_fused_group *group = &b->head.groups[g];
        const uint32_t shifts = group->way == RK_FUSED_WORDS ? BUILD_SHIFTS : 1;

        for (uint32_t k = 0; run.len > 0 && k < shifts; k++) {
            const uint32_t end = run.at + run.len - k;
            const uint32_t sum = rk_fused_sum(group, literal->bytes + end - group->window);

            b->drafts[b->draft_count++] =
                (struct build_draft){ .group = g,
                                      .sum = rk_fused_hash(group->way, sum),
                                      .entry = { .what = literal->index << 8 | literal->len,
                                                 .end = end } };
        }
        b->head.masked_count += run.len == 0 ? 1 : 0;
    }
    qsort(b->drafts, b->draft_count, sizeof *b->drafts, build_order);
    return ERR_OK;
}

static uint32_t build_place(uint32_t *words, uint32_t count)
{
    const uint32_t at = *words;

    *words += count;
    return at;
}

/* Entries of a group: drafts [first, past) of *first on. */
static uint32_t build_past(const struct build *b, uint32_t group, uint32_t first)
{
    while (first < b->draft_count && b->drafts[first].group == group)
        first++;
    return first;
}

static void build_layout(struct build *b)
{
    struct rk_fused_head *head = &b->head;
    uint32_t counts[RK_FUSED_GROUPS] = { 0 };

    for (uint32_t g = 0, first = 0; g < head->group_count; g++) {
        struct rk_fused_group *group = &head->groups[g];
        const uint32_t past = build_past(b, g, first);

        counts[g] = past - first;
        first = past;
        group->filter_words = 2u << build_bits(counts[g] * BUILD_SPARSE / 2);
        if (group->filter_words > RK_FUSED_OWN / 4 && counts[g] <= RK_FUSED_OWN / 4)
            group->filter_words = RK_FUSED_OWN / 4;
        if (group->way == RK_FUSED_PRIME)
            group->filter_words = RK_FUSED_PRIME_WORDS;
        group->filter_far = group->filter_words * 4 > RK_FUSED_OWN ||
                            (head->near_words + group->filter_words) * 4 > RK_FUSED_SHARED;
        if (!group->filter_far)
            group->filter_at = build_place(&head->near_words, group->filter_words);
    }
    head->words = head->near_words;
    for (uint32_t g = 0; g < head->group_count; g++) {
        struct rk_fused_group *group = &head->groups[g];
        const uint32_t bits = build_bits(counts[g] * BUILD_FAR_SPARSE);

        if (group->filter_far && group->way != RK_FUSED_PRIME)
            group->filter_words = 1u << (bits < BUILD_FAR_BITS ? bits : BUILD_FAR_BITS);
        if (group->filter_far)
            group->filter_at = build_place(&head->words, group->filter_words);
        group->filter_bits = build_bits(group->filter_words);
        group->slot_bits = build_bits(2 * counts[g]);
        group->slot_at = build_place(&head->words, (uint32_t)sizeof(struct rk_fused_slot) / 4
                                                       << group->slot_bits);
        group->entry_at =
            build_place(&head->words, counts[g] * (uint32_t)sizeof(struct rk_fused_entry) / 4);
    }
    head->masked_at = build_place(&head->words, head->masked_count);
}

static void build_set(const struct rk_fused_group *group, uint32_t *filter, uint32_t hash)
{
    const uint32_t step =
        group->way == RK_FUSED_PRIME ? RK_PRIME_Q : 0; /* a remainder that is not the least */
    uint32_t sum = hash;

    do {
        const struct rk_fused_probe probe = rk_fused_probe_of(group->way, group->filter_bits, sum);

        filter[probe.word] |=
            UINT32_C(1) << (31 - (probe.one & 31)) | UINT32_C(1) << (31 - (probe.two & 31));
        sum += step;
    } while (step != 0 && sum < RK_FUSED_PRIME_WORDS * 32);
}

static void build_group(const struct build *b, const struct rk_fused_group *group, uint32_t first,
                        uint32_t past, uint32_t *words)
{
    struct rk_fused_slot *slots = (struct rk_fused_slot *)(void *)(words + group->slot_at);
    struct rk_fused_entry *entries = (struct rk_fused_entry *)(void *)(words + group->entry_at);
    const uint32_t mask = (1u << group->slot_bits) - 1;

    for (uint32_t i = first; i < past; i++) {
        const uint32_t hash = b->drafts[i].sum;
        uint32_t at = rk_fused_mix(hash) >> (32 - group->slot_bits);

        entries[i - first] = b->drafts[i].entry;
        build_set(group, words + group->filter_at, hash);
        while (slots[at].count > 0 && slots[at].hash != hash)
            at = (at + 1) & mask;
        if (slots[at].count == 0)
            slots[at] = (struct rk_fused_slot){ .hash = hash, .first = i - first };
        slots[at].count++;
    }
}

static void build_fill(const struct build *b, uint32_t *words)
{
    uint32_t *masked = words + b->head.masked_at;

    for (uint32_t g = 0, first = 0; g < b->head.group_count; g++) {
        const uint32_t past = build_past(b, g, first);

        build_group(b, &b->head.groups[g], first, past, words);
        first = past;
    }
    for (uint32_t i = 0; i < b->literals.count; i++)
        if (build_run(&b->literals.items[i]).len == 0)
            *masked++ = b->literals.items[i].index << 8 | b->literals.items[i].len;
}

enum err_code rk_fused_build(const struct match_dictionary *dictionary, bool prime, uint32_t base,
                             struct rk_fused_head **out, size_t *size, struct err *err)
{
    struct build *b = calloc(1, sizeof *b);

    *out = NULL;
    if (b == NULL)
        return ERR_NO_MEMORY(err, sizeof *b);
    b->prime = prime;
    b->base = base;
    enum err_code rc = match_literals_open(dictionary, &b->literals, err);
    if (rc == ERR_OK) {
        build_choose(b);
        rc = build_drafts(b, err);
    }
    if (rc == ERR_OK) {
        build_layout(b);
        *size = sizeof b->head + (size_t)b->head.words * 4;
        struct rk_fused_head *head = calloc(1, *size);
        if (head == NULL) {
            rc = ERR_NO_MEMORY(err, *size);
        } else {
            *head = b->head;
            build_fill(b, (uint32_t *)(void *)(head + 1));
        }
        *out = head;
    }
    match_literals_close(&b->literals);
    free(b->drafts);
    free(b);
    return rc;
}
