/* SPDX-License-Identifier: Apache-2.0
 * tests/signatures/harness.c - see harness.h. */
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "tests/signatures/harness.h"

static const uint8_t *harness_view(struct sig_source *source, uint64_t at, uint32_t want,
                                   uint32_t *have)
{
    struct harness_source *mine = (struct harness_source *)source;

    mine->views++;
    free(mine->copy);
    mine->copy = NULL;
    if (at >= mine->front || want > mine->front - at)
        return NULL;
    uint64_t room = mine->front - at;
    if (mine->span != 0 && room > mine->span)
        room = want > mine->span ? want : mine->span;
    if (room > SIG_BYTES_MAX)
        room = SIG_BYTES_MAX;
    mine->copy = malloc(room);
    if (mine->copy == NULL)
        abort();
    memcpy(mine->copy, mine->bytes + at, room);
    *have = (uint32_t)room;
    return mine->copy;
}

void harness_begin(struct harness *run, const struct sig *sig, const uint8_t *bytes, size_t len)
{
    *run = (struct harness){ .source = { .source = { harness_view }, .bytes = bytes } };
    run->in = (struct sig_input){ .source = &run->source.source,
                                  .sig = sig,
                                  .type = &sig->types[0],
                                  .limit = len < sig->size_max ? len : sig->size_max };
    const size_t size = sig_state_size(sig, true), clean = sig_state_clean(sig);

    run->state = calloc(1, size + 1);
    if (run->state == NULL)
        abort();
    /* What need not be zeros is anything but. */
    memset((uint8_t *)run->state + clean, 0xa5, size - clean);
}

/* Calls the validator once; notes its claims. */
static void harness_call(struct harness *run)
{
    const struct sig *sig = run->in.sig;

    run->out.result = sig_check(sig, &run->in, run->state);
    if (run->in.misused) {
        fprintf(stderr, "%s: asks for no byte, or for more than may be asked for\n", sig->name);
        abort();
    }
    if (run->in.sure > run->in.reached && run->out.result.verdict != SIG_COMPLETE) {
        fprintf(stderr, "%s: is sure of bytes that it has not read\n", sig->name);
        abort();
    }
    for (uint32_t i = 0; i < run->in.claim_count; i++)
        run->out.claims += run->in.claims[i] * 0x9e3779b97f4a7c15u ^ run->in.claims[i];
    run->out.claim_count += run->in.claim_count;
    run->in.claim_count = 0;
    run->out.type = run->in.type;
    run->out.sure = run->in.sure;
    run->out.open_count = run->in.open_count;
    memcpy(run->out.open, run->in.open, sizeof run->out.open);
    run->out.views = run->source.views;
}

bool harness_go(struct harness *run, uint64_t front)
{
    run->source.front = front;
    do {
        harness_call(run);
        if (run->out.result.verdict != SIG_MORE)
            return true;
    } while (run->out.result.len == 0);
    if (run->out.result.len <= front || run->out.result.len > run->in.limit) {
        fprintf(stderr,
                "%s: asks for %" PRIu64 " bytes of %" PRIu64 " with %" PRIu64 " there (%s)\n",
                run->in.sig->name, run->out.result.len, run->in.limit, front, run->out.result.why);
        abort();
    }
    return false;
}

void harness_end(struct harness *run)
{
    free(run->source.copy);
    free(run->state);
}

/* How an object is run. */
struct harness_way {
    size_t step;
    uint32_t span, sharers;
    bool thorough;
};

static struct harness_verdict harness_run_way(const struct sig *sig, const uint8_t *bytes,
                                              size_t len, struct harness_way way)
{
    struct harness run;
    uint64_t front = way.step == 0 ? len : 0;

    harness_begin(&run, sig, bytes, len);
    run.source.span = way.span;
    run.in.sharers = way.sharers;
    run.in.thorough = way.thorough;
    while (!harness_go(&run, front)) {
        while (front < run.out.result.len)
            front += way.step;
        if (front > len)
            front = len;
    }
    harness_end(&run);
    return run.out;
}

struct harness_verdict harness_run(const struct sig *sig, const uint8_t *bytes, size_t len,
                                   size_t step, uint32_t span)
{
    return harness_run_way(sig, bytes, len, (struct harness_way){ .step = step, .span = span });
}

struct harness_verdict harness_run_shared(const struct sig *sig, const uint8_t *bytes, size_t len,
                                          uint32_t sharers)
{
    return harness_run_way(sig, bytes, len, (struct harness_way){ .sharers = sharers });
}

struct harness_verdict harness_run_thorough(const struct sig *sig, const uint8_t *bytes, size_t len)
{
    return harness_run_way(sig, bytes, len, (struct harness_way){ .thorough = true });
}

/* Whether a value is UTF-8 without control characters, and has no blanks at its ends. */
static bool harness_text(const char *text)
{
    const size_t len = strlen(text);
    uint32_t code = 0;

    if (len == 0 || len > SIG_FACT_LEN || text[0] == ' ' || text[len - 1] == ' ')
        return false;
    for (size_t at = 0, step; at < len; at += step) {
        step = utf8_sequence(text + at, len - at, &code);
        if (step == 0 || code < ' ' || (code >= 0x7f && code < 0xa0))
            return false;
    }
    return true;
}

struct sig_facts *harness_facts(const struct sig *sig, const struct sig_type *type,
                                const uint8_t *bytes, size_t len)
{
    struct harness_source source = {
        .source = { harness_view }, .bytes = bytes, .front = len, .span = 1
    };
    struct sig_facts *facts = aligned_alloc(_Alignof(struct sig_facts), sizeof *facts);

    if (facts == NULL)
        abort();
    memset(facts, 0xa5, sizeof *facts);
    sig_facts_read(sig, type != NULL ? type : &sig->types[0], &source.source, 0, len, facts);
    free(source.copy);
    bool right = facts->count <= SIG_FACTS_MAX;
    for (uint32_t i = 0; i < facts->count && right; i++) {
        const struct sig_fact *fact = &facts->items[i];

        right = fact->key < SIG_FACT_KEYS && fact->reach <= len && harness_text(fact->text);
        for (uint32_t k = 0; k < i && right; k++)
            right = facts->items[k].key != fact->key;
    }
    if (!right) {
        fprintf(stderr, "%s: facts that cannot be\n", sig->name);
        abort();
    }
    return facts;
}

void harness_compare(const struct sig *sig, const struct harness_verdict *a,
                     const struct harness_verdict *b, size_t step)
{
    /* What is open is told of a whole file: until then it is that of the bytes read so far. */
    const bool same_open =
        a->result.verdict != SIG_COMPLETE ||
        (a->open_count == b->open_count && memcmp(a->open, b->open, sizeof a->open) == 0);

    if (a->result.verdict == b->result.verdict && a->result.len == b->result.len &&
        a->result.proven == b->result.proven && a->type == b->type && a->claims == b->claims &&
        a->claim_count == b->claim_count && a->sure == b->sure && same_open &&
        strcmp(a->result.why, b->result.why) == 0)
        return;
    fprintf(stderr,
            "%s: all at once verdict %d length %" PRIu64 " sure %" PRIu64
            " (%s, %s, %u claims), in steps of %zu verdict %d length %" PRIu64 " sure %" PRIu64
            " (%s, %s, %u claims)\n",
            sig->name, a->result.verdict, a->result.len, a->sure, a->result.why, a->type->name,
            a->claim_count, step, b->result.verdict, b->result.len, b->sure, b->result.why,
            b->type->name, b->claim_count);
    abort();
}

static struct harness_verdict harness_check_way(const struct sig *sig, const uint8_t *bytes,
                                                size_t len, bool thorough)
{
    static const size_t steps[] = { 1, 7, 512, 4096, 65536 };
    enum { ONE_BY_ONE_MAX = 1 << 14, SMALL_STEP_MAX = 1 << 18 };
    struct harness_way way = { .thorough = thorough };
    const struct harness_verdict whole = harness_run_way(sig, bytes, len, way);

    for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++) {
        if ((steps[i] == 1 && len > ONE_BY_ONE_MAX) || (steps[i] == 7 && len > SMALL_STEP_MAX))
            continue;
        way.step = steps[i];
        const struct harness_verdict cut = harness_run_way(sig, bytes, len, way);
        harness_compare(sig, &whole, &cut, steps[i]);
    }
    way.step = 0;
    way.span = 5;
    const struct harness_verdict narrow = harness_run_way(sig, bytes, len, way);
    harness_compare(sig, &whole, &narrow, 0);
    return whole;
}

struct harness_verdict harness_check(const struct sig *sig, const uint8_t *bytes, size_t len)
{
    harness_check_way(sig, bytes, len, true);
    return harness_check_way(sig, bytes, len, false);
}

int harness_header_matches(const struct sig *sig, const uint8_t *bytes, size_t len)
{
    for (uint32_t i = 0; i < SIG_HEADERS_MAX && sig->headers[i].len != 0; i++) {
        const struct sig_pattern *p = &sig->headers[i];
        int same = p->at <= len && p->len <= len - p->at;

        for (uint32_t k = 0; same && k < p->len; k++) {
            const uint8_t mask = p->mask == NULL ? 0xff : (uint8_t)p->mask[k];
            uint8_t differ = (uint8_t)((bytes[p->at + k] ^ (uint8_t)p->bytes[k]) & mask);

            if (differ == 0x20 && (sig->flags & SIG_NO_CASE) != 0 &&
                isalpha((uint8_t)p->bytes[k]) != 0)
                differ = 0;
            same = differ == 0;
        }
        if (same)
            return 1;
    }
    return (sig->flags & SIG_NO_HEADER) != 0;
}

const struct sig *harness_sig(const char *name)
{
    uint32_t count;
    const struct sig *const *all = sig_builtin(&count);

    for (uint32_t i = 0; i < count; i++)
        if (strcmp(all[i]->name, name) == 0)
            return all[i];
    fprintf(stderr, "no built-in signature %s\n", name);
    abort();
}
