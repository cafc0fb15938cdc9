/* match/simd.c - the vector engine: the three passes over a text piece by piece, and its forms as engines. See simd.h. */
#include <string.h>

#include "base/bytes.h"
#include "match/simd.h"

/* The last block may have looked at too many places. */
static void simd_trim(struct simd_found *found, uint32_t places)
{
    uint32_t kept = 0;

    for (uint32_t i = 0; i < found->count; i++)
        if ((found->leads[i] & SIMD_PLACE_MASK) < places)
            found->leads[kept++] = found->leads[i];
    found->count = kept;
}

/* The third pass over all leads, which have ends, or slots if not inside: then any pattern of the slot may be there. */
static bool simd_verify_all(const struct simd_scan *scan, const uint8_t *at, uint32_t p, const struct simd_found *found,
                            bool inside)
{
    const struct simd_program *program = scan->program;
    const uint32_t count = found->count;

    for (uint32_t i = 0; i < count; i++) {
        const uint32_t place = found->leads[i] & SIMD_PLACE_MASK;
        const uint32_t number = found->leads[i] >> SIMD_PLACE_BITS;
        const struct simd_end *first = &program->ends[inside ? number : program->slots[number].ends.start];
        const struct simd_end *last = inside ? first + 1 : &program->ends[program->slots[number + 1].ends.start];

        if (!simd_verify(scan, p + place, at + place, first->first, last->first, inside))
            return false;
    }
    return true;
}

/* The windows that begin at text [p, p + places), read from `at`. */
static bool simd_piece(const struct simd_scan *scan, const uint8_t *at, uint32_t p, uint32_t places)
{
    const struct simd_program *program = scan->program;
    const struct match_text *text = scan->text;
    struct simd_found found;

    program->form->filter(program, at, (places + SIMD_BLOCK - 1) / SIMD_BLOCK, &found);
    if (found.count == 0)
        return true;
    simd_sift(program, at, &found);
    if (places % SIMD_BLOCK != 0)
        simd_trim(&found, places);
    const bool inside =
        at == text->bytes + p && p >= program->back && text->len - p >= (uint64_t)places + program->ahead;
    if (inside) {
        simd_sift_ends(program, at, &found);
        if (scan->sink->max - scan->sink->count > found.count)
            simd_take_plain(scan, p, at, &found);
    }
    return simd_verify_all(scan, at, p, &found, inside);
}

/* The last windows, where a filter would read past the text. What stands in for bytes behind it matters to no match. */
static bool simd_tail(const struct simd_scan *scan, uint32_t p, uint32_t end)
{
    uint8_t copy[2 * SIMD_BLOCK + SIMD_AHEAD] = { 0 };
    const uint32_t left = scan->text->len - p;

    memcpy(copy, scan->text->bytes + p, left < sizeof copy ? left : sizeof copy);
    return simd_piece(scan, copy, p, end - p);
}

static bool simd_run(const struct simd_scan *scan, uint32_t p, uint32_t end)
{
    const uint32_t len = scan->text->len;

    while (p < end) {
        const uint32_t room = len - p > SIMD_AHEAD ? (len - p - SIMD_AHEAD) / SIMD_BLOCK * SIMD_BLOCK : 0;

        if (room == 0)
            return simd_tail(scan, p, end);
        const uint32_t most = room < SIMD_PIECE ? room : SIMD_PIECE;
        const uint32_t places = end - p < most ? end - p : most;
        if (!simd_piece(scan, scan->text->bytes + p, p, places))
            return false;
        p += places;
    }
    return true;
}

static bool simd_scan(const void *program, const struct match_text *text, uint32_t from, uint32_t to,
                      struct match_sink *sink)
{
    const struct simd_program *simd = program;
    const struct simd_scan scan = { .program = simd, .text = text, .from = from, .to = to, .sink = sink };
    const uint32_t found = sink->count;

    if (simd->count == 0 || simd_run(&scan, from > simd->before ? from - simd->before : 0, to))
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
    static const struct simd_form *const forms[] = { &simd_form_avx512, &simd_form_avx2, &simd_form_ssse3,
                                                     &simd_form_portable };
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

static enum err_code simd_compile_with(const struct simd_form *form, const struct match_dictionary *dictionary,
                                       void **program, struct err *err)
{
    struct simd_program *simd = NULL;
    const enum err_code rc = simd_build(dictionary, form, &simd, err);

    *program = simd;
    return rc;
}

static enum err_code simd_compile(const struct match_dictionary *dictionary, const struct match_setup *setup,
                                  void **program, struct err *err)
{
    (void)setup;
    return simd_compile_with(simd_best(), dictionary, program, err);
}

const struct match_engine match_simd_engine = {
    .name = "simd",
    .what = "vector filter over the rarest bytes of each pattern, exact comparison; the best form for the machine",
    .device = "CPU",
    .missing = simd_missing,
    .suits = simd_suits,
    .compile = simd_compile,
    .release = simd_release,
    .scan = simd_scan,
};

/* A form as an engine. */
#define SIMD_ENGINE(form, text)                                                                                        \
    static const char *simd_missing_##form(void)                                                                       \
    {                                                                                                                  \
        return simd_form_##form.missing();                                                                             \
    }                                                                                                                  \
    static enum err_code simd_compile_##form(const struct match_dictionary *dictionary,                                \
                                             const struct match_setup *setup, void **program, struct err *err)         \
    {                                                                                                                  \
        (void)setup;                                                                                                   \
        return simd_compile_with(&simd_form_##form, dictionary, program, err);                                         \
    }                                                                                                                  \
    const struct match_engine match_simd_##form##_engine = {                                                           \
        .name = "simd:" #form,                                                                                         \
        .what = (text),                                                                                                \
        .device = "CPU",                                                                                               \
        .missing = simd_missing_##form,                                                                                \
        .suits = simd_suits,                                                                                           \
        .compile = simd_compile_##form,                                                                                \
        .release = simd_release,                                                                                       \
        .scan = simd_scan,                                                                                             \
    };

SIMD_ENGINE(avx512, "simd with AVX-512 VBMI and GFNI: 64 bytes at a time, byte look-ups")
SIMD_ENGINE(avx2, "simd with AVX2: 32 bytes at a time, half-byte look-ups")
SIMD_ENGINE(ssse3, "simd with SSSE3: 16 bytes at a time, half-byte look-ups")
SIMD_ENGINE(portable, "simd in plain C: a 64-bit look-up a byte (shift-and)")
