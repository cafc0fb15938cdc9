/* SPDX-License-Identifier: Apache-2.0
 * signatures/picture/jpeg_segment.c - the contents of the segments that matter; T.81 annex B and G.
 */
#include <string.h>

#include "base/bytes.h"
#include "signatures/picture/jpeg.h"

static const char *jpeg_frame_segment(struct jpeg_state *state, uint8_t marker, const uint8_t *body,
                                      uint32_t len)
{
    struct jpeg_frame *frame = &state->frame;

    if (frame->sof != 0)
        return "there are two frame headers";
    if (len < 6 || len != 6 + 3u * body[5])
        return "wrong length of the frame header";
    frame->precision = body[0];
    frame->height = bytes_u16be(body + 1);
    frame->width = bytes_u16be(body + 3);
    frame->count = body[5];
    const bool lossless = (marker & 3) == 3;
    if (lossless ? frame->precision < 2 || frame->precision > 16
                 : frame->precision != 8 && (frame->precision != 12 || marker == JPEG_SOF0))
        return "invalid sample precision for this kind of frame";
    if (frame->width == 0 || frame->count == 0 || frame->count > JPEG_COMPONENTS_MAX)
        return "invalid width or number of components of the frame";
    for (uint32_t i = 0; i < frame->count; i++) {
        const uint8_t *from = body + 6 + (size_t)3 * i;
        struct jpeg_component *component = &frame->components[i];

        component->id = from[0];
        component->h = from[1] >> 4;
        component->v = from[1] & 15;
        component->quantisation = from[2];
        if (component->h < 1 || component->h > 4 || component->v < 1 || component->v > 4 ||
            from[2] >= JPEG_TABLES_MAX)
            return "a sampling factor or quantisation table is out of range";
        for (uint32_t k = 0; k < i; k++)
            if (frame->components[k].id == component->id)
                return "two components have the same name";
        if (component->h > frame->h_max)
            frame->h_max = component->h;
        if (component->v > frame->v_max)
            frame->v_max = component->v;
        memset(component->precision_of, -1, sizeof component->precision_of);
    }
    frame->sof = marker;
    state->height_unknown = frame->height == 0;
    return NULL;
}

/* The codes of a length must fit into what the shorter ones leave free; the code of all ones is
 * never used. */
static bool jpeg_codes_fit(const uint8_t counts[17])
{
    int32_t room = 1;

    for (uint32_t len = 1; len <= 16; len++) {
        room = room * 2 - counts[len];
        if (room < 0)
            return false;
    }
    return true;
}

static const char *jpeg_huffman_segment(struct jpeg_state *state, const uint8_t *body, uint32_t len)
{
    while (len > 0) {
        uint32_t total = 0;

        if (len < 17 || body[0] >> 4 > 1 || (body[0] & 15) >= JPEG_TABLES_MAX)
            return "invalid Huffman table";
        struct jpeg_huffman *table = (body[0] >> 4 == 0 ? state->dc : state->ac) + (body[0] & 15);
        for (uint32_t i = 1; i <= 16; i++) {
            table->counts[i] = body[i];
            total += body[i];
        }
        if (total == 0 || total > 256 || total > len - 17 || !jpeg_codes_fit(table->counts))
            return "invalid Huffman table";
        memset(table->symbols, 0, sizeof table->symbols);
        memcpy(table->symbols, body + 17, total);
        table->defined = true;
        for (uint32_t i = 0; body[0] >> 4 == 0 && i < total; i++)
            if (table->symbols[i] > 16)
                return "invalid Huffman table";
        body += 17 + total;
        len -= 17 + total;
    }
    return NULL;
}

static const char *jpeg_quantisation_segment(struct jpeg_state *state, const uint8_t *body,
                                             uint32_t len)
{
    while (len > 0) {
        const uint32_t size = 1 + (body[0] >> 4 == 0 ? 64 : 128);

        if (body[0] >> 4 > 1 || (body[0] & 15) >= JPEG_TABLES_MAX || len < size)
            return "invalid quantisation table";
        state->quantiser[body[0] & 15] = body[0] >> 4 == 0 ? body[1] : bytes_u16be(body + 1);
        body += size;
        len -= size;
    }
    return NULL;
}

/* Progressive scans: each coefficient first with some low bits left out, then one more bit at a
 * time. */
static const char *jpeg_progression(struct jpeg_state *state)
{
    const struct jpeg_scan *scan = &state->scan;

    if (scan->ss > 63 || scan->se > 63 || scan->al > 13 || (scan->ss == 0) != (scan->se == 0) ||
        scan->se < scan->ss || (scan->ss > 0 && scan->count != 1) ||
        (scan->ah != 0 && scan->ah != scan->al + 1))
        return "invalid progressive scan";
    for (uint32_t i = 0; i < scan->count; i++) {
        int8_t *precision_of = state->frame.components[scan->component[i]].precision_of;

        if (scan->ss > 0 && precision_of[0] < 0)
            return "a progressive scan is out of order";
        for (uint32_t k = scan->ss; k <= scan->se; k++) {
            if (scan->ah == 0 ? precision_of[k] >= 0 : precision_of[k] != scan->ah)
                return "a progressive scan is out of order";
            precision_of[k] = (int8_t)scan->al;
        }
    }
    return NULL;
}

static const char *jpeg_scan_segment(struct jpeg_state *state, const uint8_t *body, uint32_t len)
{
    const struct jpeg_frame *frame = &state->frame;
    struct jpeg_scan *scan = &state->scan;
    uint32_t blocks = 0;

    if (frame->sof == 0)
        return "a scan comes before the frame header";
    if (len < 6 || body[0] < 1 || body[0] > frame->count || len != 4 + 2u * body[0])
        return "invalid length of a scan header";
    scan->count = body[0];
    scan->ss = body[len - 3];
    scan->se = body[len - 2];
    scan->ah = body[len - 1] >> 4;
    scan->al = body[len - 1] & 15;
    for (uint32_t i = 0; i < scan->count; i++) {
        uint8_t which = 0;

        while (which < frame->count && frame->components[which].id != body[1 + 2 * i])
            which++;
        if (which == frame->count || body[2 + 2 * i] >> 4 >= JPEG_TABLES_MAX ||
            (body[2 + 2 * i] & 15) >= JPEG_TABLES_MAX)
            return "a scan names a component or table that does not exist";
        for (uint32_t k = 0; k < i; k++)
            if (scan->component[k] >= which)
                return "the components of a scan are out of order or repeat";
        scan->component[i] = which;
        scan->dc_table[i] = body[2 + 2 * i] >> 4;
        scan->ac_table[i] = body[2 + 2 * i] & 15;
        blocks += (uint32_t)frame->components[which].h * frame->components[which].v;
    }
    if (scan->count > 1 && blocks > JPEG_MCU_BLOCKS_MAX)
        return "a scan has more blocks than an MCU can have";
    if (frame->sof == JPEG_SOF2 || frame->sof == 0xca)
        return jpeg_progression(state);
    for (uint32_t i = 0; i < scan->count; i++) {
        int8_t *precision_of = state->frame.components[scan->component[i]].precision_of;

        if (precision_of[0] >= 0)
            return "a component is coded twice";
        memset(precision_of, 0, 64);
    }
    return NULL;
}

const char *jpeg_segment(struct jpeg_state *state, uint8_t marker, const uint8_t *body,
                         uint32_t len)
{
    switch (marker) {
    case JPEG_DHT:
        return jpeg_huffman_segment(state, body, len);
    case JPEG_DQT:
        return jpeg_quantisation_segment(state, body, len);
    case JPEG_SOS:
        return jpeg_scan_segment(state, body, len);
    case JPEG_DRI:
        if (len != 2)
            return "wrong length of the restart interval";
        state->restart_interval = bytes_u16be(body);
        return NULL;
    case JPEG_DNL:
        if (len != 2 || state->first_scan == 0 || !state->height_unknown || bytes_u16be(body) == 0)
            return "a number of lines is invalid or not allowed here";
        state->height_unknown = false;
        return NULL;
    case JPEG_DAC:
        return len % 2 != 0 || len > 64 ? "wrong length of an arithmetic coding table" : NULL;
    default:
        if (marker >= JPEG_SOF0 && marker < JPEG_RST0 && (marker & 3) != 0)
            return marker == 0xc5 || marker == 0xc6 || marker == 0xc7 || marker >= 0xcd
                       ? "the frame is hierarchical, which burin does not read"
                       : jpeg_frame_segment(state, marker, body, len);
        return marker == JPEG_SOF0 ? jpeg_frame_segment(state, marker, body, len)
                                   : "a marker is not allowed here";
    }
}
