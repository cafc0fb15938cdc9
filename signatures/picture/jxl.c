/* SPDX-License-Identifier: Apache-2.0
 * signatures/picture/jxl.c - JPEG XL in its container.
 *
 *   boxes: u32be length | type | (length 1: u64be length) | content; first "JXL ", then "ftyp"
 *   jxlc: the codestream; or jxlp: u32be number (high bit: the last one), a part of it
 *
 * The file ends behind the last box of a type that is known. A last box of length 0 goes up to the
 * end of the file: such a file, and a bare codestream (ff 0a), tell their end to a decoder alone,
 * and are not looked for.
 */
#include <string.h>

#include "base/bytes.h"
#include "signatures/lib/plausible.h"
#include "signatures/lib/step.h"
#include "signatures/picture/jp2_head.h"
#include "signatures/sig.h"

enum { JXL_SIGNATURE = 12, JXL_LAST_PART = 0x80 };

struct jxl_state {
    uint64_t box; /* of the box being read; 0: not begun */
    uint32_t boxes, parts;
    bool whole; /* the codestream, or its last part, has been read */
    struct plausible plausible;
};

static bool jxl_known(const uint8_t *type)
{
    static const char known[][5] = { "ftyp", "jxll", "jxlc", "jxlp", "jxli", "jbrd", "Exif",
                                     "xml ", "jumb", "brob", "jhgm", "free", "skip", "uuid" };

    for (uint32_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (memcmp(type, known[i], 4) == 0)
            return true;
    return false;
}

/* The codestream, or a part of it: begins as it must, and looks like compressed data. */
static enum step jxl_stream(struct sig_input *in, struct jxl_state *state, bool part, uint64_t from,
                            uint64_t end)
{
    const uint32_t head = part ? 4 : 0, magic = !part || state->parts == 0 ? 2 : 0;

    if (end - from < head + magic || state->whole)
        return STEP_BAD;
    const uint8_t *bytes = sig_bytes(in, from, head + magic + (head + magic == 0));
    if (bytes == NULL)
        return STEP_WAIT;
    if (magic > 0 && (bytes[head] != 0xff || bytes[head + 1] != 0x0a))
        return STEP_BAD;
    const bool last = !part || (bytes[0] & JXL_LAST_PART) != 0;
    if (part && (bytes_u32be(bytes) & 0x7fffffff) != state->parts)
        return STEP_BAD;
    switch (plausible_check(in, &state->plausible, PLAUSIBLE_COMPRESSED, 1, from + head, end)) {
    case STEP_DONE:
        break;
    case STEP_WAIT:
        return STEP_WAIT;
    default:
        return STEP_BAD;
    }
    state->plausible = (struct plausible){ 0 };
    state->parts += part;
    state->whole = last;
    return STEP_DONE;
}

/* One box. *last: none of this file stands here. */
static enum step jxl_box(struct sig_input *in, struct jxl_state *state, bool *last)
{
    struct jp2_head head;

    if (jp2_head_read(in, state->box, jxl_known, &head) == STEP_WAIT)
        return STEP_WAIT;
    const uint8_t *type = head.type;
    const uint64_t len = head.box;
    *last = !head.known || len < head.len || len > in->sig->size_max;
    if (*last)
        return STEP_DONE;
    const bool brand = memcmp(type, "ftyp", 4) == 0;
    if (brand != (state->boxes == 0))
        return STEP_BAD;
    enum step step = STEP_DONE;
    if (brand) {
        const uint8_t *bytes = sig_bytes(in, state->box + head.len, 4);
        if (bytes == NULL)
            return STEP_WAIT;
        if (memcmp(bytes, "jxl ", 4) != 0)
            return STEP_BAD;
    } else if (memcmp(type, "jxlc", 4) == 0 || memcmp(type, "jxlp", 4) == 0) {
        step = jxl_stream(in, state, type[3] == 'p', state->box + head.len, state->box + len);
    } else if (memcmp(type, "jxll", 4) == 0 && len != JP2_HEAD + 1) {
        return STEP_BAD;
    }
    if (step == STEP_DONE) {
        state->box += len;
        state->boxes++;
    }
    return step;
}

static struct sig_result jxl_check(struct sig_input *in, void *memory)
{
    struct jxl_state *state = memory;
    enum step step = STEP_DONE;
    bool last = false;

    if (state->box == 0)
        state->box = JXL_SIGNATURE;
    while (step == STEP_DONE && !last)
        step = jxl_box(in, state, &last);
    if (step == STEP_WAIT && in->wanted <= in->limit)
        return sig_short(in);
    if (step != STEP_BAD && state->whole && state->box <= in->limit)
        return sig_believe(in, state->box, "the boxes lead to the last one");
    if (state->boxes > 1)
        sig_valid(in, state->box < in->limit ? state->box : in->limit);
    return step == STEP_WAIT ? sig_short(in)
                             : sig_breaks(in, "invalid box, or it is not allowed "
                                              "here");
}

const struct sig sig_jxl = {
    .name = "jxl",
    .what = "JPEG XL picture (container)",
    .proves = "boxes up to the last known one; the codestream looks compressed and is not decoded",
    .source = "ISO/IEC 18181-2",
    .types = (const struct sig_type[]){ { "jxl", "jxl" }, { 0 } },
    .headers = { SIG_PATTERN("\0\0\0\x0cJXL \r\n\x87\n\0\0\0") },
    .flags = SIG_SECTOR_ALIGNED,
    .size_min = JXL_SIGNATURE + 20 + JP2_HEAD + 4,
    .size_max = UINT64_C(1) << 36,
    .state_size = sizeof(struct jxl_state),
    .check = jxl_check,
};
