/* SPDX-License-Identifier: Apache-2.0
 * carver/assemble/units_joint.c - see units_impl.h. */
#include <stdlib.h>

#include "base/bytes.h"
#include "carver/assemble/units_impl.h"

enum {
    JOINT_PIECE = 16 * 1024,
    JOINT_NUMBER = 48, /* bits that stand behind a unit, */
    JOINT_BYTES = 7,   /* and the bytes that they touch, at most; */
    JOINT_FULL = 5,    /* at least so many bytes in a row are all theirs: */
    JOINT_STRIDE = 4,  /* a pair of them lies at each multiple of this */
    JOINT_BEHIND = 32, /* bytes from the number on that the format is given */
};

/* The pairs of bytes that are in such numbers, at any bit; and the places that were found. */
struct joint {
    uint64_t pairs[(1 << 16) / 64];
    const uint64_t *ends;
    uint64_t found[UNITS_SHIFTS]; /* bits of the image */
    uint32_t count;
};

static void joint_pairs(struct joint *joint)
{
    for (uint32_t i = 0; i < SIG_JOINT_ENDS; i++)
        for (uint32_t bit = 0; bit < 8; bit++)
            for (uint32_t byte = bit > 0; byte < (bit > 0 ? 1 : 0) + JOINT_STRIDE; byte++) {
                const uint64_t shifted = joint->ends[i] << (64 - JOINT_NUMBER) >> bit;
                const uint32_t pair = shifted >> (JOINT_NUMBER - byte * 8) & 0xffff;

                joint->pairs[pair / 64] |= UINT64_C(1) << pair % 64;
            }
}

/* Notes the numbers that begin in the bytes before a pair that may be of one. */
static void joint_note(struct joint *joint, const uint8_t *bytes, uint64_t at)
{
    for (uint32_t back = 0; back <= JOINT_FULL; back++) {
        const uint64_t word = bytes_u64be(bytes - back);

        for (uint32_t bit = 0; bit < 8; bit++)
            for (uint32_t i = 0; i < SIG_JOINT_ENDS && joint->count < UNITS_SHIFTS; i++)
                if (word << bit >> (64 - JOINT_NUMBER) == joint->ends[i])
                    joint->found[joint->count++] = (at - back) * 8 + bit;
    }
}

/* Looks for the numbers in image bytes [from, to); those over their beginning are not seen. */
static void joint_look(struct joint *joint, struct splice *splice, uint64_t from, uint64_t to,
                       struct units *units)
{
    uint8_t bytes[JOINT_FULL + JOINT_PIECE + JOINT_BYTES + 1];

    for (uint64_t at = from; at < to && joint->count < UNITS_SHIFTS; at += JOINT_PIECE) {
        splice_copy(splice, at - JOINT_FULL, bytes, sizeof bytes);
        units->read += JOINT_PIECE;
        for (uint32_t i = 0; i < JOINT_PIECE && at + i < to; i += JOINT_STRIDE) {
            const uint8_t *pair = bytes + JOINT_FULL + i;
            const uint32_t number = bytes_u16be(pair);

            if ((joint->pairs[number / 64] >> number % 64 & 1) != 0)
                joint_note(joint, pair, at + i);
        }
    }
}

/* Asks the format for the cuts of a unit that ends before this number. False: no memory. */
static bool joint_ask(struct splice *splice, const struct units_job *job, uint64_t number,
                      struct sig_joint_job *ask, uint8_t *there, struct units *units)
{
    const struct sig_joint *joint = job->sig->joint;
    const uint64_t at = number / 8, from = at > joint->most ? at - joint->most : 0;
    const uint64_t phase = job->cut_first % job->step;
    struct sig_seam_at seams[UNITS_CUTS];
    uint32_t count = 0;

    ask->there_len = splice_copy(splice, from, there, (uint32_t)(at - from) + JOINT_BEHIND);
    ask->begin = (uint32_t)((phase + job->step - from % job->step) % job->step);
    ask->end_bit = (uint32_t)(number - from * 8);
    units->read += ask->there_len;
    units->looked += ask->here_len + ask->there_len;
    if (!joint->join(ask, seams, UNITS_CUTS, &count))
        return false;
    for (uint32_t i = 0; i < count && units->cut_count < UNITS_CUTS; i++) {
        const struct units_cut cut = { .end = job->at + seams[i].end,
                                       .begin = from + seams[i].begin };

        if (cut.end != cut.begin)
            units->cuts[units->cut_count++] = cut;
    }
    return true;
}

enum err_code units_joint(struct splice *splice, const struct units_job *job, struct units *units,
                          struct err *err)
{
    const uint32_t most = job->sig->joint->most;
    const uint64_t low = job->at > UNITS_REACH ? job->at - UNITS_REACH : JOINT_BYTES;
    const uint64_t high = job->at + UNITS_REACH;
    struct joint joint = { .ends = job->sig->joint->ends };
    uint8_t *here = malloc(2 * (size_t)most + JOINT_BEHIND);
    bool have = here != NULL;

    if (have) {
        struct sig_joint_job ask = { .here = here,
                                     .there = here + most,
                                     .here_len = splice_copy(splice, job->at, here, most),
                                     .cut = (uint32_t)(job->cut_first - job->at),
                                     .step = job->step };

        joint_pairs(&joint);
        joint_look(&joint, splice, job->cut_first, high < job->image_len ? high : job->image_len,
                   units);
        joint_look(&joint, splice, low, job->at, units);
        for (uint32_t i = 0; have && i < joint.count; i++)
            have = joint_ask(splice, job, joint.found[i], &ask, here + most, units);
    }
    units->summed = true;
    free(here);
    return have ? ERR_OK : ERR_NO_MEMORY(err, 2 * (size_t)most);
}
