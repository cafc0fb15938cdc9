/* SPDX-License-Identifier: Apache-2.0
 * signatures/document/pdf_walk.c - how far a document that breaks is right.
 *
 * From the header on, object by object: each must begin where the one before ends, and a stream
 * must end where its length says. The length may be an object of its own, which usually comes next;
 * until it has been met and agrees, the stream is not counted.
 *
 * A thorough check inflates the streams that are deflated first of all (FlateDecode), up to their
 * Adler-32. What else fills a sector is open: other streams, and long dictionaries and arrays.
 */
#include <string.h>

#include "base/bytes.h"
#include "signatures/document/pdf.h"

enum {
    OBJECT_SHORT = 4096,        /* most objects, or their dictionaries, fit into this */
    OBJECT_MAX = SIG_BYTES_MAX, /* a dictionary that does not fit into this ends the walk */
    STREAM_FIND_MAX = 64 << 20, /* bytes in which "endstream" is looked for */
};

/* Not enum step: where the walk stops nothing need be wrong. */
enum walk { WALK_ON, WALK_STOP, WALK_WAIT, WALK_BAD };

/* Behind white space and comments. */
static uint32_t pdf_walk_skip(const uint8_t *text, uint32_t len)
{
    uint32_t at = pdf_skip_space(text, len, 0);

    while (at < len && text[at] == '%') {
        while (at < len && text[at] != '\n' && text[at] != '\r')
            at++;
        at = pdf_skip_space(text, len, at);
    }
    return at;
}

/* "endobj" behind white space at `at`: moves the walk behind it. */
static enum walk pdf_walk_close(struct sig_input *in, struct pdf_state *state, uint64_t at,
                                const char *first)
{
    uint32_t len;
    const uint8_t *text = pdf_text(in, at, state->stop, 64, &len);

    state->cut = at >= in->limit;
    if (text == NULL)
        return len == 0 ? WALK_STOP : WALK_WAIT;
    uint32_t skip = pdf_skip_space(text, len, 0);
    if (!pdf_word(text, len, skip, first))
        return WALK_STOP;
    skip = pdf_skip_space(text, len, skip + (uint32_t)strlen(first));
    if (!pdf_word(text, len, skip, "endobj"))
        return WALK_STOP;
    state->walk_at = at + skip + 6;
    return WALK_ON;
}

/* Whether the first filter of a stream with this dictionary is deflate. */
static bool pdf_walk_is_flate(const uint8_t *text, uint32_t len)
{
    const uint8_t *filter = memmem(text, len, "/Filter", 7);
    uint32_t at = filter == NULL ? len : pdf_skip_space(text, len, (uint32_t)(filter - text) + 7);

    if (at < len && text[at] == '[')
        at = pdf_skip_space(text, len, at + 1);
    return pdf_word(text, len, at, "/FlateDecode") || pdf_word(text, len, at, "/Fl ");
}

/*
 * Inflates the stream at data_at, which ends before `to`; *end is where. WALK_STOP: it is no such
 * stream, as those of an encrypted document are none.
 */
static enum walk pdf_walk_inflate(struct sig_input *in, struct pdf_state *state, uint64_t data_at,
                                  uint64_t to, uint64_t *end)
{
    struct pdf_deep *deep = (struct pdf_deep *)state;
    const uint8_t *head = state->inflated_at == data_at ? NULL : sig_bytes(in, data_at, 2);

    if (state->inflated_at != data_at) {
        if (head == NULL)
            return in->wanted > in->limit ? WALK_STOP : WALK_WAIT;
        if ((head[0] & 15) != 8 || bytes_u16be(head) % 31 != 0) {
            state->secret = true;
            return WALK_STOP;
        }
        isal_inflate_init(&deep->inflate);
        deep->inflate.crc_flag = ISAL_ZLIB;
        state->inflated_at = data_at;
        state->inflate_at = data_at;
        state->inflated = (struct inflate_got){ 0 };
    }
    const enum step step =
        inflate_range(in, &deep->inflate, &state->inflate_at, to, &state->inflated);
    *end = state->inflate_at;
    return step == STEP_DONE ? WALK_ON : step == STEP_WAIT ? WALK_WAIT : WALK_BAD;
}

/* A stream whose dictionary is text[0..len) and whose data begin at data_at. */
static enum walk pdf_walk_stream(struct sig_input *in, struct pdf_state *state, const uint8_t *text,
                                 uint32_t len, uint64_t data_at)
{
    uint64_t length;
    const bool flate = in->thorough && !state->secret && pdf_walk_is_flate(text, len);
    const bool direct = pdf_key_number(text, len, "/Length", &length);
    uint64_t end = data_at;

    if (flate) {
        const uint64_t to = direct ? sig_add(data_at, length) : UINT64_MAX;
        const enum walk walk = pdf_walk_inflate(in, state, data_at, to, &end);

        if (walk == WALK_ON && !direct)
            return pdf_walk_close(in, state, end, "endstream");
        if (walk == WALK_BAD || walk == WALK_WAIT)
            return walk;
    }
    if (direct) {
        sig_open_field(in, end, sig_add(data_at, length));
        return pdf_walk_close(in, state, sig_add(data_at, length), "endstream");
    }
    if (length == 0 || state->length_object != 0)
        return WALK_STOP;
    in->find_at = 0;
    const enum sig_found found =
        sig_find(in, data_at, sig_add(data_at, STREAM_FIND_MAX), "endstream", 9, &end);
    if (found != SIG_FOUND)
        return found == SIG_FIND_WAIT ? WALK_WAIT : WALK_STOP;
    sig_open_field(in, data_at, end);
    state->length_object = length; /* a reference: its object's number */
    state->length_value = end - data_at;
    return pdf_walk_close(in, state, end, "endstream");
}

static enum walk pdf_walk_object(struct sig_input *in, struct pdf_state *state, uint64_t at,
                                 uint32_t head, uint64_t number)
{
    for (uint32_t most = OBJECT_SHORT;; most = OBJECT_MAX) {
        uint32_t len;
        const uint8_t *text = pdf_text(in, at + head, state->stop, most, &len);

        if (text == NULL)
            return len == 0 ? WALK_STOP : WALK_WAIT;
        uint32_t end;
        if (!pdf_body(text, len, &end)) {
            if (end < len || len < most || most == OBJECT_MAX)
                return WALK_STOP;
            continue;
        }
        if (pdf_word(text, len, end, "startxref"))
            return WALK_STOP;
        sig_open_field(in, at, at + head + end);
        if (text[end] == 's') {
            uint32_t skip = end + 6;

            skip += skip < len && text[skip] == '\r';
            skip += skip < len && text[skip] == '\n';
            return pdf_walk_stream(in, state, text, end, at + head + skip);
        }
        if (number == state->length_object && number != 0) {
            uint32_t skip = pdf_skip_space(text, len, 0);
            uint64_t value;

            if (!pdf_number(text, len, &skip, &value) || value > state->length_value ||
                state->length_value - value > 2)
                return WALK_STOP;
            state->length_object = 0;
        }
        state->walk_at = at + head + end + 6;
        return WALK_ON;
    }
}

static enum walk pdf_walk_step(struct sig_input *in, struct pdf_state *state)
{
    uint32_t len;
    uint64_t number;
    const uint8_t *text = pdf_text(in, state->walk_at, state->stop, OBJECT_SHORT, &len);

    if (text == NULL)
        return len == 0 ? WALK_STOP : WALK_WAIT;
    uint32_t skip = pdf_walk_skip(text, len);
    sig_open_field(in, state->walk_at, state->walk_at + skip);
    const uint32_t head = pdf_object_head(text + skip, len - skip, &number);
    if (head != 0)
        return pdf_walk_object(in, state, state->walk_at + skip, head, number);
    if (pdf_word(text, len, skip, "startxref")) {
        skip = pdf_skip_space(text, len, skip + 9);
        if (!pdf_number(text, len, &skip, &number))
            return WALK_STOP;
        state->walk_at += skip;
        return WALK_ON;
    }
    if (!pdf_word(text, len, skip, "xref"))
        return WALK_STOP;
    uint64_t from;
    const uint64_t table_at = state->walk_at + skip;
    in->find_at = 0;
    const enum sig_found found =
        sig_find(in, table_at, sig_add(table_at, STREAM_FIND_MAX), "startxref", 9, &from);
    if (found != SIG_FOUND)
        return found == SIG_FIND_WAIT ? WALK_WAIT : WALK_STOP;
    uint64_t subsections = 0;
    const enum pdf_xref xref = pdf_xref_check(in, table_at, from, &subsections);
    if (xref != PDF_XREF_CLOSE)
        return xref == PDF_XREF_WAIT ? WALK_WAIT : WALK_STOP;
    state->walk_at = from;
    return WALK_ON;
}

enum step pdf_walk(struct sig_input *in, struct pdf_state *state)
{
    enum walk walk = WALK_ON;

    if (state->walk_at < 8)
        state->walk_at = 8;
    while (walk == WALK_ON) {
        const uint64_t before = state->walk_at;

        walk = pdf_walk_step(in, state);
        if (walk == WALK_ON && state->length_object == 0 && state->walk_at <= state->stop) {
            sig_valid(in, state->walk_at);
            if (in->thorough)
                sig_sure(in, state->walk_at);
        }
        if (walk == WALK_ON && state->walk_at <= before)
            break;
    }
    if (state->cut)
        sig_valid(in, state->walk_at);
    return walk == WALK_WAIT ? STEP_WAIT : walk == WALK_BAD ? STEP_BAD : STEP_DONE;
}
