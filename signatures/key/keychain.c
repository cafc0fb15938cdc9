/* SPDX-License-Identifier: Apache-2.0
 * signatures/key/keychain.c - keychains of macOS (login.keychain, System.keychain).
 *
 *   "kych" | u32be version 10000 | u32be 16 | u32be place of the tables | u32be 0 | u32be bytes of
 * all tables | u32be tables | places of tables | tables | u32be number of the last change
 *   table: u32be bytes | u32be kind | u32be records | places of records, index | u32be records that
 * have a place, their places, 0 for none
 *   record: u32be bytes | ... All places are from the start of the tables, or of their own one.
 */
#include <string.h>

#include "base/bytes.h"
#include "signatures/lib/step.h"
#include "signatures/sig.h"

enum {
    KEYCHAIN_HEAD = 20,
    KEYCHAIN_TABLES = 8, /* bytes before the places of tables */
    KEYCHAIN_TABLES_MAX = 256,
    KEYCHAIN_TABLE = 28,
    KEYCHAIN_RECORDS_MAX = 1 << 20,
    KEYCHAIN_TAIL = 4,
    KEYCHAIN_SIZE_MAX = 1 << 30,
};

struct keychain_state {
    uint64_t at; /* of the next table; 0: not begun */
    uint32_t table, record;
};

/* The records of the table at state->at. */
static enum step keychain_records(struct sig_input *in, struct keychain_state *state,
                                  uint32_t bytes, uint32_t places)
{
    for (; state->record < places; state->record++) {
        const uint8_t *p =
            sig_bytes(in, state->at + KEYCHAIN_TABLE + UINT64_C(4) * state->record, 4);

        if (p == NULL)
            return STEP_WAIT;
        const uint32_t place = bytes_u32be(p);
        if (place == 0 || (place & 1) != 0) /* free: odd where others are free too */
            continue;
        if (place < KEYCHAIN_TABLE || place > bytes || bytes - place < 4)
            return STEP_BAD;
        p = sig_bytes(in, state->at + place, 4);
        if (p == NULL)
            return STEP_WAIT;
        if (bytes_u32be(p) < 4 || bytes_u32be(p) > bytes - place)
            return STEP_BAD;
    }
    state->record = 0;
    return STEP_DONE;
}

/* The next table, which begins where the one before it ends. */
static enum step keychain_table(struct sig_input *in, struct keychain_state *state, uint64_t tables,
                                uint64_t end)
{
    const uint8_t *p = sig_bytes(in, tables + KEYCHAIN_TABLES + UINT64_C(4) * state->table, 4);

    if (p == NULL)
        return STEP_WAIT;
    if (tables + bytes_u32be(p) != state->at)
        return STEP_BAD;
    p = sig_bytes(in, state->at, KEYCHAIN_TABLE);
    if (p == NULL)
        return STEP_WAIT;
    const uint32_t bytes = bytes_u32be(p), records = bytes_u32be(p + 8),
                   places = bytes_u32be(p + 24);
    if (bytes < KEYCHAIN_TABLE || bytes > end - state->at || records > places ||
        places > KEYCHAIN_RECORDS_MAX || KEYCHAIN_TABLE + UINT64_C(4) * places > bytes)
        return STEP_BAD;
    const enum step step = keychain_records(in, state, bytes, places);
    if (step == STEP_DONE) {
        state->at += bytes;
        state->table++;
        if (state->at <= in->limit)
            sig_valid(in, state->at);
    }
    return step;
}

static struct sig_result keychain_check(struct sig_input *in, void *memory)
{
    struct keychain_state *state = memory;
    const uint8_t *p = sig_bytes(in, 0, KEYCHAIN_HEAD + KEYCHAIN_TABLES);

    if (p == NULL)
        return sig_short(in);
    const uint32_t bytes = bytes_u32be(p + 20), count = bytes_u32be(p + 24);
    const uint64_t end = KEYCHAIN_HEAD + (uint64_t)bytes;
    if (count == 0 || count > KEYCHAIN_TABLES_MAX || bytes > KEYCHAIN_SIZE_MAX ||
        bytes < KEYCHAIN_TABLES + (4 + KEYCHAIN_TABLE) * count)
        return sig_reject("invalid number of tables, or bytes of them");
    if (state->at == 0)
        state->at = KEYCHAIN_HEAD + KEYCHAIN_TABLES + UINT64_C(4) * count;
    while (state->table < count) {
        const enum step step = keychain_table(in, state, KEYCHAIN_HEAD, end);

        if (step == STEP_WAIT)
            return sig_short(in);
        if (step == STEP_BAD)
            return sig_breaks(in, "a table or record is not where it should be");
    }
    if (state->at != end)
        return sig_breaks(in, "the tables do not fill their bytes");
    return sig_complete(in, end + KEYCHAIN_TAIL, "tables and records are where they should be");
}

const struct sig sig_keychain = {
    .name = "keychain",
    .what = "keychain of macOS",
    .proves = "tables follow one another up to the end, and lead to their records",
    .source = "libyal, dtformats: MacOS keychain database file format 0.0.4",
    .types = (const struct sig_type[]){ { "keychain", "keychain" }, { 0 } },
    .headers = { SIG_PATTERN("kych\0\1\0\0\0\0\0\x10\0\0\0\x14\0\0\0\0") },
    .size_min = KEYCHAIN_HEAD + KEYCHAIN_TABLES + 4 + KEYCHAIN_TABLE + KEYCHAIN_TAIL,
    .size_max = KEYCHAIN_HEAD + (UINT64_C(1) << 30) + KEYCHAIN_TAIL,
    .seam = SIG_SEAM_NONE,
    .state_size = sizeof(struct keychain_state),
    .check = keychain_check,
};
