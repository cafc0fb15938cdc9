/* SPDX-License-Identifier: Apache-2.0
 * signatures/system/evtx.c - event logs of Windows Vista and later.
 *
 *   4096 bytes of header with a CRC | chunks of 64 KiB, each with a header and its CRC: records up
 * to the free space
 *
 * The header counts the chunks. Logs that are in use have a header that is behind: chunks that
 * follow belong to the file, too. Room that Windows allocated and has not used is zeros, and is not
 * told from other zeros.
 */
#include <isa-l/crc.h>
#include <string.h>

#include "base/bytes.h"
#include "signatures/lib/step.h"
#include "signatures/sig.h"
#include "signatures/system/system_facts.h"

enum {
    EVTX_HEAD = 4096,
    EVTX_HEAD_SUMMED = 120,
    EVTX_CHUNK = 65536,
    EVTX_CHUNK_HEAD = 512,
    EVTX_RECORD_HEAD = 24,
    EVTX_MARGIN = 8, /* bytes of zeros behind the last record that was written */
    EVTX_DIRTY = 1,
    EVTX_NO_CRC = 4, /* flag of Windows 10: the CRCs of chunks are not kept */
};

struct evtx_state {
    uint32_t chunk; /* next one */
};

/* The records of a chunk: each begins with "**" and ends with its length again. p: the chunk up to
 * its free space. */
static bool evtx_records_ok(const uint8_t *p, uint32_t free_at)
{
    uint32_t at = EVTX_CHUNK_HEAD;

    while (at + EVTX_RECORD_HEAD <= free_at && bytes_u32le(p + at) == 0x2a2a) {
        const uint32_t len = bytes_u32le(p + at + 4);

        if (len < EVTX_RECORD_HEAD + 4 || len > free_at - at ||
            bytes_u32le(p + at + len - 4) != len)
            return false;
        at += len;
    }
    return at == free_at;
}

/* The records of a chunk that was being written: what was not written yet is zeros, what was not
 * counted yet stands behind. */
static bool evtx_records_begun(const uint8_t *p, uint32_t free_at)
{
    static const uint8_t none[EVTX_MARGIN];
    uint32_t at = EVTX_CHUNK_HEAD;

    while (at + EVTX_RECORD_HEAD <= EVTX_CHUNK && bytes_u32le(p + at) == 0x2a2a) {
        const uint32_t len = bytes_u32le(p + at + 4);

        if (len < EVTX_RECORD_HEAD + 4 || len > EVTX_CHUNK - at ||
            bytes_u32le(p + at + len - 4) != len)
            return false;
        at += len;
    }
    return at > free_at || (at > EVTX_CHUNK_HEAD && at + EVTX_RECORD_HEAD <= EVTX_CHUNK &&
                            memcmp(p + at, none, EVTX_MARGIN) == 0);
}

/* p: a whole chunk. */
static bool evtx_chunk_ok(const uint8_t *p, uint32_t flags)
{
    const uint32_t free_at = bytes_u32le(p + 48);

    if (memcmp(p, "ElfChnk\0", 8) != 0 || bytes_u32le(p + 40) != 128 || free_at < EVTX_CHUNK_HEAD ||
        free_at > EVTX_CHUNK)
        return false;
    if (flags & EVTX_NO_CRC)
        return evtx_records_ok(p, free_at);
    if ((flags & EVTX_DIRTY) != 0 && evtx_records_begun(p, free_at))
        return true;
    uint32_t head = crc32_gzip_refl(0, p, 120);
    head = crc32_gzip_refl(head, p + 128, EVTX_CHUNK_HEAD - 128);
    return head == bytes_u32le(p + 124) &&
           (crc32_gzip_refl(0, p + EVTX_CHUNK_HEAD, free_at - EVTX_CHUNK_HEAD) ==
                bytes_u32le(p + 52) ||
            ((flags & EVTX_DIRTY) != 0 && evtx_records_ok(p, free_at)));
}

static bool evtx_is_empty(const uint8_t *p)
{
    return p[0] == 0 && memcmp(p, p + 1, EVTX_CHUNK - 1) == 0;
}

static struct sig_result evtx_check(struct sig_input *in, void *memory)
{
    struct evtx_state *state = memory;
    const uint8_t *p = sig_bytes(in, 0, 128);

    if (p == NULL)
        return sig_short(in);
    const uint32_t count = bytes_u16le(p + 42), flags = bytes_u32le(p + 120);
    if (flags > 7 || bytes_u32le(p + 32) != 128 || bytes_u16le(p + 38) != 3 ||
        bytes_u16le(p + 40) != EVTX_HEAD ||
        ((flags & EVTX_NO_CRC) == 0 &&
         crc32_gzip_refl(0, p, EVTX_HEAD_SUMMED) != bytes_u32le(p + 124)))
        return sig_reject("invalid header, or its CRC is wrong");
    sig_valid(in, 128);
    for (;; state->chunk++) {
        p = sig_bytes(in, EVTX_HEAD + (uint64_t)state->chunk * EVTX_CHUNK, EVTX_CHUNK);
        if (p == NULL && in->wanted > in->limit && state->chunk >= count && state->chunk > 0)
            break;
        if (p == NULL)
            return sig_short(in);
        if (!evtx_chunk_ok(p, flags)) {
            if (state->chunk >= count && state->chunk > 0)
                break;
            if (!evtx_is_empty(p) || state->chunk == 0)
                return sig_breaks(in, "wrong CRC or records of a chunk");
        }
        sig_valid(in, EVTX_HEAD + (state->chunk + UINT64_C(1)) * EVTX_CHUNK);
    }
    return sig_complete(in, EVTX_HEAD + (uint64_t)state->chunk * EVTX_CHUNK,
                        "the CRC or the records of every chunk are right");
}

const struct sig sig_evtx = {
    .name = "evtx",
    .what = "Windows event log",
    .proves = "header and chunks have their CRC-32s, or the records of a log in use read",
    .source = "Schuster, Introducing the Microsoft Vista event log file format, 2007; libevtx "
              "documentation",
    .types = (const struct sig_type[]){ { "evtx", "evtx" }, { 0 } },
    .headers = { SIG_PATTERN("ElfFile\0") },
    .size_min = EVTX_HEAD + EVTX_CHUNK,
    .size_max = UINT64_C(1) << 32,
    .state_size = sizeof(struct evtx_state),
    .check = evtx_check,
    .facts = evtx_facts,
};
