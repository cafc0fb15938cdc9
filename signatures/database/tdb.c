/* SPDX-License-Identifier: Apache-2.0
 * signatures/database/tdb.c - databases of Samba (tdb): passwords, sessions, locks.
 *
 *   "TDB file\n", 32 bytes | u32 2601196d | buckets | ... 168 bytes in all | places: of free
 * records, of the first record of each bucket
 *   records: u32 place of the next of its bucket | bytes | of the key | of the value | hash | kind
 * | as many bytes; the last four of them tell how many there are in all
 */
#include <string.h>

#include "base/bytes.h"
#include "signatures/sig.h"

enum {
    TDB_HEAD = 168,
    TDB_RECORD = 24,
    TDB_BUCKETS_MAX = 1 << 20,
};

struct tdb_state {
    uint64_t at; /* the next record; 0: not begun */
};

static bool tdb_is_kind(uint32_t kind)
{
    return kind == 0x26011999 || kind == 0xd9fee666 || kind == 0xfee1dead || kind == 0xf53bc0e7;
}

static struct sig_result tdb_check(struct sig_input *in, void *memory)
{
    struct tdb_state *state = memory;
    const uint8_t *p = sig_bytes(in, 0, TDB_HEAD);

    if (p == NULL)
        return sig_short(in);
    const uint64_t buckets = bytes_u32le(p + 36), first = TDB_HEAD + 4 * (buckets + 1);
    if (bytes_u32le(p + 32) != 0x2601196d || buckets == 0 || buckets > TDB_BUCKETS_MAX)
        return sig_reject("unknown version, or too many buckets");
    if (state->at == 0)
        state->at = first;
    while (state->at < in->limit) {
        p = sig_bytes(in, state->at, TDB_RECORD);
        if (p == NULL)
            return sig_short(in);
        const uint32_t bytes = bytes_u32le(p + 4);
        if (!tdb_is_kind(bytes_u32le(p + 20)) || bytes < 4)
            break;
        const uint64_t next = state->at + TDB_RECORD + bytes;
        if (bytes_u32le(p + 20) == 0x26011999 &&
            (uint64_t)bytes_u32le(p + 8) + bytes_u32le(p + 12) > bytes)
            return sig_breaks(in, "a record is longer than its room");
        p = sig_bytes(in, next - 4, 4);
        if (p == NULL)
            return sig_short(in);
        state->at = next;
        sig_valid(in, next);
    }
    if (state->at == first)
        return sig_reject("there is no record");
    return sig_believe(in, state->at, "records follow one another, up to the last");
}

const struct sig sig_tdb = {
    .name = "tdb",
    .what = "database of Samba (tdb)",
    .proves =
        "records follow one another, keys and values lie in them; it ends where no other follows",
    .source = "Samba 4.17, lib/tdb/common/tdb_private.h: tdb_header, tdb_record",
    .types = (const struct sig_type[]){ { "tdb", "tdb" }, { 0 } },
    .headers = { SIG_PATTERN("TDB file\n\0\0\0\0\0\0\0\0") },
    .flags = SIG_SECTOR_ALIGNED,
    .size_min = TDB_HEAD + TDB_RECORD,
    .size_max = UINT64_C(1) << 32,
    .state_size = sizeof(struct tdb_state),
    .check = tdb_check,
};
