/* SPDX-License-Identifier: Apache-2.0
 * signatures/database/leveldb_log.c - what LevelDB and RocksDB write beside their tables: logs of
 * changes, and lists of the tables (MANIFEST).
 *
 *   blocks of 32768 bytes | records: u32le CRC-32C | u16le bytes | u8 kind: 1 whole, 2 the first, 3
 * a middle, 4 the last piece of one | data; no record begins in the last 6 bytes of a block, zeros
 * fill them
 *   a log's record: u64le number | u32le changes | ...; that of a list: fields, first 1 and the
 * name of the order of keys
 *
 * Nothing says where a file ends: behind the last whole record that has its CRC.
 */
#include <string.h>

#include "base/bytes.h"
#include "signatures/database/leveldb.h"
#include "signatures/sig.h"

enum {
    LOG_BLOCK = 32768,
    LOG_HEAD = 7,
    LOG_WHOLE = 1,
    LOG_FIRST = 2,
    LOG_LAST = 4,
    LOG_CHANGES = 12, /* bytes before the first change of a log's record, */
    LOG_CHANGE = 2,   /* and of a change at the least: its kind, and the length of its key */
};

struct log_state {
    uint64_t at;     /* of the next record */
    uint64_t whole;  /* behind the last whole one */
    uint64_t number; /* of the last change of a log */
    bool inside;     /* of a record in pieces */
    bool list;       /* of tables */
};

/* Whether a record that begins so is one of the next file: it is the first of a list, or its number
 * does not follow. */
static bool log_begins_anew(struct log_state *state, const uint8_t *data, uint32_t len)
{
    if (state->list)
        return state->whole > 0 && len > 0 && data[0] == 1;
    if (len < 8)
        return false;
    const uint64_t number = bytes_u64le(data);
    if (state->whole > 0 && number <= state->number)
        return true;
    state->number = number;
    return false;
}

/* Whether the first record has room for the changes that it says it has. */
static bool log_has_room(const struct log_state *state, const uint8_t *record)
{
    const uint32_t len = bytes_u16le(record + 4), changes = bytes_u32le(record + LOG_HEAD + 8);

    return state->list || record[6] != LOG_WHOLE ||
           (changes > 0 && LOG_CHANGES + (uint64_t)LOG_CHANGE * changes <= len);
}

/* As enum step, and: no record begins here. */
enum log_step { LOG_DONE, LOG_WAIT, LOG_BAD, LOG_NONE };

static enum log_step log_record(struct sig_input *in, struct log_state *state)
{
    const uint32_t left = LOG_BLOCK - (uint32_t)(state->at % LOG_BLOCK);
    const uint8_t *p;

    if (left < LOG_HEAD) {
        static const uint8_t zeros[LOG_HEAD];

        p = sig_bytes(in, state->at, left);
        if (p == NULL)
            return LOG_WAIT;
        if (memcmp(p, zeros, left) != 0)
            return LOG_NONE;
        state->at += left;
        return LOG_DONE;
    }
    p = sig_bytes(in, state->at, LOG_HEAD);
    if (p == NULL)
        return LOG_WAIT;
    const uint32_t sum = bytes_u32le(p), len = bytes_u16le(p + 4), kind = p[6];
    if (kind == 0 || kind > LOG_LAST || len > left - LOG_HEAD)
        return LOG_NONE;
    p = sig_bytes(in, state->at, LOG_HEAD + len);
    if (p == NULL)
        return LOG_WAIT;
    if ((kind == LOG_WHOLE || kind == LOG_FIRST) == state->inside ||
        leveldb_masked(leveldb_crc(0, p + 6, len + 1)) != sum)
        return LOG_BAD;
    if (!state->inside && log_begins_anew(state, p + LOG_HEAD, len))
        return LOG_NONE;
    state->at += LOG_HEAD + len;
    state->inside = kind != LOG_WHOLE && kind != LOG_LAST;
    if (!state->inside) {
        state->whole = state->at;
        sig_valid(in, state->whole);
    }
    return LOG_DONE;
}

static struct sig_result log_check(struct sig_input *in, void *memory)
{
    struct log_state *state = memory;
    const uint8_t *p = sig_bytes(in, 0, LOG_HEAD + LOG_CHANGES);
    enum log_step step = LOG_DONE;

    if (p == NULL)
        return sig_short(in);
    state->list = p[LOG_HEAD] == 1 && (p[LOG_HEAD + 1] == 8 || p[LOG_HEAD + 1] == 26);
    in->type = &in->sig->types[state->list];
    if (!log_has_room(state, p))
        return sig_reject("the first record has no room for its changes");
    while (step == LOG_DONE && state->at < in->limit)
        step = log_record(in, state);
    if (step == LOG_WAIT && in->wanted <= in->limit)
        return sig_short(in);
    if (state->whole == 0)
        return sig_reject("there is no record with its CRC-32C");
    if (step == LOG_BAD || step == LOG_WAIT || state->inside)
        return sig_breaks(in, "a record is not whole, or has a wrong CRC-32C");
    return sig_complete(in, state->whole, "records with their CRC-32C, and no other follows");
}

/*
 * A log begins with a whole record, or one that goes on in the next block; its number is below
 * 2^40, and it has less than 65536 changes, of which the first sets or deletes a key.
 */
const struct sig sig_leveldb_log = {
    .name = "leveldb-log",
    .what = "log of changes of LevelDB or RocksDB, or list of its tables (MANIFEST)",
    .proves = "the CRC-32C of every record; the file ends where none follows",
    .source = "LevelDB, doc/log_format.md; db/write_batch.cc, db/version_edit.cc; RocksDB 7.8, "
              "db/log_format.h",
    .types = (const struct sig_type[]){ { "leveldb-log", "log" },
                                        { "leveldb-manifest", "manifest" },
                                        { 0 } },
    .headers = { SIG_MASKED("??????\1?????\0\0\0??\0\0\0",
                            "\0\0\0\0\0\0\xff\0\0\0\0\0\xff\xff\xff\0\0\xff\xff\xfe"),
                 SIG_MASKED("????\xf9\x7f\2?????\0\0\0??\0\0\0",
                            "\0\0\0\0\xff\xff\xff\0\0\0\0\0\xff\xff\xff\0\0\xff\xff\xfe"),
                 SIG_MASKED("??????\1\1\x1aleveldb.Bytewise",
                            "\0\0\0\0\0\0\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"
                            "\xff\xff\xff\xff\xff"),
                 SIG_MASKED("??????\1\1\x08idb_cmp1",
                            "\0\0\0\0\0\0\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff") },
    .flags = SIG_SECTOR_ALIGNED,
    .size_min = LOG_HEAD + 12,
    .size_max = UINT64_C(1) << 34,
    .seam = SIG_SEAM_UNIT,
    .state_size = sizeof(struct log_state),
    .check = log_check,
};
