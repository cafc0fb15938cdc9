/* SPDX-License-Identifier: Apache-2.0
 * signatures/video/matroska.c - Matroska and WebM.
 *
 *   (ID | size | data)*     both numbers are as long as the leading zero bits of their first byte
 * say; a size of all ones: not known EBML header (DocType) | Segment: SeekHead, Info, Tracks,
 * Cluster (Timecode, SimpleBlock, BlockGroup …)*, Cues, Tags …
 *
 * The Segment is walked element by element, clusters block by block: a block names one of the
 * tracks, and its reserved flags are 0. CRC-32 elements are compared. A Segment of known size ends
 * the file; one of unknown size (a live stream) ends behind its last element.
 */
#include <string.h>

#include "base/bytes.h"
#include "base/limits.h"
#include "signatures/lib/crc32.h"
#include "signatures/lib/step.h"
#include "signatures/sig.h"
#include "signatures/video/video_facts.h"

enum {
    MATROSKA_HEAD_MAX = 1024,   /* bytes of the EBML header */
    MATROSKA_TRACKS_MAX = 64,   /* numbers of tracks that are told apart */
    MATROSKA_CRC_MAX = 1 << 28, /* bytes of one element that are summed up */
    /* Elements of a list that is read in one go, from its beginning when bytes are missing; policy.
     */
    MATROSKA_GROUP_MAX = 256,
    MATROSKA_TRACK_MAX = 256,
    MATROSKA_LIST_MAX = 1024, /* tracks, and what stands between them */
};

enum matroska_id {
    MATROSKA_EBML = 0x1a45dfa3,
    MATROSKA_DOCTYPE = 0x4282,
    MATROSKA_VERSION = 0x4286,
    MATROSKA_SEGMENT = 0x18538067,
    MATROSKA_SEEK_HEAD = 0x114d9b74,
    MATROSKA_INFO = 0x1549a966,
    MATROSKA_TRACKS = 0x1654ae6b,
    MATROSKA_TRACK = 0xae,
    MATROSKA_TRACK_NUMBER = 0xd7,
    MATROSKA_TRACK_TYPE = 0x83,
    MATROSKA_CHAPTERS = 0x1043a770,
    MATROSKA_CLUSTER = 0x1f43b675,
    MATROSKA_CUES = 0x1c53bb6b,
    MATROSKA_CUE_POINT = 0xbb,
    MATROSKA_ATTACHMENTS = 0x1941a469,
    MATROSKA_TAGS = 0x1254c367,
    MATROSKA_VOID = 0xec,
    MATROSKA_CRC = 0xbf,
    MATROSKA_TIMECODE = 0xe7,
    MATROSKA_SIMPLE_BLOCK = 0xa3,
    MATROSKA_BLOCK_GROUP = 0xa0,
    MATROSKA_BLOCK = 0xa1,
    MATROSKA_POSITION = 0xa7,
    MATROSKA_PREV_SIZE = 0xab,
    MATROSKA_ENCRYPTED = 0xaf,
    MATROSKA_SILENT = 0x5854,
};

enum matroska_type { MATROSKA_MKV, MATROSKA_MKA, MATROSKA_MKS, MATROSKA_WEBM };

static const struct sig_type matroska_types[] = {
    [MATROSKA_MKV] = { "mkv", "mkv" },
    [MATROSKA_MKA] = { "mka", "mka" },
    [MATROSKA_MKS] = { "mks", "mks" },
    [MATROSKA_WEBM] = { "webm", "webm" },
    { 0 },
};

struct matroska_element {
    uint64_t at, body, end; /* object offsets; end UINT64_MAX: not known */
    uint32_t id;
};

struct matroska_state {
    uint64_t at;          /* the next element of the Segment or of the cluster */
    uint64_t segment_end; /* UINT64_MAX: not known; 0: the header has not been read */
    uint64_t cluster_end; /* 0: not in a cluster; UINT64_MAX: not known */
    uint64_t proven;
    uint64_t tracks; /* a bit for each number below 64 */
    uint64_t crc_at, crc_end;
    uint32_t crc, crc_stored;
    bool has_info, has_tracks, has_blocks, webm, checked;
    const char *why;
};

static enum step matroska_bad(struct matroska_state *state, const char *why)
{
    state->why = why;
    return STEP_BAD;
}

/* The element at object offset at. */
static enum step matroska_element(struct sig_input *in, uint64_t at,
                                  struct matroska_element *element)
{
    const uint8_t *head = sig_bytes(in, at, 1);

    if (head == NULL)
        return STEP_WAIT;
    const uint32_t id_len = head[0] == 0 ? 9 : (uint32_t)__builtin_clz(head[0]) - 23;
    if (id_len > 4)
        return STEP_BAD;
    head = sig_bytes(in, at, id_len + 1);
    if (head == NULL)
        return STEP_WAIT;
    const uint32_t size_len = head[id_len] == 0 ? 9 : (uint32_t)__builtin_clz(head[id_len]) - 23;
    if (size_len > 8)
        return STEP_BAD;
    head = sig_bytes(in, at, id_len + size_len);
    if (head == NULL)
        return STEP_WAIT;
    uint64_t size = head[id_len] & (0xffu >> size_len);
    *element = (struct matroska_element){ .at = at, .body = at + id_len + size_len };
    for (uint32_t i = 0; i < id_len; i++)
        element->id = element->id << 8 | head[i];
    for (uint32_t i = 1; i < size_len; i++)
        size = size << 8 | head[id_len + i];
    element->end =
        size == (UINT64_C(1) << (7 * size_len)) - 1 ? UINT64_MAX : sig_add(element->body, size);
    return STEP_DONE;
}

/* A number in the data of an element of at most 8 bytes. */
static enum step matroska_number(struct sig_input *in, const struct matroska_element *element,
                                 uint64_t *value)
{
    const uint64_t len = element->end - element->body;

    *value = 0;
    if (len == 0 || len > 8)
        return len == 0 ? STEP_DONE : STEP_BAD;
    const uint8_t *bytes = sig_bytes(in, element->body, (uint32_t)len);
    if (bytes == NULL)
        return STEP_WAIT;
    for (uint32_t i = 0; i < len; i++)
        *value = *value << 8 | bytes[i];
    return STEP_DONE;
}

static struct sig_result matroska_break(struct sig_input *in, const struct matroska_state *state,
                                        const char *why)
{
    if (state->has_tracks && state->proven > LIMIT_SECTOR)
        sig_valid(in, state->proven);
    return sig_breaks(in, why);
}

/* EBML header and the head of the Segment. */
static enum step matroska_begin(struct sig_input *in, struct matroska_state *state)
{
    struct matroska_element head, element;
    bool known = false;
    enum step step = matroska_element(in, 0, &head);

    if (step != STEP_DONE)
        return step;
    if (head.end > MATROSKA_HEAD_MAX)
        return matroska_bad(state, "invalid EBML header");
    for (uint64_t at = head.body; at < head.end; at = element.end) {
        uint64_t version = 0;

        step = matroska_element(in, at, &element);
        if (step != STEP_DONE)
            return step == STEP_WAIT ? step : matroska_bad(state, "invalid EBML header");
        const bool own = (element.id >= 0x4280 && element.id <= 0x42ff) ||
                         element.id == MATROSKA_VOID || element.id == MATROSKA_CRC;
        if (!own || element.end > head.end)
            return matroska_bad(state, "invalid EBML header");
        if (element.id == MATROSKA_VERSION) {
            step = matroska_number(in, &element, &version);
            if (step != STEP_DONE || version != 1)
                return step == STEP_WAIT ? step : matroska_bad(state, "unknown EBML version");
        }
        if (element.id == MATROSKA_DOCTYPE) {
            const uint32_t len = (uint32_t)(element.end - element.body);
            const uint8_t *name = len < 4 || len > 16 ? NULL : sig_bytes(in, element.body, len);

            if (name == NULL)
                return len < 4 || len > 16 ? matroska_bad(state, "the file is not Matroska")
                                           : STEP_WAIT;
            state->webm = memcmp(name, "webm", 4) == 0;
            known = state->webm || (len >= 8 && memcmp(name, "matroska", 8) == 0);
        }
    }
    step = matroska_element(in, head.end, &element);
    if (step == STEP_WAIT)
        return step;
    if (!known || step == STEP_BAD || element.id != MATROSKA_SEGMENT)
        return matroska_bad(state, "the file is not Matroska");
    in->type = &matroska_types[state->webm ? MATROSKA_WEBM : MATROSKA_MKV];
    state->at = element.body;
    state->segment_end = element.end;
    return STEP_DONE;
}

/* One track: its number and type (1 video, 2 audio, 17 subtitles). */
static enum step matroska_track(struct sig_input *in, const struct matroska_element *track,
                                uint64_t *number, uint64_t *type)
{
    struct matroska_element element;
    uint32_t count = 0;

    *number = *type = 0;
    for (uint64_t at = track->body; at < track->end; at = element.end) {
        enum step step = matroska_element(in, at, &element);

        if (step == STEP_DONE && (element.end > track->end || ++count > MATROSKA_TRACK_MAX))
            step = STEP_BAD;
        if (step == STEP_DONE && element.id == MATROSKA_TRACK_NUMBER)
            step = matroska_number(in, &element, number);
        if (step == STEP_DONE && element.id == MATROSKA_TRACK_TYPE)
            step = matroska_number(in, &element, type);
        if (step != STEP_DONE)
            return step;
    }
    return *number == 0 || *type == 0 || *type > 33 ? STEP_BAD : STEP_DONE;
}

static enum step matroska_tracks(struct sig_input *in, struct matroska_state *state,
                                 const struct matroska_element *tracks)
{
    struct matroska_element element;
    uint64_t number, type, numbers = 0;
    uint32_t count = 0;
    bool video = false, audio = false;

    for (uint64_t at = tracks->body; at < tracks->end; at = element.end) {
        enum step step = matroska_element(in, at, &element);

        if (step == STEP_WAIT)
            return step;
        if (step == STEP_BAD || element.end > tracks->end || ++count > MATROSKA_LIST_MAX)
            return matroska_bad(state, "invalid tracks");
        if (element.id == MATROSKA_CRC || element.id == MATROSKA_VOID)
            continue;
        step =
            element.id == MATROSKA_TRACK ? matroska_track(in, &element, &number, &type) : STEP_BAD;
        if (step != STEP_DONE)
            return step == STEP_WAIT ? step : matroska_bad(state, "invalid tracks");
        numbers |= number < MATROSKA_TRACKS_MAX ? UINT64_C(1) << number : 1;
        video |= type == 1 || type == 3;
        audio |= type == 2;
    }
    state->tracks = numbers;
    state->has_tracks = true;
    if (!state->webm)
        in->type = &matroska_types[video ? MATROSKA_MKV : audio ? MATROSKA_MKA : MATROSKA_MKS];
    return STEP_DONE;
}

/* A block: its track, two bytes of time, flags. */
static enum step matroska_block(struct sig_input *in, struct matroska_state *state,
                                const struct matroska_element *element, bool simple)
{
    const uint8_t *head = element->end - element->body < 4 ? NULL : sig_bytes(in, element->body, 4);

    if (head == NULL)
        return element->end - element->body < 4 ? matroska_bad(state, "invalid block") : STEP_WAIT;
    const bool near = (head[0] & 0x80) != 0;
    const uint32_t number = head[0] & 0x7f;
    /* bit 0 stands for numbers of 64 and more, which may need a second byte */
    if ((!near && (head[0] & 0x40) == 0) ||
        (state->tracks >> (near && number < MATROSKA_TRACKS_MAX ? number : 0) & 1) == 0)
        return matroska_bad(state, "a block belongs to a track that does not exist");
    if (near && simple && (head[3] & 0x70) != 0)
        return matroska_bad(state, "invalid block");
    state->has_blocks = true;
    return STEP_DONE;
}

/* A group has one block, mostly first. */
static enum step matroska_group(struct sig_input *in, struct matroska_state *state,
                                const struct matroska_element *group)
{
    struct matroska_element element;
    uint32_t count = 0;
    bool block = false;

    for (uint64_t at = group->body; at < group->end; at = element.end) {
        enum step step = matroska_element(in, at, &element);

        if (step == STEP_DONE && (element.end > group->end || ++count > MATROSKA_GROUP_MAX))
            step = STEP_BAD;
        if (step == STEP_DONE && element.id == MATROSKA_BLOCK) {
            step = block ? STEP_BAD : matroska_block(in, state, &element, false);
            block = true;
        }
        if (step != STEP_DONE)
            return step == STEP_WAIT ? step : matroska_bad(state, "invalid block");
    }
    return block ? STEP_DONE : matroska_bad(state, "a group has no block");
}

static bool matroska_is_upper(uint32_t id)
{
    return id == MATROSKA_SEEK_HEAD || id == MATROSKA_INFO || id == MATROSKA_TRACKS ||
           id == MATROSKA_CHAPTERS || id == MATROSKA_CLUSTER || id == MATROSKA_CUES ||
           id == MATROSKA_ATTACHMENTS || id == MATROSKA_TAGS || id == MATROSKA_VOID ||
           id == MATROSKA_CRC;
}

/* The CRC-32 that is the first thing in an element is that of the rest of it. */
static enum step matroska_crc(struct sig_input *in, struct matroska_state *state,
                              const struct matroska_element *element)
{
    if (state->crc_end == 0) {
        const uint8_t *head =
            element->end - element->body < 6 ? NULL : sig_bytes(in, element->body, 6);

        if (head == NULL)
            return element->end - element->body < 6 ? STEP_DONE : STEP_WAIT;
        if (head[0] != MATROSKA_CRC || head[1] != 0x84 ||
            element->end - element->body > MATROSKA_CRC_MAX)
            return STEP_DONE;
        state->crc_stored = bytes_u32le(head + 2);
        state->crc = 0;
        state->crc_at = element->body + 6;
        state->crc_end = element->end;
    }
    if (crc32_add(in, &state->crc_at, state->crc_end, &state->crc) == STEP_WAIT)
        return STEP_WAIT;
    state->crc_end = 0;
    return state->crc == state->crc_stored ? STEP_DONE
                                           : matroska_bad(state, "the CRC of an element is wrong");
}

/* An element of a cluster. */
static enum step matroska_in_cluster(struct sig_input *in, struct matroska_state *state,
                                     const struct matroska_element *element)
{
    if (element->end == UINT64_MAX)
        return matroska_bad(state, "an element among the blocks has no size");
    switch (element->id) {
    case MATROSKA_SIMPLE_BLOCK:
    case MATROSKA_ENCRYPTED:
        return matroska_block(in, state, element, true);
    case MATROSKA_BLOCK_GROUP:
        return matroska_group(in, state, element);
    case MATROSKA_TIMECODE:
    case MATROSKA_POSITION:
    case MATROSKA_PREV_SIZE:
        return element->end - element->body > 8
                   ? matroska_bad(state, "a number has more than 8 bytes")
                   : STEP_DONE;
    case MATROSKA_CRC:
    case MATROSKA_VOID:
    case MATROSKA_SILENT:
        return STEP_DONE;
    default:
        return matroska_bad(state, "an element is not allowed among the blocks");
    }
}

/* An element of the Segment. */
static enum step matroska_in_segment(struct sig_input *in, struct matroska_state *state,
                                     const struct matroska_element *element)
{
    enum step step = STEP_DONE;

    if (!matroska_is_upper(element->id) ||
        (element->id != MATROSKA_CLUSTER && element->end == UINT64_MAX))
        return matroska_bad(state, "an element is not allowed here");
    if (element->id == MATROSKA_CLUSTER && !state->has_tracks)
        return matroska_bad(state, "the blocks come before the tracks");
    if (element->id != MATROSKA_VOID && element->id != MATROSKA_CRC && element->end != UINT64_MAX &&
        !state->checked) {
        step = matroska_crc(in, state, element);
        state->checked = step == STEP_DONE;
    }
    if (step == STEP_DONE && element->id == MATROSKA_TRACKS)
        step = matroska_tracks(in, state, element);
    state->has_info |= element->id == MATROSKA_INFO;
    return step;
}

/* In a stream: is what stands at state->at no part of it? The sizes of the segment and of its last
 * cluster are not known. */
static bool matroska_is_over(struct sig_input *in, struct matroska_state *state, enum step step,
                             const struct matroska_element *element)
{
    if (state->segment_end != UINT64_MAX || !state->has_blocks)
        return false;
    if (state->cluster_end != 0 && (state->cluster_end != UINT64_MAX || step == STEP_WAIT))
        return state->cluster_end == UINT64_MAX && in->wanted > in->limit;
    if (step != STEP_DONE)
        return step == STEP_BAD || in->wanted > in->limit;
    if (state->cluster_end != 0)
        return matroska_in_cluster(in, state, element) == STEP_BAD;
    return !matroska_is_upper(element->id) ||
           (element->id != MATROSKA_CLUSTER && element->end == UINT64_MAX);
}

/* A cluster of unknown size ends where something begins that only the segment can hold. */
static void matroska_leave(struct matroska_state *state, const struct matroska_element *element)
{
    if (state->cluster_end == UINT64_MAX && element->id != MATROSKA_VOID &&
        element->id != MATROSKA_CRC && matroska_is_upper(element->id))
        state->cluster_end = 0;
}

/* One element: *element is at state->at. */
static enum step matroska_one(struct sig_input *in, struct matroska_state *state,
                              const struct matroska_element *element)
{
    const bool inside = state->cluster_end != 0;
    const uint64_t around =
        inside && state->cluster_end != UINT64_MAX ? state->cluster_end : state->segment_end;

    if (element->end > around &&
        (element->end != UINT64_MAX || inside || element->id != MATROSKA_CLUSTER))
        return matroska_bad(state, "an element is longer than the one around it");
    const enum step step =
        inside ? matroska_in_cluster(in, state, element) : matroska_in_segment(in, state, element);
    if (step != STEP_DONE)
        return step;
    state->checked = false;
    state->proven = state->at;
    state->at = element->end;
    if (!inside && element->id == MATROSKA_CLUSTER) {
        state->cluster_end = element->end;
        state->at = element->body;
    }
    return STEP_DONE;
}

static struct sig_result matroska_check(struct sig_input *in, void *memory)
{
    struct matroska_state *state = memory;

    if (state->segment_end == 0) {
        const enum step step = matroska_begin(in, state);

        if (step != STEP_DONE)
            return step == STEP_WAIT
                       ? sig_short(in)
                       : sig_reject(state->why == NULL ? "the file is not Matroska" : state->why);
    }
    for (;;) {
        struct matroska_element element = { 0 };

        if (state->cluster_end != 0 && state->at >= state->cluster_end)
            state->cluster_end = 0;
        if (state->at >= state->segment_end)
            break;
        enum step step = matroska_element(in, state->at, &element);
        if (step == STEP_DONE)
            matroska_leave(state, &element);
        if (matroska_is_over(in, state, step, &element))
            return sig_complete(in, state->at, "the elements lead to the end of the stream");
        if (step == STEP_DONE)
            step = matroska_one(in, state, &element);
        if (step == STEP_WAIT) {
            if (in->wanted > in->limit && state->has_tracks && in->limit > LIMIT_SECTOR)
                sig_valid(in, in->limit);
            return in->wanted > in->limit ? matroska_break(in, state, sig_short(in).why)
                                          : sig_short(in);
        }
        if (step == STEP_BAD)
            return matroska_break(in, state,
                                  state->why == NULL ? "a valid element must follow here, and "
                                                       "none does"
                                                     : state->why);
    }
    if (!state->has_tracks || !state->has_info)
        return matroska_break(in, state, "the file ends before its header");
    return sig_complete(in, state->segment_end, "the elements end with the segment");
}

const struct sig sig_matroska = {
    .name = "matroska",
    .what = "Matroska and WebM video, sound and subtitles",
    .proves = "elements fill one another, blocks name tracks that exist, CRC-32s where they are; "
              "frames are not decoded",
    .source = "RFC 8794 (EBML); RFC 9559 (Matroska)",
    .types = matroska_types,
    .headers = { SIG_PATTERN("\x1a\x45\xdf\xa3") },
    .flags = SIG_CONTAINER, /* attachments, Motion JPEG */
    .size_min = 64,
    .size_max = UINT64_C(1) << 42,
    .state_size = sizeof(struct matroska_state),
    .check = matroska_check,
    .facts = matroska_facts,
};
