/* SPDX-License-Identifier: Apache-2.0
 * signatures/archive/crx.c - CRX: extensions of Chrome and Edge.
 *
 *   "Cr24" | u32le 3 | bytes of the head | head: who signed it | a ZIP archive
 *   "Cr24" | u32le 2 | bytes of the key | of the signature | both | a ZIP archive
 *
 * It ends with the archive, whose end tells how far its beginning lies before it.
 */
#include <string.h>

#include "base/bytes.h"
#include "signatures/lib/step.h"
#include "signatures/sig.h"

enum {
    CRX_HEAD = 12,
    CRX_OLD_HEAD = 16,
    CRX_SIGNED_MAX = 1 << 20,
    CRX_LOOK_MAX = 256 << 20, /* bytes in which the end of the archive is looked for */
    CRX_END = 22,             /* bytes of the record that ends a ZIP archive */
};

struct crx_state {
    uint64_t from; /* where the end is looked for; 0: not begun */
};

/* Whether the record at `at` ends an archive that begins at zip; *end is behind it. */
static enum step crx_ends(struct sig_input *in, uint64_t zip, uint64_t at, uint64_t *end)
{
    const uint8_t *p = sig_bytes(in, at, CRX_END);

    if (p == NULL)
        return STEP_WAIT;
    const uint64_t bytes = bytes_u32le(p + 12), place = bytes_u32le(p + 16);
    *end = at + CRX_END + bytes_u16le(p + 20);
    return zip + place + bytes == at ? STEP_DONE : STEP_BAD;
}

static struct sig_result crx_check(struct sig_input *in, void *memory)
{
    struct crx_state *state = memory;
    const uint8_t *p = sig_bytes(in, 0, CRX_OLD_HEAD);

    if (p == NULL)
        return sig_short(in);
    const bool old = p[4] == 2;
    const uint64_t signer =
        (uint64_t)bytes_u32le(p + 8) + (old ? (uint64_t)bytes_u32le(p + 12) : 0);
    const uint64_t zip = (old ? CRX_OLD_HEAD : CRX_HEAD) + signer;
    if (signer == 0 || signer > CRX_SIGNED_MAX)
        return sig_reject("invalid length of the head");
    p = sig_bytes(in, zip, 4);
    if (p == NULL)
        return sig_short(in);
    if (memcmp(p, "PK\3\4", 4) != 0)
        return sig_reject("no archive behind the head");
    sig_valid(in, zip + 4);
    const uint64_t most = in->limit < CRX_LOOK_MAX ? in->limit : CRX_LOOK_MAX;
    for (state->from = state->from > zip ? state->from : zip;;) {
        uint64_t at, end;
        const enum sig_found found = sig_find(in, state->from, most, "PK\5\6", 4, &at);

        if (found == SIG_FIND_WAIT)
            return sig_short(in);
        if (found == SIG_FIND_NONE)
            return sig_breaks(in, "the archive has no end");
        const enum step step = crx_ends(in, zip, at, &end);
        if (step == STEP_WAIT)
            return sig_short(in);
        if (step == STEP_DONE)
            return sig_complete(in, end, "the archive's end tells its beginning");
        state->from = in->find_at = at + 1;
    }
}

const struct sig sig_crx = {
    .name = "crx",
    .what = "extension of Chrome or Edge (CRX)",
    .proves = "the end of the archive tells its beginning; members are not read",
    .source =
        "Chromium, components/crx_file: CRX3 Specification, crx2_file; PKWARE, APPNOTE 4.3.16",
    .types = (const struct sig_type[]){ { "crx", "crx" }, { 0 } },
    .headers = { SIG_MASKED("Cr24\2\0\0\0", "\xff\xff\xff\xff\xfe\xff\xff\xff") },
    .flags = SIG_SECTOR_ALIGNED | SIG_CONTAINER,
    .size_min = CRX_HEAD + CRX_END,
    .size_max = UINT64_C(1) << 32,
    .state_size = sizeof(struct crx_state),
    .check = crx_check,
};
