/* SPDX-License-Identifier: Apache-2.0
 * carver/feature/feature_masks.c - see feature_masks.h. */
#include <string.h>

#include "carver/feature/feature_masks.h"

enum { MASKS_LANES = 16 };

typedef uint8_t masks_lanes __attribute__((vector_size(MASKS_LANES), may_alias));

/* Bit n: whether lane n, which is 0 or 0xff, is set. */
static inline uint64_t masks_bits(masks_lanes lanes)
{
#ifdef __SSE2__
    typedef char masks_signed __attribute__((vector_size(MASKS_LANES)));

    return (uint16_t)__builtin_ia32_pmovmskb128((masks_signed)lanes);
#else
    uint64_t halves[2], bits = 0;

    memcpy(halves, &lanes, sizeof halves);
    for (uint32_t i = 0; i < 2; i++) /* one bit of each byte, gathered in the highest byte */
        bits |= ((halves[i] & UINT64_C(0x0101010101010101)) * UINT64_C(0x0102040810204080) >> 56)
                << 8 * i;
    return bits;
#endif
}

static inline masks_lanes masks_between(masks_lanes bytes, uint8_t from, uint8_t to)
{
    return (masks_lanes)((bytes - from) <= (masks_lanes){ 0 } + (uint8_t)(to - from));
}

static inline masks_lanes masks_is(masks_lanes bytes, uint8_t value)
{
    return (masks_lanes)(bytes == value);
}

void feature_classify(const uint8_t bytes[64], uint64_t words[CLASSES])
{
    memset(words, 0, CLASSES * sizeof *words);
    for (uint32_t i = 0; i < 64 / MASKS_LANES; i++) {
        const uint32_t at = i * MASKS_LANES;
        masks_lanes b;

        memcpy(&b, bytes + at, sizeof b);
        const masks_lanes digits = masks_between(b, '0', '9');
        const masks_lanes letters = masks_between(b | 0x20, 'a', 'z');
        words[CLASS_DIGIT] |= masks_bits(digits) << at;
        words[CLASS_ALNUM] |= masks_bits(digits | letters) << at;
        words[CLASS_UPPER] |= masks_bits(masks_between(b, 'A', 'Z')) << at;
        words[CLASS_AT] |= masks_bits(masks_is(b, '@')) << at;
        words[CLASS_COLON] |= masks_bits(masks_is(b, ':')) << at;
        words[CLASS_SLASH] |= masks_bits(masks_is(b, '/')) << at;
        words[CLASS_DASH] |= masks_bits(masks_is(b, '-')) << at;
        words[CLASS_DOT] |= masks_bits(masks_is(b, '.')) << at;
        words[CLASS_PLUS] |= masks_bits(masks_is(b, '+')) << at;
        words[CLASS_OPEN] |= masks_bits(masks_is(b, '(')) << at;
        words[CLASS_UNDER] |= masks_bits(masks_is(b, '_')) << at;
        words[CLASS_ZERO] |= masks_bits(masks_is(b, 0)) << at;
    }
}

/* A class of one form: its characters among the bytes before the word, in it, and behind it. */
struct masks_class {
    uint64_t last, here, next;
};

/* Bytes whose k-th next character is of the class. */
static inline uint64_t masks_next(struct masks_class c, uint32_t bytes)
{
    return c.here >> bytes | c.next << (64 - bytes);
}

/* Bytes whose character before is of the class. */
static inline uint64_t masks_last(struct masks_class c, uint32_t bytes)
{
    return c.here << bytes | c.last >> (64 - bytes);
}

/*
 * The class in a form. What lies a byte outside of the three words is taken for a zero: nothing
 * looks so far behind, and too many places cost time alone.
 */
static inline struct masks_class masks_form(const struct feature_words *words,
                                            enum feature_class class,
                                            const struct feature_form *form)
{
    struct masks_class c = { words->last[class], words->here[class], words->next[class] };
    const struct masks_class zero = { words->last[CLASS_ZERO], words->here[CLASS_ZERO],
                                      words->next[CLASS_ZERO] };

    if (form->zeros_after != 0) {
        c.last &= zero.last >> 1 | zero.here << 63;
        c.here &= masks_next(zero, 1);
        c.next &= zero.next >> 1 | UINT64_C(1) << 63;
    } else if (form->zeros_before != 0) {
        c.last &= zero.last << 1 | 1;
        c.here &= masks_last(zero, 1);
        c.next &= zero.next << 1 | zero.here >> 63;
    }
    return c;
}

/* Beginnings of 16 characters of the class beside each other, u bytes each; the words' low bits. */
static inline struct masks_class masks_sixteen(struct masks_class c, uint32_t u)
{
    for (uint32_t bytes = u; bytes <= 8 * u; bytes *= 2) {
        c.here &= masks_next(c, bytes);
        c.next &= c.next >> bytes;
    }
    return c;
}

bool feature_places(const struct feature_words *words, const struct feature_form *form,
                    uint64_t places[FEATURE_PACKS])
{
    const uint32_t u = 1u + form->zeros_before + form->zeros_after;
    const struct masks_class a = masks_form(words, CLASS_ALNUM, form);

    /* The places of all packs are letters, digits, or beside one. */
    if ((a.here | a.next) == 0)
        return false;
    const struct masks_class d = masks_form(words, CLASS_DIGIT, form),
                             capital = masks_form(words, CLASS_UPPER, form),
                             colon = masks_form(words, CLASS_COLON, form),
                             slash = masks_form(words, CLASS_SLASH, form),
                             dash = masks_form(words, CLASS_DASH, form),
                             dot = masks_form(words, CLASS_DOT, form),
                             under = masks_form(words, CLASS_UNDER, form),
                             many = masks_sixteen(a, u);
    const uint64_t at = masks_form(words, CLASS_AT, form).here,
                   plus = masks_form(words, CLASS_PLUS, form).here,
                   open = masks_form(words, CLASS_OPEN, form).here;
    const uint64_t begins = ~masks_last(a, u); /* no letter or digit stands before */
    const uint64_t two = d.here & masks_next(d, u), three = two & masks_next(d, 2 * u);

    places[FEATURE_EMAIL] = at & masks_next(a, u);
    places[FEATURE_URL] =
        colon.here & masks_last(a, u) & masks_next(slash, u) & masks_next(slash, 2 * u);
    places[FEATURE_PHONE] =
        (plus & begins & masks_next(d, u)) | (colon.here & masks_last(a, u)) |
        (open & masks_next(d, u) & masks_next(d, 2 * u) & masks_next(d, 3 * u)) |
        (three & begins & (masks_next(dash, 3 * u) | masks_next(dot, 3 * u)) &
         masks_next(d, 4 * u) & masks_next(d, 5 * u) & masks_next(d, 6 * u));
    places[FEATURE_CARD] = three & begins & masks_next(d, 3 * u);
    places[FEATURE_IBAN] = capital.here & begins & masks_next(capital, u) & masks_next(d, 2 * u) &
                           masks_next(d, 3 * u);
    places[FEATURE_IP] =
        (d.here & begins & ~masks_last(dot, u) &
         (masks_next(dot, u) | (two & masks_next(dot, 2 * u)) | (three & masks_next(dot, 3 * u)))) |
        (a.here & begins & ~masks_last(colon, u) & masks_next(a, u) & masks_next(a, 2 * u) &
         masks_next(a, 3 * u) & masks_next(colon, 4 * u));
    places[FEATURE_BTC] = many.here & begins;
    places[FEATURE_KEY] =
        (many.here & begins) | (under.here & masks_next(many, u)) |
        (capital.here & begins & masks_next(capital, u)) |
        (a.here & begins & masks_next(a, u) & masks_next(capital, 2 * u)) |
        (dash.here & masks_last(a, u) &
         (masks_next(a, u) | masks_next(under, u) | masks_next(dash, u))) |
        (dash.here & ~masks_last(dash, u) & masks_next(dash, u) & masks_next(dash, 2 * u) &
         masks_next(dash, 3 * u) & masks_next(dash, 4 * u));
    return true;
}
