/* SPDX-License-Identifier: Apache-2.0
 * signatures/archive/androidbackup.c - backups of phones that adb makes (ab).
 *
 *   lines: "ANDROID BACKUP" | version 1 to 5 | 1: compressed | "none" or "AES-256", and then five
 * lines of hex digits and rounds | a tar archive, compressed by zlib, encrypted
 *
 * What is neither compressed nor encrypted is a tar archive behind the lines, and found as such. An
 * encrypted backup does not tell its end.
 */
#include <string.h>

#include "signatures/lib/inflate.h"
#include "signatures/lib/plausible.h"
#include "signatures/sig.h"

enum {
    AB_PLAIN_HEAD = 24,  /* bytes of the lines, where it is not encrypted */
    AB_SECRET_HEAD = 27, /* of the first four, where it is */
    AB_VERSION_AT = 15,
    AB_PACKED_AT = 17,
    AB_LINES = 5,
    AB_LINES_MAX = 1024,
    AB_OPEN_MAX = 1 << 30,
};

struct ab_state {
    bool begun;
    uint64_t at;
    struct inflate_got got;
    struct inflate_state inflate;
    struct plausible plausible;
};

/* The lines of an encrypted backup: hex digits and a number of rounds. 0: there are none. */
static uint32_t ab_secret(const uint8_t *p, uint32_t len)
{
    uint32_t lines = 0, at = AB_SECRET_HEAD - 2;

    while (at < len && lines < AB_LINES) {
        const uint8_t c = p[at++];

        if (c == '\n')
            lines++;
        else if ((uint8_t)(c - '0') > 9 && (uint8_t)((c | 0x20) - 'a') > 5)
            return 0;
    }
    return lines == AB_LINES ? at : 0;
}

static struct sig_result ab_encrypted(struct sig_input *in, struct ab_state *state)
{
    const uint32_t len = in->limit < AB_LINES_MAX ? (uint32_t)in->limit : AB_LINES_MAX;
    const uint64_t most = in->limit < AB_OPEN_MAX ? in->limit : AB_OPEN_MAX;
    const uint8_t *p = sig_bytes(in, 0, len);

    if (p == NULL)
        return sig_short(in);
    const uint32_t head = ab_secret(p, len);
    if (head == 0)
        return sig_reject("invalid salts and keys");
    if (plausible_check(in, &state->plausible, PLAUSIBLE_COMPRESSED, 1, head, most) == STEP_WAIT)
        return sig_short(in);
    sig_valid(in, state->plausible.at > head ? state->plausible.at : head);
    return sig_breaks(in, "an encrypted backup does not store its end");
}

static struct sig_result ab_check(struct sig_input *in, void *memory)
{
    struct ab_state *state = memory;
    const uint8_t *p = sig_bytes(in, 0, AB_PLAIN_HEAD);

    if (p == NULL)
        return sig_short(in);
    if (p[AB_VERSION_AT] < '1' || p[AB_VERSION_AT] > '5' || p[AB_VERSION_AT + 1] != '\n' ||
        p[AB_PACKED_AT + 1] != '\n')
        return sig_reject("unknown version");
    if (memcmp(p + AB_PACKED_AT + 2, "AES-2", 5) == 0)
        return ab_encrypted(in, state);
    if (p[AB_PACKED_AT] != '1' || memcmp(p + AB_PACKED_AT + 2, "none\n", 5) != 0)
        return sig_reject("not compressed: a tar archive stands behind the lines");
    if (!state->begun) {
        isal_inflate_init(&state->inflate);
        state->inflate.crc_flag = ISAL_ZLIB;
        state->at = AB_PLAIN_HEAD;
        state->begun = true;
    }
    const enum step step = inflate_range(in, &state->inflate, &state->at, in->limit, &state->got);
    if (step == STEP_WAIT)
        return sig_short(in);
    if (step == STEP_BAD) {
        sig_valid(in, state->got.bytes > 0 ? state->at : 0);
        return sig_breaks(in, "the data do not inflate to their end");
    }
    return sig_complete(in, state->at, "inflates, with its Adler-32");
}

const struct sig sig_androidbackup = {
    .name = "ab",
    .what = "backup of a phone by adb (Android Backup)",
    .proves = "inflates to its end, with its Adler-32; encrypted ones store no end",
    .source =
        "Android, frameworks/base: services/backup: BackupManagerConstants, FullBackupEngine; "
        "RFC 1950",
    .types = (const struct sig_type[]){ { "ab", "ab" }, { 0 } },
    .headers = { SIG_PATTERN("ANDROID BACKUP\n") },
    .flags = SIG_SECTOR_ALIGNED | SIG_UNPACKS,
    .size_min = AB_PLAIN_HEAD + 8,
    .size_max = UINT64_C(1) << 40,
    .seam = SIG_SEAM_EXACT,
    .state_size = sizeof(struct ab_state),
    .check = ab_check,
};
