/* SPDX-License-Identifier: Apache-2.0
 * signatures/database/sqlite_wal.c - write-ahead logs of SQLite 3.
 *
 *   header, 32 bytes: 37 7F 06 82 or 83 | u32be 3007000 | page size | checkpoint | salt 1, salt 2 |
 * two checksums of the 24 bytes before frames: u32be page number | pages of the database after a
 * commit, else 0 | salt 1, salt 2 | two checksums | the page
 *
 * The checksums run on from frame to frame, in the byte order that the magic names. A log that is
 * begun anew keeps the frames of its former life behind the new ones, with a salt 1 that is smaller
 * by one each time: those belong to the file. Nothing says which frame is the last one; the file
 * ends where no further frame follows.
 */
#include <string.h>

#include "base/bytes.h"
#include "signatures/lib/step.h"
#include "signatures/sig.h"

enum {
    WAL_HEADER = 32,
    WAL_FRAME = 24,
    WAL_PAGE_MIN = 512,
    WAL_PAGE_MAX = 65536,
    WAL_LIVES = 1 << 20, /* times that a log may have been begun anew while old frames stay */
    WAL_PIECE = 32768,
};

struct wal_state {
    uint64_t at; /* next frame */
    uint32_t page_size, salt[2], sum[2];
    uint32_t old_salt[2]; /* of the frame before, when that is of a former life */
    bool big_endian, has_old;
};

/* len is a multiple of 8. */
static void wal_sum(bool big_endian, uint32_t sum[2], const uint8_t *bytes, uint32_t len)
{
    uint32_t a = sum[0], b = sum[1];

    for (uint32_t i = 0; i < len; i += 8) {
        a += (big_endian ? bytes_u32be(bytes + i) : bytes_u32le(bytes + i)) + b;
        b += (big_endian ? bytes_u32be(bytes + i + 4) : bytes_u32le(bytes + i + 4)) + a;
    }
    sum[0] = a;
    sum[1] = b;
}

static const char *wal_head(const uint8_t *head, struct wal_state *state)
{
    const uint32_t size = bytes_u32be(head + 8);

    state->big_endian = (head[3] & 1) != 0;
    if (size < WAL_PAGE_MIN || size > WAL_PAGE_MAX || (size & (size - 1)) != 0)
        return "the page size is out of range";
    wal_sum(state->big_endian, state->sum, head, 24);
    if (state->sum[0] != bytes_u32be(head + 24) || state->sum[1] != bytes_u32be(head + 28))
        return "the checksum of the header is wrong";
    state->page_size = size;
    state->salt[0] = bytes_u32be(head + 16);
    state->salt[1] = bytes_u32be(head + 20);
    state->at = WAL_HEADER;
    return NULL;
}

/* The running checksum over the frame at state->at. */
static enum step wal_frame_sum(struct sig_input *in, const struct wal_state *state, uint32_t sum[2])
{
    const uint8_t *head = sig_bytes(in, state->at, WAL_FRAME);

    if (head == NULL)
        return STEP_WAIT;
    wal_sum(state->big_endian, sum, head, 8);
    for (uint32_t done = 0; done < state->page_size;) {
        const uint32_t len =
            state->page_size - done < WAL_PIECE ? state->page_size - done : WAL_PIECE;
        const uint8_t *bytes = sig_bytes(in, state->at + WAL_FRAME + done, len);

        if (bytes == NULL)
            return STEP_WAIT;
        wal_sum(state->big_endian, sum, bytes, len);
        done += len;
    }
    return STEP_DONE;
}

/* One frame: right when it is of this life or of a former one, and its checksum follows from the
 * frame before. */
static enum step wal_frame(struct sig_input *in, struct wal_state *state)
{
    const uint8_t *head = sig_bytes(in, state->at, WAL_FRAME);

    if (head == NULL || sig_bytes(in, state->at + WAL_FRAME + state->page_size - 1, 1) == NULL)
        return STEP_WAIT;
    head = sig_bytes(in, state->at, WAL_FRAME);
    if (head == NULL)
        return STEP_WAIT;
    const uint32_t salt[2] = { bytes_u32be(head + 8), bytes_u32be(head + 12) };
    const uint32_t stored[2] = { bytes_u32be(head + 16), bytes_u32be(head + 20) };
    const bool current = !state->has_old && memcmp(salt, state->salt, sizeof salt) == 0;
    const bool same_old = state->has_old && memcmp(salt, state->old_salt, sizeof salt) == 0;
    if (bytes_u32be(head) == 0 ||
        (!current && (salt[0] == state->salt[0] || state->salt[0] - salt[0] > WAL_LIVES)))
        return STEP_BAD;
    if (current || same_old) {
        uint32_t sum[2] = { state->sum[0], state->sum[1] };
        const enum step step = wal_frame_sum(in, state, sum);

        if (step != STEP_DONE || memcmp(sum, stored, sizeof sum) != 0)
            return step != STEP_DONE ? step : STEP_BAD;
    }
    state->has_old = !current;
    memcpy(state->old_salt, salt, sizeof salt);
    memcpy(state->sum, stored, sizeof stored);
    state->at += WAL_FRAME + state->page_size;
    return STEP_DONE;
}

static struct sig_result wal_check(struct sig_input *in, void *memory)
{
    struct wal_state *state = memory;
    enum step step;

    if (state->at == 0) {
        const uint8_t *head = sig_bytes(in, 0, WAL_HEADER);

        if (head == NULL)
            return sig_short(in);
        const char *why = wal_head(head, state);
        if (why != NULL)
            return sig_reject(why);
    }
    do
        step = wal_frame(in, state);
    while (step == STEP_DONE);
    if (step == STEP_WAIT && in->wanted <= in->limit)
        return sig_short(in);
    if (state->at == WAL_HEADER)
        return sig_reject("there are no valid frames");
    return sig_complete(in, state->at, "the checksums run from the header through every frame");
}

const struct sig sig_sqlite_wal = {
    .name = "sqlite-wal",
    .what = "SQLite write-ahead log",
    .proves = "the running checksum from the header through every frame",
    .source = "SQLite, Database File Format (fileformat2.html) 4: the write-ahead log",
    .types = (const struct sig_type[]){ { "sqlite-wal", "sqlite-wal" }, { 0 } },
    .headers = { SIG_MASKED("\x37\x7f\x06\x82\0\x2d\xe2\x18", "\xff\xff\xff\xfe\xff\xff\xff\xff") },
    .flags = SIG_SECTOR_ALIGNED,
    .size_min = WAL_HEADER + WAL_FRAME + WAL_PAGE_MIN,
    .size_max = UINT64_C(1) << 36,
    .state_size = sizeof(struct wal_state),
    .check = wal_check,
};
