/* SPDX-License-Identifier: Apache-2.0
 * signatures/picture/sgi.c - Silicon Graphics pictures (.sgi, .rgb, .bw).
 *
 *   01 da | 0 plain, 1 coded | 1 or 2 bytes a sample | u16be dimensions | u16be width | height |
 * channels | u32be least, greatest | 0 | 80 bytes of name | u32be colour map 0..3 | 404 zeros |
 * (coded) rows x u32be offset, rows x u32be length | samples
 *
 * Coded rows are followed: each has to end, with its width, where the tables say; the largest end
 * is the end of the file.
 */
#include <string.h>

#include "base/bytes.h"
#include "signatures/lib/raster.h"
#include "signatures/lib/step.h"
#include "signatures/picture/picture_facts.h"
#include "signatures/sig.h"

enum {
    SGI_HEAD = 512,
    SGI_ZEROS = 108, /* where the 404 begin */
    SGI_CHANNELS_MAX = 16,
    SGI_ROW_MAX = 32 << 10, /* bytes of a coded row that are followed; longer ones are believed */
};

struct sgi_state {
    struct raster raster;
    uint64_t row; /* being looked at */
    uint64_t end; /* the largest so far */
};

/* The codes of a row: count with 0x80 and as many samples, or count and one; 0 ends it. */
static bool sgi_codes(const uint8_t *bytes, uint32_t len, uint32_t width, uint32_t size)
{
    uint32_t at = 0, made = 0;

    while (at + size <= len) {
        const uint8_t code = bytes[at + size - 1], count = code & 0x7f;

        if (count == 0)
            return made == width;
        made += count;
        at += size + (code & 0x80 ? count * size : size);
        if (made > width)
            return false;
    }
    return at == len && made == width; /* some writers leave out the 0 */
}

static enum step sgi_rows(struct sig_input *in, struct sgi_state *state, uint64_t rows,
                          uint32_t width, uint32_t size)
{
    for (; state->row < rows; state->row++) {
        const uint8_t *entry = sig_bytes(in, SGI_HEAD + 4 * state->row, 4);

        if (entry == NULL)
            return STEP_WAIT;
        const uint32_t at = bytes_u32be(entry);
        entry = sig_bytes(in, SGI_HEAD + 4 * (rows + state->row), 4);
        if (entry == NULL)
            return STEP_WAIT;
        const uint32_t len = bytes_u32be(entry);
        if (at < SGI_HEAD + 8 * rows || len == 0 || len > 3 * (width + 1) * size + 16)
            return STEP_BAD;
        if (len <= SGI_ROW_MAX) {
            const uint8_t *bytes = sig_bytes(in, at, len);

            if (bytes == NULL)
                return STEP_WAIT;
            if (!sgi_codes(bytes, len, width, size))
                return STEP_BAD;
        }
        const uint64_t end = (uint64_t)at + len;
        state->end = end > state->end ? end : state->end;
        if (state->row > 0)
            sig_valid(in, end);
    }
    return STEP_DONE;
}

static struct sig_result sgi_check(struct sig_input *in, void *memory)
{
    static const uint8_t zeros[SGI_HEAD - SGI_ZEROS] = { 0 };
    struct sgi_state *state = memory;
    const uint8_t *head = sig_bytes(in, 0, SGI_HEAD);

    if (head == NULL)
        return sig_short(in);
    const bool coded = head[2] == 1;
    const uint32_t size = head[3], dimensions = bytes_u16be(head + 4),
                   width = bytes_u16be(head + 6);
    const uint32_t height = dimensions >= 2 ? bytes_u16be(head + 8) : 1;
    const uint32_t channels = dimensions == 3 ? bytes_u16be(head + 10) : 1;
    const uint32_t least = bytes_u32be(head + 12), greatest = bytes_u32be(head + 16);
    if (head[2] > 1 || size < 1 || size > 2 || dimensions < 1 || dimensions > 3 || width == 0 ||
        height == 0 || channels == 0 || channels > SGI_CHANNELS_MAX)
        return sig_reject("invalid header");
    if (least > greatest || bytes_u32be(head + 104) > 3 ||
        memcmp(head + SGI_ZEROS, zeros, sizeof zeros) != 0)
        return sig_reject("invalid header");
    const uint64_t rows = (uint64_t)height * channels, end = SGI_HEAD + rows * width * size;
    if (coded) {
        const enum step step = sgi_rows(in, state, rows, width, size);

        if (step == STEP_WAIT)
            return sig_short(in);
        if (step == STEP_BAD)
            return sig_breaks(in, "a row does not fill its width");
        return sig_complete(in, state->end, "the codes fill every row");
    }
    switch (raster_check(in, &state->raster, size, SGI_HEAD, end)) {
    case STEP_WAIT:
        return sig_short(in);
    case STEP_BAD:
        if (raster_right(&state->raster) > SGI_HEAD)
            sig_valid(in, raster_right(&state->raster));
        return sig_breaks(in, "the data here do not look like pixels");
    default:
        return sig_believe(in, end, "width, height and channels give the length");
    }
}

const struct sig sig_sgi = {
    .name = "sgi",
    .what = "Silicon Graphics picture",
    .proves = "reserved bytes are zero; codes fill every row where the tables say, or samples "
              "look like pixels",
    .source = "Silicon Graphics, The SGI Image File Format, Version 1.00 (Paul Haeberli)",
    .types = (const struct sig_type[]){ { "sgi", "sgi" }, { 0 } },
    .headers = { SIG_MASKED("\1\xda\0\0\0\0", "\xff\xff\xfe\xfc\xff\xfc") },
    .flags = SIG_SECTOR_ALIGNED,
    .size_min = SGI_HEAD + 1,
    .size_max = UINT64_C(1) << 34,
    .state_size = sizeof(struct sgi_state),
    .check = sgi_check,
    .facts = sgi_facts,
};
