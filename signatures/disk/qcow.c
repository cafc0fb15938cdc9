/* SPDX-License-Identifier: Apache-2.0
 * signatures/disk/qcow.c - virtual disks of QEMU: qcow2 (versions 2 and 3) and the older qcow.
 *
 *   "QFI\xfb" | u32be version | backing file | size of a cluster | size of the disk | first table;
 * 2, 3: counts of references, snapshots first table -> second tables -> clusters of data, some of
 * them compressed
 *
 * The length is the largest end of all that the tables point to. The counts of references also
 * cover clusters that belong to snapshots or extensions, which are not walked. The last table of a
 * fresh disk is not filled up to the end of its cluster.
 */
#include <string.h>

#include "base/bytes.h"
#include "signatures/lib/step.h"
#include "signatures/sig.h"

enum {
    QCOW_HEAD_1 = 48,
    QCOW_HEAD_2 = 72,
    QCOW_HEAD_3 = 104,
    QCOW_L1_MAX = 4 << 20,      /* entries: 32 MiB of them, as QEMU has it */
    QCOW_REFERENCES_MAX = 1024, /* clusters of the table of references: 8 MiB of it */
    QCOW_AT_ONCE = 512,         /* entries: 4 KiB, less than any table */
    QCOW_SNAPSHOTS_MAX = 65536,
    QCOW_SNAPSHOT = 40, /* bytes of one, without its name */
    QCOW_SECTOR = 512,  /* the format's own unit, whatever the disk's */
};
#define QCOW_PLACE UINT64_C(0x00fffffffffffe00)
#define QCOW_COMPRESSED (UINT64_C(1) << 62)

struct qcow_header {
    uint32_t version, cluster_bits, l2_bits, reference_order;
    uint64_t cluster, l1_count, l1_at, references_at, reference_clusters;
    uint64_t snapshot_count, snapshots_at;
};

struct qcow_state {
    uint64_t l1, l2; /* next entries */
    uint64_t table;  /* next entry of the table of references */
    uint64_t end;    /* of all that was seen; 0: not begun */
    uint64_t last;   /* behind the last cluster that is referred to */
};

static void qcow_raise(struct qcow_state *state, uint64_t to)
{
    if (to > state->end)
        state->end = to;
}

static bool qcow_head_1(const uint8_t *p, struct qcow_header *header)
{
    header->cluster_bits = p[32];
    header->l2_bits = p[33];
    header->l1_at = bytes_u64be(p + 40);
    if (header->cluster_bits < 9 || header->cluster_bits > 16 || header->l2_bits < 6 ||
        header->l2_bits > 13 || bytes_u32be(p + 36) > 1)
        return false;
    const uint32_t bits = header->cluster_bits + header->l2_bits;
    const uint64_t size = bytes_u64be(p + 24);
    header->l1_count = (size >> bits) + ((size & ((UINT64_C(1) << bits) - 1)) != 0);
    return header->l1_at >= QCOW_HEAD_1 && header->l1_count > 0;
}

static bool qcow_head_2(const uint8_t *p, struct qcow_header *header)
{
    header->cluster_bits = bytes_u32be(p + 20);
    header->l2_bits = header->cluster_bits - 3;
    header->l1_count = bytes_u32be(p + 36);
    header->l1_at = bytes_u64be(p + 40);
    header->references_at = bytes_u64be(p + 48);
    header->reference_clusters = bytes_u32be(p + 56);
    header->snapshot_count = bytes_u32be(p + 60);
    header->snapshots_at = bytes_u64be(p + 64);
    header->reference_order = header->version == 3 ? bytes_u32be(p + 96) : 4;
    if (header->snapshot_count > QCOW_SNAPSHOTS_MAX || header->cluster_bits < 9 ||
        header->cluster_bits > 21 || bytes_u32be(p + 32) > 2 || header->reference_order > 6 ||
        header->reference_clusters == 0 || header->reference_clusters > QCOW_REFERENCES_MAX)
        return false;
    const uint64_t mask = (UINT64_C(1) << header->cluster_bits) - 1;
    if (header->version == 3 && (bytes_u64be(p + 72) > 31 || bytes_u32be(p + 100) < QCOW_HEAD_3))
        return false;
    return (header->l1_at & mask) == 0 && (header->references_at & mask) == 0 &&
           header->references_at > mask && (header->l1_at > mask || header->l1_count == 0);
}

static enum step qcow_head(struct sig_input *in, struct qcow_header *header)
{
    const uint8_t *p = sig_bytes(in, 0, QCOW_HEAD_1);

    if (p == NULL)
        return STEP_WAIT;
    *header = (struct qcow_header){ .version = bytes_u32be(p + 4) };
    if (header->version < 1 || header->version > 3)
        return STEP_BAD;
    if (header->version > 1) {
        p = sig_bytes(in, 0, header->version == 3 ? QCOW_HEAD_3 : QCOW_HEAD_2);
        if (p == NULL)
            return STEP_WAIT;
    }
    if (!(header->version == 1 ? qcow_head_1(p, header) : qcow_head_2(p, header)) ||
        header->l1_count > QCOW_L1_MAX)
        return STEP_BAD;
    header->cluster = UINT64_C(1) << header->cluster_bits;
    return STEP_DONE;
}

/* One entry of a second table: a cluster of data. False: it cannot be. */
static bool qcow_data(const struct qcow_header *header, struct qcow_state *state, uint64_t entry)
{
    if (header->version == 1) {
        const bool compressed = entry >> 63 != 0;
        const uint32_t bits = 63 - header->cluster_bits;
        const uint64_t at = compressed ? entry & ((UINT64_C(1) << bits) - 1) : entry;
        const uint64_t size = compressed ? entry << 1 >> (bits + 1) : header->cluster;

        if (entry != 0)
            qcow_raise(state, sig_add(at, size));
        return entry == 0 || at >= QCOW_HEAD_1;
    }
    if (entry & QCOW_COMPRESSED) {
        const uint32_t bits = 62 - (header->cluster_bits - 8);
        const uint64_t at = entry & ((UINT64_C(1) << bits) - 1);
        const uint64_t sectors = ((entry & (QCOW_COMPRESSED - 1)) >> bits) + 1;

        qcow_raise(state, at / QCOW_SECTOR * QCOW_SECTOR + sectors * QCOW_SECTOR);
        return at >= header->cluster;
    }
    const uint64_t at = entry & QCOW_PLACE;
    if (at != 0)
        qcow_raise(state, at + header->cluster);
    return (at & (header->cluster - 1)) == 0;
}

/* The second table at object offset `at`. */
static enum step qcow_l2(struct sig_input *in, const struct qcow_header *header,
                         struct qcow_state *state, uint64_t at)
{
    const uint64_t all = UINT64_C(1) << header->l2_bits;

    while (state->l2 < all) {
        const uint32_t count =
            all - state->l2 < QCOW_AT_ONCE ? (uint32_t)(all - state->l2) : QCOW_AT_ONCE;
        const uint8_t *p = sig_bytes(in, at + state->l2 * 8, count * 8);

        if (p == NULL)
            return STEP_WAIT;
        for (uint32_t i = 0; i < count; i++)
            if (!qcow_data(header, state, bytes_u64be(p + i * 8)))
                return STEP_BAD;
        state->l2 += count;
    }
    state->l2 = 0;
    return STEP_DONE;
}

static enum step qcow_l1(struct sig_input *in, const struct qcow_header *header,
                         struct qcow_state *state)
{
    for (; state->l1 < header->l1_count; state->l1++) {
        const uint8_t *p = sig_bytes(in, header->l1_at + state->l1 * 8, 8);

        if (p == NULL)
            return STEP_WAIT;
        const uint64_t entry = bytes_u64be(p),
                       at = header->version == 1 ? entry : entry & QCOW_PLACE;
        if (at == 0)
            continue;
        if (header->version > 1 &&
            ((at & (header->cluster - 1)) != 0 || (entry & (QCOW_COMPRESSED | 0x1ff)) != 0))
            return STEP_BAD;
        qcow_raise(state, sig_add(at, UINT64_C(8) << header->l2_bits));
        const enum step step = qcow_l2(in, header, state, at);
        if (step != STEP_DONE)
            return step;
        sig_valid(in, QCOW_SECTOR);
    }
    return STEP_DONE;
}

/* The blocks of counts; the last one that has a count other than zero tells the last cluster in
 * use. */
static enum step qcow_references(struct sig_input *in, const struct qcow_header *header,
                                 struct qcow_state *state)
{
    const uint64_t per_block = header->cluster * 8 >> header->reference_order;

    for (; state->table < header->reference_clusters * header->cluster / 8; state->table++) {
        const uint8_t *p = sig_bytes(in, header->references_at + state->table * 8, 8);

        if (p == NULL)
            return STEP_WAIT;
        const uint64_t block = bytes_u64be(p);
        if (block == 0)
            continue;
        if ((block & (header->cluster - 1)) != 0)
            return STEP_BAD;
        for (uint64_t at = header->cluster; at > 0; at -= QCOW_SECTOR) {
            p = sig_bytes(in, sig_add(block, at - QCOW_SECTOR), QCOW_SECTOR);
            if (p == NULL)
                return STEP_WAIT;
            uint32_t used = QCOW_SECTOR;
            while (used > 0 && p[used - 1] == 0)
                used--;
            if (used == 0)
                continue;
            const uint64_t bits = (at - QCOW_SECTOR + used) * 8;
            state->last = (state->table * per_block + ((bits - 1) >> header->reference_order) + 1) *
                          header->cluster;
            break;
        }
        qcow_raise(state, block + header->cluster);
    }
    return STEP_DONE;
}

/* The table of snapshots, which has no fixed length; what they hold is counted among the
 * references. */
static enum step qcow_snapshots(struct sig_input *in, const struct qcow_header *header,
                                struct qcow_state *state)
{
    uint64_t at = header->snapshots_at;

    for (uint64_t i = 0; i < header->snapshot_count; i++) {
        const uint8_t *p = sig_bytes(in, at, QCOW_SNAPSHOT);

        if (p == NULL)
            return STEP_WAIT;
        const uint64_t l1 = bytes_u64be(p);
        const uint32_t names = (uint32_t)bytes_u16be(p + 12) + bytes_u16be(p + 14),
                       more = bytes_u32be(p + 36);
        if ((l1 & (header->cluster - 1)) != 0 || more > 1024)
            return STEP_BAD;
        qcow_raise(state, sig_add(l1, UINT64_C(8) * bytes_u32be(p + 8)));
        at += QCOW_SNAPSHOT + more + names;
        qcow_raise(state, at);
        at = (at + 7) & ~UINT64_C(7);
    }
    return STEP_DONE;
}

static struct sig_result qcow_check(struct sig_input *in, void *memory)
{
    struct qcow_state *state = memory;
    struct qcow_header header;
    enum step step = qcow_head(in, &header);

    if (step == STEP_WAIT)
        return sig_short(in);
    if (step == STEP_BAD)
        return sig_reject("invalid header");
    in->type = &in->sig->types[header.version == 1 ? 1 : 0];
    if (state->end == 0) {
        state->end = header.l1_at + header.l1_count * 8;
        if (header.version == 1) /* QEMU writes this table in whole sectors */
            qcow_raise(state, header.l1_at + (header.l1_count * 8 + QCOW_SECTOR - 1) / QCOW_SECTOR *
                                                 QCOW_SECTOR);
        else
            qcow_raise(state, header.references_at + header.reference_clusters * header.cluster);
    }
    sig_valid(in, QCOW_HEAD_1);
    step = qcow_l1(in, &header, state);
    if (step == STEP_DONE && header.version > 1)
        step = qcow_references(in, &header, state);
    if (step == STEP_DONE && header.version > 1)
        step = qcow_snapshots(in, &header, state);
    if (step == STEP_WAIT && in->wanted > in->limit)
        sig_valid(in, in->limit);
    if (step == STEP_WAIT)
        return sig_short(in);
    if (step == STEP_BAD)
        return sig_breaks(in, "invalid tables");
    const uint64_t end =
        state->last > sig_add(state->end, header.cluster - 1) ? state->last : state->end;
    if (header.version > 1 && state->end > state->last)
        return sig_breaks(in, "a cluster is in use, and no table refers to it");
    return sig_believe(in, end, "every table is valid up to its last cluster");
}

const struct sig sig_qcow = {
    .name = "qcow2",
    .what = "virtual disk of QEMU",
    .proves = "every entry of every table is a valid place; counts of references cover the end",
    .source = "QEMU, docs/interop/qcow2.txt; block/qcow.c (version 1)",
    .types = (const struct sig_type[]){ { "qcow2", "qcow2" }, { "qcow", "qcow" }, { 0 } },
    .headers = { SIG_PATTERN("QFI\xfb\0\0\0\1"), SIG_PATTERN("QFI\xfb\0\0\0\2"),
                 SIG_PATTERN("QFI\xfb\0\0\0\3") },
    .flags = SIG_SECTOR_ALIGNED | SIG_CONTAINER,
    .size_min = QCOW_HEAD_1 + 8,
    .size_max = UINT64_C(1) << 44,
    .state_size = sizeof(struct qcow_state),
    .check = qcow_check,
};
