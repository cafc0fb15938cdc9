/* SPDX-License-Identifier: Apache-2.0
 * signatures/document/pdf.c - PDF documents.
 *
 *   %PDF-1.7 | comment of high bytes | objects "N G obj … endobj" | cross-reference section |
 * startxref X %%EOF and again for every incremental update: objects | section | startxref X %%EOF
 *
 * The scan looks for "%%EOF" at the speed of memory and asks of each one whether it ends this file:
 * the section at X must be there and reach up to the "startxref" in front of it (pdf_xref.c). A
 * linearized file has its section in front; there the length in its first object must be that of
 * the end found. The file goes on when an object or a section follows the end at once; it ends with
 * one line end behind "%%EOF".
 *
 * The scan stops at the next "%PDF-" at the start of a sector: another file begins there. (PDFs
 * embedded in PDFs are nearly always compressed, and begin at a sector by accident only once in
 * 512.) So files that break cost no more than one pass in all. A thorough check walks over the
 * objects first (pdf_walk.c), so that wrong data show where they are.
 */
#include <string.h>

#include "base/limits.h"
#include "signatures/document/document_facts.h"
#include "signatures/document/pdf.h"
#include "signatures/lib/inflate.h"

enum {
    HEAD_MAX = 1024,     /* bytes in which the first object must begin */
    BEHIND_MAX = 96,     /* bytes looked at behind an end */
    STARTXREF_MAX = 256, /* bytes from "startxref" to "%%EOF" */
    ENDS_MAX = 10000,    /* "%%EOF" that prove nothing, before we give up */
    WORTH_MIN =
        512, /* a broken file with less than a sector proven is the rest of an old one in a slack */
};

/* "N G obj" anywhere in the text, at the start of a line or behind white space. */
static bool pdf_has_object(const uint8_t *text, uint32_t len)
{
    const uint8_t *found = text;

    while ((found = memmem(found, len - (size_t)(found - text), "obj", 3)) != NULL) {
        uint32_t at = (uint32_t)(found - text);
        uint64_t number;

        for (int part = 0; part < 2; part++) {
            while (at > 0 && pdf_is_space(text[at - 1]))
                at--;
            while (at > 0 && pdf_is_digit(text[at - 1]))
                at--;
        }
        if (at > 0 && pdf_is_space(text[at - 1]) &&
            pdf_object_head(text + at, len - at, &number) != 0)
            return true;
        found += 3;
    }
    return false;
}

static bool pdf_head(struct sig_input *in, struct pdf_state *state, struct sig_result *out)
{
    uint32_t len;
    const uint8_t *head = pdf_text(in, 0, HEAD_MAX, HEAD_MAX, &len);

    if (head == NULL && len > 0) {
        *out = sig_short(in);
        return false;
    }
    if (len < 16 || head[6] != '.' || !pdf_is_digit(head[7]) || !pdf_has_object(head, len)) {
        *out = sig_reject("there is no object behind the header");
        return false;
    }
    const uint8_t *linear = memmem(head, len, "/Linearized", 11);
    if (linear != NULL) {
        const uint32_t at = (uint32_t)(linear - head);
        const uint8_t *begin = linear, *end = memmem(linear, len - at, ">>", 2);

        while (begin > head && begin[-1] != '<')
            begin--;
        if (end == NULL ||
            !pdf_key_number(begin, (uint32_t)(end - begin), "/L", &state->linear_len))
            state->linear_len = 0;
    }
    state->at = 8;
    state->stop = in->limit;
    state->why = in->limit == in->sig->size_max ? "the file is longer than the limit for this type"
                                                : "the image ends before the file does";
    state->phase = in->thorough ? PDF_AT_PROVE : PDF_AT_SCAN;
    return true;
}

static bool pdf_stop(struct pdf_state *state, uint64_t at, const char *why)
{
    state->stop = at;
    state->why = why;
    state->phase = PDF_AT_WALK;
    return true;
}

/* "%%EOF" at `at`: is it the end of this file? state->at is behind it when the scan is to go on.
 * False: wait. */
static bool pdf_eof(struct sig_input *in, struct pdf_state *state, uint64_t at)
{
    const uint64_t first = at < STARTXREF_MAX ? 0 : at - STARTXREF_MAX;
    uint32_t len;
    const uint8_t *text = pdf_text(in, first, at, STARTXREF_MAX, &len), *found = NULL;
    uint64_t section = 0;

    if (text == NULL)
        return false;
    for (const uint8_t *next = text;
         (next = memmem(next, len - (size_t)(next - text), "startxref", 9)) != NULL; next += 9)
        found = next;
    if (found != NULL) {
        uint32_t skip = (uint32_t)(found - text);
        const uint64_t from = first + skip;

        skip = pdf_skip_space(text, len, skip + 9);
        /* Tables do not lie over each other: what read more of them than there is room for was led
         * in a circle. */
        if (pdf_number(text, len, &skip, &section) && section > 0 && state->subsections <= at) {
            uint64_t subsections = state->subsections;
            const enum pdf_xref xref = pdf_xref_check(in, section, from, &subsections);
            const bool linear =
                state->linear_len >= at + 5 && state->linear_len - (at + 5) <= BEHIND_MAX / 2;

            if (xref == PDF_XREF_WAIT)
                return false;
            state->subsections = subsections;
            state->phase =
                (xref == PDF_XREF_CLOSE && state->linear_len <= at + 5 + BEHIND_MAX / 2) ||
                        (xref == PDF_XREF_APART && linear)
                    ? PDF_AT_END
                    : PDF_AT_SCAN;
        }
    }
    state->ends += state->phase == PDF_AT_SCAN;
    state->at = at + 5;
    return true;
}

static bool pdf_scan(struct sig_input *in, struct pdf_state *state, struct sig_result *out)
{
    while (state->phase == PDF_AT_SCAN) {
        uint32_t len;

        if (state->at >= state->stop)
            return pdf_stop(state, in->limit, state->why);
        if (state->ends > ENDS_MAX)
            return pdf_stop(state, state->at,
                            "there are too many end marks that do not end the file");
        const uint8_t *text = sig_span(in, state->at, &len);
        if (text == NULL) {
            *out = sig_short(in);
            return false;
        }
        const uint8_t *mark = memchr(text, '%', len);
        if (mark == NULL) {
            state->at += len;
            in->find_at = state->at;
            continue;
        }
        const uint64_t at = state->at + (uint64_t)(mark - text);
        state->at = at;
        if (in->limit - at < 5)
            return pdf_stop(state, in->limit, state->why);
        if (len - (uint32_t)(mark - text) < 5 && (mark = sig_bytes(in, at, 5)) == NULL) {
            *out = sig_short(in);
            return false;
        }
        if (memcmp(mark, "%PDF-", 5) == 0 && (in->start + at) % LIMIT_SECTOR == 0)
            return pdf_stop(state, at, "another document begins before this one ends");
        if (memcmp(mark, "%%EOF", 5) != 0) {
            state->at = at + 1;
        } else if (!pdf_eof(in, state, at)) {
            *out = sig_short(in);
            return false;
        }
    }
    return true;
}

/* An end is proven at state->at: takes the line end, and looks whether the file goes on. */
static bool pdf_end(struct sig_input *in, struct pdf_state *state, struct sig_result *out)
{
    uint32_t len;
    uint64_t number;
    const uint8_t *text = pdf_text(in, state->at, in->limit, BEHIND_MAX, &len);

    if (text == NULL && len > 0) {
        *out = sig_short(in);
        return false;
    }
    uint32_t end = 0;
    end += end < len && text[end] == '\r';
    end += end < len && text[end] == '\n';
    if (state->linear_len > state->at && state->linear_len - state->at <= len &&
        pdf_skip_space(text, (uint32_t)(state->linear_len - state->at), 0) ==
            state->linear_len - state->at)
        end = (uint32_t)(state->linear_len - state->at);
    uint32_t next = end;
    while (next < len && text[next] != 0 && pdf_is_space(text[next]))
        next++;
    const bool goes_on =
        pdf_object_head(text + next, len - next, &number) != 0 || pdf_word(text, len, next, "xref");
    state->good_end = state->at + end;
    sig_valid(in, state->good_end);
    if (!goes_on) {
        static const char why[] = "the cross-reference section is where the end mark says";

        if (in->thorough && state->good_end > state->walk_at + BEHIND_MAX) {
            *out = sig_believe(in, state->good_end, why);
        } else {
            *out = sig_complete(in, state->good_end, why);
            if (in->thorough)
                sig_sure(in, state->good_end);
        }
        return false;
    }
    state->at = state->good_end;
    state->phase = PDF_AT_SCAN;
    return true;
}

static struct sig_result pdf_broken(struct sig_input *in, const struct pdf_state *state,
                                    const char *why)
{
    return in->valid <= WORTH_MIN && !state->cut ? sig_reject(why) : sig_breaks(in, why);
}

/* Walks as far as there are objects; the scan from the header on then finds the end. */
static bool pdf_prove(struct sig_input *in, struct pdf_state *state, struct sig_result *out)
{
    const enum step step = pdf_walk(in, state);

    if (step == STEP_BAD) {
        *out = pdf_broken(in, state, "a stream cannot be inflated");
        return false;
    }
    if (step == STEP_WAIT && in->wanted <= in->limit) {
        *out = sig_short(in);
        return false;
    }
    state->phase = PDF_AT_SCAN;
    return true;
}

static struct sig_result pdf_check(struct sig_input *in, void *memory)
{
    struct pdf_state *state = memory;
    struct sig_result out = { 0 };
    bool on = true;

    while (on) {
        switch ((enum pdf_phase)state->phase) {
        case PDF_AT_HEAD:
            on = pdf_head(in, state, &out);
            break;
        case PDF_AT_SCAN:
            on = pdf_scan(in, state, &out);
            break;
        case PDF_AT_END:
            on = pdf_end(in, state, &out);
            break;
        case PDF_AT_PROVE:
            on = pdf_prove(in, state, &out);
            break;
        case PDF_AT_WALK:
            on = false;
            if (pdf_walk(in, state) == STEP_WAIT)
                out = sig_short(in);
            else
                out = pdf_broken(in, state, state->why);
            break;
        }
    }
    return out;
}

static uint32_t pdf_live(const void *memory)
{
    const struct pdf_deep *deep = memory;

    return (uint32_t)offsetof(struct pdf_deep, inflate) +
           (deep->state.inflated_at != 0 ? inflate_live(&deep->inflate) : 0);
}

const struct sig sig_pdf = {
    .name = "pdf",
    .what = "PDF document",
    .proves = "the cross-reference section is where the end mark says, and some of its lines "
              "lead to their objects",
    .source = "ISO 32000-1:2008, 7.5 (file structure), Annex F (linearized PDF)",
    .types = (const struct sig_type[]){ { "pdf", "pdf" }, { 0 } },
    .headers = { SIG_PATTERN("%PDF-1."), SIG_PATTERN("%PDF-2.") },
    .flags = SIG_CONTAINER,
    .size_min = 64,
    .size_max = UINT64_C(10000000000), /* offsets in cross-reference tables have ten digits */
    .seam = SIG_SEAM_UNIT,
    .state_size = sizeof(struct pdf_state),
    .state_thorough = sizeof(struct pdf_deep),
    .state_live = pdf_live,
    .check = pdf_check,
    .tail = SIG_PATTERN("startxref"),
    .tail_at = pdf_tail_at,
    .tail_names = pdf_tail_names,
    .tail_fits = pdf_tail_fits,
    .facts = pdf_facts,
};
