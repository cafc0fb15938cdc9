/* SPDX-License-Identifier: Apache-2.0
 * signatures/video/flv.c - Flash Video.
 *
 *   "FLV" | 1 | flags (4 audio, 1 video) | u32be 9 | u32be 0
 *   (type 8, 9, 18 | u24be size | u24be time | time's high byte | u24be 0 | data | u32be 11 +
 * size)*
 *
 * Every tag is followed by its size: the chain of tags is the file, and ends where no tag follows.
 * Nothing says how many there are.
 */
#include <string.h>

#include "base/bytes.h"
#include "signatures/sig.h"

enum {
    FLV_HEAD = 13,
    FLV_TAG = 11,
    FLV_AUDIO = 8,
    FLV_VIDEO = 9,
    FLV_SCRIPT = 18,
    FLV_FILTERED = 0x20, /* encrypted */
    FLV_META_MAX = 4096, /* bytes of metadata that are looked at */
    FLV_BACK_MAX =
        10 * 60 * 1000, /* milliseconds that a tag may lie before the one in front of it */
};

struct flv_state {
    uint64_t at; /* the next tag; 0: the header has not been read */
    uint32_t tags, time;
};

/* Not enum step: behind the last tag nothing need be wrong. */
enum flv_step { FLV_DONE, FLV_WAIT, FLV_END };

static uint32_t flv_u24(const uint8_t *p)
{
    return (uint32_t)p[0] << 16 | bytes_u16be(p + 1);
}

/* The tag at state->at. FLV_END: there is none. *cut: there is one, and it does not end as it must.
 */
static enum flv_step flv_tag(struct sig_input *in, struct flv_state *state, bool *cut)
{
    const uint8_t *head = sig_bytes(in, state->at, FLV_TAG + 1);

    if (head == NULL)
        return FLV_WAIT;
    const uint8_t type = head[0] & (0xff ^ FLV_FILTERED);
    const uint32_t size = flv_u24(head + 1), time = flv_u24(head + 4) | (uint32_t)head[7] << 24;
    if ((type != FLV_AUDIO && type != FLV_VIDEO && type != FLV_SCRIPT) || flv_u24(head + 8) != 0 ||
        (type == FLV_SCRIPT && size > 0 && head[FLV_TAG] != 2) || /* a string: its name */
        (type == FLV_VIDEO && size > 0 && (head[FLV_TAG] >> 4 & 7) == 0 &&
         head[FLV_TAG] < 0x80) || /* kind of frame */
        (type != FLV_SCRIPT && state->time > FLV_BACK_MAX && time < state->time - FLV_BACK_MAX &&
         time > 0))
        return FLV_END;
    const uint8_t *tail = sig_bytes(in, state->at + FLV_TAG + size, 4);
    if (tail == NULL)
        return FLV_WAIT;
    *cut = bytes_u32be(tail) != FLV_TAG + size && (bytes_u32be(tail) != size || size == 0);
    if (*cut)
        return FLV_END;
    state->at += FLV_TAG + size + 4;
    state->tags++;
    state->time = type == FLV_SCRIPT ? state->time : time;
    return FLV_DONE;
}

/* The length that the first tag's metadata tell; 0: they tell none. */
static enum flv_step flv_told(struct sig_input *in, uint64_t *told)
{
    static const char key[] = "\0\x08"
                              "filesize"; /* and a number, type 0 */
    const uint8_t *head = sig_bytes(in, FLV_HEAD, FLV_TAG);
    double number = 0;

    *told = 0;
    if (head == NULL)
        return FLV_WAIT;
    const uint32_t size = flv_u24(head + 1), len = size < FLV_META_MAX ? size : FLV_META_MAX;
    if (head[0] != FLV_SCRIPT || len < 32)
        return FLV_DONE;
    const uint8_t *meta = sig_bytes(in, FLV_HEAD + FLV_TAG, len);
    if (meta == NULL)
        return FLV_WAIT;
    const uint8_t *found = memmem(meta, len - 9, key, sizeof key - 1);
    if (found == NULL || found[sizeof key - 1] != 0)
        return FLV_DONE;
    const uint64_t bits = bytes_u64be(found + sizeof key);
    memcpy(&number, &bits, sizeof number);
    if (number >= FLV_HEAD && number < 1e15)
        *told = (uint64_t)number;
    return FLV_DONE;
}

static struct sig_result flv_check(struct sig_input *in, void *memory)
{
    struct flv_state *state = memory;
    enum flv_step step = FLV_DONE;
    bool cut = false;
    uint64_t told;

    if (state->at == 0) {
        const uint8_t *head = sig_bytes(in, 0, FLV_HEAD);

        if (head == NULL)
            return sig_short(in);
        if ((head[4] & ~5u) != 0 || bytes_u32be(head + 5) != 9 || bytes_u32be(head + 9) != 0)
            return sig_reject("invalid header");
        state->at = FLV_HEAD;
    }
    while (step == FLV_DONE)
        step = flv_tag(in, state, &cut);
    if (step == FLV_WAIT && in->wanted <= in->limit)
        return sig_short(in);
    if (state->tags < 2)
        return sig_reject("there are too few tags");
    if (flv_told(in, &told) == FLV_WAIT)
        return sig_short(in);
    sig_valid(in, state->at);
    if (state->at < told)
        return sig_breaks(in, "the file is shorter than its metadata say");
    if (cut)
        return sig_breaks(in, "a tag is not followed by its size");
    if (step == FLV_WAIT && state->at < in->limit) {
        const uint8_t *type = sig_bytes(in, state->at, 1);

        if (type != NULL && (*type == FLV_AUDIO || *type == FLV_VIDEO)) {
            sig_valid(in, in->limit);
            return sig_breaks(in, "the image ends before the file does");
        }
    }
    return sig_complete(in, state->at, "every tag is followed by its size");
}

const struct sig sig_flv = {
    .name = "flv",
    .what = "Flash Video",
    .proves = "every tag is followed by its size; at least as long as the metadata say; frames are "
              "not decoded",
    .source = "Adobe, Flash Video File Format Specification 10.1, annex E",
    .types = (const struct sig_type[]){ { "flv", "flv" }, { 0 } },
    .headers = { SIG_MASKED("FLV\x01\0\0\0\0\x09\0\0\0\0",
                            "\xff\xff\xff\xff\xfa\xff\xff\xff\xff\xff\xff\xff\xff") },
    .size_min = FLV_HEAD + 2 * (FLV_TAG + 4),
    .size_max = UINT64_C(1) << 36,
    .seam = SIG_SEAM_PLACES,
    .state_size = sizeof(struct flv_state),
    .check = flv_check,
};
