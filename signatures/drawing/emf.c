/* SPDX-License-Identifier: Apache-2.0
 * signatures/drawing/emf.c - Enhanced Metafiles of Windows.
 *
 *   record: u32le kind | u32le length, a multiple of 4 | ...      the first: kind 1, " EMF" at 40,
 * file length, number of records the last: kind 14, its length once more at its end
 *
 * All records are walked: they have to be as many, and as long together, as the first one says.
 */
#include <string.h>

#include "base/bytes.h"
#include "signatures/sig.h"

enum {
    EMF_HEAD = 88,
    EMF_HEADER = 1,
    EMF_END = 14,
    EMF_KIND_MAX = 122,
    EMF_RECORD_MIN = 8,
    EMF_END_MIN = 20,
};

struct emf_state {
    uint64_t at; /* object offset of the next record */
    uint32_t count;
    bool ended;
};

static struct sig_result emf_check(struct sig_input *in, void *memory)
{
    struct emf_state *state = memory;
    const uint8_t *head = sig_bytes(in, 0, EMF_HEAD);

    if (head == NULL)
        return sig_short(in);
    const uint32_t size = bytes_u32le(head + 48), records = bytes_u32le(head + 52);
    if (bytes_u32le(head) != EMF_HEADER || bytes_u32le(head + 4) < EMF_HEAD ||
        bytes_u16le(head + 58) != 0)
        return sig_reject("invalid header of an Enhanced Metafile");
    if (size % 4 != 0 || records < 2 || records > size / EMF_RECORD_MIN)
        return sig_reject("invalid length or number of records");
    while (!state->ended) {
        const uint8_t *record = sig_bytes(in, state->at, EMF_RECORD_MIN);

        if (record == NULL)
            return sig_short(in);
        const uint32_t kind = bytes_u32le(record), len = bytes_u32le(record + 4);
        if (kind == 0 || kind > EMF_KIND_MAX || (kind == EMF_HEADER) != (state->at == 0) ||
            len < EMF_RECORD_MIN || len % 4 != 0 || len > size - state->at)
            return sig_breaks(in, "a valid record must follow here, and none does");
        if (kind == EMF_END) {
            const uint8_t *last = len < EMF_END_MIN ? NULL : sig_bytes(in, state->at + len - 4, 4);

            if (last == NULL && len >= EMF_END_MIN)
                return sig_short(in);
            if (last == NULL || bytes_u32le(last) != len)
                return sig_breaks(in, "invalid end record");
            state->ended = true;
        }
        state->count++;
        state->at += len;
        if (state->count > 1)
            sig_valid(in, state->at < in->limit ? state->at : in->limit);
        if (state->at >= size && !state->ended)
            return sig_breaks(in, "the file ends before its last record");
    }
    if (state->at != size || state->count != records)
        return sig_breaks(in, "number or length of the records differs from the first one");
    return sig_complete(in, size, "the records lead to the last one");
}

const struct sig sig_emf = {
    .name = "emf",
    .what = "Enhanced Metafile",
    .proves = "records lead to the last one; their number and length are the header's",
    .source = "Microsoft, [MS-EMF]: 2.3, 2.3.4.1, 2.3.4.2",
    .types = (const struct sig_type[]){ { "emf", "emf" }, { 0 } },
    .headers = { SIG_PATTERN_AT(40, " EMF\0\0\1\0") },
    .size_min = EMF_HEAD + EMF_END_MIN,
    .size_max = UINT64_C(1) << 32,
    .seam = SIG_SEAM_PLACES,
    .state_size = sizeof(struct emf_state),
    .check = emf_check,
};
