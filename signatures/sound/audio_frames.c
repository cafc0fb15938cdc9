/* SPDX-License-Identifier: Apache-2.0
 * signatures/sound/audio_frames.c - see audio_frames.h. */
#include <string.h>

#include "base/limits.h"
#include "signatures/sound/audio_frames.h"
#include "signatures/sound/audio_tag.h"

enum {
    FRAMES_SEARCH = 64 << 10, /* bytes behind the end in which frames that go on are looked for */
    FRAMES_LOOK = 64,         /* bytes on each side of a sector's edge that are compared */
    FRAMES_ZEROS = 8, /* bytes of zeros that are no part of a frame when they begin on a sector */
    FRAMES_CHAIN = 3, /* frames in a row that make such a find */
};

enum step audio_frames_next(struct sig_input *in, const struct audio_frames_kind *kind,
                            struct audio_frames *frames)
{
    const uint8_t *head = sig_bytes(in, frames->at, kind->head);

    if (head == NULL)
        return in->wanted > in->limit ? STEP_BAD : STEP_WAIT;
    const uint32_t len = kind->len(head);
    if (len < kind->head || (frames->frames > 0 && !kind->alike(frames->head, head)))
        return STEP_BAD;
    if (frames->frames == 0)
        memcpy(frames->head, head, kind->head);
    if (sig_bytes(in, frames->at + len - 1, 1) == NULL)
        return STEP_WAIT;
    frames->last = frames->at;
    frames->at += len;
    frames->frames++;
    return STEP_DONE;
}

/* How many of the bytes are above 127: half of those of compressed data. */
static uint32_t frames_high(const uint8_t *bytes, uint32_t len)
{
    uint32_t high = 0;

    for (uint32_t i = 0; i < len; i++)
        high += bytes[i] >> 7;
    return high;
}

static bool frames_is_even(const uint8_t *bytes, uint32_t len)
{
    return len > 0 && bytes[0] == 0 && memcmp(bytes, bytes + 1, len - 1) == 0;
}

/* The sound stops at a sector inside of the last frame: zeros from there on, or something that is
 * not compressed. */
static enum step frames_stops(struct sig_input *in, const struct audio_frames *frames)
{
    const uint32_t lead = frames->frames > 1 && frames->last >= FRAMES_LOOK
                              ? FRAMES_LOOK
                              : 0; /* of the frame before */
    const uint64_t from = frames->last - lead;
    const uint32_t len = (uint32_t)(frames->at - from);
    const uint8_t *bytes = len > SIG_BYTES_MAX ? NULL : sig_bytes(in, from, len);

    if (bytes == NULL)
        return len > SIG_BYTES_MAX ? STEP_DONE : STEP_WAIT;
    for (uint32_t at = lead + LIMIT_SECTOR - (uint32_t)((in->start + frames->last) % LIMIT_SECTOR);
         at < len; at += LIMIT_SECTOR) {
        const uint32_t before = at < FRAMES_LOOK ? at : FRAMES_LOOK;
        const uint32_t behind = len - at < FRAMES_LOOK ? len - at : FRAMES_LOOK;

        if (behind >= FRAMES_ZEROS && bytes[at - 1] != 0 && frames_is_even(bytes + at, len - at))
            return STEP_BAD;
        if (before >= FRAMES_LOOK / 2 && behind >= FRAMES_LOOK / 2 &&
            frames_high(bytes + at - before, before) * 8 >= before * 3 &&
            frames_high(bytes + at, behind) * 4 < behind)
            return STEP_BAD;
    }
    return STEP_DONE;
}

/*
 * Sound that goes on in another place of the disk, or was overwritten, breaks on a sector, mostly
 * inside of a frame, and the rest of that sector is something else; behind a file that ends, the
 * rest of its last sector is mostly zeros. STEP_BAD: the former.
 */
static enum step frames_edge(struct sig_input *in, const struct audio_frames_kind *kind,
                             const struct audio_frames *frames)
{
    const uint64_t last = in->start + frames->last, end = in->start + frames->at;
    uint32_t rest = LIMIT_SECTOR - (uint32_t)(end % LIMIT_SECTOR);
    const enum step step = frames_stops(in, frames);

    if (step != STEP_DONE || kind->checked || last / LIMIT_SECTOR == (end - 1) / LIMIT_SECTOR ||
        rest == LIMIT_SECTOR || frames->at >= in->limit)
        return step;
    if (rest > in->limit - frames->at)
        rest = (uint32_t)(in->limit - frames->at);
    const uint8_t *bytes = sig_bytes(in, frames->at, rest);
    if (bytes == NULL)
        return STEP_WAIT;
    if (frames_is_even(bytes, rest))
        return STEP_DONE;
    /* What is no sound behind the frame, but not from the edge on, has not come there with a
     * sector. */
    const uint32_t inside =
        (uint32_t)(end % LIMIT_SECTOR) < FRAMES_LOOK ? (uint32_t)(end % LIMIT_SECTOR) : FRAMES_LOOK;
    const uint32_t behind = rest < FRAMES_LOOK ? rest : FRAMES_LOOK;
    const bool dull = behind >= FRAMES_LOOK / 2 && frames_high(bytes, behind) * 4 < behind;
    if (!dull || inside < FRAMES_LOOK / 2)
        return STEP_BAD;
    bytes = sig_bytes(in, frames->at - end % LIMIT_SECTOR, inside);
    if (bytes == NULL)
        return STEP_WAIT;
    return frames_high(bytes, inside) * 8 >= inside * 3 ? STEP_DONE : STEP_BAD;
}

/* Whether frames of the stream follow one another from object offset at on. */
static enum step frames_chain(struct sig_input *in, const struct audio_frames_kind *kind,
                              const struct audio_frames *frames, uint64_t at)
{
    for (uint32_t i = 0; i < FRAMES_CHAIN; i++) {
        const uint8_t *head = sig_bytes(in, at, kind->head);

        if (head == NULL)
            return in->wanted > in->limit ? STEP_BAD : STEP_WAIT;
        const uint32_t len = kind->len(head);
        if (len < kind->head || !kind->alike(frames->head, head))
            return STEP_BAD;
        at += len;
    }
    return STEP_DONE;
}

/* Whether another file of this kind begins on the sector at object offset at. */
static enum step frames_another(struct sig_input *in, const struct audio_frames_kind *kind,
                                const struct audio_frames *frames, uint64_t at)
{
    const uint8_t *head = sig_bytes(in, at, AUDIO_TAG_ID3_HEAD);

    if (head == NULL)
        return in->wanted > in->limit ? STEP_BAD : STEP_WAIT;
    return audio_tag_id3_len(head) > 0 ? STEP_DONE : frames_chain(in, kind, frames, at);
}

enum step audio_frames_end(struct sig_input *in, const struct audio_frames_kind *kind,
                           struct audio_frames *frames, const char **why)
{
    enum step step = frames_edge(in, kind, frames);

    *why = "other data begin in a frame that passes the edge of a sector";
    if (step != STEP_DONE)
        return step;
    if (frames->look == 0)
        frames->look = frames->at;
    *why = "other data lie between the frames";
    for (const uint64_t to = frames->at + FRAMES_SEARCH; frames->look < to; frames->look++) {
        uint32_t len;
        const uint64_t sector = LIMIT_SECTOR - (in->start + frames->look) % LIMIT_SECTOR;

        if (sector == LIMIT_SECTOR) {
            step = frames_another(in, kind, frames, frames->look);
            if (step == STEP_BAD)
                continue;
            return step;
        }
        const uint8_t *bytes = sig_span(in, frames->look, &len);
        if (bytes == NULL)
            return in->wanted > in->limit ? STEP_DONE : STEP_WAIT;
        if (len > sector)
            len = (uint32_t)sector;
        const uint8_t *sync = memchr(bytes, kind->sync, len);
        if (sync == NULL) {
            frames->look += len - 1;
            continue;
        }
        frames->look += (uint64_t)(sync - bytes);
        step = frames_chain(in, kind, frames, frames->look);
        if (step != STEP_BAD)
            return step == STEP_DONE ? STEP_BAD : step;
    }
    return STEP_DONE;
}
