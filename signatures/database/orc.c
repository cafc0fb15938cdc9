/* SPDX-License-Identifier: Apache-2.0
 * signatures/database/orc.c - tables of Apache ORC.
 *
 *   "ORC" | stripes | metadata | footer | postscript | u8 its bytes
 *   postscript, of Protocol Buffers: 1 bytes of the footer | 2 compression | 3 its block | 4
 * versions | 5 bytes of the metadata | 6 writer | 8000 "ORC", at the end
 *
 * Nothing at the beginning tells the length: the first postscript whose lengths fit ends the file.
 */
#include <string.h>

#include "base/bytes.h"
#include "base/varint.h"
#include "signatures/lib/step.h"
#include "signatures/sig.h"

enum {
    ORC_MAGIC = 3,
    ORC_MARK = 7, /* field 8000, its bytes, and "ORC" */
    ORC_FOOTER = 1,
    ORC_COMPRESSION = 2,
    ORC_METADATA = 5,
    ORC_KIND_VARINT = 0,
    ORC_KIND_BYTES = 2,
};

struct orc_state {
    uint64_t from; /* where the mark is looked for; 0: not begun */
};

/* Whether the postscript [p, end) has a footer and metadata that lie in the `before` bytes. */
static bool orc_fits(const uint8_t *p, const uint8_t *end, uint64_t before)
{
    uint64_t footer = 0, metadata = 0;
    bool packing = false;

    while (p < end) {
        uint64_t key, value;

        if (!varint_get(&p, end, &key) || !varint_get(&p, end, &value))
            return false;
        if ((key & 7) == ORC_KIND_BYTES) {
            if (value > (uint64_t)(end - p))
                return false;
            p += value;
        } else if ((key & 7) != ORC_KIND_VARINT) {
            return false;
        }
        footer = key >> 3 == ORC_FOOTER ? value : footer;
        metadata = key >> 3 == ORC_METADATA ? value : metadata;
        packing |= key >> 3 == ORC_COMPRESSION && value <= 6;
    }
    return packing && footer > 0 && footer < before && metadata < before &&
           footer + metadata <= before - ORC_MAGIC;
}

/* Whether the mark at `at` ends a postscript of the file. */
static enum step orc_ends(struct sig_input *in, uint64_t at)
{
    const uint8_t *p = sig_bytes(in, at + ORC_MARK, 1);

    if (p == NULL)
        return STEP_WAIT;
    const uint32_t len = p[0];
    if (len <= ORC_MARK || at + ORC_MARK < ORC_MAGIC + len)
        return STEP_BAD;
    const uint64_t begin = at + ORC_MARK - len;
    p = sig_bytes(in, begin, len);
    if (p == NULL)
        return STEP_WAIT;
    return orc_fits(p, p + len, begin) ? STEP_DONE : STEP_BAD;
}

static struct sig_result orc_check(struct sig_input *in, void *memory)
{
    struct orc_state *state = memory;

    if (state->from == 0)
        state->from = ORC_MAGIC;
    for (;;) {
        uint64_t at;
        const enum sig_found found =
            sig_find(in, state->from, in->limit, "\x82\xf4\3\3ORC", ORC_MARK, &at);

        if (found == SIG_FIND_WAIT)
            return sig_short(in);
        if (found == SIG_FIND_NONE)
            return sig_reject("there is no postscript");
        const enum step step = orc_ends(in, at);
        if (step == STEP_WAIT)
            return sig_short(in);
        if (step == STEP_DONE)
            return sig_believe(in, at + ORC_MARK + 1, "footer and metadata fit before the end");
        state->from = in->find_at = at + 1;
    }
}

const struct sig sig_orc = {
    .name = "orc",
    .what = "table of Apache ORC",
    .proves = "a postscript ends the file, as long as it says, with a footer that fits",
    .source = "Apache ORC Specification v1: File Tail; orc_proto.proto: PostScript",
    .types = (const struct sig_type[]){ { "orc", "orc" }, { 0 } },
    .headers = { SIG_PATTERN("ORC\n"), SIG_PATTERN("ORC\x0b"), SIG_PATTERN("ORC\x1f"),
                 SIG_MASKED("ORC\0\0\0", "\xff\xff\xff\0\0\xff") },
    .flags = SIG_SECTOR_ALIGNED,
    .size_min = 16,
    .size_max = UINT64_C(1) << 32,
    .state_size = sizeof(struct orc_state),
    .check = orc_check,
};
