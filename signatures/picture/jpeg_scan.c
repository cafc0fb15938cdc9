/* SPDX-License-Identifier: Apache-2.0
 * signatures/picture/jpeg_scan.c - entropy-coded data: from SOS to the marker behind it.
 *
 *   MCU, MCU, … | RST0 | MCU, MCU, … | RST1 | … | another marker        ff 00 stands for the byte
 * ff
 *
 * A scan is walked from marker to marker at the speed of memory: in foreign data that is compressed
 * or code, one of its ff soon has something else than 00 behind it, and other data looks odd. Where
 * something does look odd, also behind the file's end, or the scan is short, and the codes are
 * Huffman's, it is decoded from its beginning, and the marker must then come behind exactly the
 * last MCU. For that, bytes go through a buffer that leaves out the stuffing, up to the next
 * marker. In a thorough check that is done with every scan.
 */
#include <string.h>

#include "base/bytes.h"
#include "base/limits.h"
#include "signatures/picture/jpeg.h"

enum {
    JPEG_SHORT =
        16 * 1024,      /* bytes of a scan that is decoded in any case: in all it costs little */
    JPEG_SLACK_MIN = 8, /* bytes of zeros that say something */
    JPEG_SLOW = 16,     /* times as long as deflate takes for a byte that is unpacked */
    JPEG_RUN = LIMIT_SECTOR - 2, /* bytes of one value that can fill a sector, with those beside */
    JPEG_PATCH = LIMIT_SECTOR / 2,
    JPEG_PATCH_ZEROS =
        JPEG_PATCH / 8, /* entropy-coded bytes look random: about one in 256 is zero, */
    JPEG_PATCH_TEXT = JPEG_PATCH / 4 *
                      3, /* and three in eight are printable; these are over ten deviations off */
};

static uint32_t jpeg_divide_up(uint32_t value, uint32_t by)
{
    return (value + by - 1) / by;
}

static uint64_t jpeg_mcus(const struct jpeg_state *state)
{
    const struct jpeg_frame *frame = &state->frame;

    if (state->scan.count > 1)
        return (uint64_t)jpeg_divide_up(frame->width, 8u * frame->h_max) *
               jpeg_divide_up(frame->height, 8u * frame->v_max);
    const struct jpeg_component *component = &frame->components[state->scan.component[0]];
    return (uint64_t)jpeg_divide_up(jpeg_divide_up(frame->width * component->h, frame->h_max), 8) *
           jpeg_divide_up(jpeg_divide_up(frame->height * component->v, frame->v_max), 8);
}

static enum jpeg_coding jpeg_scan_coding(const struct jpeg_state *state)
{
    const struct jpeg_scan *scan = &state->scan;

    if (state->height_unknown || state->frame.sof > JPEG_SOF2)
        return JPEG_WALKED;
    if (state->frame.sof < JPEG_SOF2)
        return JPEG_SEQUENTIAL;
    if (scan->ss == 0)
        return scan->ah == 0 ? JPEG_DC_FIRST : JPEG_DC_REFINE;
    return scan->ah == 0 ? JPEG_AC_FIRST : JPEG_WALKED;
}

static void jpeg_interval_begin(struct jpeg_state *state)
{
    struct jpeg_scan *scan = &state->scan;
    const uint64_t most = state->restart_interval != 0 ? state->restart_interval : UINT32_MAX;

    scan->interval_left = (uint32_t)(scan->mcus_left < most ? scan->mcus_left : most);
    scan->block = 0;
    scan->k = 0;
    scan->end_run = 0;
    scan->have = 0;
    scan->bit = 0;
    scan->at_marker = false;
    memset(scan->dc, 0, sizeof scan->dc);
}

/* Makes a table unless an earlier component had it made; false when no DHT gave it (motion JPEG
 * leaves out the standard ones). */
static bool jpeg_scan_table(struct jpeg_scan *scan, const struct jpeg_huffman *from, uint8_t which,
                            bool dc)
{
    uint8_t *made = dc ? &scan->dc_made : &scan->ac_made;
    struct jpeg_lookup *lookup = &scan->lookups[which];
    struct jpeg_table *table = dc ? &lookup->dc : &lookup->ac;

    if (!from[which].defined)
        return false;
    if ((*made >> which & 1) != 0)
        return true;
    jpeg_table_make(table, &from[which], scan->coding, dc);
    if (scan->coding == JPEG_SEQUENTIAL && !dc)
        memset(&lookup->ac_several, 0, sizeof lookup->ac_several);
    *made |= (uint8_t)(1u << which);
    return true;
}

static bool jpeg_scan_tables(struct jpeg_state *state)
{
    struct jpeg_scan *scan = &state->scan;

    scan->dc_made = 0;
    scan->ac_made = 0;
    for (uint32_t i = 0; i < scan->count; i++) {
        if ((scan->coding == JPEG_SEQUENTIAL || scan->coding == JPEG_DC_FIRST) &&
            !jpeg_scan_table(scan, state->dc, scan->dc_table[i], true))
            return false;
        if ((scan->coding == JPEG_SEQUENTIAL || scan->coding == JPEG_AC_FIRST) &&
            !jpeg_scan_table(scan, state->ac, scan->ac_table[i], false))
            return false;
    }
    return true;
}

/* Goes back to the beginning of the scan to decode it. False: the tables for that are not there. */
static bool jpeg_scan_decode(struct jpeg_state *state)
{
    struct jpeg_scan *scan = &state->scan;

    scan->coding = scan->decodable;
    scan->decodable = JPEG_WALKED;
    if (!jpeg_scan_tables(state)) {
        scan->coding = JPEG_WALKED;
        return false;
    }
    scan->next_restart = 0;
    scan->blocks = 0;
    for (uint32_t i = 0; i < scan->count; i++) {
        const struct jpeg_component *component = &state->frame.components[scan->component[i]];
        const uint32_t blocks = scan->count == 1 ? 1 : (uint32_t)component->h * component->v;
        const uint32_t quantiser = state->quantiser[component->quantisation] != 0
                                       ? state->quantiser[component->quantisation]
                                       : 1;

        for (uint32_t k = 0; k < blocks; k++)
            scan->block_of[scan->blocks++] = (uint8_t)i;
        scan->dc_max[i] = (int32_t)((8u << state->frame.precision) / quantiser >>
                                    (scan->coding == JPEG_DC_FIRST ? scan->al : 0)) +
                          2;
    }
    scan->flat = 0xff;
    scan->flat_from = scan->begin;
    state->at = scan->begin;
    scan->mcus_left = jpeg_mcus(state);
    jpeg_interval_begin(state);
    return true;
}

void jpeg_scan_begin(const struct sig_input *in, struct jpeg_state *state)
{
    struct jpeg_scan *scan = &state->scan;

    scan->next_restart = 0;
    scan->patch = state->at / JPEG_PATCH;
    scan->patch_whole = false;
    scan->begin = state->at;
    scan->decodable = jpeg_scan_coding(state);
    scan->coding = JPEG_WALKED;
    scan->flat_from = state->at;
    if (in->thorough && scan->decodable != JPEG_WALKED)
        (void)jpeg_scan_decode(state); /* where it cannot be, it is walked */
}

/*
 * A thorough check does not trust a run of one byte that can fill a sector: it is the sky in one
 * picture, and a sector of zeros in another.
 */
static void jpeg_flat(struct sig_input *in, struct jpeg_scan *scan, const uint8_t *bytes,
                      uint32_t len, uint64_t at)
{
    for (uint32_t i = 0; i < len; i++)
        if (bytes[i] != scan->flat) {
            /* Nearly all runs are of a byte or two. */
            if (at + i - scan->flat_from >= JPEG_RUN) {
                sig_open_field(in, scan->flat_from - 1, at + i + 1); /* 00 may be half of ff 00 */
                sig_doubt(in, scan->flat_from, at + i);
            }
            scan->flat = bytes[i];
            scan->flat_from = at + i;
        }
}

/*
 * Moves bytes from state->at into the buffer until it is full or a marker is reached. False: not
 * one could be moved, for want of bytes that are not there yet.
 */
static bool jpeg_fill(struct sig_input *in, struct jpeg_state *state)
{
    struct jpeg_scan *scan = &state->scan;
    const uint32_t used = scan->bit / 8;
    bool moved = false;

    in->unpacked_aside += (uint64_t)JPEG_SLOW * used;
    memmove(scan->buffer, scan->buffer + used, scan->have - used);
    scan->have -= used;
    scan->bit &= 7;
    while (scan->have < JPEG_BUFFER && !scan->at_marker) {
        uint32_t len;
        const uint8_t *span = sig_span(in, state->at, &len);

        if (span == NULL)
            break;
        while (len > 0 && scan->have < JPEG_BUFFER) {
            const uint32_t room = JPEG_BUFFER - scan->have;
            const uint32_t look = len < room ? len : room;
            const uint8_t *found = memchr(span, 0xff, look);
            const uint32_t plain = found == NULL ? look : (uint32_t)(found - span);

            if (in->thorough)
                jpeg_flat(in, scan, span, plain, state->at);
            memcpy(scan->buffer + scan->have, span, plain);
            scan->have += plain;
            state->at += plain;
            span += plain;
            len -= plain;
            moved |= plain > 0;
            if (found == NULL)
                continue;
            if (len == 1) {
                span = sig_bytes(in, state->at, 2);
                if (span == NULL)
                    return moved;
                len = 2;
            }
            if (span[1] != 0) { /* or a fill byte before one */
                scan->at_marker = true;
                break;
            }
            if (in->thorough)
                jpeg_flat(in, scan, span, 1, state->at);
            scan->buffer[scan->have++] = 0xff;
            state->at += 2;
            span += 2;
            len -= 2;
            moved = true;
        }
    }
    return moved || scan->at_marker;
}

/* Where in the object the first unused bit stands. */
static uint64_t jpeg_place(const struct jpeg_state *state)
{
    const struct jpeg_scan *scan = &state->scan;
    uint64_t behind = 0;

    for (uint32_t i = scan->bit / 8; i < scan->have; i++)
        behind += scan->buffer[i] == 0xff ? 2 : 1;
    return state->at - behind;
}

static enum step jpeg_scan_bad(struct sig_input *in, struct jpeg_state *state, const char **why,
                               const char *text)
{
    sig_doubt(in, state->scan.flat_from, state->at);
    state->at = jpeg_place(state);
    *why = text;
    return STEP_BAD;
}

/* Behind an interval: nothing but the rest of a byte, then a marker. STEP_DONE with *more: another
 * interval begins. */
static enum step jpeg_interval_end(struct sig_input *in, struct jpeg_state *state, bool *more,
                                   const char **why)
{
    struct jpeg_scan *scan = &state->scan;

    while (!scan->at_marker) {
        if (scan->have - scan->bit / 8 > 1)
            return jpeg_scan_bad(in, state, why, "a scan has too many blocks");
        if (!jpeg_fill(in, state))
            return STEP_WAIT;
    }
    if (scan->have * 8 - scan->bit >= 8)
        return jpeg_scan_bad(in, state, why, "a scan has too many blocks");
    const uint32_t rest = scan->have * 8 - scan->bit; /* T.81, F.1.2.3: filled up with ones */
    if (rest > 0 && (uint8_t)(~scan->buffer[scan->have - 1] << (8 - rest)) != 0)
        state->filled_otherwise = true;
    const uint8_t *marker = sig_bytes(in, state->at, 2);
    for (; marker != NULL && marker[1] == 0xff; marker = sig_bytes(in, state->at, 2)) {
        if (++state->fill > JPEG_FILL_MAX)
            return jpeg_scan_bad(in, state, why, "no marker follows the fill bytes");
        state->at++;
    }
    if (marker == NULL)
        return STEP_WAIT;
    state->fill = 0;
    const bool restart =
        state->restart_interval != 0 && marker[1] == JPEG_RST0 + scan->next_restart;
    *more = scan->mcus_left > 0;
    if (*more && !restart)
        return jpeg_scan_bad(in, state, why, "a restart marker is missing or out of order");
    if (restart) { /* some encoders write one behind the last interval too */
        scan->next_restart = (scan->next_restart + 1) & 7;
        state->at += 2;
        state->proven = state->at;
    }
    if (*more)
        jpeg_interval_begin(state);
    return STEP_DONE;
}

static enum step jpeg_scan_decoded(struct sig_input *in, struct jpeg_state *state, const char **why)
{
    bool more = true;

    while (more) {
        enum step step = jpeg_decode(&state->scan, why);

        if (step == STEP_BAD)
            return jpeg_scan_bad(in, state, why, *why);
        if (step == STEP_DONE)
            step = jpeg_interval_end(in, state, &more, why);
        else
            step = jpeg_fill(in, state) ? STEP_DONE : STEP_WAIT;
        if (step != STEP_DONE)
            return step;
    }
    return STEP_DONE;
}

enum jpeg_patch { JPEG_PATCH_GOOD, JPEG_PATCH_ODD, JPEG_PATCH_WRONG };

/* A word that is not zero, over and over: what the same codes become where nothing changes. */
static bool jpeg_patch_repeats(const uint8_t *bytes)
{
    return memcmp(bytes, bytes + 4, JPEG_PATCH - 4) == 0 && bytes_u32be(bytes) != 0;
}

/* What half a sector of entropy-coded bytes looks like; without a byte of 0x80 or more it is none,
 * unless it repeats. */
static enum jpeg_patch jpeg_patch_look(const uint8_t *bytes)
{
    uint16_t zeros = 0, printable = 0,
             high = 0; /* narrow: the compiler adds more of them at once */

    for (uint32_t i = 0; i < JPEG_PATCH; i++) {
        zeros = (uint16_t)(zeros + (bytes[i] == 0));
        printable = (uint16_t)(printable + ((uint8_t)(bytes[i] - ' ') < 0x7f - ' '));
        high = (uint16_t)(high + (bytes[i] >> 7));
    }
    if (high == 0 && !jpeg_patch_repeats(bytes))
        return JPEG_PATCH_WRONG;
    return zeros > JPEG_PATCH_ZEROS || printable > JPEG_PATCH_TEXT ? JPEG_PATCH_ODD
                                                                   : JPEG_PATCH_GOOD;
}

/* From marker to marker, the codes not looked at: RSTn must come in their order. */
static enum step jpeg_scan_walked(struct sig_input *in, struct jpeg_state *state, const char **why)
{
    struct jpeg_scan *scan = &state->scan;

    for (;;) {
        if (state->at / JPEG_PATCH != scan->patch) {
            if (scan->patch_whole) {
                const uint8_t *patch = sig_bytes(in, scan->patch * JPEG_PATCH, JPEG_PATCH);

                if (patch == NULL)
                    return STEP_WAIT;
                const enum jpeg_patch look = jpeg_patch_look(patch);
                if (look != JPEG_PATCH_GOOD && scan->decodable != JPEG_WALKED &&
                    jpeg_scan_decode(state))
                    return STEP_DONE;
                *why = "a scan has zeros or text in it";
                if (look == JPEG_PATCH_WRONG)
                    return STEP_BAD;
            }
            scan->patch = state->at / JPEG_PATCH;
            scan->patch_whole = true;
        }
        uint32_t len;
        const uint8_t *span = sig_span(in, state->at, &len);

        if (span == NULL)
            return STEP_WAIT;
        const uint32_t patch_left = JPEG_PATCH - (uint32_t)(state->at % JPEG_PATCH);
        if (len > patch_left)
            len = patch_left;
        const uint8_t *found = memchr(span, 0xff, len);
        if (found == NULL) {
            state->at += len;
            continue;
        }
        const uint64_t at = state->at + (uint64_t)(found - span);
        const uint8_t *pair = sig_bytes(in, at, 2);
        if (pair == NULL)
            return STEP_WAIT;
        state->at = at;
        if (pair[1] == 0) {
            state->at++; /* and the 00 as any other byte: it may begin the next patch */
        } else if (pair[1] == 0xff) {
            state->at++;
        } else if (pair[1] >= JPEG_RST0 && pair[1] <= JPEG_RST7) {
            *why = "a restart marker is out of order";
            if (state->restart_interval == 0 || pair[1] - JPEG_RST0 != scan->next_restart)
                return STEP_BAD;
            scan->next_restart = (scan->next_restart + 1) & 7;
            state->at++;
        } else {
            return STEP_DONE;
        }
    }
}

/*
 * Whether the walk's end is to be believed: where the scan ends the file, zeros fill the rest of
 * its sector. In foreign data that looks right one marker in 254 is an EOI, but what stands behind
 * that is more of the same.
 */
static enum step jpeg_walk_end(struct sig_input *in, const struct jpeg_state *state, bool *believed)
{
    const uint64_t behind = state->at + 2;
    const uint32_t slack = (uint32_t)(-(in->start + behind) & (LIMIT_SECTOR - 1));
    const uint8_t *marker = sig_bytes(in, state->at, 2);

    if (marker == NULL)
        return STEP_WAIT;
    *believed = marker[1] != JPEG_EOI;
    if (in->start % LIMIT_SECTOR != 0) /* inside of another file, which vouches for it */
        *believed = true;
    if (*believed || slack < JPEG_SLACK_MIN || sig_add(behind, slack) > in->limit)
        return STEP_DONE;
    const uint8_t *rest = sig_bytes(in, behind, slack);
    if (rest == NULL)
        return STEP_WAIT;
    *believed = rest[0] == 0 && memcmp(rest, rest + 1, slack - 1) == 0;
    return STEP_DONE;
}

enum step jpeg_scan(struct sig_input *in, struct jpeg_state *state, const char **why)
{
    enum step step = STEP_DONE;

    if (state->scan.coding == JPEG_WALKED)
        step = jpeg_scan_walked(in, state, why);
    if (step == STEP_DONE && state->scan.decodable != JPEG_WALKED &&
        state->scan.coding == JPEG_WALKED) {
        bool believed = false;

        if (state->at - state->scan.begin > JPEG_SHORT)
            step = jpeg_walk_end(in, state, &believed);
        if (step == STEP_DONE && !believed)
            (void)jpeg_scan_decode(state); /* where it cannot be, the walk stands */
    }
    if (step == STEP_DONE && state->scan.coding != JPEG_WALKED)
        step = jpeg_scan_decoded(in, state, why);
    return step;
}
