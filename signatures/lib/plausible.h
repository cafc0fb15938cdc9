/* SPDX-License-Identifier: Apache-2.0
 * signatures/lib/plausible.h - does a sector look like raw samples, raw pixels or compressed data?
 * For formats whose header gives the length and whose content has no checksum.
 *
 * The length of such a file is right even when the file lies in two pieces, or when other content
 * stands behind its header. So this file looks for sectors that cannot belong to it:
 *   - sectors of text among samples or pixels;
 *   - several sectors of noise at full scale, as compressed and encrypted data is;
 *   - sound that jumps at the edge of a sector, or loud sound that becomes zeros there;
 *   - zeros or text among compressed data.
 * Sound and pictures that really are noise at full scale are taken for other data.
 */
#ifndef BURIN_SIGNATURES_LIB_PLAUSIBLE_H
#define BURIN_SIGNATURES_LIB_PLAUSIBLE_H

#include "signatures/lib/step.h"
#include "signatures/sig.h"

enum plausible_kind {
    PLAUSIBLE_ANY,            /* unknown content: every sector is right */
    PLAUSIBLE_SAMPLES_8,      /* unsigned, around 128 */
    PLAUSIBLE_SAMPLES_16,     /* signed, little-endian */
    PLAUSIBLE_SAMPLES_16_BIG, /* signed, big-endian */
    PLAUSIBLE_SAMPLES_24_BIG, /* signed, big-endian */
    PLAUSIBLE_SAMPLES_32_BIG, /* signed, big-endian */
    PLAUSIBLE_SAMPLES_8_SIGNED,
    PLAUSIBLE_PIXELS, /* bytes of pixels; a byte's left neighbour is `step` bytes before it */
    PLAUSIBLE_COMPRESSED,
};

enum { PLAUSIBLE_STEP_MAX = 64 }; /* most bytes of the samples of all channels together */

/* A validator keeps it in its state between calls. It is zeroed before the first call. */
struct plausible {
    uint64_t at;    /* object offset of the next sector; 0: not begun */
    uint32_t noisy; /* number of sectors of noise right before `at` */
    /* Object offset of the sectors of zeros right before `at`; 0: none */
    uint64_t silent_at;
    /* The last sample before these sectors of zeros, or before `at` */
    int16_t last;
    bool has_tail; /* reach and tail are those of the sector before `at` */
    /* Largest difference between two neighbouring samples of a channel */
    int32_t reach;
    int16_t tail[PLAUSIBLE_STEP_MAX / 2]; /* the last sample of each channel */
};

/*
 * Looks at the whole sectors between object offsets from and to. step: bytes from one sample or
 * pixel to the next, 1..PLAUSIBLE_STEP_MAX. STEP_BAD: other data begins at object offset
 * plausible->at.
 */
enum step plausible_check(struct sig_input *in, struct plausible *plausible,
                          enum plausible_kind kind, uint32_t step, uint64_t from, uint64_t to);

/* How many different bytes a sector has. */
uint32_t plausible_kinds(const uint8_t *sector);

/*
 * The verdict on a file whose header gives its length, len bytes, and of whose content only the
 * sectors between object offsets from and to can be looked at. It is sig_believe with the reason
 * why, or the file breaks where content of another kind begins.
 */
struct sig_result plausible_believe(struct sig_input *in, struct plausible *plausible,
                                    enum plausible_kind kind, uint64_t from, uint64_t to,
                                    uint64_t len, const char *why);

#endif
