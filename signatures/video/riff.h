/* SPDX-License-Identifier: Apache-2.0
 * signatures/video/riff.h - what the parts of the RIFF validator share; nobody else includes it.
 *
 *   riff.c       the form as a list of chunks: lengths, padding, the end
 *   riff_form.c  what the chunks of each known form must hold
 */
#ifndef BURIN_SIGNATURES_VIDEO_RIFF_H
#define BURIN_SIGNATURES_VIDEO_RIFF_H

#include "signatures/lib/plausible.h"
#include "signatures/sig.h"

enum { RIFF_HEAD = 12, RIFF_DS64 = 28 };

enum riff_form {
    RIFF_WAVE,
    RIFF_AVI,
    RIFF_WEBP,
    RIFF_ACON,
    RIFF_RMID,
    RIFF_SFBK,
    RIFF_CDR, /* from here on: forms of which only the first chunk and one more are known
                 (riff_plain) */
    RIFF_CMX,
    RIFF_DLS,
    RIFF_CDXA,
    RIFF_QLCM,
    RIFF_PAL,
    RIFF_FORMS
};

/* As enum step, and: go into the chunk. */
enum riff_step {
    RIFF_DONE,   /* the chunk is right: go on behind it */
    RIFF_INSIDE, /* the chunk is a list whose chunks are to be walked: go on in it */
    RIFF_WAIT,   /* return what sig_short gives */
    RIFF_BAD,
};

struct riff_state {
    uint64_t at;        /* object offset of the next chunk; 0: the head has not been read */
    uint64_t end;       /* object offset where the form ends, by its size */
    uint64_t proven;    /* object offset of the last chunk that is right */
    uint64_t movi_end;  /* AVI: chunks before it are those of the list "movi" */
    uint64_t wide_data; /* RF64: length of the chunk "data" */
    enum riff_form form;
    enum plausible_kind kind;   /* of the content */
    uint32_t step;              /* bytes from sample to sample */
    struct plausible plausible; /* of the chunk at `at` */
    bool big_endian, wide, streamed;
    bool has_format, has_content,
        has_fact; /* WAVE: fmt, data; AVI: hdrl, movi; WebP: VP8X, a picture; … */
};

struct riff_chunk {
    uint64_t at, size; /* object offset of its head; bytes of data */
    uint8_t id[4];
};

uint32_t riff_u32(const struct riff_state *state, const uint8_t *p);
uint32_t riff_u16(const struct riff_state *state, const uint8_t *p);

/* Is this chunk right where it stands? The chunk ends within the form. *why is set with RIFF_BAD.
 */
enum riff_step riff_chunk(struct sig_input *in, struct riff_state *state,
                          const struct riff_chunk *chunk, const char **why);

/* NULL, or what is missing at the end of the form. */
const char *riff_missing(const struct riff_state *state);

/* The chunk that holds the sound or the video. */
bool riff_is_content(const struct riff_state *state, const struct riff_chunk *chunk);

/* What the bytes of the chunk should look like. */
enum plausible_kind riff_plausible(const struct riff_state *state, const struct riff_chunk *chunk);
bool riff_has_content(const struct riff_state *state);

#endif
