/* SPDX-License-Identifier: Apache-2.0
 * signatures/disk/vmdk.c - sparse virtual disks of VMware.
 *
 *   "KDMV" | version, flags | sizes in sectors | places of descriptor, redundant and first
 * directory of grains | line end test directory -> tables of 512 entries -> grains
 *   stream-optimised: grains, each with its own number and compressed length, tables and directory
 * behind them, each with a marker of one sector; a footer, and the marker that ends the stream
 */
#include <string.h>

#include "base/bytes.h"
#include "signatures/lib/step.h"
#include "signatures/sig.h"

enum {
    VMDK_HEAD = 512,
    VMDK_SECTOR = 512, /* the format's own unit, whatever the disk's */
    VMDK_TABLE = 512,  /* entries of a table */
    VMDK_MARKER = 12,  /* bytes before the data of a grain */
    VMDK_MARKER_LAST = 3,
    VMDK_GRAIN_MAX = 1 << 12, /* sectors */
    VMDK_DIRECTORY_MAX = 1 << 24,
};
#define VMDK_AT_END UINT64_MAX
#define VMDK_SECTORS_MAX (UINT64_C(1) << 40)

struct vmdk_state {
    uint64_t at;    /* stream: next marker, in sectors; 0: not begun */
    uint64_t table; /* next entry of the directory */
    uint64_t end;   /* in sectors */
};

struct vmdk_header {
    uint64_t capacity, grain, descriptor, descriptor_size, directory, overhead; /* in sectors */
};

/* A stream: grain after grain. */
static enum step vmdk_stream(struct sig_input *in, const struct vmdk_header *header,
                             struct vmdk_state *state)
{
    if (state->at == 0)
        state->at = header->overhead;
    for (;;) {
        const uint8_t *p = sig_bytes(in, state->at * VMDK_SECTOR, VMDK_MARKER + 4);

        if (p == NULL)
            return STEP_WAIT;
        const uint64_t value = bytes_u64le(p);
        const uint32_t size = bytes_u32le(p + 8), kind = bytes_u32le(p + 12);
        if (size > 0) {
            if (value >= header->capacity || value % header->grain != 0 ||
                size > header->grain * VMDK_SECTOR * 2 + 64)
                return STEP_BAD;
            state->at += (VMDK_MARKER + (uint64_t)size + VMDK_SECTOR - 1) / VMDK_SECTOR;
        } else {
            if (kind > VMDK_MARKER_LAST || value > VMDK_DIRECTORY_MAX)
                return STEP_BAD;
            state->at++;
            if (kind == 0 && value == 0) {
                state->end = state->at;
                return STEP_DONE;
            }
            state->at += value;
        }
        sig_valid(in, state->at * VMDK_SECTOR);
    }
}

/* Every grain's place. */
static enum step vmdk_tables(struct sig_input *in, const struct vmdk_header *header,
                             struct vmdk_state *state)
{
    const uint64_t covered = header->grain * VMDK_TABLE,
                   tables = (header->capacity + covered - 1) / covered;

    if (state->end == 0)
        state->end = header->overhead;
    for (; state->table < tables; state->table++) {
        const uint8_t *p = sig_bytes(in, header->directory * VMDK_SECTOR + state->table * 4, 4);

        if (p == NULL)
            return STEP_WAIT;
        const uint64_t table = bytes_u32le(p);
        if (table == 0)
            continue;
        p = sig_bytes(in, table * VMDK_SECTOR, VMDK_TABLE * 4);
        if (p == NULL)
            return STEP_WAIT;
        if (table + VMDK_TABLE * 4 / VMDK_SECTOR > state->end)
            state->end = table + VMDK_TABLE * 4 / VMDK_SECTOR;
        for (uint32_t i = 0; i < VMDK_TABLE; i++) {
            const uint64_t grain = bytes_u32le(p + i * 4);

            if (grain <= 1)
                continue; /* not there, or zeros */
            if (grain < header->overhead)
                return STEP_BAD;
            if (grain + header->grain > state->end)
                state->end = grain + header->grain;
        }
    }
    return STEP_DONE;
}

static struct sig_result vmdk_check(struct sig_input *in, void *memory)
{
    struct vmdk_state *state = memory;
    const uint8_t *p = sig_bytes(in, 0, VMDK_HEAD);

    if (p == NULL)
        return sig_short(in);
    const struct vmdk_header header = { .capacity = bytes_u64le(p + 12),
                                        .grain = bytes_u64le(p + 20),
                                        .descriptor = bytes_u64le(p + 28),
                                        .descriptor_size = bytes_u64le(p + 36),
                                        .directory = bytes_u64le(p + 56),
                                        .overhead = bytes_u64le(p + 64) };
    if (memcmp(p + 73, "\n \r\n", 4) != 0 || header.capacity == 0 ||
        header.capacity > VMDK_SECTORS_MAX || header.grain < 8 || header.grain > VMDK_GRAIN_MAX ||
        (header.grain & (header.grain - 1)) != 0 || bytes_u32le(p + 44) != VMDK_TABLE ||
        p[72] > 1 || bytes_u16le(p + 77) > 1 || header.overhead == 0 ||
        header.overhead > VMDK_DIRECTORY_MAX ||
        (header.directory != VMDK_AT_END && header.directory > VMDK_SECTORS_MAX))
        return sig_reject("invalid header");
    if (header.descriptor != 0) {
        p = sig_bytes(in, header.descriptor * VMDK_SECTOR, 21);
        if (p == NULL)
            return sig_short(in);
        if (memcmp(p, "# Disk DescriptorFile", 21) != 0)
            return sig_reject("there is no descriptor");
    }
    sig_valid(in, VMDK_HEAD);
    const bool stream = header.directory == VMDK_AT_END;
    const enum step step =
        stream ? vmdk_stream(in, &header, state) : vmdk_tables(in, &header, state);
    if (step == STEP_WAIT && in->wanted > in->limit)
        sig_valid(in, in->limit);
    if (step == STEP_WAIT)
        return sig_short(in);
    if (step == STEP_BAD)
        return sig_breaks(in, "invalid marker or table");
    if (stream)
        return sig_complete(in, state->end * VMDK_SECTOR,
                            "the grains lead to the end of the "
                            "stream");
    return sig_believe(in, state->end * VMDK_SECTOR, "every table is valid up to the last grain");
}

const struct sig sig_vmdk = {
    .name = "vmdk",
    .what = "virtual disk of VMware, sparse",
    .proves = "every table names places behind the header, or grains lead to the end of the stream",
    .source = "VMware, Virtual Disk Format 5.0, 2011",
    .types = (const struct sig_type[]){ { "vmdk", "vmdk" }, { 0 } },
    .headers = { SIG_PATTERN("KDMV\1\0\0\0"), SIG_PATTERN("KDMV\2\0\0\0"),
                 SIG_PATTERN("KDMV\3\0\0\0") },
    .flags = SIG_SECTOR_ALIGNED | SIG_CONTAINER,
    .size_min = 2 * VMDK_SECTOR,
    .size_max = UINT64_C(1) << 44,
    .state_size = sizeof(struct vmdk_state),
    .check = vmdk_check,
};
