/* SPDX-License-Identifier: Apache-2.0
 * signatures/picture/jpeg.c - JPEG: from SOI over segments and scans to the right EOI.
 *
 *   SOI | (marker, length, segment)* | SOS, entropy-coded data with RSTn | … | EOI
 *
 * Thumbnails lie inside of APPn segments, which are stepped over by their length, so their EOI is
 * never seen. Pictures behind the EOI belong to the file when its multi-picture list has them
 * (jpeg_more.c); what else stands there (motion photos) does not. Where a scan breaks the file is
 * taken to be right up to the last sector boundary before that place, since foreign data begins on
 * one; where the end of a scan comes too early or too late, only up to the last restart marker, or
 * the beginning of the scan.
 */
#include <string.h>

#include "base/bytes.h"
#include "base/limits.h"
#include "signatures/picture/jpeg.h"
#include "signatures/picture/picture_facts.h"

enum { JPEG_LIST_HEAD = 4 }; /* bytes that tell a multi-picture list */

/* Breaks, or is refused when not even the first sector of the first scan was right. */
static struct sig_result jpeg_break(struct sig_input *in, const struct jpeg_state *state,
                                    uint64_t valid, const char *why)
{
    if (state->first_scan == 0 || valid < state->first_scan + LIMIT_SECTOR)
        return sig_reject(why);
    sig_valid(in, valid);
    return sig_breaks(in, why);
}

static struct sig_result jpeg_wait(struct sig_input *in, const struct jpeg_state *state)
{
    if (in->wanted > in->limit)
        return jpeg_break(in, state, in->limit, sig_short(in).why);
    return sig_short(in);
}

static struct sig_result jpeg_broken(struct sig_input *in, const struct jpeg_state *state,
                                     const char *why)
{
    const uint64_t sector = state->at & ~(uint64_t)(LIMIT_SECTOR - 1);

    return jpeg_break(in, state, sector > state->proven ? sector : state->proven, why);
}

/* NULL when the picture is all there. */
static const char *jpeg_missing(const struct jpeg_state *state)
{
    const struct jpeg_frame *frame = &state->frame;

    if (frame->sof == 0 || state->first_scan == 0)
        return "the file ends before its picture";
    if (state->height_unknown)
        return "the file ends before its height is given";
    for (uint32_t i = 0; i < frame->count; i++)
        if (frame->components[i].precision_of[0] < 0)
            return "the file ends before all of its components";
    return NULL;
}

/*
 * Whether some coefficient of a progressive picture has not got all of its bits. Encoders write
 * them all: where the end also comes on a sector, it is another file's.
 */
static bool jpeg_is_rough(const struct sig_input *in, const struct jpeg_state *state)
{
    const struct jpeg_frame *frame = &state->frame;
    bool rough = false;

    if (frame->sof != JPEG_SOF2 || (in->start + state->at) % LIMIT_SECTOR != 0)
        return false;
    for (uint32_t i = 0; i < frame->count; i++)
        for (uint32_t k = 0; k < sizeof frame->components[i].precision_of; k++)
            rough = rough || frame->components[i].precision_of[k] != 0;
    return rough;
}

static bool jpeg_marker_has_length(uint8_t marker)
{
    return marker >= JPEG_SOF0 && marker <= JPEG_COM &&
           !(marker >= JPEG_RST0 && marker <= JPEG_EOI) && marker < 0xff &&
           !(marker > JPEG_APP15 && marker < JPEG_COM);
}

/* A segment that may list further pictures; len: of its body. */
static enum step jpeg_application(struct sig_input *in, struct jpeg_state *state, uint8_t marker,
                                  uint32_t len)
{
    const uint64_t at = state->at + 4;
    const uint8_t *body = NULL;

    if (marker != JPEG_APP1 && marker != JPEG_APP2)
        return STEP_DONE;
    body = sig_bytes(in, at, JPEG_LIST_HEAD);
    if (body == NULL)
        return STEP_WAIT;
    if (memcmp(body, marker == JPEG_APP1 ? "Exif" : "MPF", JPEG_LIST_HEAD) != 0)
        return STEP_DONE;
    body = sig_bytes(in, at, len);
    if (body == NULL)
        return STEP_WAIT;
    if (marker == JPEG_APP1)
        jpeg_more_preview(&state->more, body, len, at);
    else
        jpeg_more_list(&state->more, body, len, at);
    return STEP_DONE;
}

/* The segment at state->at: steps over it, or into the scan behind it. */
static enum step jpeg_segment_at(struct sig_input *in, struct jpeg_state *state, uint8_t marker,
                                 const char **why)
{
    *why = "a marker is not allowed here";
    if (!jpeg_marker_has_length(marker))
        return STEP_BAD;
    const uint8_t *body = sig_bytes(in, state->at + 2, 2);
    if (body == NULL)
        return STEP_WAIT;
    const uint32_t len = bytes_u16be(body);
    *why = "a segment is shorter than its own length field";
    if (len < 2)
        return STEP_BAD;
    if (marker < JPEG_APP0) {
        body = sig_bytes(in, state->at + 2, len);
        if (body == NULL)
            return STEP_WAIT;
        *why = jpeg_segment(state, marker, body + 2, len - 2);
        if (*why != NULL)
            return STEP_BAD;
        state->proven = state->at + 2 + len;
    } else if (len > 2 + JPEG_LIST_HEAD && state->more.whole == 0) {
        const enum step step = jpeg_application(in, state, marker, len - 2);

        if (step != STEP_DONE)
            return step;
    }
    if (marker >= JPEG_APP0)
        sig_open_field(in, state->at, state->at + 2 + len);
    state->at += 2 + len;
    if (marker == JPEG_SOS) {
        state->in_scan = true;
        jpeg_scan_begin(in, state);
        if (state->first_scan == 0)
            state->first_scan = state->at;
    }
    return STEP_DONE;
}

/* Behind an EOI: on to the next picture of the file, if there is one. */
static enum step jpeg_next(struct sig_input *in, struct jpeg_state *state)
{
    uint64_t at;
    const enum step step = jpeg_more_next(in, &state->more, state->at + 2, &at);

    if (step == STEP_DONE) {
        const struct jpeg_more more = state->more;

        memset(state, 0, sizeof *state);
        state->more = more;
        state->at = at + 2;
    }
    return step;
}

/* The verdict of a thorough check on a whole file. */
static struct sig_result jpeg_whole(struct sig_input *in, const struct jpeg_state *state)
{
    if (state->filled_otherwise)
        return sig_believe(in, state->more.whole, "every scan is whole, but one ends strangely");
    sig_sure(in, state->more.whole);
    return sig_complete(in, state->more.whole, "every scan has all of its blocks");
}

static struct sig_result jpeg_walk(struct sig_input *in, struct jpeg_state *state)
{
    const char *why = NULL;

    if (state->at == 0)
        state->at = 2; /* the header pattern is the SOI */
    for (;;) {
        if (state->in_scan) {
            const enum step step = jpeg_scan(in, state, &why);

            if (step == STEP_WAIT)
                return jpeg_wait(in, state);
            if (step == STEP_BAD)
                return jpeg_broken(in, state, why);
            state->in_scan = false;
            if (state->scan.coding != JPEG_WALKED) /* there, any two bytes can look like its end */
                state->proven = state->at;
            else
                sig_open(in, state->scan.begin, state->at);
            if (in->thorough) {
                sig_open_field(in, state->scan.flat_from, state->at);
                if (state->scan.coding != JPEG_WALKED)
                    sig_doubt(in, state->scan.flat_from, state->at);
                sig_sure(in, state->at);
            }
        }
        const uint8_t *head = sig_bytes(in, state->at, 2);
        if (head == NULL)
            return jpeg_wait(in, state);
        if (head[0] != 0xff)
            return jpeg_broken(in, state, "a segment does not begin with a marker");
        if (head[1] == 0xff) {
            if (++state->fill > JPEG_FILL_MAX)
                return jpeg_broken(in, state, "no marker follows the fill bytes");
            state->at++;
            continue;
        }
        state->fill = 0;
        if (head[1] == JPEG_EOI) {
            why = jpeg_is_rough(in, state) ? "the file ends before all of its scans"
                                           : jpeg_missing(state);
            if (why != NULL)
                return jpeg_broken(in, state, why);
            const enum step step = jpeg_next(in, state);
            if (step == STEP_WAIT)
                return jpeg_wait(in, state);
            if (step == STEP_BAD && in->thorough)
                return jpeg_whole(in, state);
            if (step == STEP_BAD)
                return sig_complete(in, state->more.whole, "every scan is whole");
            continue;
        }
        const enum step step = jpeg_segment_at(in, state, head[1], &why);
        if (step == STEP_WAIT)
            return jpeg_wait(in, state);
        if (step == STEP_BAD)
            return jpeg_broken(in, state, why);
    }
}

static struct sig_result jpeg_check(struct sig_input *in, void *memory)
{
    struct jpeg_state *state = memory;
    const struct sig_result result = jpeg_walk(in, state);

    if (result.verdict != SIG_MORE && result.verdict != SIG_COMPLETE && state->more.whole != 0)
        return sig_complete(in, state->more.whole,
                            "every scan is whole, except those of further pictures");
    return result;
}

static uint32_t jpeg_live(const void *memory)
{
    const struct jpeg_state *state = memory;
    const struct jpeg_scan *scan = &state->scan;
    const uint32_t made = scan->dc_made | scan->ac_made;

    if (!state->in_scan || scan->coding == JPEG_WALKED)
        return (uint32_t)offsetof(struct jpeg_state, scan.buffer);
    /* Up to the last table that is made. */
    const uint32_t lookups = made == 0 ? 0 : 32 - (uint32_t)__builtin_clz(made);
    return (uint32_t)offsetof(struct jpeg_state, scan.lookups) +
           lookups * (uint32_t)sizeof(struct jpeg_lookup);
}

const struct sig sig_jpeg = {
    .name = "jpg",
    .what = "JPEG picture",
    .proves = "segments read; scans decode or are walked from marker to marker, with all of the "
              "picture's blocks up to EOI",
    .source = "ITU-T T.81 (ISO/IEC 10918-1); CIPA DC-007 (multi-picture format)",
    .types = (const struct sig_type[]){ { "jpg", "jpg" }, { 0 } },
    .headers = { SIG_MASKED("\xff\xd8\xff\xe0", "\xff\xff\xff\xf0"),
                 SIG_PATTERN("\xff\xd8\xff\xdb"),
                 SIG_MASKED("\xff\xd8\xff\xc0", "\xff\xff\xff\xfc"),
                 SIG_PATTERN("\xff\xd8\xff\xc4"), SIG_PATTERN("\xff\xd8\xff\xdd"),
                 SIG_PATTERN("\xff\xd8\xff\xfe") },
    .flags = SIG_CONTAINER,
    .size_min = 100,
    .size_max = UINT64_C(1) << 30,
    .seam = SIG_SEAM_UNIT,
    .seam_lag = 16 * 1024, /* of another picture's bytes one cluster in 200 passes for so long */
    .state_size = sizeof(struct jpeg_state),
    .state_clean = offsetof(struct jpeg_state, scan.buffer),
    .state_live = jpeg_live,
    .open_max = 8, /* a preview holds a thumbnail; archives and mail hold pictures */
    .check = jpeg_check,
    .facts = jpeg_facts,
};
