/* SPDX-License-Identifier: Apache-2.0
 * signatures/science/fits.c - FITS: astronomical data.
 *
 *   blocks of 2880 bytes: cards of 80 letters, "SIMPLE  = T" first, up to "END" | data | likewise,
 * beginning with "XTENSION"
 *
 * Every card is read as text. BITPIX, NAXIS, NAXIS1.., PCOUNT and GCOUNT say how long the data are;
 * another extension right behind them belongs to the file.
 */
#include <string.h>

#include "base/bytes.h"
#include "signatures/lib/chars.h"
#include "signatures/lib/raster.h"
#include "signatures/lib/step.h"
#include "signatures/sig.h"

enum {
    FITS_BLOCK = 2880,
    FITS_CARD = 80,
    FITS_CARDS_MAX = 36 * 4096, /* of one header */
    FITS_AXES_MAX = 999,
};
#define FITS_SIZE_MAX (UINT64_C(1) << 40)

struct fits_state {
    uint64_t unit;           /* object offset of the header being read */
    uint64_t card;           /* object offset of the next card; 0: not begun */
    uint64_t data, data_end; /* of the primary data, without what fills up the block */
    struct raster raster;
    uint64_t whole; /* end of the last whole unit */
    uint64_t elements, parameters, groups;
    uint32_t bits, axes, seen;
    bool random; /* the first axis is 0 and the data come in groups */
};

/* The whole number behind "= "; a minus sign is left out. UINT64_MAX: none. */
static uint64_t fits_number(const uint8_t *card)
{
    uint64_t value = 0;
    uint32_t i = 10, digits = 0;

    if (memcmp(card + 8, "= ", 2) != 0)
        return UINT64_MAX;
    while (i < FITS_CARD && card[i] == ' ')
        i++;
    i += i < FITS_CARD && (card[i] == '-' || card[i] == '+');
    for (; i < FITS_CARD && card[i] >= '0' && card[i] <= '9' && value < FITS_SIZE_MAX;
         i++, digits++)
        value = value * 10 + (uint64_t)(card[i] - '0');
    return digits > 0 && value < FITS_SIZE_MAX ? value : UINT64_MAX;
}

/* NULL: right. *end: it was the last one. */
static const char *fits_card(struct fits_state *state, const uint8_t *card, uint32_t index,
                             bool *end)
{
    if (!text_is_printable(card, FITS_CARD))
        return "a card is not text";
    if (index == 0)
        return memcmp(card, state->unit == 0 ? "SIMPLE  = " : "XTENSION= ", 10) == 0
                   ? NULL
                   : "the first card is not SIMPLE or XTENSION";
    *end = memcmp(card, "END     ", 8) == 0;
    const uint64_t number = fits_number(card);
    if (index == 1 || index == 2) {
        if (memcmp(card, index == 1 ? "BITPIX  " : "NAXIS   ", 8) != 0 || number > FITS_AXES_MAX)
            return "there is no valid BITPIX or NAXIS card";
        if (index == 1)
            state->bits = (uint32_t)number;
        else
            state->axes = (uint32_t)number;
        return number == 8 || number == 16 || number == 32 || number == 64 || index == 2
                   ? NULL
                   : "unknown value of BITPIX";
    }
    if (state->seen < state->axes) {
        if (memcmp(card, "NAXIS", 5) != 0 || number == UINT64_MAX)
            return "an axis is missing";
        if (state->seen == 0 && number == 0 && state->axes > 1)
            state->random = true;
        else if (number > 0 && state->elements > FITS_SIZE_MAX / number)
            return "invalid axes";
        else
            state->elements *= number;
        state->seen++;
        return NULL;
    }
    if (memcmp(card, "PCOUNT  ", 8) == 0 && number != UINT64_MAX)
        state->parameters = number;
    if (memcmp(card, "GCOUNT  ", 8) == 0 && number != UINT64_MAX)
        state->groups = number;
    return NULL;
}

/* Reads the header at state->unit, and sets state->whole to the end of its data. */
static enum step fits_unit(struct sig_input *in, struct fits_state *state, const char **why)
{
    bool end = false;

    if (state->card == 0 || state->card < state->unit) {
        state->card = state->unit;
        state->elements = state->groups = 1;
        state->parameters = state->seen = 0;
        state->random = false;
    }
    for (; !end; state->card += FITS_CARD) {
        const uint64_t index = (state->card - state->unit) / FITS_CARD;
        const uint8_t *card = sig_bytes(in, state->card, FITS_CARD);

        if (card == NULL)
            return STEP_WAIT;
        *why = index == FITS_CARDS_MAX ? "the header has no end"
                                       : fits_card(state, card, (uint32_t)index, &end);
        if (*why != NULL)
            return STEP_BAD;
        if (index > 2)
            sig_valid(in, state->card);
    }
    const uint64_t size =
        state->axes == 0
            ? 0
            : state->parameters + (state->random && state->elements == 0 ? 0 : state->elements);
    if (size > FITS_SIZE_MAX || state->groups > FITS_SIZE_MAX / (size + 1)) {
        *why = "invalid length of the data";
        return STEP_BAD;
    }
    const uint64_t header = (state->card - state->unit + FITS_BLOCK - 1) / FITS_BLOCK * FITS_BLOCK;
    const uint64_t data =
        (state->bits / 8 * state->groups * size + FITS_BLOCK - 1) / FITS_BLOCK * FITS_BLOCK;
    state->whole = state->unit + header + data;
    state->data = state->unit + header;
    state->data_end = state->data + state->bits / 8 * state->groups * size;
    return STEP_DONE;
}

/* The picture of the first unit, and the zeros behind it. */
static enum step fits_picture(struct sig_input *in, struct fits_state *state, const char **why)
{
    *why = "the data here do not look like a picture";
    if (state->data_end == state->data)
        return STEP_DONE;
    if (state->bits <= 32) {
        const enum step seen =
            raster_check(in, &state->raster, state->bits / 8, state->data, state->data_end);

        if (raster_right(&state->raster) > state->data)
            sig_valid(in, raster_right(&state->raster));
        if (seen != STEP_DONE)
            return seen == STEP_WAIT ? STEP_WAIT : STEP_BAD;
    }
    const uint32_t fill = (uint32_t)(state->whole - state->data_end);
    const uint8_t *zeros = fill == 0 ? NULL : sig_bytes(in, state->data_end, fill);
    if (zeros == NULL && fill > 0)
        return STEP_WAIT;
    for (uint32_t i = 0; i < fill; i++)
        if (zeros[i] != 0)
            return STEP_BAD;
    return STEP_DONE;
}

static struct sig_result fits_check(struct sig_input *in, void *memory)
{
    struct fits_state *state = memory;
    const char *why = NULL;

    for (;;) {
        if (state->whole <= state->unit) {
            const enum step step = fits_unit(in, state, &why);

            if (step == STEP_WAIT)
                return sig_short(in);
            if (step == STEP_BAD)
                return state->unit > 0            ? sig_breaks(in, why)
                       : state->card < FITS_BLOCK ? sig_reject(why)
                                                  : sig_breaks(in, why);
        }
        const enum step seen = state->unit > 0 ? STEP_DONE : fits_picture(in, state, &why);
        if (seen == STEP_BAD)
            return sig_breaks(in, why);
        if (seen == STEP_WAIT || sig_bytes(in, state->whole - 1, 1) == NULL)
            return sig_short(in);
        sig_valid(in, state->whole);
        const uint8_t *next = sig_bytes(in, state->whole, 10);
        if (next == NULL && in->wanted <= in->limit)
            return sig_short(in);
        if (next == NULL || memcmp(next, "XTENSION= ", 10) != 0)
            return sig_believe(in, state->whole,
                               "the headers are valid and give the length of "
                               "the data");
        state->unit = state->whole;
    }
}

const struct sig sig_fits = {
    .name = "fits",
    .what = "FITS astronomical data",
    .proves = "cards are text in their order; data are as long as axes and bits say and look like "
              "a picture; zeros "
              "fill it up",
    .source = "IAU FITS Working Group, Definition of the Flexible Image Transport System, Version "
              "4.0: 3, 4, 7",
    .types = (const struct sig_type[]){ { "fits", "fits" }, { 0 } },
    .headers = { SIG_PATTERN("SIMPLE  =                    T") },
    .flags = SIG_SECTOR_ALIGNED,
    .size_min = FITS_BLOCK,
    .size_max = FITS_SIZE_MAX,
    .state_size = sizeof(struct fits_state),
    .check = fits_check,
};
