/* SPDX-License-Identifier: Apache-2.0
 * signatures/lib/raster.c - see raster.h. */
#include "signatures/lib/raster.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"

enum {
    RASTER_EDGE = 24, /* difference of a byte to the flat ones beside it that no soft edge has */
    RASTER_NOISY = 4, /* sectors of noise in a row that no picture has */
    RASTER_NOISE_STEP = 75,      /* mean difference between pixels: noise has 85 */
    RASTER_NOISE_STEP_MAX = 100, /* more is a pattern */
    RASTER_NOISE_BYTES = 180,    /* different bytes in a sector: noise has 221 */
    RASTER_MARKS = 8,            /* digits, marks, blanks in a sector of text, at least */
    RASTER_TEXT_STEP = 12,       /* mean difference between its bytes, at least */
    RASTER_TAIL =
        4, /* flat sectors at the end of a picture that count without an edge behind them */
};

static bool raster_is_flat(const uint8_t *sector)
{
    return sector[0] == sector[LIMIT_SECTOR - 1] &&
           memcmp(sector, sector + 1, LIMIT_SECTOR - 1) == 0;
}

/* Whether every byte of a pixel differs from the flat ones: pictures' own flat areas rarely end so,
 * exactly there. */
static bool raster_is_edge(const uint8_t *pixel, uint32_t len, uint8_t flat)
{
    for (uint32_t i = 0; i < len; i++)
        if ((pixel[i] > flat ? pixel[i] - flat : flat - pixel[i]) < RASTER_EDGE)
            return false;
    return len > 0;
}

static bool raster_is_noise(const uint8_t *sector, uint32_t step)
{
    int32_t change = 0;
    const int32_t pairs = LIMIT_SECTOR - (int32_t)step;

    for (uint32_t i = step; i < LIMIT_SECTOR; i++)
        change += abs(sector[i] - sector[i - step]);
    return change >= RASTER_NOISE_STEP * pairs && change <= RASTER_NOISE_STEP_MAX * pairs &&
           plausible_kinds(sector) >= RASTER_NOISE_BYTES;
}

/* Small letters with capitals, digits and marks among them, blanks or not: scripts, tables.
 * Pictures' areas of such bytes are soft. */
static bool raster_is_text(const uint8_t *sector)
{
    uint32_t letters = 0, marks = 0;
    int32_t change = 0;

    for (uint32_t i = 0; i < LIMIT_SECTOR; i++) {
        const uint8_t c = sector[i];

        if ((c < ' ' && c != '\t' && c != '\n' && c != '\r') || c > '~')
            return false;
        letters += c >= 'a' && c <= 'z';
        marks += c < 'A';
        change += i > 0 ? abs(c - sector[i - 1]) : 0;
    }
    return letters > LIMIT_SECTOR / 2 && marks >= RASTER_MARKS &&
           change > RASTER_TEXT_STEP * LIMIT_SECTOR;
}

/* One sector. False: the flat ones before it were put there. */
static bool raster_sector(struct raster *raster, const uint8_t *sector, uint32_t step)
{
    if (raster_is_flat(sector)) {
        if (raster->flat_at != 0 && raster->flat == sector[0])
            return true;
        raster->flat_at = raster->at;
        raster->flat = sector[0];
        return true;
    }
    if (raster->flat_at != 0 && raster_is_edge(raster->before, raster->before_len, raster->flat) &&
        raster_is_edge(sector, step, raster->flat)) {
        raster->at = raster->flat_at;
        raster->flat_at = 0;
        raster->noisy = 0;
        return false;
    }
    raster->flat_at = 0;
    memcpy(raster->before, sector + LIMIT_SECTOR - step, step);
    raster->before_len = step;
    return true;
}

enum step raster_check(struct sig_input *in, struct raster *raster, uint32_t step, uint64_t from,
                       uint64_t to)
{
    assert(step >= 1 && step <= RASTER_STEP_MAX);
    if (raster->at == 0)
        raster->at = (from + LIMIT_SECTOR - 1) & ~(uint64_t)(LIMIT_SECTOR - 1);
    for (; raster->at < to && to - raster->at >= LIMIT_SECTOR; raster->at += LIMIT_SECTOR) {
        const uint8_t *sector = sig_bytes(in, raster->at, LIMIT_SECTOR);

        if (sector == NULL)
            return STEP_WAIT;
        raster->noisy = raster_is_noise(sector, step) ? raster->noisy + 1 : 0;
        if (!raster_sector(raster, sector, step))
            return STEP_BAD;
        if (raster->noisy == RASTER_NOISY) {
            raster->at -= (RASTER_NOISY - 1) * LIMIT_SECTOR;
            raster->noisy = 0;
            return STEP_BAD;
        }
        if (raster_is_text(sector))
            return STEP_BAD;
        if (plausible_check(in, &raster->plausible, PLAUSIBLE_SAMPLES_8, 1, from,
                            raster->at + LIMIT_SECTOR) != STEP_DONE)
            return STEP_BAD;
    }
    if (raster->flat_at != 0 && raster->flat == 0 &&
        raster->at - raster->flat_at >= RASTER_TAIL * LIMIT_SECTOR &&
        raster_is_edge(raster->before, raster->before_len, 0)) {
        raster->at = raster->flat_at;
        return STEP_BAD;
    }
    return STEP_DONE;
}

/* Flat sectors and noise are judged by what follows them. */
uint64_t raster_right(const struct raster *raster)
{
    const uint64_t noisy = raster->at - (uint64_t)raster->noisy * LIMIT_SECTOR;

    return raster->flat_at != 0 && raster->flat_at < noisy ? raster->flat_at : noisy;
}
