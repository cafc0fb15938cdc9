/* SPDX-License-Identifier: Apache-2.0
 * signatures/sound/audio_frames.h - sound in frames without a beginning or an end: MPEG audio,
 * ADTS, AC-3, DTS. Each frame's header tells its length; the file ends where no frame follows,
 * unless that looks like a file in two pieces.
 */
#ifndef BURIN_SIGNATURES_SOUND_AUDIO_FRAMES_H
#define BURIN_SIGNATURES_SOUND_AUDIO_FRAMES_H

#include "signatures/lib/step.h"
#include "signatures/sig.h"

enum {
    AUDIO_FRAMES_HEAD_MAX = 16,
    AUDIO_FRAMES_MIN = 8, /* in a row: fewer are a chance */
};

struct audio_frames_kind {
    uint32_t head; /* bytes that the two functions look at, and the least ones of a frame; at most
                      AUDIO_FRAMES_HEAD_MAX */
    uint8_t sync;  /* the first byte of each */
    bool checked;  /* the caller looks into frames: the last one is known to be whole */
    uint32_t (*len)(const uint8_t *head); /* bytes of the frame that begins so; 0: none does */
    bool (*alike)(const uint8_t *first, const uint8_t *head); /* of one stream */
};

/* Kept between calls; zeroed before the first, but for `at`. */
struct audio_frames {
    uint64_t at;                         /* object offset of the next frame */
    uint64_t last;                       /* of the one before it */
    uint64_t frames;                     /* whole ones so far */
    uint64_t look;                       /* where frames that go on are looked for; 0: not begun */
    uint8_t head[AUDIO_FRAMES_HEAD_MAX]; /* of the first frame */
};

/* Over one frame. STEP_BAD: no frame of the stream stands there. */
enum step audio_frames_next(struct sig_input *in, const struct audio_frames_kind *kind,
                            struct audio_frames *frames);

/* Behind the last frame: STEP_DONE where the file may end. STEP_BAD: it goes on in another place,
 * *why says. */
enum step audio_frames_end(struct sig_input *in, const struct audio_frames_kind *kind,
                           struct audio_frames *frames, const char **why);

#endif
