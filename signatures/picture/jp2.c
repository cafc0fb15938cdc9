/* SPDX-License-Identifier: Apache-2.0
 * signatures/picture/jp2.c - JPEG 2000: JP2, JPX, JPM and Motion JPEG 2000 files, and bare
 * codestreams.
 *
 *   boxes: u32be length | type | (length 1: u64be length) | content; first "jP  ", then "ftyp";
 * jp2h: headers, jp2c: a codestream
 *
 * No box says that it is the last one: the file ends behind the last box of a type that is known,
 * or, where the last one is a codestream of length 0 ("up to the end of the file"), at that one's
 * end mark. Every codestream is read from its first marker to the last.
 */
#include <string.h>

#include "signatures/picture/jp2.h"
#include "signatures/picture/jp2_head.h"
#include "signatures/picture/picture_facts.h"

enum {
    JP2_SIGNATURE = 12,
    JP2_STREAM_MAX_PAD = 16, /* bytes behind EOC in its box */
    JP2_HEADER_MAX = 64 << 20,
};

enum { JP2_TYPE_JP2, JP2_TYPE_JPX, JP2_TYPE_JPM, JP2_TYPE_MJ2, JP2_TYPE_JPH, JP2_TYPE_J2K };

static const struct sig_type jp2_types[] = {
    { "jp2", "jp2" },
    { "jpx", "jpx" },
    { "jpm", "jpm" },
    { "mj2", "mj2" },
    { "jph", "jph" },
    { "j2k", "j2k" },
    { 0 },
};

struct jp2_state {
    uint64_t box;           /* of the box being read; 0: not begun */
    uint64_t box_end;       /* of the codestream's box; UINT64_MAX: it is the last one */
    uint32_t kind, boxes;   /* JP2_TYPE_... */
    uint32_t width, height; /* of the header; 0: none */
    bool has_header, has_stream, has_movie, in_stream, claimed;
    struct jp2_stream stream;
};

static bool jp2_box_known(const uint8_t *type)
{
    static const char known[][5] = { "ftyp", "jp2h", "jp2c", "rreq", "jpch", "jplh", "xml ", "uuid",
                                     "uinf", "asoc", "nlst", "lbl ", "drep", "gtso", "chck", "mp7b",
                                     "free", "skip", "dtbl", "ftbl", "cgrp", "roid", "opct", "creg",
                                     "jp2i", "comp", "copt", "inst", "mdat", "moov", "mhdr", "page",
                                     "pcol", "phdr", "fidx", "cidx", "iptr", "prxy", "flst", "cref",
                                     "jumb", "bfil", "mfro", "moof" };

    for (uint32_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (memcmp(type, known[i], 4) == 0)
            return true;
    return false;
}

static uint32_t jp2_kind(const uint8_t *brand)
{
    static const char brands[][5] = { "jp2 ", "jpx ", "jpm ", "mjp2", "jph " };

    for (uint32_t i = 0; i < sizeof brands / sizeof brands[0]; i++)
        if (memcmp(brand, brands[i], 4) == 0)
            return i;
    return memcmp(brand, "mjs2", 4) == 0 ? JP2_TYPE_MJ2 : JP2_TYPE_JPX;
}

/* What stands in the box at state->box, of which `head` bytes are the header. */
static enum step jp2_content(struct sig_input *in, struct jp2_state *state, const uint8_t *type,
                             uint32_t head, uint64_t len, const char **why)
{
    *why = "invalid box, or it is not allowed here";
    if (state->boxes == 0) {
        const uint8_t *brand = memcmp(type, "ftyp", 4) == 0 && len >= head + 12
                                   ? sig_bytes(in, state->box + head, 4)
                                   : NULL;

        if (brand == NULL)
            return memcmp(type, "ftyp", 4) == 0 && len >= head + 12 ? STEP_WAIT : STEP_BAD;
        state->kind = jp2_kind(brand);
    } else if (memcmp(type, "jp2h", 4) == 0) {
        if (len < head + 22)
            return STEP_BAD;
        const uint8_t *first = sig_bytes(in, state->box + head, 22);

        if (first == NULL)
            return STEP_WAIT;
        if (memcmp(first, "\0\0\0\x16ihdr", 8) != 0 || len > JP2_HEADER_MAX)
            return STEP_BAD;
        if (!state->has_header) {
            state->height = bytes_u32be(first + 8);
            state->width = bytes_u32be(first + 12);
        }
        state->has_header = true;
    } else if (memcmp(type, "jp2c", 4) == 0) {
        const uint8_t *soc = sig_bytes(in, state->box + head, 4);

        if (soc == NULL)
            return STEP_WAIT;
        if (memcmp(soc, "\xff\x4f\xff\x51", 4) != 0)
            return STEP_BAD;
        state->stream = (struct jp2_stream){ .from = state->box + head };
        state->in_stream = true;
        state->claimed = false;
    }
    return STEP_DONE;
}

/* The codestream of the box, or the file that is one. */
static enum step jp2_codestream(struct sig_input *in, struct jp2_state *state, const char **why)
{
    enum step step = jp2_stream(in, &state->stream, state->box_end, why);

    if (step != STEP_DONE)
        return step;
    *why = "a codestream does not fill its box, or has another size";
    if (state->box_end != UINT64_MAX && state->box_end - state->stream.at > JP2_STREAM_MAX_PAD)
        return STEP_BAD;
    if (state->kind == JP2_TYPE_JP2 &&
        (state->stream.width != state->width || state->stream.height != state->height))
        return STEP_BAD;
    state->in_stream = false;
    state->has_stream = true;
    state->box = state->box_end == UINT64_MAX ? state->stream.at : state->box_end;
    return STEP_DONE;
}

/* One box. *last: none of this file stands here. */
static enum step jp2_box(struct sig_input *in, struct jp2_state *state, bool *last,
                         const char **why)
{
    struct jp2_head head;

    *last = false;
    if (jp2_head_read(in, state->box, jp2_box_known, &head) == STEP_WAIT)
        return STEP_WAIT;
    const uint64_t len = head.box;
    const bool stream = memcmp(head.type, "jp2c", 4) == 0;
    *last = !head.known || (len == 0 ? !stream : len < head.len) || len > in->sig->size_max;
    if (*last)
        return STEP_DONE;
    const enum step step =
        jp2_content(in, state, head.type, head.len, len == 0 ? UINT64_MAX : len, why);
    if (step != STEP_DONE)
        return step;
    state->boxes++;
    state->has_movie |= memcmp(head.type, "moov", 4) == 0 || memcmp(head.type, "page", 4) == 0;
    state->box_end = len == 0 ? UINT64_MAX : sig_add(state->box, len);
    if (!stream)
        state->box = state->box_end;
    return STEP_DONE;
}

/* Behind the last box that is known. */
static struct sig_result jp2_end(struct sig_input *in, const struct jp2_state *state,
                                 const char *why)
{
    if (state->has_stream && state->box <= in->limit)
        return sig_complete(in, state->box, "every codestream is whole");
    if ((state->kind == JP2_TYPE_MJ2 || state->kind == JP2_TYPE_JPM) && state->has_movie &&
        state->box <= in->limit)
        return sig_believe(in, state->box, "the boxes lead to the last one");
    return state->boxes > 1 ? sig_breaks(in, why) : sig_reject(why);
}

static struct sig_result jp2_check(struct sig_input *in, void *memory)
{
    struct jp2_state *state = memory;
    const char *why = NULL;
    enum step step = STEP_DONE;

    if (state->box == 0) {
        const uint8_t *head = sig_bytes(in, 0, JP2_SIGNATURE);

        if (head == NULL)
            return sig_short(in);
        state->box = JP2_SIGNATURE;
        if (head[0] == 0xff) {
            state->kind = JP2_TYPE_J2K;
            state->in_stream = true;
            state->box_end = UINT64_MAX;
        }
    }
    while (step == STEP_DONE) {
        bool last = false;

        in->type = &jp2_types[state->kind];
        if (state->in_stream) {
            if (sig_claims_full(in))
                return sig_again(in);
            if (!state->claimed)
                sig_claim(in, state->stream.from);
            state->claimed = true;
            step = jp2_codestream(in, state, &why);
            if (step == STEP_DONE && state->box_end == UINT64_MAX)
                return sig_complete(in, state->box, "the codestream is whole");
        } else {
            step = jp2_box(in, state, &last, &why);
        }
        if (last)
            return jp2_end(in, state, "unknown type of a box");
    }
    if (step == STEP_WAIT && in->wanted <= in->limit)
        return sig_short(in);
    const uint64_t valid = state->in_stream ? state->stream.at : state->box;
    if (state->in_stream ? state->stream.part_end != 0 || state->stream.firsts > 0
                         : state->boxes > 1)
        sig_valid(in, valid < in->limit ? valid : in->limit);
    if (step == STEP_WAIT && !state->in_stream) /* nothing behind the last box */
        return jp2_end(in, state, sig_short(in).why);
    return step == STEP_WAIT ? sig_short(in) : sig_breaks(in, why);
}

const struct sig sig_jp2 = {
    .name = "jp2",
    .what = "JPEG 2000 picture (JP2, JPX, JPM), Motion JPEG 2000, bare codestream",
    .proves = "boxes up to the last known one; codestreams from first marker to last, no marker "
              "among the packets",
    .source = "ITU-T T.800 (ISO/IEC 15444-1) annexes A and I; ISO/IEC 15444-2, -3, -6, -15",
    .types = jp2_types,
    .headers = { SIG_PATTERN("\0\0\0\x0cjP  \r\n\x87\n"),
                 SIG_PATTERN("\0\0\0\x0cjP\x1a\x1a\r\n\x87\n"),
                 SIG_MASKED("\xff\x4f\xff\x51\0\0", "\xff\xff\xff\xff\xc0\0") },
    .flags = SIG_CONTAINER | SIG_CLAIMS,
    .size_min = 64,
    .size_max = UINT64_C(1) << 38,
    .state_size = sizeof(struct jp2_state),
    .check = jp2_check,
    .facts = jp2_facts,
};
