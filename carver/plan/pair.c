/* SPDX-License-Identifier: Apache-2.0
 * carver/plan/pair.c - see pair.h for what is paired with what.
 *
 * Invariants:
 *  1. Before a hit at offset o is looked at, every open header whose last possible footer start,
 * its deadline h + max, lies below o has been decided. So whatever is open has every footer seen so
 * far in its reach, and for REVERSE only the last footer of a rule has to be kept.
 *  2. Deadlines of one rule ascend, so its queue is in order of deadline, and a heap of rules by
 * (deadline of the first open header, rule) gives the next decision of all rules. That order does
 * not depend on the calls.
 */
#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>

#include "carver/plan/pair.h"
#include "carver/plan/pair_fifo.h"

enum { PAIR_NOT_IN_HEAP = UINT32_MAX };

enum pair_when {
    PAIR_AT_ONCE, /* no footer: decided at the header */
    PAIR_BY_FOOTER,
    PAIR_NEVER, /* foremost's REVERSE */
};

struct pair_rule {
    const struct sig *sig;
    enum pair_when when;
    uint32_t footer_len; /* what counts as the footer's length; 0: the match's own */
    uint64_t gap;        /* a footer counts from h + gap on */
    bool cut;            /* carve max bytes when no footer is in reach */
    uint32_t at;         /* place in the heap */
    struct pair_fifo open;
    bool has_header, has_footer; /* in this range, so far */
    uint64_t header, header_end; /* the last one taken */
    uint64_t footer, footer_end; /* the last one */
};

struct pair {
    struct pair_rule *rules;
    uint32_t rule_count;
    uint32_t *heap; /* rules with open headers */
    uint32_t heap_count;
    enum sig_compat compat;
    pair_emit_fn emit;
    void *arg;
    uint64_t range_end;
    uint64_t front; /* of the hits so far; they may not go back */
    size_t budget;  /* bytes left of PAIR_MEMORY_MAX */
};

static uint64_t pair_deadline(const struct pair *pair, uint32_t rule)
{
    return sig_add(pair->rules[rule].open.head, pair->rules[rule].sig->size_max);
}

static bool pair_before(const struct pair *pair, uint32_t a, uint32_t b)
{
    const uint64_t a_deadline = pair_deadline(pair, a), b_deadline = pair_deadline(pair, b);

    return a_deadline != b_deadline ? a_deadline < b_deadline : a < b;
}

static void pair_heap_put(struct pair *pair, uint32_t at, uint32_t rule)
{
    pair->heap[at] = rule;
    pair->rules[rule].at = at;
}

/* Restores the order after the first open header of the rule at `at` has changed. */
static void pair_heap_move(struct pair *pair, uint32_t at)
{
    const uint32_t rule = pair->heap[at];

    for (; at > 0 && pair_before(pair, rule, pair->heap[(at - 1) / 2]); at = (at - 1) / 2)
        pair_heap_put(pair, at, pair->heap[(at - 1) / 2]);
    for (;;) {
        uint32_t child = 2 * at + 1;

        if (child + 1 < pair->heap_count &&
            pair_before(pair, pair->heap[child + 1], pair->heap[child]))
            child++;
        if (child >= pair->heap_count || pair_before(pair, rule, pair->heap[child]))
            break;
        pair_heap_put(pair, at, pair->heap[child]);
        at = child;
    }
    pair_heap_put(pair, at, rule);
}

/* Puts the rule where it belongs, or takes it out when nothing of it is open. */
static void pair_heap_update(struct pair *pair, uint32_t rule)
{
    struct pair_rule *r = &pair->rules[rule];

    if (r->open.count > 0) {
        if (r->at == PAIR_NOT_IN_HEAP)
            pair_heap_put(pair, pair->heap_count++, rule);
        pair_heap_move(pair, r->at);
    } else if (r->at != PAIR_NOT_IN_HEAP) {
        const uint32_t at = r->at, last = pair->heap[--pair->heap_count];

        r->at = PAIR_NOT_IN_HEAP;
        if (at < pair->heap_count) {
            pair_heap_put(pair, at, last);
            pair_heap_move(pair, at);
        }
    }
}

static enum err_code pair_give(struct pair *pair, uint32_t rule, uint64_t offset, uint64_t tag,
                               uint64_t len, enum pair_how how, struct err *err)
{
    const uint64_t room = pair->range_end - offset;
    const uint64_t clamped = len < room ? len : room;

    if (clamped == 0 || (how != PAIR_TEXT && clamped < pair->rules[rule].sig->size_min))
        return ERR_OK;
    return pair->emit(pair->arg, &(struct pair_range){ rule, tag, offset, clamped, how }, err);
}

/* A header and the footer that ends it under FORWARD or NEXT. */
static enum err_code pair_close_header(struct pair *pair, uint32_t rule, uint64_t header,
                                       uint64_t tag, struct err *err)
{
    const struct pair_rule *r = &pair->rules[rule];
    const uint64_t max = r->sig->size_max;
    const uint64_t len = (r->sig->mode == SIG_NEXT ? r->footer : r->footer_end) - header;

    if (len <= max)
        return pair_give(pair, rule, header, tag, len, PAIR_FOOTER, err);
    return r->cut ? pair_give(pair, rule, header, tag, max, PAIR_CUT, err) : ERR_OK;
}

/* The first open header of the rule can get no further footer. */
static enum err_code pair_expire(struct pair *pair, uint32_t rule, struct err *err)
{
    struct pair_rule *r = &pair->rules[rule];
    const uint64_t header = r->open.head, tag = r->open.head_tag;

    pair_fifo_pop(&r->open, &pair->budget);
    pair_heap_update(pair, rule);
    if (r->sig->mode == SIG_REVERSE && r->has_footer && r->footer > header)
        return pair_give(pair, rule, header, tag, r->footer_end - header, PAIR_FOOTER, err);
    return r->cut ? pair_give(pair, rule, header, tag, r->sig->size_max, PAIR_CUT, err) : ERR_OK;
}

static void pair_rule_init(struct pair_rule *r, const struct sig *sig, enum sig_compat compat)
{
    const bool foremost = compat == SIG_COMPAT_FOREMOST;

    *r = (struct pair_rule){ .sig = sig, .at = PAIR_NOT_IN_HEAP, .when = PAIR_BY_FOOTER, .gap = 1 };
    if (foremost && sig->mode == SIG_REVERSE)
        r->when = PAIR_NEVER;
    else if (sig->mode == SIG_ASCII || sig->footer.len == 0)
        r->when = PAIR_AT_ONCE;
    if (foremost)
        r->gap = sig->mode == SIG_NEXT ? sig->headers[0].len : 0;
    r->cut = sig->mode == SIG_NEXT || (foremost && sig->mode == SIG_FORWARD);
    if (compat == SIG_COMPAT_SCALPEL && (sig->flags & SIG_REGEX_FOOTER) != 0)
        r->footer_len = sig->footer.len + 2;
}

enum err_code pair_open(const struct sig *const *rules, uint32_t rule_count, enum sig_compat compat,
                        pair_emit_fn emit, void *arg, struct pair **out, struct err *err)
{
    struct pair *pair = calloc(1, sizeof *pair);

    *out = NULL;
    if (pair == NULL)
        return ERR_NO_MEMORY(err, sizeof *pair);
    *pair = (struct pair){ .rule_count = rule_count,
                           .compat = compat,
                           .emit = emit,
                           .arg = arg,
                           .budget = PAIR_MEMORY_MAX };
    pair->rules = calloc(rule_count + 1, sizeof *pair->rules);
    pair->heap = calloc(rule_count + 1, sizeof *pair->heap);
    if (pair->rules == NULL || pair->heap == NULL) {
        pair_close(pair);
        return ERR_NO_MEMORY(err, rule_count * sizeof *pair->rules);
    }
    for (uint32_t i = 0; i < rule_count; i++)
        pair_rule_init(&pair->rules[i], rules[i], compat);
    *out = pair;
    return ERR_OK;
}

static void pair_forget(struct pair *pair)
{
    for (uint32_t i = 0; i < pair->rule_count; i++) {
        struct pair_rule *r = &pair->rules[i];

        pair_fifo_release(&r->open, &pair->budget);
        r->at = PAIR_NOT_IN_HEAP;
        r->has_header = r->has_footer = false;
    }
    pair->heap_count = 0;
}

void pair_close(struct pair *pair)
{
    if (pair == NULL)
        return;
    if (pair->rules != NULL)
        pair_forget(pair);
    assert(pair->budget == PAIR_MEMORY_MAX);
    free(pair->rules);
    free(pair->heap);
    free(pair);
}

enum err_code pair_begin(struct pair *pair, uint64_t range_offset, uint64_t range_end,
                         struct err *err)
{
    if (range_offset > range_end || range_end > INT64_MAX)
        return ERR_RAISE(err, ERR_ARG,
                         "invalid range from %" PRIu64 " to %" PRIu64
                         ": its end must not lie before its start, nor above 2^63 - 1",
                         range_offset, range_end);
    pair_forget(pair);
    pair->front = range_offset;
    pair->range_end = range_end;
    return ERR_OK;
}

enum err_code pair_advance(struct pair *pair, uint64_t front, struct err *err)
{
    enum err_code rc = ERR_OK;

    assert(front >= pair->front);
    pair->front = front;
    while (rc == ERR_OK && pair->heap_count > 0 && pair_deadline(pair, pair->heap[0]) < front)
        rc = pair_expire(pair, pair->heap[0], err);
    return rc;
}

enum err_code pair_header(struct pair *pair, uint32_t rule, uint64_t offset, uint32_t len,
                          uint64_t tag, struct err *err)
{
    assert(rule < pair->rule_count && offset < pair->range_end);
    struct pair_rule *r = &pair->rules[rule];
    enum err_code rc = pair_advance(pair, offset, err);

    if (rc != ERR_OK || r->when == PAIR_NEVER || (r->has_header && offset == r->header))
        return rc;
    if (pair->compat == SIG_COMPAT_FOREMOST && r->has_header && offset < r->header_end)
        return ERR_OK;
    r->has_header = true;
    r->header = offset;
    r->header_end = offset + len;
    if (r->sig->mode == SIG_ASCII)
        return pair_give(pair, rule, offset, tag, len, PAIR_TEXT, err);
    if (r->when == PAIR_AT_ONCE)
        return pair_give(pair, rule, offset, tag, r->sig->size_max, PAIR_CUT, err);
    if (r->gap == 0 && r->has_footer &&
        r->footer == offset) /* foremost, and the footer came first */
        return pair_close_header(pair, rule, offset, tag, err);
    if (!pair_fifo_push(&r->open, offset, tag, &pair->budget))
        return ERR_RAISE(
            err, ERR_FULL,
            "rule \"%s\" (line %" PRIu32 ") has %" PRIu64
            " headers without an end at offset %" PRIu64
            ", more than %d MiB can hold; give the rule a smaller maximum size or a longer header",
            r->sig->name, r->sig->line, r->open.count, offset, PAIR_MEMORY_MAX >> 20);
    if (r->open.count == 1)
        pair_heap_update(pair, rule);
    return ERR_OK;
}

enum err_code pair_footer(struct pair *pair, uint32_t rule, uint64_t offset, uint32_t len,
                          bool *useful, struct err *err)
{
    assert(rule < pair->rule_count && offset < pair->range_end);
    struct pair_rule *r = &pair->rules[rule];
    enum err_code rc = pair_advance(pair, offset, err);

    *useful = false;
    if (rc != ERR_OK || r->when != PAIR_BY_FOOTER)
        return rc;
    r->has_footer = true;
    r->footer = offset;
    r->footer_end = offset + (r->footer_len > 0 ? r->footer_len : len);
    if (r->sig->mode == SIG_REVERSE) {
        *useful = r->open.count > 0 && r->open.head < offset;
        return ERR_OK;
    }
    while (rc == ERR_OK && r->open.count > 0 && r->open.head + r->gap <= offset) {
        const uint64_t header = r->open.head, tag = r->open.head_tag;

        pair_fifo_pop(&r->open, &pair->budget);
        *useful = r->sig->mode == SIG_NEXT || r->footer_end - header <= r->sig->size_max;
        rc = pair_close_header(pair, rule, header, tag, err);
    }
    pair_heap_update(pair, rule);
    return rc;
}

void pair_save(const struct pair *pair, struct pack *out)
{
    for (uint32_t i = 0; i < pair->rule_count; i++) {
        const struct pair_rule *r = &pair->rules[i];

        pack_number(out, (uint64_t)r->has_header | (uint64_t)r->has_footer << 1);
        if (r->has_header) {
            pack_number(out, r->header);
            pack_number(out, r->header_end);
        }
        if (r->has_footer) {
            pack_number(out, r->footer);
            pack_number(out, r->footer_end);
        }
        pair_fifo_save(&r->open, out);
    }
}

void pair_restore(struct pair *pair, uint64_t front, struct unpack *in)
{
    pair->front = front;
    for (uint32_t i = 0; !in->failed && i < pair->rule_count; i++) {
        struct pair_rule *r = &pair->rules[i];
        const uint64_t has = unpack_number(in, 3);

        r->has_header = (has & 1) != 0;
        r->has_footer = (has & 2) != 0;
        if (r->has_header) {
            r->header = unpack_number(in, front);
            r->header_end = unpack_number(in, UINT64_MAX);
        }
        if (r->has_footer) {
            r->footer = unpack_number(in, front);
            r->footer_end = unpack_number(in, UINT64_MAX);
        }
        pair_fifo_restore(&r->open, in, front, &pair->budget);
        in->failed = in->failed || (r->open.count > 0 && r->when != PAIR_BY_FOOTER);
        pair_heap_update(pair, i);
    }
}

enum err_code pair_end(struct pair *pair, struct err *err)
{
    enum err_code rc = ERR_OK;

    while (rc == ERR_OK && pair->heap_count > 0)
        rc = pair_expire(pair, pair->heap[0], err);
    return rc;
}
