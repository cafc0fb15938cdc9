/* SPDX-License-Identifier: Apache-2.0
 * signatures/disk/ewf.c - segments of disk images in EnCase's format (E01, S01, L01).
 *
 *   "EVF\t\r\n\xff\0" | 1 | u16le number of the segment | u16le 0
 *   sections: type, u64le place of the next, u64le size, 40 bytes, adler32; the last one is "done",
 * or "next" where another segment follows
 */
#include <isa-l/igzip_lib.h>
#include <string.h>

#include "base/bytes.h"
#include "signatures/lib/step.h"
#include "signatures/sig.h"

enum {
    EWF_HEAD = 13,
    EWF_SECTION = 76,
    EWF_SUMMED = 72,
    EWF_TABLE_HEAD = 24,
    EWF_TABLE_SUMMED = 20,
    EWF_ENTRIES_MAX = 1 << 20,
};

struct ewf_state {
    uint64_t at; /* next section; 0: the first */
};

/* A table of chunks has a head with a checksum of its own. */
static enum step ewf_table(struct sig_input *in, uint64_t at, uint64_t size)
{
    const uint8_t *p = sig_bytes(in, at + EWF_SECTION, EWF_TABLE_HEAD);

    if (p == NULL)
        return STEP_WAIT;
    const uint32_t count = bytes_u32le(p);
    return count <= EWF_ENTRIES_MAX &&
                   isal_adler32(1, p, EWF_TABLE_SUMMED) == bytes_u32le(p + EWF_TABLE_SUMMED) &&
                   EWF_SECTION + EWF_TABLE_HEAD + (uint64_t)count * 4 <= size
               ? STEP_DONE
               : STEP_BAD;
}

/* One section. *last: the file ends with it. */
static enum step ewf_section(struct sig_input *in, struct ewf_state *state, bool *last)
{
    const uint8_t *p = sig_bytes(in, state->at, EWF_SECTION);

    if (p == NULL)
        return STEP_WAIT;
    const uint64_t next = bytes_u64le(p + 16), size = bytes_u64le(p + 24);
    if (isal_adler32(1, p, EWF_SUMMED) != bytes_u32le(p + EWF_SUMMED))
        return STEP_BAD;
    *last = memcmp(p, "done\0", 5) == 0 || memcmp(p, "next\0", 5) == 0;
    if (*last) {
        if (next != state->at)
            return STEP_BAD;
        state->at += EWF_SECTION;
        return STEP_DONE;
    }
    if (next < state->at + EWF_SECTION || (size != 0 && size > next - state->at))
        return STEP_BAD;
    if (memcmp(p, "table\0", 6) == 0 || memcmp(p, "table2\0", 7) == 0) {
        const enum step step = ewf_table(in, state->at, next - state->at);

        if (step != STEP_DONE)
            return step;
    }
    state->at = next;
    return STEP_DONE;
}

static struct sig_result ewf_check(struct sig_input *in, void *memory)
{
    struct ewf_state *state = memory;
    const uint8_t *p = sig_bytes(in, 0, EWF_HEAD);
    bool last = false;

    if (p == NULL)
        return sig_short(in);
    if (bytes_u16le(p + 9) == 0 || bytes_u16le(p + 11) != 0)
        return sig_reject("invalid number of the segment");
    if (p[0] == 'L')
        in->type = &in->sig->types[1];
    if (state->at == 0)
        state->at = EWF_HEAD;
    while (!last) {
        const enum step step = ewf_section(in, state, &last);

        if (step == STEP_WAIT && in->wanted > in->limit && state->at > EWF_HEAD)
            sig_valid(in, in->limit);
        if (step == STEP_WAIT)
            return sig_short(in);
        if (step == STEP_BAD)
            return sig_breaks(in, "invalid section, or its checksum is wrong");
        sig_valid(in, EWF_HEAD + EWF_SECTION);
    }
    return sig_complete(in, state->at, "the checksum of every section is right");
}

const struct sig sig_ewf = {
    .name = "e01",
    .what = "disk image in EnCase's format, one segment",
    .proves = "sections and tables have their Adler-32s and lead to the last section",
    .source = "libewf documentation, Expert Witness Compression Format (EWF), 2-3",
    .types = (const struct sig_type[]){ { "e01", "e01" }, { "l01", "l01" }, { 0 } },
    .headers = { SIG_PATTERN("EVF\t\r\n\xff\0\1"), SIG_PATTERN("LVF\t\r\n\xff\0\1") },
    .flags = SIG_SECTOR_ALIGNED,
    .size_min = EWF_HEAD + EWF_SECTION,
    .size_max = UINT64_C(1) << 44,
    .seam = SIG_SEAM_PLACES,
    .state_size = sizeof(struct ewf_state),
    .check = ewf_check,
};
