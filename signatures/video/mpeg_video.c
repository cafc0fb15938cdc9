/* SPDX-License-Identifier: Apache-2.0
 * signatures/video/mpeg_video.c - MPEG-1 and MPEG-2 video that is not in a program stream.
 *
 *   00 00 01 b3 sequence header [b5 extension] | ([b8 group] | 00 picture [b5] | slices 01 … af,
 * one or more a row)* | 00 00 01 b7
 *
 * Start codes are looked for; they must come in the order that pictures are made of, and the rows
 * of a picture in theirs. The end of the last slice cannot be told without decoding it, so that a
 * file without an end code is cut behind its last start code.
 */
#include <string.h>

#include "base/bytes.h"
#include "base/limits.h"
#include "signatures/video/mpeg.h"

enum {
    VIDEO_PICTURE = 0x00,
    VIDEO_SLICE_LAST = 0xaf,
    VIDEO_USER = 0xb2,
    VIDEO_SEQUENCE = 0xb3,
    VIDEO_EXTENSION = 0xb5,
    VIDEO_END = 0xb7,
    VIDEO_GROUP = 0xb8,
    VIDEO_HEAD = 12,
    VIDEO_HEAD_MAX = 12 + 2 * 64 + 64, /* bytes to the first start code behind the header */
    VIDEO_UNIT_MAX = 128 << 10,        /* bytes between start codes: of the largest slices */
    VIDEO_LOW_SECTORS = 4,
    VIDEO_PICTURES_MIN = 4, /* less than these are no file unless an end code says so */
};

static const char *video_head_wrong(const uint8_t *head)
{
    const uint32_t width = (uint32_t)head[4] << 4 | head[5] >> 4,
                   height = (head[5] & 15u) << 8 | head[6];

    if (width < 16 || height < 16 || head[7] >> 4 == 0 || head[7] >> 4 == 15 ||
        (head[7] & 15) == 0 || (head[7] & 15) > 8)
        return "invalid sequence header";
    return (head[10] & 0x20) == 0 ? "a sequence header has no marker bit" : NULL;
}

/* May this start code stand where it does? */
static const char *video_code(struct mpeg_state *state, uint8_t code)
{
    const bool slice = state->last >= 1 && state->last <= VIDEO_SLICE_LAST;

    if (code >= 1 && code <= VIDEO_SLICE_LAST) {
        if (!slice && state->last != VIDEO_PICTURE && state->last != VIDEO_EXTENSION &&
            state->last != VIDEO_USER)
            return "a slice has no picture header";
        if (code < state->row || state->pictures == 0)
            return "the rows of a picture are out of order";
        if (state->pictures > 1 && state->by_row && code > state->row + 1)
            return "rows of a picture are missing";
        state->by_row &= code <= state->row + 1;
        state->row = code;
        state->slices++;
        return NULL;
    }
    if (code == VIDEO_EXTENSION || code == VIDEO_USER)
        return slice ? "a header is in the middle of a picture" : NULL;
    /* anything else ends the picture before */
    if (slice && state->by_row) {
        if (state->rows != 0 && state->row != state->rows)
            return "rows of a picture are missing";
        state->rows = state->row;
    }
    if (!slice && state->last == VIDEO_PICTURE)
        return "a picture has no slices";
    if (code == VIDEO_PICTURE) {
        state->pictures++;
        state->row = 0;
        return NULL;
    }
    return code == VIDEO_SEQUENCE || code == VIDEO_GROUP || code == VIDEO_END
               ? NULL
               : "the start code does not belong to video";
}

/* Are there four sectors in a row without a byte above 127 (text, zeros) between two start codes?
 */
static bool video_is_foreign(struct sig_input *in, uint64_t from, uint64_t to, bool *wait)
{
    uint32_t low = 0;

    for (uint64_t at = from; to - at >= LIMIT_SECTOR && low < VIDEO_LOW_SECTORS;
         at += LIMIT_SECTOR) {
        const uint8_t *sector = sig_bytes(in, at, LIMIT_SECTOR);
        uint64_t all = 0, word;

        *wait = sector == NULL;
        if (*wait)
            return false;
        for (uint32_t i = 0; i < LIMIT_SECTOR; i += (uint32_t)sizeof word) {
            memcpy(&word, sector + i, sizeof word);
            all |= word;
        }
        low = (all & UINT64_C(0x8080808080808080)) == 0 ? low + 1 : 0;
    }
    return low == VIDEO_LOW_SECTORS;
}

struct sig_result mpeg_video(struct sig_input *in, struct mpeg_state *state)
{
    static const uint8_t prefix[] = { 0, 0, 1 };

    if (state->at == 0) {
        const uint8_t *head = sig_bytes(in, 0, VIDEO_HEAD);

        if (head == NULL)
            return sig_short(in);
        const char *why = video_head_wrong(head);
        if (why != NULL)
            return sig_reject(why);
        state->at = 4;
        state->last = VIDEO_SEQUENCE;
        state->by_row = true;
        in->type = &mpeg_types[MPEG_M1V];
    }
    for (;;) {
        const uint32_t most = state->at == 4 ? VIDEO_HEAD_MAX : VIDEO_UNIT_MAX;
        const char *why = NULL;
        uint64_t at;
        const enum sig_found found =
            sig_find(in, state->at, sig_add(state->at, most), prefix, sizeof prefix, &at);
        const uint8_t *code = found == SIG_FOUND ? sig_bytes(in, at, 4) : NULL;

        if (found == SIG_FIND_WAIT ||
            (found == SIG_FOUND && code == NULL && in->wanted <= in->limit))
            return sig_short(in);
        const uint8_t id = code == NULL ? 0xff : code[3];
        bool wait = false;
        if (code == NULL)
            why = "there is no start code within the largest slice";
        else if (video_is_foreign(in, state->at, at, &wait))
            why = "a slice has zeros or text in it";
        if (wait)
            return sig_short(in);
        if (state->at == 4 && id == VIDEO_EXTENSION)
            in->type = &mpeg_types[MPEG_M2V];
        if (why == NULL)
            why = video_code(state, id);
        if (why != NULL &&
            (state->pictures < VIDEO_PICTURES_MIN || (id != 0xff && id > VIDEO_GROUP)))
            return sig_reject(why);
        if (why != NULL)
            return sig_breaks(in, why);
        if (id == VIDEO_END)
            return state->slices == 0 ? sig_reject("there are no pictures")
                                      : sig_complete(in, at + 4,
                                                     "the pictures lead to the end "
                                                     "code");
        state->last = id;
        state->at = at + 4;
        in->find_at = 0;
        if (state->pictures >= VIDEO_PICTURES_MIN)
            sig_valid(in, at);
    }
}
