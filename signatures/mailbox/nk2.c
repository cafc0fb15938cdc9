/* SPDX-License-Identifier: Apache-2.0
 * signatures/mailbox/nk2.c - Outlook's list of names for completion: nk2.
 *
 *   0D F0 AD BA | u32le version, 10 or 12 | 1 | u32le rows
 *   row: u32le properties; property: u16le type, u16le id | 4 bytes | 8 bytes of value | strings
 * and binaries: u32le length | data behind the rows: u32le length of further data | data | 8 bytes
 * of time
 */
#include "base/bytes.h"
#include "signatures/lib/step.h"
#include "signatures/sig.h"

enum {
    NK2_HEAD = 16,
    NK2_PROPERTY = 16,
    NK2_ROWS_MAX = 1 << 16,
    NK2_PROPERTIES_MAX = 4096,
    NK2_DATA_MAX = 1 << 24,
};

struct nk2_state {
    uint64_t at;
    uint32_t rows, properties; /* that are still to come; properties of this row */
};

/* Bytes behind the property: of one string or binary, or of an array of numbers or of them. */
static enum step nk2_data(struct sig_input *in, uint64_t at, uint32_t type, uint64_t *len)
{
    const bool array = (type & 0x1000) != 0;
    const uint32_t kind = type & 0x0fff;
    const bool text = kind == 0x1e || kind == 0x1f || kind == 0x102;
    const uint32_t fixed = kind == 0x48                            ? 16
                           : kind == 2 || kind == 0xb              ? 2
                           : kind == 3 || kind == 4 || kind == 0xa ? 4
                                                                   : 8;

    *len = 0;
    if (!array && kind == 0x48)
        *len = 16;
    if (!array && !text)
        return STEP_DONE;
    const uint8_t *bytes = sig_bytes(in, at, 4);
    if (bytes == NULL)
        return STEP_WAIT;
    const uint32_t count = bytes_u32le(bytes);
    *len = 4;
    if (count > NK2_DATA_MAX)
        return STEP_BAD;
    if (!array || !text) {
        *len += array ? (uint64_t)count * fixed : count;
        return STEP_DONE;
    }
    for (uint32_t i = 0; i < count; i++) {
        bytes = sig_bytes(in, at + *len, 4);
        if (bytes == NULL)
            return STEP_WAIT;
        if (bytes_u32le(bytes) > NK2_DATA_MAX || i == NK2_PROPERTIES_MAX)
            return STEP_BAD;
        *len += 4 + (uint64_t)bytes_u32le(bytes);
    }
    return STEP_DONE;
}

static bool nk2_type_known(uint32_t type)
{
    switch (type & 0x0fff) {
    case 1:
    case 2:
    case 3:
    case 4:
    case 5:
    case 6:
    case 7:
    case 0xa:
    case 0xb:
    case 0xd:
    case 0x14:
    case 0x1e:
    case 0x1f:
    case 0x40:
    case 0x48:
    case 0x102:
        return type >> 12 <= 1;
    default:
        return false;
    }
}

static enum step nk2_rows(struct sig_input *in, struct nk2_state *state)
{
    while (state->rows > 0 || state->properties > 0) {
        if (state->properties == 0) {
            const uint8_t *count = sig_bytes(in, state->at, 4);

            if (count == NULL)
                return STEP_WAIT;
            state->properties = bytes_u32le(count);
            if (state->properties == 0 || state->properties > NK2_PROPERTIES_MAX)
                return STEP_BAD;
            state->rows--;
            state->at += 4;
        }
        const uint8_t *property = sig_bytes(in, state->at, NK2_PROPERTY);
        uint64_t len;
        if (property == NULL)
            return STEP_WAIT;
        const uint32_t type = bytes_u16le(property);
        if (!nk2_type_known(type))
            return STEP_BAD;
        const enum step step = nk2_data(in, state->at + NK2_PROPERTY, type, &len);
        if (step != STEP_DONE)
            return step;
        state->at += NK2_PROPERTY + len;
        state->properties--;
        if (state->at <= in->limit)
            sig_valid(in, state->at);
    }
    return STEP_DONE;
}

static struct sig_result nk2_check(struct sig_input *in, void *memory)
{
    struct nk2_state *state = memory;

    if (state->at == 0) {
        const uint8_t *head = sig_bytes(in, 0, NK2_HEAD);

        if (head == NULL)
            return sig_short(in);
        const uint32_t version = bytes_u32le(head + 4);
        state->rows = bytes_u32le(head + 12);
        if ((version != 10 && version != 12) || bytes_u32le(head + 8) > 1 || state->rows == 0 ||
            state->rows > NK2_ROWS_MAX)
            return sig_reject("version or number of rows is out of range");
        state->at = NK2_HEAD;
    }
    const enum step step = nk2_rows(in, state);
    if (step == STEP_WAIT)
        return sig_short(in);
    if (step == STEP_BAD)
        return sig_breaks(in, "invalid property");
    const uint8_t *more = sig_bytes(in, state->at, 4);
    if (more == NULL)
        return sig_short(in);
    const uint32_t len = bytes_u32le(more);
    if (len > NK2_DATA_MAX)
        return sig_breaks(in, "the data are longer than they can be");
    return sig_complete(in, state->at + 4 + len + 8,
                        "the rows lead to the time that ends the "
                        "file");
}

const struct sig sig_nk2 = {
    .name = "nk2",
    .what = "Outlook nickname cache",
    .proves = "rows and properties of known types, to the time that ends the file",
    .source = "Microsoft, Office 2010: Outlook nickname cache (Autocomplete stream format)",
    .types = (const struct sig_type[]){ { "nk2", "nk2" }, { 0 } },
    .headers = { SIG_MASKED("\x0d\xf0\xad\xba?\0\0\0?\0\0\0",
                            "\xff\xff\xff\xff\0\xff\xff\xff\0\xff\xff\xff") },
    .flags = SIG_SECTOR_ALIGNED,
    .size_min = NK2_HEAD + 4 + NK2_PROPERTY + 12,
    .size_max = UINT64_C(1) << 28,
    .state_size = sizeof(struct nk2_state),
    .check = nk2_check,
};
