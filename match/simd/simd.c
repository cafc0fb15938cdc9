/* SPDX-License-Identifier: Apache-2.0
 * match/simd/simd.c - the vector engine: the three passes over a text piece by piece, and its forms
 * as engines. See simd.h. */
#include <string.h>

#include "base/bytes.h"
#include "base/uninitialized.h"
#include "match/simd/simd.h"

enum {
    SIMD_ROUNDS = 2,   /* patterns of an end, mostly no more, that are taken at once */
    SIMD_PATIENCE = 4, /* dense pieces of a text, before the dense plan is made for them */
    SIMD_RUN =
        256, /* bytes of a run that are told together; it is worth an end to the piece behind it */
};

/* What the third pass has left: leads with patterns, or slots if not inside: then any pattern of
 * the slot may be there. */
static bool simd_verify_all(const struct simd_scan *scan, const struct simd_piece *piece,
                            const struct simd_found *found)
{
    const struct simd_plan *plan = piece->plan;
    const uint32_t count = found->count;

    for (uint32_t i = 0; i < count; i++) {
        const uint32_t number = found->leads[i] >> SIMD_PLACE_BITS;
        uint32_t from = number, to = number + 1;

        if (!piece->inside) {
            from = simd_first_of(plan, number);
            to = simd_first_of(plan, number + 1);
        }
        while (piece->inside && plan->patterns[to - 1].followed)
            to++;
        if (!simd_verify(scan, piece, found->leads[i] & SIMD_PLACE_MASK, from, to))
            return false;
    }
    return true;
}

/* The second and the third pass. */
static bool simd_follow(const struct simd_scan *scan, const struct simd_piece *piece,
                        struct simd_found *found)
{
    if (piece->inside && found->count > 0) {
        simd_sift_ends(piece, found);
        for (uint32_t i = 0; i < SIMD_ROUNDS && found->count > 0; i++)
            if (scan->sink->max - scan->sink->count > found->count)
                simd_take_whole(scan, piece, found);
    }
    return simd_verify_all(scan, piece, found);
}

/* Whether blocks from text p on can be searched by the plan with all that its patterns have in the
 * text. */
static bool simd_is_inside(const struct match_text *text, const struct simd_plan *plan, uint32_t p,
                           uint32_t places)
{
    const uint64_t ahead = plan->ahead > SIMD_AHEAD ? plan->ahead : SIMD_AHEAD;

    return p >= plan->back && p <= text->len && text->len - p >= places + ahead;
}

/* How dense the text is in which a scan is. */
struct simd_density {
    uint32_t pieces; /* dense ones so far */
    uint32_t row;    /* of them, the last ones in a row */
};

/*
 * How many blocks from SIMD_MARGIN before text p on, where fingerprints of the sparse plan begin,
 * the dense plan can do at a time, 0 when it cannot. The longer the text is dense, the more, for
 * each pass over a piece has a price.
 */
static uint32_t simd_dense_blocks(const struct simd_scan *scan, const struct simd_plan *plan,
                                  uint32_t p, uint32_t row)
{
    uint32_t blocks = SIMD_BLOCKS_MAX;

    if (plan == NULL || p < SIMD_MARGIN + SIMD_BEFORE ||
        !simd_is_inside(scan->text, plan, p - SIMD_MARGIN, SIMD_PIECE))
        return 0;
    for (; row > 1 && blocks < SIMD_DENSE_BLOCKS; row--)
        if (!simd_is_inside(scan->text, plan, p - SIMD_MARGIN, 2 * blocks * SIMD_BLOCK))
            break;
        else
            blocks *= 2;
    return blocks;
}

/*
 * Room for what is found in a piece: one for a whole text, since to make it for each piece would
 * take as long as to search it.
 */
struct simd_scratch {
    struct simd_places candidates;
    struct simd_found found, again;
};

/* A dense piece in which fingerprints of the sparse plan begin at text [p, p + places); returns how
 * many it has done, 0 when the sink is full. */
static uint32_t simd_dense_piece(const struct simd_scan *scan, const struct simd_plan *plan,
                                 uint32_t p, uint32_t places, uint32_t blocks,
                                 struct simd_scratch *scratch)
{
    const uint32_t most = blocks * SIMD_BLOCK - 2 * SIMD_MARGIN;
    const struct simd_piece piece = {
        .plan = plan,
        .at = scan->text->bytes + p - SIMD_MARGIN,
        .p = p - SIMD_MARGIN,
        .first = SIMD_MARGIN,
        .places = places < most ? places : most,
        .inside = true,
    };
    const uint32_t used = (piece.places + 2 * SIMD_MARGIN + SIMD_BLOCK - 1) / SIMD_BLOCK;

    scratch->found.count = scratch->again.count = 0;
    scan->program->form->dense(plan, piece.at, used, &scratch->candidates);
    return simd_check(scan, &piece, used, &scratch->candidates, &scratch->found, &scratch->again)
               ? piece.places
               : 0;
}

/*
 * Fingerprints of the sparse plan that begin at text [p, end), read from `at`. Returns how many of
 * the places it has done, 0 when the sink is full.
 */
static uint32_t simd_piece(const struct simd_scan *scan, const uint8_t *at, uint32_t p,
                           uint32_t places, uint32_t end, struct simd_density *density,
                           struct simd_scratch *scratch)
{
    const struct simd_program *program = scan->program;
    const bool in_text = at == scan->text->bytes + p;
    struct simd_piece piece = { .plan = &program->sparse, .at = at, .p = p, .places = places };
    const uint32_t blocks = (places + SIMD_BLOCK - 1) / SIMD_BLOCK;
    struct simd_found *found = &scratch->found;

    if (!program->form->filter(piece.plan, at, blocks, in_text ? program->most : UINT32_MAX,
                               found)) {
        const struct simd_plan *dense = simd_dense_plan(program);

        density->row++;
        if (++density->pieces >= SIMD_PATIENCE && dense == NULL)
            simd_begin_dense_plan(program);
        const uint32_t some = simd_dense_blocks(scan, dense, p, density->row);
        if (some > 0)
            return simd_dense_piece(scan, dense, p, end - p, some, scratch);
        (void)program->form->filter(piece.plan, at, blocks, UINT32_MAX, found);
    } else {
        density->row = 0;
    }
    piece.inside = in_text && simd_is_inside(scan->text, piece.plan, p, blocks * SIMD_BLOCK);
    return simd_follow(scan, &piece, found) ? piece.places : 0;
}

/* The last fingerprints, where a filter would read past the text. What stands in for bytes behind
 * it matters to no match. */
static bool simd_tail(const struct simd_scan *scan, uint32_t p, uint32_t end,
                      struct simd_scratch *scratch)
{
    uint8_t copy[2 * SIMD_BLOCK + SIMD_AHEAD] = { 0 };
    const uint32_t left = scan->text->len - p;
    struct simd_density density = { 0, 0 };

    memcpy(copy, scan->text->bytes + p, left < sizeof copy ? left : sizeof copy);
    return simd_piece(scan, copy, p, end - p, end, &density, scratch) != 0;
}

/* How many bytes from the first one on are the same, in steps of SIMD_RUN. */
static uint32_t simd_same(const uint8_t *bytes, uint32_t len)
{
    const uint64_t same = bytes[0] * UINT64_C(0x0101010101010101);
    uint32_t n = 0;

    for (; len - n >= SIMD_RUN; n += SIMD_RUN) {
        uint64_t wrong = 0;

        for (uint32_t k = 0; k < SIMD_RUN; k += 8)
            wrong |= bytes_u64le(bytes + n + k) ^ same;
        for (uint32_t k = 0; k < SIMD_RUN; k += SIMD_BLOCK)
            __builtin_prefetch(bytes + n + k + SIMD_PREFETCH);
        if (wrong != 0)
            break;
    }
    return n;
}

/*
 * Places of text [p, end) that need not be looked at: fingerprints there lie in a run of one byte,
 * as disks are full of, and no pattern has such a fingerprint. A run is told at the speed of
 * reading.
 */
static uint32_t simd_idle(const struct simd_scan *scan, uint32_t p, uint32_t end)
{
    const uint8_t *bytes = scan->text->bytes + p;
    const uint32_t left = scan->text->len - p, most = end - p + SIMD_DEPTH - 1;

    if (left < SIMD_RUN || bytes_u64le(bytes) != bytes_u64le(bytes + 1) ||
        scan->program->in_run[bytes[0]])
        return 0;
    const uint32_t same = simd_same(bytes, left < most ? left : most);
    return same == 0 ? 0 : same - (SIMD_DEPTH - 1);
}

static bool simd_run(const struct simd_scan *scan, uint32_t p, uint32_t end)
{
    const uint32_t len = scan->text->len;
    struct simd_density density = { 0, 0 };
    struct simd_scratch scratch UNINITIALIZED;

    while (p < end) {
        const uint32_t idle = simd_idle(scan, p, end);
        if (idle > 0) {
            p += idle;
            density.row = 0;
            continue;
        }
        const uint32_t room =
            len - p > SIMD_AHEAD ? (len - p - SIMD_AHEAD) / SIMD_BLOCK * SIMD_BLOCK : 0;

        if (room == 0)
            return simd_tail(scan, p, end, &scratch);
        const uint32_t most = room < SIMD_PIECE ? room : SIMD_PIECE;
        const uint32_t places = end - p < most ? end - p : most;
        const uint32_t done =
            simd_piece(scan, scan->text->bytes + p, p, places, end, &density, &scratch);
        if (done == 0)
            return false;
        p += done;
    }
    return true;
}

static bool simd_scan(const void *program, const struct match_text *text, uint32_t from,
                      uint32_t to, struct match_sink *sink)
{
    const struct simd_program *simd = program;
    const struct simd_scan scan = {
        .program = simd, .text = text, .from = from, .to = to, .sink = sink
    };
    const uint32_t found = sink->count;

    if (simd->count == 0 ||
        simd_run(&scan, from > simd->sparse.before ? from - simd->sparse.before : 0, to))
        return true;
    sink->count = found;
    return false;
}

static void simd_release(void *program)
{
    simd_destroy(program);
}

/* The first of the forms, the best first, that this machine has. */
static const struct simd_form *simd_best(void)
{
    static const struct simd_form *const forms[] = { &simd_form_avx512, &simd_form_avx2,
                                                     &simd_form_ssse3, &simd_form_portable };
    uint32_t i = 0;

    while (forms[i]->missing() != NULL)
        i++;
    return forms[i];
}

/* simd itself: there is always a form. */
static const char *simd_missing(void)
{
    return NULL;
}

static enum err_code simd_compile_with(const struct simd_form *form,
                                       const struct match_dictionary *dictionary, void **program,
                                       struct err *err)
{
    struct simd_program *simd = NULL;
    const enum err_code rc = simd_build(dictionary, form, &simd, err);

    *program = simd;
    return rc;
}

static enum err_code simd_compile(const struct match_dictionary *dictionary,
                                  const struct match_setup *setup, void **program, struct err *err)
{
    (void)setup;
    return simd_compile_with(simd_best(), dictionary, program, err);
}

const struct match_engine match_simd_engine = {
    .name = "simd",
    .what = "vector filter over the rarest bytes of each pattern, exact comparison; the best form "
            "for the machine",
    .device = "CPU",
    .missing = simd_missing,
    .good_for = "up to 512 patterns",
    .suits = simd_suits,
    .compile = simd_compile,
    .release = simd_release,
    .scan = simd_scan,
};

/* A form as an engine. */
#define SIMD_ENGINE(form, text)                                                                    \
    static const char *simd_missing_##form(void)                                                   \
    {                                                                                              \
        return simd_form_##form.missing();                                                         \
    }                                                                                              \
    static enum err_code simd_compile_##form(const struct match_dictionary *dictionary,            \
                                             const struct match_setup *setup, void **program,      \
                                             struct err *err)                                      \
    {                                                                                              \
        (void)setup;                                                                               \
        return simd_compile_with(&simd_form_##form, dictionary, program, err);                     \
    }                                                                                              \
    const struct match_engine match_simd_##form##_engine = {                                       \
        .name = "simd:" #form,                                                                     \
        .what = (text),                                                                            \
        .device = "CPU",                                                                           \
        .missing = simd_missing_##form,                                                            \
        .compile = simd_compile_##form,                                                            \
        .release = simd_release,                                                                   \
        .scan = simd_scan,                                                                         \
    };

SIMD_ENGINE(avx512, "simd with AVX-512 VBMI and GFNI: 64 bytes at a time, byte look-ups")
SIMD_ENGINE(avx2, "simd with AVX2: 32 bytes at a time, half-byte look-ups")
SIMD_ENGINE(ssse3, "simd with SSSE3: 16 bytes at a time, half-byte look-ups")
SIMD_ENGINE(portable, "simd in plain C: a 64-bit look-up a byte (shift-and)")
