/* SPDX-License-Identifier: Apache-2.0
 * signatures/system/bplist.c - binary property lists of Apple.
 *
 *   "bplist00" | objects | table of the objects' places | 32 bytes of trailer: 6 zeros, widths of a
 * place and of a reference, number of objects, the top one, place of the table
 *
 * Only the trailer, at the end, says where anything is: it is looked for. It must say of itself
 * where it is, and every place in the table must hold an object that ends before the table.
 *
 * The mark stands in programs, too. All writers put the objects one behind another: where the first
 * ones do not lie so, the trailer is looked for nearby alone.
 */
#include <string.h>

#include "base/bytes.h"
#include "signatures/lib/step.h"
#include "signatures/sig.h"

enum {
    BPLIST_HEAD = 8,
    BPLIST_TRAILER = 32,
    BPLIST_OBJECTS_MAX = 1 << 22,
    BPLIST_CHAIN = 16,           /* objects that are looked at, */
    BPLIST_CHAIN_SPAN = 1 << 16, /* in so many bytes */
    BPLIST_NEAR = 1 << 18,       /* bytes in which a trailer is looked for behind no such objects */
};

struct bplist_state {
    uint64_t at;      /* next byte to look at for a trailer; 0: not begun */
    uint64_t to;      /* and where to stop */
    uint32_t zeros;   /* just before it */
    uint64_t trailer; /* 0: not found */
    uint64_t object;  /* next one to be checked */
};

struct bplist_trailer {
    uint32_t place_width, reference_width;
    uint64_t count, table;
};

static bool bplist_read(const uint8_t *p, uint64_t at, struct bplist_trailer *trailer)
{
    *trailer = (struct bplist_trailer){ p[6], p[7], bytes_u64be(p + 8), bytes_u64be(p + 24) };
    return memcmp(p, "\0\0\0\0\0\0", 6) == 0 && trailer->place_width >= 1 &&
           trailer->place_width <= 8 && trailer->reference_width >= 1 &&
           trailer->reference_width <= 8 && trailer->count >= 1 &&
           trailer->count <= BPLIST_OBJECTS_MAX && bytes_u64be(p + 16) < trailer->count &&
           trailer->table > BPLIST_HEAD &&
           trailer->table + trailer->count * trailer->place_width == at;
}

/* The first byte that is small and no zero, behind six zeros; len: there is none. *zeros: those
 * before p[0], and then those at the end. */
static uint32_t bplist_zeros(const uint8_t *p, uint32_t len, uint32_t *zeros)
{
    uint32_t i = 0;

    while (i < len) {
        /* Six zeros that begin here or later have one in every sixth byte. */
        while (*zeros == 0 && len - i >= 6 && p[i + 5] != 0)
            i += 6;
        while (*zeros != 0 && len - i >= 8 && bytes_u64le(p + i) == 0) {
            i += 8;
            *zeros += 8;
        }
        if (i == len)
            break;
        if (p[i] != 0 && p[i] <= 8 && *zeros >= 6)
            return i;
        *zeros = p[i] == 0 ? *zeros + 1 : 0;
        i++;
    }
    return len;
}

/* Looks for the trailer: six zeros and a small number. */
static enum step bplist_find(struct sig_input *in, struct bplist_state *state)
{
    while (state->trailer == 0) {
        uint32_t len;

        if (state->at >= state->to)
            return STEP_BAD;
        const uint8_t *p = sig_span_to(in, state->at, state->to, &len);
        if (p == NULL)
            return STEP_WAIT;
        const uint32_t i = bplist_zeros(p, len, &state->zeros);
        if (i == len) {
            state->at += len;
            continue;
        }
        const uint64_t candidate = state->at + i;
        struct bplist_trailer trailer;
        p = sig_bytes(in, candidate - 6, BPLIST_TRAILER);
        if (p == NULL && in->wanted <= in->limit) {
            state->zeros = 6;
            state->at = candidate; /* seen again when the bytes are there */
            return STEP_WAIT;
        }
        if (p == NULL)
            return STEP_WAIT;
        if (bplist_read(p, candidate - 6, &trailer))
            state->trailer = candidate - 6;
        state->zeros = 0;
        state->at = candidate + 1;
    }
    return STEP_DONE;
}

/* The object at `at` ends before the table. *end: where it does. */
static enum step bplist_object(struct sig_input *in, const struct bplist_trailer *trailer,
                               uint64_t at, uint64_t *end)
{
    const uint8_t *p = sig_bytes(in, at, 1);
    uint64_t count, head = 1;

    if (p == NULL)
        return STEP_WAIT;
    const uint32_t kind = p[0] >> 4, info = p[0] & 15;
    count = info;
    if (kind >= 4 && info == 15) {
        p = sig_bytes(in, at, 2);
        if (p == NULL)
            return STEP_WAIT;
        const uint32_t width = p[1] & 15;
        if (p[1] >> 4 != 1 || width > 3)
            return STEP_BAD;
        p = sig_bytes(in, at + 2, 1u << width);
        if (p == NULL)
            return STEP_WAIT;
        count = 0;
        for (uint32_t i = 0; i < 1u << width; i++)
            count = count << 8 | p[i];
        head += 1 + (UINT64_C(1) << width);
    }
    static const uint8_t units[16] = { [4] = 1, [5] = 1, [6] = 2, [7] = 1 };
    uint64_t unit = units[kind];
    bool right = true;

    if (kind == 0) {
        count = 0;
    } else if (kind <= 3) {
        right = info <= 4;
        count = UINT64_C(1) << info;
        unit = 1;
    } else if (kind == 8) {
        count = info + 1u;
        unit = 1;
    } else {
        if (kind == 10 || kind == 11 || kind == 12)
            unit = trailer->reference_width;
        if (kind == 13)
            unit = UINT64_C(2) * trailer->reference_width;
        right = unit != 0 && count <= trailer->table;
    }
    *end = at + head + (right ? count * unit : 0);
    return right && *end <= trailer->table ? STEP_DONE : STEP_BAD;
}

/* Whether objects lie one behind another from the header on, if references have this width. An
 * object that is nothing is one that nobody writes. */
static bool bplist_chain(struct sig_input *in, uint32_t width, enum step *step)
{
    const struct bplist_trailer trailer = { 1, width, BPLIST_OBJECTS_MAX, in->sig->size_max };
    uint64_t at = BPLIST_HEAD;

    *step = STEP_DONE;
    for (uint32_t i = 0;
         *step == STEP_DONE && i < BPLIST_CHAIN && at < BPLIST_HEAD + BPLIST_CHAIN_SPAN; i++) {
        const uint8_t *p = sig_bytes(in, at, 1);

        *step = p == NULL ? STEP_WAIT : p[0] == 0 ? STEP_BAD : bplist_object(in, &trailer, at, &at);
        if (*step == STEP_WAIT && in->wanted > in->limit)
            *step = STEP_BAD;
    }
    return *step == STEP_DONE;
}

/* How far the trailer is looked for: the objects begin behind the header, and where none does,
 * nobody needs to look for it. */
static enum step bplist_begin(struct sig_input *in, struct bplist_state *state)
{
    static const uint8_t widths[] = { 1, 2, 4, 3, 8 };
    const struct bplist_trailer trailer = { 1, 1, BPLIST_OBJECTS_MAX, in->sig->size_max };
    uint64_t end;
    bool chained = false;
    enum step step = bplist_object(in, &trailer, BPLIST_HEAD, &end);

    if (step != STEP_DONE)
        return step;
    for (uint32_t i = 0; !chained && i < sizeof widths; i++) {
        chained = bplist_chain(in, widths[i], &step);
        if (step == STEP_WAIT)
            return STEP_WAIT;
    }
    state->at = BPLIST_HEAD;
    state->to = chained || in->limit < BPLIST_NEAR ? in->limit : BPLIST_NEAR;
    return STEP_DONE;
}

static enum step bplist_objects(struct sig_input *in, const struct bplist_trailer *trailer,
                                struct bplist_state *state)
{
    for (; state->object < trailer->count; state->object++) {
        const uint8_t *p = sig_bytes(in, trailer->table + state->object * trailer->place_width,
                                     trailer->place_width);
        uint64_t at = 0;

        if (p == NULL)
            return STEP_WAIT;
        for (uint32_t i = 0; i < trailer->place_width; i++)
            at = at << 8 | p[i];
        if (at < BPLIST_HEAD || at >= trailer->table)
            return STEP_BAD;
        uint64_t end;
        const enum step step = bplist_object(in, trailer, at, &end);
        if (step != STEP_DONE)
            return step;
    }
    return STEP_DONE;
}

static struct sig_result bplist_check(struct sig_input *in, void *memory)
{
    struct bplist_state *state = memory;
    struct bplist_trailer trailer;
    enum step step = STEP_DONE;

    if (state->at == 0)
        step = bplist_begin(in, state);
    if (step == STEP_BAD)
        return sig_reject("invalid object");
    if (step == STEP_DONE && state->trailer == 0)
        step = bplist_find(in, state);
    if (step == STEP_WAIT)
        return sig_short(in);
    if (step == STEP_BAD)
        return sig_reject("there is no valid trailer");
    const uint8_t *p = sig_bytes(in, state->trailer, BPLIST_TRAILER);
    if (p == NULL)
        return sig_short(in);
    if (!bplist_read(p, state->trailer, &trailer))
        return sig_reject("there is no valid trailer");
    step = bplist_objects(in, &trailer, state);
    if (step == STEP_WAIT)
        return sig_short(in);
    if (step == STEP_BAD)
        return sig_reject("invalid object");
    return sig_complete(in, state->trailer + BPLIST_TRAILER, "every object of the table is there");
}

const struct sig sig_bplist = {
    .name = "bplist",
    .what = "Apple binary property list",
    .proves = "the trailer says where it is; every object of the table lies before it",
    .source = "Apple, CF-1153.18: CFBinaryPList.c",
    .types = (const struct sig_type[]){ { "plist", "plist" }, { 0 } },
    .headers = { SIG_PATTERN("bplist00"), SIG_PATTERN("bplist01") },
    .size_min = BPLIST_HEAD + 1 + 1 + BPLIST_TRAILER,
    .size_max = 32 << 20, /* ours: how far the trailer is looked for */
    .state_size = sizeof(struct bplist_state),
    .check = bplist_check,
};
