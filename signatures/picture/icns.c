/* SPDX-License-Identifier: Apache-2.0
 * signatures/picture/icns.c - Apple icon images.
 *
 *   "icns" | u32be length of the file | elements: type | u32be length, these 8 bytes included |
 * data
 *
 * Elements fill the file. Those of a fixed size have it, PNG files are whole, and run-length coded
 * pixels decode to as many as the type says.
 */
#include <string.h>

#include "base/bytes.h"
#include "signatures/lib/step.h"
#include "signatures/picture/png_walk.h"
#include "signatures/sig.h"

enum { ICNS_HEAD = 8, ICNS_PAD = 16 };

enum icns_content {
    ICNS_FIXED, /* exactly so many bytes */
    ICNS_RUNS,  /* three planes of so many pixels, run-length coded; or plain */
    ICNS_FILE,  /* a PNG, JPEG 2000 or ARGB picture */
    ICNS_ANY,
};

struct icns_kind {
    char type[5];
    uint8_t content; /* enum icns_content */
    uint32_t size;
};

static const struct icns_kind icns_kinds[] = {
    { "ICON", ICNS_FIXED, 128 },      { "ICN#", ICNS_FIXED, 256 },   { "icm#", ICNS_FIXED, 48 },
    { "icm4", ICNS_FIXED, 96 },       { "icm8", ICNS_FIXED, 192 },   { "ics#", ICNS_FIXED, 64 },
    { "ics4", ICNS_FIXED, 128 },      { "ics8", ICNS_FIXED, 256 },   { "icl4", ICNS_FIXED, 512 },
    { "icl8", ICNS_FIXED, 1024 },     { "ich#", ICNS_FIXED, 576 },   { "ich4", ICNS_FIXED, 1152 },
    { "ich8", ICNS_FIXED, 2304 },     { "s8mk", ICNS_FIXED, 256 },   { "l8mk", ICNS_FIXED, 1024 },
    { "h8mk", ICNS_FIXED, 2304 },     { "t8mk", ICNS_FIXED, 16384 }, { "icnV", ICNS_FIXED, 4 },
    { "is32", ICNS_RUNS, 256 },       { "il32", ICNS_RUNS, 1024 },   { "ih32", ICNS_RUNS, 2304 },
    { "it32", ICNS_RUNS, 16384 },     { "icp4", ICNS_FILE, 0 },      { "icp5", ICNS_FILE, 0 },
    { "icp6", ICNS_FILE, 0 },         { "ic04", ICNS_FILE, 0 },      { "ic05", ICNS_FILE, 0 },
    { "ic07", ICNS_FILE, 0 },         { "ic08", ICNS_FILE, 0 },      { "ic09", ICNS_FILE, 0 },
    { "ic10", ICNS_FILE, 0 },         { "ic11", ICNS_FILE, 0 },      { "ic12", ICNS_FILE, 0 },
    { "ic13", ICNS_FILE, 0 },         { "ic14", ICNS_FILE, 0 },      { "icsb", ICNS_FILE, 0 },
    { "icsB", ICNS_FILE, 0 },         { "sb24", ICNS_FILE, 0 },      { "SB24", ICNS_FILE, 0 },
    { "TOC ", ICNS_ANY, 0 },          { "info", ICNS_ANY, 0 },       { "name", ICNS_ANY, 0 },
    { "tile", ICNS_ANY, 0 },          { "over", ICNS_ANY, 0 },       { "drop", ICNS_ANY, 0 },
    { "open", ICNS_ANY, 0 },          { "odrp", ICNS_ANY, 0 },       { "slct", ICNS_ANY, 0 },
    { "\xfd\xd9/\xa8", ICNS_ANY, 0 }, /* the same for a dark background */
};

struct icns_state {
    uint64_t at;        /* of the element being read */
    uint64_t data, out; /* of its run-length codes */
    bool picture;
    struct png_walk walk;
};

static const struct icns_kind *icns_kind(const uint8_t *type)
{
    for (uint32_t i = 0; i < sizeof icns_kinds / sizeof icns_kinds[0]; i++)
        if (memcmp(type, icns_kinds[i].type, 4) == 0)
            return &icns_kinds[i];
    return NULL;
}

/* Codes of three planes, from the element's data to its end. */
static enum step icns_runs(struct sig_input *in, struct icns_state *state,
                           const struct icns_kind *kind, uint64_t from, uint64_t end)
{
    const uint64_t lead = memcmp(kind->type, "it32", 4) == 0 ? 4 : 0; /* zeros */

    if (end - from == lead + (uint64_t)3 * kind->size || end - from == (uint64_t)4 * kind->size)
        return STEP_DONE;
    if (state->data == 0) {
        state->data = from + lead;
        state->out = 0;
    }
    while (state->data < end) {
        uint32_t len;
        const uint8_t *bytes = sig_span_to(in, state->data, end, &len);

        if (bytes == NULL)
            return STEP_WAIT;
        for (uint32_t i = 0; i < len;) {
            const uint32_t size = bytes[i] < 128 ? bytes[i] + 2u : 2;

            state->out += bytes[i] < 128 ? bytes[i] + 1u : bytes[i] - 125u;
            state->data += size;
            i += size;
        }
    }
    return state->data <= end + 1 && state->out >= (uint64_t)3 * kind->size &&
                   state->out <= (uint64_t)3 * kind->size + 128
               ? STEP_DONE
               : STEP_BAD;
}

static enum step icns_file(struct sig_input *in, struct icns_state *state, uint64_t from,
                           uint64_t end)
{
    if (end - from < 12)
        return STEP_BAD;
    const uint8_t *bytes = sig_bytes(in, from, 12);

    if (bytes == NULL)
        return STEP_WAIT;
    if (memcmp(bytes, "ARGB", 4) == 0)
        return STEP_DONE;
    if (memcmp(bytes, "\0\0\0\x0cjP  \r\n\x87\n", 12) == 0) {
        bytes = sig_bytes(in, end - 2, 2);
        if (bytes == NULL)
            return STEP_WAIT;
        return memcmp(bytes, "\xff\xd9", 2) == 0 ? STEP_DONE : STEP_BAD;
    }
    switch (png_walk_file(in, &state->walk, from, end, ICNS_PAD)) {
    case STEP_DONE:
        return STEP_DONE;
    case STEP_WAIT:
        return STEP_WAIT;
    default:
        return STEP_BAD;
    }
}

/* The element at state->at, of a file of `total` bytes. */
static enum step icns_element(struct sig_input *in, struct icns_state *state, uint64_t total)
{
    const uint8_t *head = sig_bytes(in, state->at, ICNS_HEAD);
    enum step step = STEP_DONE;

    if (head == NULL)
        return STEP_WAIT;
    const struct icns_kind *kind = icns_kind(head);
    const uint32_t len = bytes_u32be(head + 4);
    const uint64_t from = state->at + ICNS_HEAD, end = state->at + len;
    if (kind == NULL || len < ICNS_HEAD || end > total)
        return STEP_BAD;
    if (kind->content == ICNS_FIXED && len != ICNS_HEAD + kind->size)
        return STEP_BAD;
    if (kind->content == ICNS_RUNS)
        step = icns_runs(in, state, kind, from, end);
    else if (kind->content == ICNS_FILE)
        step = icns_file(in, state, from, end);
    if (step != STEP_DONE)
        return step;
    state->picture |= kind->content != ICNS_ANY;
    state->at = end;
    state->data = 0;
    state->walk = (struct png_walk){ 0 };
    return STEP_DONE;
}

static struct sig_result icns_check(struct sig_input *in, void *memory)
{
    struct icns_state *state = memory;
    const uint8_t *head = sig_bytes(in, 0, ICNS_HEAD);

    if (head == NULL)
        return sig_short(in);
    const uint64_t total = bytes_u32be(head + 4);
    if (total < in->sig->size_min || total > in->sig->size_max)
        return sig_reject("invalid length");
    if (state->at == 0)
        state->at = ICNS_HEAD;
    while (state->at < total) {
        const enum step step = icns_element(in, state, total);

        if (step == STEP_WAIT)
            return sig_short(in);
        if (step == STEP_BAD)
            return sig_breaks(in, "the content of an element contradicts its type");
        sig_valid(in, state->at);
    }
    if (!state->picture)
        return sig_reject("there is no picture");
    return sig_complete(in, total, "the content of every element agrees with its type");
}

const struct sig sig_icns = {
    .name = "icns",
    .what = "Apple icon image",
    .proves = "elements fill the file; each has its length, its run-length codes its pixels, its "
              "PNG its CRCs",
    .source = "Apple, IconStorage.h; Apple, Icon Image Format as described by libicns 0.8",
    .types = (const struct sig_type[]){ { "icns", "icns" }, { 0 } },
    .headers = { SIG_PATTERN("icns\0") },
    .flags = SIG_CONTAINER,
    .size_min = ICNS_HEAD + ICNS_HEAD + 48,
    .size_max = 16 << 20,
    .state_size = sizeof(struct icns_state),
    .check = icns_check,
};
