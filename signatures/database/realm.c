/* SPDX-License-Identifier: Apache-2.0
 * signatures/database/realm.c - databases of Realm, in apps of Android and iOS.
 *
 *   u64le place of the top array, twice | "T-DB" | u8 version of the format, twice | 0 | u8 which
 * of both counts | arrays array: "AAAA" | u8 kind: 80 inner node of a tree, 40 has places, 18 how
 * wide, 7 how many bits | u24be elements | elements, filled up to 8 bytes. A place is a multiple of
 * 8; an odd number is a number, twice itself and one more. top array: places of the names and of
 * the tables | bytes of the file | ... of what is free
 *
 * A copy that was written in one go has no place at its start but ffffffffffffffff, and ends with
 * the place of the top array and c8 26 e5 37 52 12 34 30.
 *
 * The length is the third element of the top array. The arrays are followed from the top one to
 * all others.
 */
#include <string.h>

#include "base/bytes.h"
#include "signatures/lib/step.h"
#include "signatures/sig.h"

enum {
    REALM_HEAD = 24,
    REALM_ARRAY = 8,
    REALM_VERSION_MIN = 2,
    REALM_VERSION_MAX = 32,
    REALM_TOP_MIN = 3,
    REALM_TOP_MAX = 32,
    REALM_INNER = 0x80,
    REALM_PLACES = 0x40,
    REALM_DEPTH_MAX = 64,
    REALM_FOLLOW = 1 << 16, /* arrays that are followed */
    REALM_FOOTER = 16,
};
#define REALM_SIZE_MAX (UINT64_C(1) << 40)

/* An array of places that is open. */
struct realm_level {
    uint64_t at;
    uint32_t element;
};

struct realm_array {
    uint32_t kind, bits, elements;
    uint64_t bytes; /* with its head */
};

struct realm_state {
    uint64_t length; /* 0: not known yet */
    uint64_t footer; /* bytes behind it that belong to the file */
    uint64_t bytes;  /* of the arrays that were followed */
    uint32_t depth, arrays;
    struct realm_level levels[REALM_DEPTH_MAX];
};

static enum step realm_array(struct sig_input *in, uint64_t at, struct realm_array *array)
{
    const uint8_t *p = sig_bytes(in, at, REALM_ARRAY);

    if (p == NULL)
        return STEP_WAIT;
    const uint32_t width = p[4] >> 3 & 3;
    if (memcmp(p, "AAAA", 4) != 0 || width == 3)
        return STEP_BAD;
    array->kind = p[4];
    array->bits = (1u << (p[4] & 7)) >> 1;
    array->elements = bytes_u32be(p + 4) & 0xffffff;
    const uint64_t bits = (uint64_t)array->elements * (width == 0   ? array->bits
                                                       : width == 1 ? 8 * array->bits
                                                                    : 8);
    array->bytes = REALM_ARRAY + (bits + 63) / 64 * 8;
    return STEP_DONE;
}

/* An element of an array of places, which has at least 8 bits. */
static enum step realm_element(struct sig_input *in, uint64_t at, const struct realm_array *array,
                               uint32_t i, uint64_t *value)
{
    const uint32_t bytes = array->bits / 8;
    uint8_t raw[8] = { 0 };

    const uint8_t *p = sig_bytes(in, at + REALM_ARRAY + (uint64_t)i * bytes, bytes);
    if (p == NULL)
        return STEP_WAIT;
    memcpy(raw, p, bytes);
    *value = bytes_u64le(raw);
    return STEP_DONE;
}

/* The top array: *length of the file. */
static enum step realm_top(struct sig_input *in, uint64_t at, uint64_t *length)
{
    struct realm_array array;
    enum step step = realm_array(in, at, &array);

    if (step != STEP_DONE)
        return step;
    if ((array.kind & 0xf8) != REALM_PLACES || array.bits < 8 || array.elements < REALM_TOP_MIN ||
        array.elements > REALM_TOP_MAX)
        return STEP_BAD;
    step = realm_element(in, at, &array, 2, length);
    if (step != STEP_DONE)
        return step;
    if ((*length & 1) == 0 || *length >> 1 > REALM_SIZE_MAX)
        return STEP_BAD;
    *length >>= 1;
    return *length % 8 == 0 && *length >= at + array.bytes ? STEP_DONE : STEP_BAD;
}

/* Opens the array at `at`, which lies inside of the file. */
static enum step realm_open(struct sig_input *in, struct realm_state *state, uint64_t at)
{
    struct realm_array array;

    if (at % 8 != 0 || at < REALM_HEAD || at > state->length - REALM_ARRAY)
        return STEP_BAD;
    const enum step step = realm_array(in, at, &array);
    if (step != STEP_DONE)
        return step;
    if (array.bytes > state->length - at)
        return STEP_BAD;
    state->arrays++;
    state->bytes += array.bytes;
    if (state->bytes > state->length) /* no two places name the same array */
        return STEP_BAD;
    if ((array.kind & (REALM_PLACES | REALM_INNER)) == 0 || array.bits < 8) /* no place is so low */
        return STEP_DONE;
    if (state->depth == REALM_DEPTH_MAX)
        return STEP_BAD;
    state->levels[state->depth++] = (struct realm_level){ .at = at };
    return STEP_DONE;
}

/* The next element of the deepest array that is open. */
static enum step realm_next(struct sig_input *in, struct realm_state *state)
{
    struct realm_level *level = &state->levels[state->depth - 1];
    struct realm_array array;
    uint64_t value;
    enum step step = realm_array(in, level->at, &array);

    if (step != STEP_DONE)
        return step;
    if (level->element == array.elements) {
        state->depth--;
        return STEP_DONE;
    }
    step = realm_element(in, level->at, &array, level->element, &value);
    if (step != STEP_DONE)
        return step;
    const uint32_t depth = state->depth;
    if (value != 0 && (value & 1) == 0)
        step = realm_open(in, state, value);
    if (step == STEP_DONE)
        state->levels[depth - 1].element++;
    return step;
}

/* Finds the top array of a file that ends with its place. */
static enum step realm_find(struct sig_input *in, struct realm_state *state, uint64_t *top)
{
    static const char cookie[] = "\xc8\x26\xe5\x37\x52\x12\x34\x30";
    struct realm_array array;
    uint64_t at, length;
    enum step step = realm_array(in, REALM_HEAD, &array);

    if (step != STEP_DONE)
        return step;
    const enum sig_found found = sig_find(in, REALM_HEAD, in->limit, cookie, 8, &at);
    if (found != SIG_FOUND)
        return found == SIG_FIND_WAIT ? STEP_WAIT : STEP_BAD;
    const uint8_t *p = sig_bytes(in, at - 8, 8);
    if (p == NULL)
        return STEP_WAIT;
    *top = bytes_u64le(p);
    if (at % 8 != 0 || *top % 8 != 0 || *top < REALM_HEAD || *top >= at)
        return STEP_BAD;
    step = realm_top(in, *top, &length);
    state->length = step == STEP_DONE ? at - 8 : 0;
    state->footer = REALM_FOOTER;
    return step;
}

/* Learns how long the file is, and opens the top array. */
static enum step realm_begin(struct sig_input *in, struct realm_state *state)
{
    const uint8_t *p = sig_bytes(in, 0, REALM_HEAD);

    if (p == NULL)
        return STEP_WAIT;
    const uint32_t which = p[23] & 1;
    uint64_t top = bytes_u64le(p + 8 * which);
    if (p[22] != 0 || p[23] > 1 || p[20 + which] < REALM_VERSION_MIN ||
        p[20 + which] > REALM_VERSION_MAX)
        return STEP_BAD;
    enum step step = STEP_BAD;
    if (top == UINT64_MAX && which == 0)
        step = realm_find(in, state, &top);
    else if (top >= REALM_HEAD && top % 8 == 0 && top <= REALM_SIZE_MAX)
        step = realm_top(in, top, &state->length);
    if (step == STEP_DONE)
        step = realm_open(in, state, top);
    if (step != STEP_DONE)
        state->length = 0;
    return step;
}

static struct sig_result realm_check(struct sig_input *in, void *memory)
{
    struct realm_state *state = memory;
    enum step step = STEP_DONE;

    if (state->length == 0) {
        step = realm_begin(in, state);
        if (step == STEP_WAIT)
            return sig_short(in);
        if (step == STEP_BAD)
            return sig_reject("no top array");
        sig_valid(in, REALM_HEAD);
    }
    const uint64_t length = state->length + state->footer;
    if (sig_bytes(in, length - 1, 1) == NULL)
        return sig_short(in);
    while (step == STEP_DONE && state->depth > 0 && state->arrays < REALM_FOLLOW)
        step = realm_next(in, state);
    if (step == STEP_WAIT)
        return sig_short(in);
    if (step == STEP_BAD)
        return sig_breaks(in, "a place names no array");
    if (state->depth > 0)
        return sig_believe(in, length, "the first arrays are where others say");
    return sig_complete(in, length, "every array is where another says");
}

const struct sig sig_realm = {
    .name = "realm",
    .what = "database of Realm (apps of Android and iOS)",
    .proves = "every array is where another says, from the top one (some, in a large database)",
    .source = "Realm Core 13, src/realm/alloc_slab.hpp (Header), node_header.hpp, group.hpp",
    .types = (const struct sig_type[]){ { "realm", "realm" }, { 0 } },
    .headers = { SIG_PATTERN_AT(16, "T-DB") },
    .flags = SIG_SECTOR_ALIGNED | SIG_CONTAINER,
    .size_min = REALM_HEAD + REALM_ARRAY,
    .size_max = REALM_SIZE_MAX,
    .state_size = sizeof(struct realm_state),
    .check = realm_check,
};
