/* SPDX-License-Identifier: Apache-2.0
 * signatures/video/isobmff_box.c - the boxes inside moov, moof and meta. They must fill each other
 * exactly (QuickTime ends some lists with four zero bytes), and what the tables of samples are
 * found by is noted on the way.
 */
#include <string.h>

#include "base/bytes.h"
#include "signatures/video/isobmff.h"

enum {
    BOX_HEAD = 8,
    BOX_WIDE_HEAD = 16,
    BOX_FULL = 4,         /* version and flags */
    BOX_TERMINATOR = 8,   /* zero bytes that may end a list, at most */
    BOX_ENTRY_MAX = 4096, /* bytes of a sample description that are looked at */
    BOX_TFHD_BASE = 1,
    BOX_TFHD_DESCRIPTION = 2,
    BOX_TFHD_DURATION = 8,
    BOX_TFHD_SIZE = 16,
    BOX_TRUN_OFFSET = 1,
    BOX_TRUN_FIRST_FLAGS = 4,
    BOX_TRUN_SIZE = 0x200,
};

bool isobmff_is_name(uint32_t type)
{
    for (uint32_t shift = 0; shift < 32; shift += 8) {
        const uint8_t c = (uint8_t)(type >> shift);

        if ((c < ' ' || c > '~') && c != 0xa9) /* the copyright sign of QuickTime's user data */
            return false;
    }
    return true;
}

enum step isobmff_box_read(struct sig_input *in, uint64_t at, struct isobmff_box *box)
{
    const uint8_t *head = sig_bytes(in, at, BOX_HEAD);

    if (head == NULL)
        return STEP_WAIT;
    const uint32_t size = bytes_u32be(head);
    *box = (struct isobmff_box){
        .at = at, .body = at + BOX_HEAD, .type = bytes_u32be(head + 4), .open = size == 0
    };
    box->end = sig_add(at, size);
    if (size == 1) {
        head = sig_bytes(in, at, BOX_WIDE_HEAD);
        if (head == NULL)
            return STEP_WAIT;
        box->body = at + BOX_WIDE_HEAD;
        box->end = sig_add(at, bytes_u64be(head + BOX_HEAD));
    }
    return box->end == UINT64_MAX || (!box->open && box->end < box->body) ? STEP_BAD : STEP_DONE;
}

static enum isobmff_codec box_codec(uint32_t format)
{
    static const struct {
        char format[5];
        enum isobmff_codec codec;
    } codecs[] = {
        { "avc1", ISOBMFF_AVC },    { "avc3", ISOBMFF_AVC },    { "hvc1", ISOBMFF_HEVC },
        { "hev1", ISOBMFF_HEVC },   { "dvh1", ISOBMFF_HEVC },   { "dvhe", ISOBMFF_HEVC },
        { "av01", ISOBMFF_AV1 },    { "mp4v", ISOBMFF_MPEG4 },  { "s263", ISOBMFF_H263 },
        { "h263", ISOBMFF_H263 },   { "jpeg", ISOBMFF_JPEG },   { "mjpa", ISOBMFF_JPEG },
        { "apcn", ISOBMFF_PRORES }, { "apch", ISOBMFF_PRORES }, { "apcs", ISOBMFF_PRORES },
        { "apco", ISOBMFF_PRORES }, { "ap4h", ISOBMFF_PRORES }, { "ap4x", ISOBMFF_PRORES },
        { "vp09", ISOBMFF_VP9 },    { "mp4a", ISOBMFF_AAC },    { "samr", ISOBMFF_AMR },
        { "sawb", ISOBMFF_AMR_WB }, { "ac-3", ISOBMFF_AC3 },    { "ec-3", ISOBMFF_AC3 },
        { "fLaC", ISOBMFF_FLAC },   { "Opus", ISOBMFF_PACKED }, { "alac", ISOBMFF_PACKED },
        { "vp08", ISOBMFF_PACKED },
    };

    for (size_t i = 0; i < sizeof codecs / sizeof codecs[0]; i++)
        if (format == ISOBMFF_TYPE(codecs[i].format))
            return codecs[i].codec;
    return ISOBMFF_ANY;
}

/* Steps over a descriptor's tag and length, which may be written in up to four bytes. 0: another
 * tag. */
static uint32_t box_descriptor(const uint8_t *body, uint32_t len, uint32_t at, uint8_t tag)
{
    if (at >= len || body[at] != tag)
        return 0;
    for (uint32_t i = 1; i <= 4 && at + i < len; i++)
        if ((body[at + i] & 0x80) == 0)
            return at + i + 1;
    return 0;
}

/* MPEG-4 audio made of elements: object types 1 to 5 and 29. */
static bool box_is_aac(const uint8_t *body, uint32_t len)
{
    const uint8_t *esds = memmem(body, len, "esds", 4);
    uint32_t at = esds == NULL ? 0 : box_descriptor(body, len, (uint32_t)(esds - body) + 8, 3);

    if (at == 0 || at + 3 > len || (body[at + 2] & 0xe0) != 0)
        return false;
    at = box_descriptor(body, len, at + 3, 4);
    if (at == 0 || at >= len || (body[at] != 0x40 && (body[at] < 0x66 || body[at] > 0x68)))
        return false;
    at = box_descriptor(body, len, at + 13, 5);
    return at != 0 && at < len &&
           ((body[at] >> 3 >= 1 && body[at] >> 3 <= 5) || body[at] >> 3 == 29);
}

/* The first sample description. AAC is only one of the kinds of sound that "mp4a" may be. */
static enum step box_stsd(struct sig_input *in, struct isobmff_state *state,
                          const struct isobmff_box *box)
{
    struct isobmff_track *track = &state->tracks[state->track];
    const uint64_t size = box->end - box->body;
    const uint32_t len = size < BOX_ENTRY_MAX ? (uint32_t)size : BOX_ENTRY_MAX;

    if (size < 8)
        return isobmff_bad(state, "there is no description of samples");
    const uint8_t *body = sig_bytes(in, box->body, len);
    if (body == NULL)
        return STEP_WAIT;
    const uint32_t count = bytes_u32be(body + 4);
    track->described = true;
    if (count == 0 && size == 8)
        return STEP_DONE;
    if (len < 24 || bytes_u32be(body + 8) < 16 || bytes_u32be(body + 8) > size - 8 ||
        (count == 1 && bytes_u32be(body + 8) + 8 + BOX_TERMINATOR < size) ||
        !isobmff_is_name(bytes_u32be(body + 12)) || bytes_u32be(body + 16) != 0)
        return isobmff_bad(state, "invalid description of samples");
    track->codec = count == 1 ? box_codec(bytes_u32be(body + 12)) : ISOBMFF_ANY;
    const bool hevc = track->codec == ISOBMFF_HEVC;
    if (hevc || track->codec == ISOBMFF_AVC) {
        const uint8_t *config = memmem(body, len, hevc ? "hvcC" : "avcC", 4);
        const uint32_t where = hevc ? 4 + 21 : 4 + 4;

        if (config != NULL && len - (uint32_t)(config - body) > where)
            track->nal_len = (uint8_t)((config[where] & 3) + 1);
        else
            track->codec = ISOBMFF_PACKED;
    } else if (track->codec == ISOBMFF_AAC) {
        track->codec = box_is_aac(body, len) ? ISOBMFF_AAC : ISOBMFF_PACKED;
    }
    return STEP_DONE;
}

/* Tables of a track: their entries must be in the box. */
static enum step box_table(struct sig_input *in, struct isobmff_state *state,
                           const struct isobmff_box *box)
{
    struct isobmff_track *track = &state->tracks[state->track];
    const bool sizes = box->type == ISOBMFF_4CC('s', 't', 's', 'z'),
               wide = box->type == ISOBMFF_4CC('c', 'o', '6', '4');
    const uint32_t head = sizes ? 12 : 8;
    const uint64_t size = box->end - box->body;
    const uint8_t *body = size < head ? NULL : sig_bytes(in, box->body, head);

    if (body == NULL)
        return size < head ? isobmff_bad(state, "a table is too short") : STEP_WAIT;
    const struct isobmff_table table = { .at = box->body + head,
                                         .count = bytes_u32be(body + head - 4) };
    const uint32_t fixed = sizes ? bytes_u32be(body + 4) : 0;
    const uint32_t entry = sizes                                          ? (fixed != 0 ? 0 : 4)
                           : box->type == ISOBMFF_4CC('s', 't', 's', 'c') ? 12
                           : wide || box->type != ISOBMFF_4CC('s', 't', 'c', 'o') ? 8
                                                                                  : 4;
    if (bytes_u32be(body) >> 24 != 0 && box->type != ISOBMFF_4CC('c', 't', 't', 's'))
        return isobmff_bad(state, "unknown version of a table");
    if ((uint64_t)table.count * entry > size - head)
        return isobmff_bad(state, "a table is longer than its box");
    if (sizes) {
        track->sizes = table;
        track->fixed = fixed;
    } else if (box->type == ISOBMFF_4CC('s', 't', 's', 'c')) {
        track->runs = table;
    } else if (wide || box->type == ISOBMFF_4CC('s', 't', 'c', 'o')) {
        track->chunks = table;
        track->wide = wide;
    }
    return STEP_DONE;
}

/* Headers of known lengths by version. */
static enum step box_header(struct sig_input *in, struct isobmff_state *state,
                            const struct isobmff_box *box)
{
    struct isobmff_track *track = &state->tracks[state->track];
    const uint32_t long_by = box->type == ISOBMFF_4CC('t', 'k', 'h', 'd') ||
                                     box->type == ISOBMFF_4CC('m', 'd', 'h', 'd') ||
                                     box->type == ISOBMFF_4CC('m', 'v', 'h', 'd')
                                 ? 12
                                 : 0;
    const uint32_t len = box->type == ISOBMFF_4CC('m', 'v', 'h', 'd')   ? 100
                         : box->type == ISOBMFF_4CC('t', 'k', 'h', 'd') ? 84
                         : box->type == ISOBMFF_4CC('m', 'd', 'h', 'd') ? 24
                                                                        : 8;
    const uint64_t size = box->end - box->body;
    const uint8_t *body = size < len ? NULL : sig_bytes(in, box->body, len);

    if (body == NULL)
        return size < len ? isobmff_bad(state, "a header is too short") : STEP_WAIT;
    const bool version = body[0] == 1;
    if (body[0] > 1 || (long_by != 0 && size != len + (version ? long_by : 0)))
        return isobmff_bad(state, "unknown version or length of a header");
    if (box->type == ISOBMFF_4CC('t', 'k', 'h', 'd'))
        track->id = bytes_u32be(body + (version ? 20 : 12));
    return STEP_DONE;
}

/* Whether the samples are in this file. */
static enum step box_dref(struct sig_input *in, struct isobmff_state *state,
                          const struct isobmff_box *box)
{
    const uint8_t *body = box->end - box->body < 20 ? NULL : sig_bytes(in, box->body, 20);

    if (body == NULL)
        return box->end - box->body < 20 ? STEP_DONE : STEP_WAIT;
    state->tracks[state->track].elsewhere = bytes_u32be(body + 4) != 1 || (body[19] & 1) == 0;
    return STEP_DONE;
}

static uint32_t box_track_by_id(const struct isobmff_state *state, uint32_t id)
{
    uint32_t i = 0;

    while (i < state->track_count && i < ISOBMFF_TRACKS && state->tracks[i].id != id)
        i++;
    return i;
}

/* Defaults of a track's fragments, of all (trex) or of one (tfhd). */
static enum step box_defaults(struct sig_input *in, struct isobmff_state *state,
                              const struct isobmff_box *box)
{
    const bool all = box->type == ISOBMFF_4CC('t', 'r', 'e', 'x');
    const uint64_t size = box->end - box->body;
    const uint32_t len = size < 40 ? (uint32_t)size : 40;
    const uint8_t *body = size < (all ? 24u : 8u) ? NULL : sig_bytes(in, box->body, len);

    if (body == NULL)
        return size < (all ? 24u : 8u) ? isobmff_bad(state, "the header of a fragment is too short")
                                       : STEP_WAIT;
    const uint32_t track = box_track_by_id(state, bytes_u32be(body + 4)), flags = bytes_u32be(body);
    if (all) {
        state->has_mvex = true;
        if (track < ISOBMFF_TRACKS)
            state->tracks[track].sample_default = bytes_u32be(body + 16);
        return STEP_DONE;
    }
    const uint32_t size_at = 8 + (flags & BOX_TFHD_BASE ? 8u : 0u) +
                             (flags & BOX_TFHD_DESCRIPTION ? 4u : 0u) +
                             (flags & BOX_TFHD_DURATION ? 4u : 0u);
    if (size_at + (flags & BOX_TFHD_SIZE ? 4u : 0u) > len)
        return isobmff_bad(state, "the header of a fragment is too short");
    state->traf_track = track;
    state->traf_base = flags & BOX_TFHD_BASE ? bytes_u64be(body + 8) : state->moof_at;
    state->traf_based = true;
    state->traf_default = flags & BOX_TFHD_SIZE ? bytes_u32be(body + size_at)
                          : track < ISOBMFF_TRACKS && track < state->track_count
                              ? state->tracks[track].sample_default
                              : 0;
    return STEP_DONE;
}

/* A run of samples. */
static enum step box_trun(struct sig_input *in, struct isobmff_state *state,
                          const struct isobmff_box *box)
{
    const uint64_t size = box->end - box->body;
    const uint32_t len = size < 16 ? (uint32_t)size : 16;
    const uint8_t *body = size < 8 ? NULL : sig_bytes(in, box->body, len);

    if (body == NULL)
        return size < 8 ? isobmff_bad(state, "a run of samples is too short") : STEP_WAIT;
    const uint32_t flags = bytes_u32be(body), count = bytes_u32be(body + 4);
    const uint32_t head =
        8 + (flags & BOX_TRUN_OFFSET ? 4u : 0u) + (flags & BOX_TRUN_FIRST_FLAGS ? 4u : 0u);
    const uint32_t entry = 4u * (uint32_t)__builtin_popcount(flags & 0xf00);
    if (head > len || (uint64_t)count * entry != size - head)
        return isobmff_bad(state, "the length of a run of samples differs from its box");
    if (state->run_count == ISOBMFF_RUNS)
        return STEP_DONE;
    struct isobmff_run *run = &state->runs[state->run_count++];
    *run = (struct isobmff_run){ .track = state->traf_track,
                                 .count = count,
                                 .sizes_at = flags & BOX_TRUN_SIZE ? box->body + head : 0,
                                 .entry = entry,
                                 .size_in_entry = flags & 0x100 ? 4 : 0,
                                 .default_size = state->traf_default,
                                 .follows = (flags & BOX_TRUN_OFFSET) == 0 };
    run->offset = state->traf_base;
    if (!run->follows)
        run->offset += (uint64_t)(int64_t)(int32_t)bytes_u32be(body + 8);
    else if (state->traf_based)
        run->follows = state->run_count > 1 && state->traf_base == state->moof_at;
    state->traf_based = false;
    return STEP_DONE;
}

/* The kind of an item of a picture. */
static enum step box_infe(struct sig_input *in, struct isobmff_state *state,
                          const struct isobmff_box *box)
{
    const uint64_t size = box->end - box->body;
    const uint8_t *body = size < 12 ? NULL : sig_bytes(in, box->body, size < 14 ? 12 : 14);

    if (body == NULL)
        return size < 12 ? STEP_DONE : STEP_WAIT;
    const bool wide = body[0] == 3;
    if (body[0] < 2 || body[0] > 3 || (wide && size < 14) || state->item_count == ISOBMFF_ITEMS)
        return STEP_DONE;
    state->item_ids[state->item_count] = wide ? bytes_u32be(body + 4) : bytes_u16be(body + 4);
    state->item_types[state->item_count++] = bytes_u32be(body + (wide ? 10 : 8));
    return STEP_DONE;
}

/* Steps into a box, or over it. *skip: bytes between its head and its boxes; UINT32_MAX: it has
 * none. */
static enum step box_leaf(struct sig_input *in, struct isobmff_state *state,
                          const struct isobmff_box *box, uint32_t *skip)
{
    *skip = UINT32_MAX;
    switch (box->type) {
    case ISOBMFF_4CC('t', 'r', 'a', 'k'):
        state->track =
            state->track_count < ISOBMFF_TRACKS ? state->track_count : ISOBMFF_TRACKS - 1;
        state->tracks[state->track] = (struct isobmff_track){ 0 };
        state->track_count++;
        *skip = 0;
        return STEP_DONE;
    case ISOBMFF_4CC('m', 'd', 'i', 'a'):
    case ISOBMFF_4CC('m', 'i', 'n', 'f'):
    case ISOBMFF_4CC('s', 't', 'b', 'l'):
    case ISOBMFF_4CC('d', 'i', 'n', 'f'):
    case ISOBMFF_4CC('m', 'v', 'e', 'x'):
    case ISOBMFF_4CC('t', 'r', 'a', 'f'):
    case ISOBMFF_4CC('i', 'p', 'r', 'p'):
    case ISOBMFF_4CC('i', 'p', 'c', 'o'):
        *skip = 0;
        return STEP_DONE;
    case ISOBMFF_4CC('c', 'm', 'o', 'v'):
        state->compressed_moov = true;
        return STEP_DONE;
    case ISOBMFF_4CC('m', 'v', 'h', 'd'):
    case ISOBMFF_4CC('t', 'k', 'h', 'd'):
    case ISOBMFF_4CC('m', 'd', 'h', 'd'):
    case ISOBMFF_4CC('m', 'f', 'h', 'd'):
        return box_header(in, state, box);
    case ISOBMFF_4CC('s', 't', 's', 'd'):
        return box_stsd(in, state, box);
    case ISOBMFF_4CC('s', 't', 's', 'z'):
    case ISOBMFF_4CC('s', 't', 's', 'c'):
    case ISOBMFF_4CC('s', 't', 'c', 'o'):
    case ISOBMFF_4CC('c', 'o', '6', '4'):
    case ISOBMFF_4CC('s', 't', 't', 's'):
    case ISOBMFF_4CC('c', 't', 't', 's'):
        return box_table(in, state, box);
    case ISOBMFF_4CC('d', 'r', 'e', 'f'):
        return box_dref(in, state, box);
    case ISOBMFF_4CC('t', 'r', 'e', 'x'):
    case ISOBMFF_4CC('t', 'f', 'h', 'd'):
        return box_defaults(in, state, box);
    case ISOBMFF_4CC('t', 'r', 'u', 'n'):
        return box_trun(in, state, box);
    case ISOBMFF_4CC('i', 'l', 'o', 'c'):
        state->iloc_at = box->body;
        state->iloc_end = box->end;
        return STEP_DONE;
    case ISOBMFF_4CC('i', 'i', 'n', 'f'):
        return STEP_DONE; /* seen to by isobmff_inside: its count is as wide as its version says
                           */
    case ISOBMFF_4CC('i', 'n', 'f', 'e'):
        return box_infe(in, state, box);
    default:
        return STEP_DONE;
    }
}

void isobmff_enter(struct isobmff_state *state, const struct isobmff_box *box, bool full)
{
    state->inside = box->body + (full ? BOX_FULL : 0);
    state->depth = 1;
    state->ends[0] = box->end;
    if (box->type == ISOBMFF_4CC('m', 'o', 'o', 'f')) {
        state->moof_at = box->at;
        state->run_count = state->run = state->run_sample = 0;
        state->run_size = state->run_bytes = 0;
    }
}

/* Less than a box's head is left of a list: zeros, or it is none. */
static enum step box_rest(struct sig_input *in, struct isobmff_state *state, uint64_t end)
{
    const uint32_t left = (uint32_t)(end - state->inside);
    const uint8_t *rest = sig_bytes(in, state->inside, left);

    if (rest == NULL)
        return STEP_WAIT;
    for (uint32_t i = 0; i < left; i++)
        if (rest[i] != 0)
            return isobmff_bad(state, "the boxes do not fill the one around them");
    state->inside = end;
    return STEP_DONE;
}

enum step isobmff_inside(struct sig_input *in, struct isobmff_state *state)
{
    while (state->depth > 0) {
        const uint64_t end = state->ends[state->depth - 1];
        struct isobmff_box box;
        enum step step = STEP_DONE;
        uint32_t skip = UINT32_MAX;

        if (state->inside >= end) {
            if (state->inside > end)
                return isobmff_bad(state, "the boxes do not fill the one around them");
            state->depth--;
            continue;
        }
        if (end - state->inside < BOX_TERMINATOR) {
            step = box_rest(in, state, end);
            if (step != STEP_DONE)
                return step;
            continue;
        }
        step = isobmff_box_read(in, state->inside, &box);
        if (step == STEP_WAIT)
            return step;
        if (step == STEP_DONE && box.open && box.type == 0 &&
            end - state->inside <= 8) { /* two terminators */
            state->inside = end;
            continue;
        }
        if (step == STEP_BAD || box.open || box.end > end || !isobmff_is_name(box.type))
            return isobmff_bad(state, "the boxes do not fill the one around them");
        step = box_leaf(in, state, &box, &skip);
        if (step == STEP_DONE && box.type == ISOBMFF_4CC('i', 'i', 'n', 'f') &&
            box.end - box.body >= 8) {
            const uint8_t *version = sig_bytes(in, box.body, 1);

            if (version == NULL)
                return STEP_WAIT;
            skip = BOX_FULL + (version[0] == 0 ? 2 : 4);
        }
        if (step != STEP_DONE)
            return step;
        if (box.type == ISOBMFF_4CC('h', 'v', 'c', 'C') && box.end - box.body > 21) {
            const uint8_t *config = sig_bytes(in, box.body, 22);

            if (config == NULL)
                return STEP_WAIT;
            state->item_nal_len = (uint8_t)((config[21] & 3) + 1);
        }
        state->inside = skip == UINT32_MAX ? box.end : box.body + skip;
        if (skip != UINT32_MAX) {
            if (state->depth == ISOBMFF_DEPTH)
                return isobmff_bad(state, "the boxes are nested too deep");
            state->ends[state->depth++] = box.end;
        }
    }
    state->inside = 0;
    for (uint32_t i = 0; i < state->track_count && i < ISOBMFF_TRACKS; i++)
        if (!state->tracks[i].described)
            return isobmff_bad(state, "a track has no description");
    return STEP_DONE;
}
