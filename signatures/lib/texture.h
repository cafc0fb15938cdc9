/*
 * signatures/lib/texture.h - does a sector look like raw samples, raw pixels, compressed data? For formats whose length is in
 * their header and whose content is not protected by anything.
 *
 * Such a file that lies in two pieces, or is a header with other content behind it, is as long as it should be. What can
 * be told by looking is told here: sectors of text among samples or pixels, several sectors of noise at full scale
 * (compressed and encrypted data is that), sound that leaps at the edge of a sector, loud sound cut off to zeros there, zeros or
 * text among compressed data. Sound and pictures that really are noise at full scale are not believed.
 */
#ifndef BURIN_SIGNATURES_LIB_TEXTURE_H
#define BURIN_SIGNATURES_LIB_TEXTURE_H

#include "signatures/sig.h"

enum texture_kind {
    TEXTURE_ANY,            /* nothing is known of it: every sector is right */
    TEXTURE_SAMPLES_8,      /* unsigned, around 128 */
    TEXTURE_SAMPLES_16,     /* signed, little-endian */
    TEXTURE_SAMPLES_16_BIG, /* signed, big-endian, and the next two */
    TEXTURE_SAMPLES_24_BIG,
    TEXTURE_SAMPLES_32_BIG,
    TEXTURE_SAMPLES_8_SIGNED,
    TEXTURE_PIXELS, /* bytes of pixels; the one before is `step` bytes away */
    TEXTURE_COMPRESSED,
};

enum { TEXTURE_STEP_MAX = 64 }; /* bytes of a sample of all channels */

/* Kept between calls; zeroed before the first. */
struct texture {
    uint64_t at;                        /* object offset of the next sector; 0: not begun */
    uint32_t noisy;                     /* sectors of noise just before it */
    uint64_t silent_at;                 /* where the sectors of zeros just before it began; 0: none */
    int16_t last;                       /* the sample before that, or just before the next sector */
    bool has_tail;                      /* the two below are those of the sector before */
    int32_t reach;                      /* largest step from one sample of a channel to its next */
    int16_t tail[TEXTURE_STEP_MAX / 2]; /* the last sample of each channel */
};

enum texture_step {
    TEXTURE_RIGHT,
    TEXTURE_WAIT,    /* return what sig_short gives */
    TEXTURE_FOREIGN, /* texture->at is where other data begins */
};

/* Looks at the whole sectors between object offsets from and to. step: 1..64 bytes from one sample or pixel to the next. */
enum texture_step texture_check(struct sig_input *in, struct texture *texture, enum texture_kind kind, uint32_t step,
                                uint64_t from, uint64_t to);

/*
 * The verdict on a file of len bytes, as its header says, of which only the looks of what lies between object offsets from and to
 * can be checked: believed with this reason, or broken where something else than compressed data begins.
 */
struct sig_result texture_believe(struct sig_input *in, struct texture *texture, enum texture_kind kind, uint64_t from,
                                  uint64_t to, uint64_t len, const char *why);

#endif
