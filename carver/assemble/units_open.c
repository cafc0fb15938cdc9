/* SPDX-License-Identifier: Apache-2.0
 * carver/assemble/units_open.c - see units_impl.h. */
#include <stdlib.h>

#include "base/crc16.h"
#include "carver/assemble/units_impl.h"

enum {
    UNITS_OPEN_MOST = 1 << 18, /* bytes of a unit, at most */
};

/* The unit as it lies in the piece that breaks, and its sums up to each cut. */
struct units_open {
    const struct units_job *job;
    const struct sig_unit *unit;
    struct crc16 crc;
    uint8_t backs[256]; /* the byte that adds what has this lower byte to a sum */
    uint8_t *bytes;
    uint16_t *sums; /* [cuts] */
    uint32_t len, cuts;
};

static void units_open_sums(struct units_open *open)
{
    uint64_t at = 0, cut = open->job->cut_first - open->job->at;
    uint16_t sum = 0;

    for (; cut < open->len; cut += open->job->step) {
        sum = crc16_add(&open->crc, sum, open->bytes + at, cut - at);
        open->sums[open->cuts++] = sum;
        at = cut;
    }
}

/* Keeps the cuts whose sum is that which the bytes from image offset begin to the end ask for. */
static void units_open_keep(const struct units_open *open, uint64_t begin, uint64_t end,
                            uint16_t sum, struct units *units)
{
    const struct units_job *job = open->job;

    for (uint32_t i = 0; i < open->cuts && units->cut_count < UNITS_CUTS; i++) {
        const uint64_t cut = job->cut_first + (uint64_t)i * job->step;
        const uint64_t len = cut - job->at + (end - begin);

        if (open->sums[i] == sum && cut != begin && len >= open->unit->next_at &&
            len <= open->unit->next_most)
            units->cuts[units->cut_count++] = (struct units_cut){ .end = cut, .begin = begin };
    }
}

/* Goes back from where the next unit begins, to each place where a piece may begin. */
static void units_open_back(struct units_open *open, struct splice *splice, uint64_t end,
                            struct units *units)
{
    const struct units_job *job = open->job;
    const uint32_t len = end < open->len ? (uint32_t)end : open->len;
    const uint64_t phase = job->cut_first % job->step;
    uint32_t sum = 0; /* that the bytes before must have for all of them to have 0 */

    splice_copy(splice, end - len, open->bytes, len);
    units->read += len;
    for (uint32_t i = len; i > 0; i--) {
        const uint64_t at = end - len + i;

        if (at % job->step == phase)
            units_open_keep(open, at, end, (uint16_t)sum, units);
        const uint8_t top = open->backs[sum & 0xff];
        sum = (sum ^ open->crc.table[0][top]) >> 8 | (uint32_t)(top ^ open->bytes[i - 1]) << 8;
    }
}

enum err_code units_open(struct splice *splice, const struct units_job *job,
                         const struct sig_unit *unit, const int64_t *ends, uint32_t end_count,
                         struct units *units, struct err *err)
{
    struct units_open open = { .job = job, .unit = unit, .len = (uint32_t)unit->next_most };

    if (unit->next_most > UNITS_OPEN_MOST || job->cut_first - job->at >= unit->next_most)
        return ERR_OK;
    open.bytes = malloc(open.len);
    open.sums = malloc((open.len / job->step + 1) * sizeof *open.sums);
    const bool have = open.bytes != NULL && open.sums != NULL;

    if (have && end_count > 0) {
        crc16_init(&open.crc, CRC16_SOUND);
        for (uint32_t i = 0; i < 256; i++)
            open.backs[open.crc.table[0][i] & 0xff] = (uint8_t)i;
        splice_copy(splice, job->at, open.bytes, open.len);
        units->read += open.len;
        units_open_sums(&open);
        for (uint32_t i = 0; i < end_count; i++)
            units_open_back(&open, splice, job->at + (uint64_t)ends[i], units);
    }
    units->summed = true;
    free(open.bytes);
    free(open.sums);
    return have ? ERR_OK : ERR_NO_MEMORY(err, open.len);
}
