/* SPDX-License-Identifier: Apache-2.0
 * signatures/lib/by_length.c - the validator of formats whose length is data alone: a field, a
 * footer, the next header. See sig.h. */
#include <assert.h>

#include "base/bytes.h"
#include "signatures/sig.h"

struct by_length_state {
    uint64_t end;   /* where the file ends but for zeros that are trimmed; 0: not known yet */
    uint64_t tried; /* a footer or header looked at below here was none */
};
_Static_assert(sizeof(struct by_length_state) <= SIG_BY_LENGTH_STATE, "state of sig_by_length");

/* False: the bytes are not there. */
static bool by_length_read(struct sig_input *in, const struct sig_field *field, uint64_t *value)
{
    const uint8_t *bytes = sig_bytes(in, field->at, field->width);

    if (bytes == NULL)
        return false;
    *value = 0;
    for (uint32_t i = 0; i < field->width; i++)
        *value |= (uint64_t)bytes[field->big ? field->width - 1u - i : i] << (8 * i);
    return true;
}

static bool by_length_matches(struct sig_input *in, uint64_t start,
                              const struct sig_pattern *pattern, bool *wait)
{
    const uint8_t *bytes = sig_bytes(in, sig_add(start, pattern->at), pattern->len);

    *wait = bytes == NULL && in->wanted <= in->limit;
    return bytes != NULL && sig_pattern_stands(pattern, bytes);
}

static struct sig_result by_length_footer(struct sig_input *in, struct by_length_state *state)
{
    const struct sig_pattern *footer = &in->sig->length_rule->footer;
    const uint8_t escape = in->sig->length_rule->escape;
    uint64_t at;

    assert(footer->mask == NULL);
    for (;;) {
        const enum sig_found found =
            sig_find(in, state->tried, in->limit, footer->bytes, footer->len, &at);

        if (found == SIG_FIND_WAIT)
            return sig_short(in);
        if (found == SIG_FIND_NONE)
            return sig_breaks(in, "there is no end mark within the limit for this type");
        const uint8_t *before = escape != 0 && at > 0 ? sig_bytes(in, at - 1, 1) : NULL;
        if (before == NULL || *before != escape)
            break;
        state->tried = at + 1;
    }
    at += footer->len;
    for (uint32_t i = 0; i < in->sig->length_rule->newlines; i++) {
        const uint8_t *next = at < in->limit ? sig_bytes(in, at, 1) : NULL;

        if (next == NULL && at < in->limit)
            return sig_short(in);
        if (next == NULL || (*next != '\r' && *next != '\n'))
            break;
        at++;
    }
    return sig_complete(in, at, "the header and the end mark are there");
}

/* Whether any header of the signature stands at object offset at. */
static bool by_length_begins(struct sig_input *in, uint64_t at, bool *wait)
{
    *wait = false;
    for (uint32_t i = 0; !*wait && i < SIG_HEADERS_MAX && in->sig->headers[i].len != 0; i++)
        if (by_length_matches(in, at, &in->sig->headers[i], wait))
            return true;
    return false;
}

static struct sig_result by_length_next(struct sig_input *in, struct by_length_state *state)
{
    bool wait = false;

    if (state->tried == 0)
        state->tried = 1;
    while (state->end == 0 && state->tried < in->limit) {
        if (by_length_begins(in, state->tried, &wait))
            state->end = state->tried;
        if (wait)
            return sig_short(in);
        state->tried++;
    }
    uint64_t end = state->end == 0 ? in->limit : state->end;
    while (in->sig->length_rule->trim_zeros && end > in->sig->size_min) {
        const uint8_t *last = sig_bytes(in, end - 1, 1);

        if (last == NULL)
            return sig_short(in);
        if (*last != 0)
            break;
        end--;
    }
    if (state->end == 0) {
        sig_valid(in, end);
        return sig_breaks(in, "there is no other header within the limit for this type");
    }
    return sig_believe(in, end, "the next header follows");
}

struct sig_result sig_by_length(struct sig_input *in, void *memory)
{
    const struct sig_length_rule *length_rule = in->sig->length_rule;
    uint64_t value;

    assert(length_rule != NULL && in->sig->state_size >= SIG_BY_LENGTH_STATE);
    const int64_t add = length_rule->add;
    for (uint32_t i = 0; i < SIG_FIELDS_MAX && length_rule->must[i].width != 0; i++) {
        if (!by_length_read(in, &length_rule->must[i], &value))
            return sig_short(in);
        if (value < length_rule->must[i].low || value > length_rule->must[i].high)
            return sig_reject("a header field has an unknown value");
    }
    if (in->valid == 0)
        sig_valid(in, in->sig->size_min < in->limit ? in->sig->size_min : in->limit);
    if (length_rule->length.width == 0)
        return length_rule->footer.len != 0 ? by_length_footer(in, memory)
                                            : by_length_next(in, memory);
    if (!by_length_read(in, &length_rule->length, &value))
        return sig_short(in);
    if (value < length_rule->length.low || value > length_rule->length.high)
        return sig_reject("invalid length");
    const uint32_t scale = length_rule->scale == 0 ? 1 : length_rule->scale;
    value = value > UINT64_MAX / scale ? UINT64_MAX : value * scale;
    if (add < 0 && value < (uint64_t)-add)
        return sig_reject("the length is shorter than the header");
    value = add < 0 ? value - (uint64_t)-add : sig_add(value, (uint64_t)add);
    if (value > in->sig->size_max)
        return sig_reject("the file is longer than the limit for this type");
    return sig_believe(in, value, "the header gives the length");
}
