/* SPDX-License-Identifier: Apache-2.0
 * signatures/picture/jp2_stream.c - a JPEG 2000 codestream, from SOC to EOC; ITU-T T.800 annex A.
 *
 *   SOC | SIZ | other markers of the main header | (SOT: length of the tile-part | markers | SOD |
 * packets)* | EOC
 *
 * Among packets a byte ff is followed by one below 90, but for the markers SOP and EPH.
 */
#include <string.h>

#include "signatures/picture/jp2.h"

enum {
    JP2_SIZ = 0x51,
    JP2_COD = 0x52,
    JP2_QCD = 0x5c,
    JP2_SOT = 0x90,
    JP2_SOP = 0x91,
    JP2_EPH = 0x92,
    JP2_SOD = 0x93,
    JP2_EOC = 0xd9,
    JP2_SIZ_LEN = 38,
    JP2_SOT_LEN = 12, /* with its marker */
    JP2_COMPONENTS = 16384,
};

/* The picture's and the tiles' sizes. */
static const char *jp2_size(struct jp2_stream *stream, const uint8_t *body, uint32_t len)
{
    const uint64_t right = bytes_u32be(body + 2), bottom = bytes_u32be(body + 6);
    const uint64_t left = bytes_u32be(body + 10), top = bytes_u32be(body + 14);
    const uint64_t wide = bytes_u32be(body + 18), high = bytes_u32be(body + 22);
    const uint64_t tiles_left = bytes_u32be(body + 26), tiles_top = bytes_u32be(body + 30);
    const uint32_t components = bytes_u16be(body + 34);

    if (components == 0 || components > JP2_COMPONENTS || len != 36 + 3 * components ||
        left >= right || top >= bottom || wide == 0 || high == 0 || tiles_left > left ||
        tiles_top > top || tiles_left + wide <= left || tiles_top + high <= top)
        return "invalid sizes of a codestream";
    stream->width = (uint32_t)(right - left);
    stream->height = (uint32_t)(bottom - top);
    stream->tiles =
        ((right - tiles_left + wide - 1) / wide) * ((bottom - tiles_top + high - 1) / high);
    return stream->tiles > 65535 ? "there are too many tiles" : NULL;
}

static bool jp2_marker_known(uint8_t marker)
{
    return (marker >= 0x50 && marker <= 0x59) || (marker >= 0x5c && marker <= 0x65) ||
           (marker >= 0x74 && marker <= 0x79);
}

/* A tile-part begins: its header is at hand. */
static const char *jp2_part(struct jp2_stream *stream, const uint8_t *head, uint64_t end)
{
    const uint32_t len = bytes_u32be(head + 6);

    if (bytes_u16be(head + 2) != 10 || bytes_u16be(head + 4) >= stream->tiles || !stream->coding ||
        !stream->quantisation || (len != 0 && len < JP2_SOT_LEN + 2) || len > end - stream->at)
        return "invalid tile-part";
    stream->open = len == 0;
    stream->part_end = len == 0 ? end : stream->at + len;
    stream->firsts += head[10] == 0;
    return NULL;
}

/* The next marker segment. */
static enum step jp2_marker(struct sig_input *in, struct jp2_stream *stream, uint64_t end,
                            const char **why)
{
    const uint8_t *head = sig_bytes(in, stream->at, 2);

    *why = "a marker is not allowed here";
    if (head == NULL)
        return STEP_WAIT;
    const uint8_t marker = head[1];
    const uint64_t bound = stream->part_end == 0 ? end : stream->part_end;
    if (head[0] != 0xff || bound - stream->at < 2)
        return STEP_BAD;
    if (marker == JP2_EOC && stream->part_end == 0) {
        *why = "the codestream ends before all of its tiles";
        stream->at += 2;
        stream->done = true;
        return stream->firsts == stream->tiles ? STEP_DONE : STEP_BAD;
    }
    if (marker == JP2_SOD && stream->part_end != 0) {
        stream->at += 2;
        stream->packets = true;
        return STEP_DONE;
    }
    if (marker == JP2_SOT ? stream->part_end != 0 || bound - stream->at < JP2_SOT_LEN
                          : !jp2_marker_known(marker))
        return STEP_BAD;
    if (marker == JP2_SOT) {
        head = sig_bytes(in, stream->at, JP2_SOT_LEN);
        if (head == NULL)
            return STEP_WAIT;
        *why = jp2_part(stream, head, end);
        stream->at += JP2_SOT_LEN;
        return *why == NULL ? STEP_DONE : STEP_BAD;
    }
    head = sig_bytes(in, stream->at + 2, 2);
    if (head == NULL)
        return STEP_WAIT;
    const uint32_t len = bytes_u16be(head);
    const bool first = stream->at == stream->from + 2;
    if (len < 2 || len > bound - stream->at - 2 || (marker == JP2_SIZ) != first ||
        (first && len < JP2_SIZ_LEN + 3))
        return STEP_BAD;
    if (first) {
        head = sig_bytes(in, stream->at + 4, len - 2);
        if (head == NULL)
            return STEP_WAIT;
        *why = jp2_size(stream, head, len - 2);
        if (*why != NULL)
            return STEP_BAD;
    }
    stream->coding |= marker == JP2_COD;
    stream->quantisation |= marker == JP2_QCD;
    stream->at += 2 + len;
    return STEP_DONE;
}

/* Packets, up to the end of the tile-part; of an open one, to the marker EOC. */
static enum step jp2_packets(struct sig_input *in, struct jp2_stream *stream)
{
    while (stream->at < stream->part_end) {
        uint32_t len, i = 0;
        const uint8_t *bytes = sig_span_to(in, stream->at, stream->part_end, &len);

        if (bytes == NULL)
            return STEP_WAIT;
        if (len == 1 && bytes[0] == 0xff &&
            stream->part_end - stream->at >= 2) { /* a marker is two */
            bytes = sig_bytes(in, stream->at, 2);
            if (bytes == NULL)
                return STEP_WAIT;
            len = 2;
        }
        while (i < len) {
            const uint8_t *found = memchr(bytes + i, 0xff, len - i);

            i = found == NULL ? len : (uint32_t)(found - bytes);
            if (i + 1 >= len)
                break;
            const uint8_t next = bytes[i + 1];
            if (next == JP2_EOC && stream->open) {
                stream->at += i;
                stream->part_end = stream->at;
                return STEP_DONE;
            }
            if (next >= JP2_SOT && next != JP2_SOP && next != JP2_EPH) {
                stream->at += i;
                return STEP_BAD;
            }
            i += 2;
        }
        stream->at += i == 0 ? 1 : i;
    }
    return stream->open ? STEP_BAD : STEP_DONE;
}

enum step jp2_stream(struct sig_input *in, struct jp2_stream *stream, uint64_t end,
                     const char **why)
{
    enum step step = STEP_DONE;

    if (stream->at == 0)
        stream->at = stream->from + 2; /* SOC: its place has been looked at */
    while (step == STEP_DONE && !stream->done) {
        if (!stream->packets) {
            step = jp2_marker(in, stream, end, why);
            continue;
        }
        *why = "invalid bytes in a packet";
        step = jp2_packets(in, stream);
        if (step == STEP_DONE) {
            stream->part_end = 0;
            stream->packets = false;
        }
    }
    return step;
}
