/* signatures/lib/measure.c - the checker of formats whose length is data alone: a field, a footer,
 * the next header. See sig.h. */
#include <assert.h>

#include "base/bytes.h"
#include "signatures/sig.h"

struct measure_state {
    uint64_t end;   /* where the file ends but for zeros that are trimmed; 0: not known yet */
    uint64_t tried; /* a footer or header looked at below here was none */
};
_Static_assert(sizeof(struct measure_state) <= SIG_MEASURE_STATE, "state of sig_measure");

/* False: the bytes are not there. */
static bool measure_read(struct sig_input *in, const struct sig_field *field, uint64_t *value)
{
    const uint8_t *bytes = sig_bytes(in, field->at, field->width);

    if (bytes == NULL)
        return false;
    *value = 0;
    for (uint32_t i = 0; i < field->width; i++)
        *value |= (uint64_t)bytes[field->big ? field->width - 1u - i : i] << (8 * i);
    return true;
}

static bool measure_matches(struct sig_input *in, uint64_t start, const struct sig_pattern *pattern,
                            bool *wait)
{
    const uint8_t *bytes = sig_bytes(in, sig_add(start, pattern->at), pattern->len);

    *wait = bytes == NULL && in->wanted <= in->limit;
    for (uint32_t i = 0; bytes != NULL && i < pattern->len; i++) {
        const uint8_t mask = pattern->mask == NULL ? 0xff : (uint8_t)pattern->mask[i];

        if (((bytes[i] ^ (uint8_t)pattern->bytes[i]) & mask) != 0)
            return false;
    }
    return bytes != NULL;
}

static struct sig_result measure_footer(struct sig_input *in, struct measure_state *state)
{
    const struct sig_pattern *footer = &in->sig->measured->footer;
    const uint8_t escape = in->sig->measured->escape;
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
    for (uint32_t i = 0; i < in->sig->measured->newlines; i++) {
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
static bool measure_begins(struct sig_input *in, uint64_t at, bool *wait)
{
    *wait = false;
    for (uint32_t i = 0; !*wait && i < SIG_HEADERS_MAX && in->sig->headers[i].len != 0; i++)
        if (measure_matches(in, at, &in->sig->headers[i], wait))
            return true;
    return false;
}

static struct sig_result measure_next(struct sig_input *in, struct measure_state *state)
{
    bool wait = false;

    if (state->tried == 0)
        state->tried = 1;
    while (state->end == 0 && state->tried < in->limit) {
        if (measure_begins(in, state->tried, &wait))
            state->end = state->tried;
        if (wait)
            return sig_short(in);
        state->tried++;
    }
    uint64_t end = state->end == 0 ? in->limit : state->end;
    while (in->sig->measured->trim_zeros && end > in->sig->size_min) {
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

struct sig_result sig_measure(struct sig_input *in, void *memory)
{
    const struct sig_measured *measured = in->sig->measured;
    uint64_t value;

    assert(measured != NULL && in->sig->state_size >= SIG_MEASURE_STATE);
    const int64_t add = measured->add;
    for (uint32_t i = 0; i < SIG_FIELDS_MAX && measured->must[i].width != 0; i++) {
        if (!measure_read(in, &measured->must[i], &value))
            return sig_short(in);
        if (value < measured->must[i].low || value > measured->must[i].high)
            return sig_reject("a header field has an unknown value");
    }
    if (in->valid == 0)
        sig_valid(in, in->sig->size_min < in->limit ? in->sig->size_min : in->limit);
    if (measured->length.width == 0)
        return measured->footer.len != 0 ? measure_footer(in, memory) : measure_next(in, memory);
    if (!measure_read(in, &measured->length, &value))
        return sig_short(in);
    if (value < measured->length.low || value > measured->length.high)
        return sig_reject("invalid length");
    const uint32_t scale = measured->scale == 0 ? 1 : measured->scale;
    value = value > UINT64_MAX / scale ? UINT64_MAX : value * scale;
    if (add < 0 && value < (uint64_t)-add)
        return sig_reject("the length is shorter than the header");
    value = add < 0 ? value - (uint64_t)-add : sig_add(value, (uint64_t)add);
    if (value > in->sig->size_max)
        return sig_reject("the file is longer than the limit for this type");
    return sig_believe(in, value, "the header gives the length");
}
