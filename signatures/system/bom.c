/* SPDX-License-Identifier: Apache-2.0
 * signatures/system/bom.c - BOM: receipts of what was installed on macOS, catalogues of pictures of
 * its programs (Assets.car).
 *
 *   "BOMStore" | u32be 1 | blocks in use | place of the index | its bytes | place of the variables
 * | their bytes | ... 512 bytes in all index: u32be pointers, each u32be place and bytes of a block
 * | u32be free ones, likewise variables: u32be count, each u32be block, u8 letters of its name,
 * name
 */
#include <string.h>

#include "base/bytes.h"
#include "signatures/lib/step.h"
#include "signatures/sig.h"

enum { BOM_HEAD = 512, BOM_FIELDS = 32, BOM_POINTER = 8, BOM_VARIABLES_MAX = 256, BOM_NAME = 16 };

struct bom_state {
    uint32_t pointer; /* the next one to look at */
    uint64_t end;     /* of the blocks so far */
};

/* The first variable names what the file is; sets the type. */
static enum step bom_type(struct sig_input *in, uint64_t at, uint64_t len)
{
    const uint8_t *p = len < 4 + 5 + BOM_NAME ? NULL : sig_bytes(in, at, 4 + 5 + BOM_NAME);

    if (p == NULL)
        return len < 4 + 5 + BOM_NAME ? STEP_DONE : STEP_WAIT;
    if (bytes_u32be(p) > BOM_VARIABLES_MAX)
        return STEP_BAD;
    if (p[8] == 9 && memcmp(p + 9, "CARHEADER", 9) == 0)
        in->type = &in->sig->types[1];
    return STEP_DONE;
}

static struct sig_result bom_check(struct sig_input *in, void *memory)
{
    struct bom_state *state = memory;
    const uint8_t *p = sig_bytes(in, 0, BOM_FIELDS);

    if (p == NULL)
        return sig_short(in);
    const uint64_t index = bytes_u32be(p + 16), index_len = bytes_u32be(p + 20),
                   names = bytes_u32be(p + 24), names_len = bytes_u32be(p + 28);
    if (index < BOM_HEAD || index_len < 4 + BOM_POINTER || names < BOM_HEAD || names_len < 4)
        return sig_reject("invalid places in the head");
    p = sig_bytes(in, index, 4);
    if (p == NULL)
        return sig_short(in);
    const uint32_t pointers = bytes_u32be(p);
    if (pointers == 0 || pointers > (index_len - 4) / BOM_POINTER)
        return sig_reject("the index is shorter than its pointers");
    for (; state->pointer < pointers; state->pointer++) {
        p = sig_bytes(in, index + 4 + BOM_POINTER * (uint64_t)state->pointer, BOM_POINTER);
        if (p == NULL)
            return sig_short(in);
        const uint64_t at = bytes_u32be(p), len = bytes_u32be(p + 4);
        if (len > 0 && at < BOM_FIELDS)
            return sig_reject("a block lies in the head");
        state->end = at + len > state->end && len > 0 ? at + len : state->end;
    }
    uint64_t end = state->end > index + index_len ? state->end : index + index_len;
    end = names + names_len > end ? names + names_len : end;
    const enum step step = bom_type(in, names, names_len);
    if (step == STEP_BAD)
        return sig_reject("too many variables");
    sig_valid(in, BOM_HEAD);
    if (step == STEP_WAIT || sig_bytes(in, end - 1, 1) == NULL)
        return sig_short(in);
    return sig_believe(in, end, "the index leads to the last block");
}

const struct sig sig_bom = {
    .name = "bom",
    .what = "receipt of macOS (BOM), pictures of its programs (Assets.car)",
    .proves = "every block of the index lies behind the head; blocks are not read",
    .source = "F. Renn, bomutils 0.2: bom.h (BOMHeader, BOMBlockTable, BOMVars)",
    .types = (const struct sig_type[]){ { "bom", "bom" }, { "car", "car" }, { 0 } },
    .headers = { SIG_PATTERN("BOMStore\0\0\0\1") },
    .flags = SIG_SECTOR_ALIGNED | SIG_CONTAINER,
    .size_min = BOM_HEAD + 16,
    .size_max = UINT64_C(1) << 32,
    .state_size = sizeof(struct bom_state),
    .check = bom_check,
};
