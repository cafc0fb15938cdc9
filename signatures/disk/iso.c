/* SPDX-License-Identifier: Apache-2.0
 * signatures/disk/iso.c - CD and DVD images: ISO 9660, with Joliet, Rock Ridge, El Torito or UDF
 * beside it or without.
 *
 *   32 KiB for the system (boot code, partition tables) | volume descriptors, a sector each, up to
 * the one of type 255 path tables: every directory, its parent, its place | directories: records of
 * name, place, length | the files
 *
 * Numbers stand in both byte orders. The length is the primary descriptor's volume size. Every
 * directory is walked by the path table: records must agree with themselves and lie inside of the
 * volume, and files begin as their names say.
 */
#include <string.h>

#include "base/bytes.h"
#include "signatures/disk/iso_files.h"

enum {
    ISO_SECTOR = 2048,
    ISO_FIRST = 16, /* sector of the first descriptor */
    ISO_DESCRIPTORS_MAX = 64,
    ISO_PRIMARY = 1,
    ISO_LAST = 255,
    ISO_ROOT_AT = 156, /* in the primary descriptor */
    ISO_RECORD = 33,
    ISO_DIRECTORY = 2,  /* flag of a record */
    ISO_ASSOCIATED = 4, /* flag: a resource fork */
    ISO_PATH_TABLE_MAX = 64 << 20,
    ISO_FILE_MIN = 64, /* bytes of a file that is looked at */
};

struct iso_volume {
    uint64_t length;
    uint32_t block, table_size, table_at; /* bytes; table_at in blocks */
    uint32_t root_at, root_size;
};

struct iso_state {
    uint32_t table_at; /* bytes of the path table that are done */
    uint32_t entries;
    uint64_t record_at,
        directory_end; /* where the directory being walked goes on; 0: at its beginning */
    struct iso_files files;
};

static bool iso_both_32(const uint8_t *p)
{
    return bytes_u32le(p) == bytes_u32be(p + 4);
}

static bool iso_both_16(const uint8_t *p)
{
    return bytes_u16le(p) == bytes_u16be(p + 2);
}

/* Fills volume from the primary descriptor. */
static bool iso_primary(const uint8_t *p, struct iso_volume *volume)
{
    const uint8_t *root = p + ISO_ROOT_AT;

    volume->block = bytes_u16le(p + 128);
    volume->length = (uint64_t)bytes_u32le(p + 80) * volume->block;
    volume->table_size = bytes_u32le(p + 132);
    volume->table_at = bytes_u32le(p + 140);
    volume->root_at = bytes_u32le(root + 2);
    volume->root_size = bytes_u32le(root + 10);
    return p[7] == 0 && iso_both_32(p + 80) && iso_both_16(p + 120) && iso_both_16(p + 124) &&
           iso_both_16(p + 128) && iso_both_32(p + 132) && iso_both_32(root + 2) &&
           iso_both_32(root + 10) && p[881] == 1 && root[0] == ISO_RECORD + 1 &&
           (root[25] & ISO_DIRECTORY) != 0 && root[32] == 1 && volume->block >= 512 &&
           volume->block <= ISO_SECTOR && (volume->block & (volume->block - 1)) == 0 &&
           volume->root_size > 0 && volume->table_size >= 10 &&
           volume->table_size <= ISO_PATH_TABLE_MAX;
}

/* The other descriptors, to the last. */
static enum step iso_descriptors(struct sig_input *in)
{
    for (uint32_t i = 1; i < ISO_DESCRIPTORS_MAX; i++) {
        const uint8_t *p = sig_bytes(in, (uint64_t)(ISO_FIRST + i) * ISO_SECTOR, 7);

        if (p == NULL)
            return STEP_WAIT;
        if (memcmp(p + 1, "CD001", 5) != 0 || (p[0] > 3 && p[0] != ISO_LAST))
            return STEP_BAD;
        if (p[0] == ISO_LAST)
            return STEP_DONE;
    }
    return STEP_BAD;
}

/* A directory's records; the first one is itself. place: its block. */
static enum step iso_directory(struct sig_input *in, const struct iso_volume *volume,
                               struct iso_state *state, uint32_t place)
{
    const uint64_t from = (uint64_t)place * volume->block;

    if (state->record_at == 0) {
        const uint8_t *p = sig_bytes(in, from, ISO_RECORD + 1);

        if (p == NULL)
            return STEP_WAIT;
        if (p[0] < ISO_RECORD + 1 || bytes_u32le(p + 2) != place || !iso_both_32(p + 2) ||
            !iso_both_32(p + 10) || (p[25] & ISO_DIRECTORY) == 0 || p[32] != 1 || p[33] != 0)
            return STEP_BAD;
        state->directory_end = from + bytes_u32le(p + 10);
        state->record_at = from;
        if (state->directory_end > volume->length || bytes_u32le(p + 10) == 0)
            return STEP_BAD;
    }
    while (state->record_at < state->directory_end) {
        const uint8_t *p = sig_bytes(in, state->record_at, 1);

        if (p == NULL)
            return STEP_WAIT;
        const uint32_t len = p[0];
        if (len == 0) { /* a record does not cross a sector */
            state->record_at = (state->record_at / ISO_SECTOR + 1) * ISO_SECTOR;
            continue;
        }
        if (len < ISO_RECORD + 1)
            return STEP_BAD;
        p = sig_bytes(in, state->record_at, len);
        if (p == NULL)
            return STEP_WAIT;
        const uint64_t end =
            ((uint64_t)bytes_u32le(p + 2) + p[1]) * volume->block + bytes_u32le(p + 10);
        if (!iso_both_32(p + 2) || !iso_both_32(p + 10) || !iso_both_16(p + 28) ||
            ISO_RECORD + (uint32_t)p[32] > len || p[32] == 0 ||
            (end > volume->length && bytes_u32le(p + 10) > 0 && (p[25] & ISO_ASSOCIATED) == 0))
            return STEP_BAD;
        if ((p[25] & (ISO_DIRECTORY | ISO_ASSOCIATED)) == 0 && bytes_u32le(p + 10) >= ISO_FILE_MIN)
            iso_files_note(&state->files, p + ISO_RECORD, p[32],
                           ((uint64_t)bytes_u32le(p + 2) + p[1]) * volume->block);
        state->record_at += len;
    }
    state->record_at = 0;
    return STEP_DONE;
}

/* Every directory, in the order of the path table. */
static enum step iso_directories(struct sig_input *in, const struct iso_volume *volume,
                                 struct iso_state *state)
{
    const uint64_t table = (uint64_t)volume->table_at * volume->block;

    while (state->table_at < volume->table_size) {
        const uint8_t *p = sig_bytes(in, table + state->table_at, 8);

        if (p == NULL)
            return STEP_WAIT;
        const uint32_t name = p[0], place = bytes_u32le(p + 2) + p[1], parent = bytes_u16le(p + 6);
        if (name == 0 || parent == 0 || (parent > state->entries && state->entries > 0) ||
            (state->entries == 0 && (bytes_u32le(p + 2) != volume->root_at || parent != 1)) ||
            name + 8 > volume->table_size - state->table_at)
            return STEP_BAD;
        const enum step step = iso_directory(in, volume, state, place);
        if (step != STEP_DONE)
            return step;
        state->table_at += 8 + name + (name & 1);
        state->entries++;
        sig_valid(in, table + state->table_at);
    }
    return STEP_DONE;
}

static struct sig_result iso_check(struct sig_input *in, void *memory)
{
    struct iso_state *state = memory;
    struct iso_volume volume;
    const uint8_t *p = sig_bytes(in, (uint64_t)ISO_FIRST * ISO_SECTOR, ISO_SECTOR);

    if (p == NULL)
        return sig_short(in);
    if (p[0] != ISO_PRIMARY || !iso_primary(p, &volume))
        return sig_reject("invalid primary volume descriptor");
    enum step step = iso_descriptors(in);
    if (step == STEP_BAD)
        return sig_reject("invalid volume descriptors");
    if (step == STEP_DONE) {
        sig_valid(in, (ISO_FIRST + 1) * ISO_SECTOR);
        step = iso_directories(in, &volume, state);
    }
    if (step == STEP_BAD)
        return sig_breaks(in, "the directories contradict the path table");
    if (step == STEP_DONE) {
        step = iso_files_check(in, &state->files);
        if (step == STEP_BAD)
            return sig_breaks(in, "a file does not begin as its name says");
    }
    if (step == STEP_WAIT && in->wanted > in->limit && in->valid > 0)
        sig_valid(in, in->limit); /* what is missing is behind the end of the image */
    if (step == STEP_WAIT)
        return sig_short(in);
    return sig_complete(in, volume.length,
                        "every directory is valid, and the files begin as their names say");
}

const struct sig sig_iso = {
    .name = "iso",
    .what = "CD or DVD image (ISO 9660)",
    .proves = "descriptors and path table read; records of every directory lie inside; the files "
              "begin as their names say",
    .source = "ECMA-119, 4th edition, 6-9",
    .types = (const struct sig_type[]){ { "iso", "iso" }, { 0 } },
    .headers = { SIG_PATTERN_AT(ISO_FIRST * ISO_SECTOR, "\1CD001\1\0") },
    .flags = SIG_CONTAINER,
    .size_min = 20 * ISO_SECTOR,
    .size_max = UINT64_C(1) << 40,
    .state_size = sizeof(struct iso_state),
    .check = iso_check,
};
