/* SPDX-License-Identifier: Apache-2.0
 * signatures/program/qm.c - qm: translations of programs written with Qt.
 *
 *   3cb86418caef9c95cd211cbf60a1bddd | parts: u8 kind | u32be bytes | data; each kind at most once
 */
#include "base/bytes.h"
#include "signatures/sig.h"

enum { QM_MAGIC = 16, QM_PART = 5 };

struct qm_state {
    uint64_t at;      /* the next part; 0: not begun */
    uint8_t seen[32]; /* a bit for each kind */
};

static bool qm_is_kind(uint8_t kind)
{
    return kind == 0x2f || kind == 0x42 || kind == 0x69 || kind == 0x88 || kind == 0x96 ||
           kind == 0xa7;
}

static struct sig_result qm_check(struct sig_input *in, void *memory)
{
    struct qm_state *state = memory;

    if (state->at == 0)
        state->at = QM_MAGIC;
    while (state->at < in->limit) {
        const uint8_t *p = sig_bytes(in, state->at, 1);

        if (p == NULL)
            return sig_short(in);
        const uint8_t kind = p[0];
        if (!qm_is_kind(kind) || (state->seen[kind / 8] >> kind % 8 & 1) != 0)
            break;
        p = sig_bytes(in, state->at, QM_PART);
        if (p == NULL)
            return sig_short(in);
        const uint64_t next = state->at + QM_PART + bytes_u32be(p + 1);
        if (sig_bytes(in, next - 1, 1) == NULL)
            return sig_short(in);
        state->seen[kind / 8] |= (uint8_t)(1u << kind % 8);
        state->at = next;
        sig_valid(in, next);
    }
    if (state->at == QM_MAGIC)
        return sig_reject("no part follows");
    return sig_believe(in, state->at, "parts follow one another, and no other does");
}

const struct sig sig_qm = {
    .name = "qm",
    .what = "translations of a program written with Qt (qm)",
    .proves = "parts of known kinds, each once; it ends where no other follows",
    .source = "Qt 5.15, qtbase/src/corelib/kernel/qtranslator.cpp",
    .types = (const struct sig_type[]){ { "qm", "qm" }, { 0 } },
    .headers = { SIG_PATTERN("\x3c\xb8\x64\x18\xca\xef\x9c\x95\xcd\x21\x1c\xbf\x60\xa1\xbd\xdd") },
    .flags = SIG_SECTOR_ALIGNED,
    .size_min = QM_MAGIC + QM_PART,
    .size_max = 1 << 28,
    .state_size = sizeof(struct qm_state),
    .check = qm_check,
};
