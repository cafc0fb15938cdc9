/* tests/signatures/harness.c - see harness.h. */
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/signatures/harness.h"

struct harness_source {
    struct sig_source source; /* first: the validator's view of this */
    const uint8_t *bytes;
    uint64_t front; /* bytes visible so far */
    uint32_t span;
    uint8_t *copy; /* the last view */
    uint64_t views;
};

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

static struct harness_verdict harness_run_among(const struct sig *sig, const uint8_t *bytes,
                                                size_t len, size_t step, uint32_t span,
                                                uint32_t sharers)
{
    struct harness_source source = {
        .source = { harness_view }, .bytes = bytes, .front = step == 0 ? len : 0, .span = span
    };
    struct sig_input in = { .source = &source.source,
                            .sig = sig,
                            .type = &sig->types[0],
                            .limit = len < sig->size_max ? len : sig->size_max,
                            .sharers = sharers };
    struct harness_verdict out = { 0 };
    void *state = calloc(1, sig->state_size + 1);

    if (state == NULL)
        abort();
    /* What need not be zeros is anything but. */
    memset((uint8_t *)state + sig_state_clean(sig), 0xa5, sig->state_size - sig_state_clean(sig));
    for (;;) {
        out.result = sig_check(sig, &in, state);
        if (in.misused) {
            fprintf(stderr, "%s: asks for no byte, or for more than may be asked for\n", sig->name);
            abort();
        }
        for (uint32_t i = 0; i < in.claim_count; i++)
            out.claims += in.claims[i] * 0x9e3779b97f4a7c15u ^ in.claims[i];
        out.claim_count += in.claim_count;
        in.claim_count = 0;
        if (out.result.verdict != SIG_MORE)
            break;
        if (out.result.len == 0)
            continue;
        if (out.result.len <= source.front || out.result.len > in.limit) {
            fprintf(stderr, "%s: asks for %" PRIu64 " bytes of %zu with %" PRIu64 " there (%s)\n",
                    sig->name, out.result.len, len, source.front, out.result.why);
            abort();
        }
        while (source.front < out.result.len)
            source.front += step;
        if (source.front > len)
            source.front = len;
    }
    out.type = in.type;
    out.views = source.views;
    free(source.copy);
    free(state);
    return out;
}

struct harness_verdict harness_run(const struct sig *sig, const uint8_t *bytes, size_t len,
                                   size_t step, uint32_t span)
{
    return harness_run_among(sig, bytes, len, step, span, 0);
}

struct harness_verdict harness_run_shared(const struct sig *sig, const uint8_t *bytes, size_t len,
                                          uint32_t sharers)
{
    return harness_run_among(sig, bytes, len, 0, 0, sharers);
}

static void harness_compare(const struct sig *sig, const struct harness_verdict *a,
                            const struct harness_verdict *b, size_t step)
{
    if (a->result.verdict == b->result.verdict && a->result.len == b->result.len &&
        a->result.proven == b->result.proven && a->type == b->type && a->claims == b->claims &&
        a->claim_count == b->claim_count && strcmp(a->result.why, b->result.why) == 0)
        return;
    fprintf(
        stderr,
        "%s: all at once verdict %d length %" PRIu64
        " (%s, %s, %u claims), in steps of %zu verdict %d length %" PRIu64 " (%s, %s, %u claims)\n",
        sig->name, a->result.verdict, a->result.len, a->result.why, a->type->name, a->claim_count,
        step, b->result.verdict, b->result.len, b->result.why, b->type->name, b->claim_count);
    abort();
}

struct harness_verdict harness_check(const struct sig *sig, const uint8_t *bytes, size_t len)
{
    static const size_t steps[] = { 1, 7, 512, 4096, 65536 };
    enum { ONE_BY_ONE_MAX = 1 << 14, SMALL_STEP_MAX = 1 << 18 };
    const struct harness_verdict whole = harness_run(sig, bytes, len, 0, 0);

    for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++) {
        if ((steps[i] == 1 && len > ONE_BY_ONE_MAX) || (steps[i] == 7 && len > SMALL_STEP_MAX))
            continue;
        const struct harness_verdict cut = harness_run(sig, bytes, len, steps[i], 0);
        harness_compare(sig, &whole, &cut, steps[i]);
    }
    const struct harness_verdict narrow = harness_run(sig, bytes, len, 0, 5);
    harness_compare(sig, &whole, &narrow, 0);
    return whole;
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
    return 0;
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
