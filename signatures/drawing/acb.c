/* SPDX-License-Identifier: Apache-2.0
 * signatures/drawing/acb.c - books of colours of Adobe's programs (ACB): Pantone and others.
 *
 *   "8BCB" | u16be 1 | u16be book | texts: title, before and behind each name, description | u16be
 * colours | u16be of a page | u16be shown first | u16be space: 0 RGB, 2 CMYK, 7 Lab | colours: text
 * name | 6 bytes of code | 3 bytes, of CMYK 4 | newer ones: "spflspot" or "spflproc"
 *   text: u32be characters | UTF-16
 */
#include <string.h>

#include "base/bytes.h"
#include "signatures/facts/tell.h"
#include "signatures/lib/step.h"
#include "signatures/sig.h"

enum {
    ACB_HEAD = 8,
    ACB_TEXTS = 4,
    ACB_TEXT_MAX = 8192, /* characters */
    ACB_COUNTS = 8,
    ACB_CODE = 6,
    ACB_KIND = 8,
    ACB_COLOURS_MAX = 1 << 15,
};

struct acb_state {
    uint64_t at; /* the next text; 0: not begun */
    uint32_t texts, colours, read, components;
};

/* The text at *at, which moves behind it. */
static enum step acb_text(struct sig_input *in, uint64_t *at)
{
    const uint8_t *p = sig_bytes(in, *at, 4);

    if (p == NULL)
        return STEP_WAIT;
    const uint32_t len = bytes_u32be(p);
    if (len > ACB_TEXT_MAX)
        return STEP_BAD;
    *at += 4 + 2 * (uint64_t)len;
    return STEP_DONE;
}

static enum step acb_counts(struct sig_input *in, struct acb_state *state)
{
    const uint8_t *p = sig_bytes(in, state->at, ACB_COUNTS);

    if (p == NULL)
        return STEP_WAIT;
    const uint32_t space = bytes_u16be(p + 6);
    state->colours = bytes_u16be(p);
    state->components = space == 2 ? 4 : 3;
    if (state->colours == 0 || state->colours > ACB_COLOURS_MAX || bytes_u16be(p + 2) == 0 ||
        (space != 0 && space != 2 && space != 7))
        return STEP_BAD;
    state->at += ACB_COUNTS;
    return STEP_DONE;
}

static enum step acb_part(struct sig_input *in, struct acb_state *state)
{
    uint64_t at = state->at;
    enum step step = STEP_DONE;

    if (state->texts == ACB_TEXTS && state->colours == 0)
        return acb_counts(in, state);
    step = acb_text(in, &at);
    if (step != STEP_DONE)
        return step;
    if (state->texts < ACB_TEXTS) {
        state->texts++;
    } else {
        at += ACB_CODE + state->components;
        if (sig_bytes(in, at - 1, 1) == NULL)
            return STEP_WAIT;
        state->read++;
        sig_valid(in, at);
    }
    state->at = at;
    return STEP_DONE;
}

/* Newer programs say behind the colours whether they are mixed or inks of their own. */
static struct sig_result acb_end(struct sig_input *in, const struct acb_state *state)
{
    const uint64_t end = state->at, left = in->limit > end ? in->limit - end : 0;
    const uint32_t seen = left < ACB_KIND / 2 ? (uint32_t)left : ACB_KIND / 2;
    const uint8_t *p = seen > 0 ? sig_bytes(in, end, seen) : NULL;

    if (seen > 0 && p == NULL)
        return sig_short(in);
    if (seen == 0 || memcmp(p, "spfl", seen) != 0)
        return sig_complete(in, end, "as many colours as the head says");
    p = sig_bytes(in, end, ACB_KIND);
    if (p == NULL)
        return sig_short(in);
    if (memcmp(p + seen, "spot", ACB_KIND / 2) != 0 && memcmp(p + seen, "proc", ACB_KIND / 2) != 0)
        return sig_complete(in, end, "as many colours as the head says");
    return sig_complete(in, end + ACB_KIND, "as many colours as the head says, and their kind");
}

static struct sig_result acb_check(struct sig_input *in, void *memory)
{
    struct acb_state *state = memory;

    if (state->at == 0)
        state->at = ACB_HEAD;
    while (state->colours == 0 || state->read < state->colours) {
        const enum step step = acb_part(in, state);

        if (step == STEP_WAIT)
            return sig_short(in);
        if (step == STEP_BAD)
            return state->read == 0 ? sig_reject("invalid texts or counts")
                                    : sig_breaks(in, "invalid colour");
    }
    return acb_end(in, state);
}

static void acb_facts(struct sig_facts *facts)
{
    const uint8_t *p = tell_bytes(facts, ACB_HEAD, 4);
    const uint32_t len = p == NULL ? 0 : bytes_u32be(p);

    p = len > 0 && len <= ACB_TEXT_MAX ? tell_bytes(facts, ACB_HEAD + 4, 2 * len) : NULL;
    if (p != NULL)
        tell_utf16(facts, SIG_FACT_TITLE, p, 2 * (size_t)len, true);
}

const struct sig sig_acb = {
    .name = "acb",
    .what = "ACB, book of colours of Adobe's programs",
    .proves = "texts and as many colours as the head says follow one another",
    .source = "Adobe, Photoshop File Formats Specification (2019): Color Books",
    .types = (const struct sig_type[]){ { "acb", "acb" }, { 0 } },
    .headers = { SIG_MASKED("8BCB\0\1??\0\0", "\xff\xff\xff\xff\xff\xff\0\0\xff\xff") },
    .flags = SIG_SECTOR_ALIGNED,
    .size_min = ACB_HEAD + 4 * ACB_TEXTS + ACB_COUNTS + 4 + ACB_CODE + 3,
    .size_max = 1 << 26,
    .state_size = sizeof(struct acb_state),
    .check = acb_check,
    .facts = acb_facts,
};
