/* SPDX-License-Identifier: Apache-2.0
 * io/leftover/mft.c - layouts from FILE records of NTFS, wherever they lie. See leftover_impl.h.
 *
 * A stream with many runs goes on in other records, which name the one that it begins in. All parts
 * but the first are gathered before, sorted by that record's number.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/grow.h"
#include "io/leftover/leftover_impl.h"
#include "io/leftover/mft_record.h"
#include "io/leftover/names.h"

enum { MFT_PARTS_MAX = 1 << 20 }; /* 40 bytes each */

/* A part of a stream, in a record that belongs to another one. */
struct mft_part {
    const struct geometry *volume;
    uint64_t number, vcn, at; /* of the record that it belongs to; its first VCN; where it lies */
    uint32_t sequence;
};

struct mft_walk {
    struct leftover *walk;
    struct mft_part *parts;
    uint32_t count;
    size_t room;
    uint8_t bytes[MFT_RECORD_MAX], more[MFT_RECORD_MAX];
    struct mft_record record, other;
};

static bool mft_read(struct mft_walk *mft, uint64_t at, uint8_t *bytes, struct mft_record *out)
{
    const uint64_t left = mft->walk->size - at;
    const size_t len = left < MFT_RECORD_MAX ? (size_t)left : MFT_RECORD_MAX;

    return leftover_read(mft->walk, at, bytes, len) && mft_record_read(bytes, len, out);
}

static int mft_compare(const void *a, const void *b)
{
    const struct mft_part *x = a, *y = b;

    if (x->number != y->number)
        return x->number < y->number ? -1 : 1;
    if (x->vcn != y->vcn)
        return x->vcn < y->vcn ? -1 : 1;
    return x->at < y->at ? -1 : x->at > y->at;
}

static void mft_gather(struct mft_walk *mft, uint64_t at)
{
    struct leftover *walk = mft->walk;

    if (!mft_read(mft, at, mft->bytes, &mft->record) || mft->record.base == 0 ||
        !mft->record.has_data || mft->count == MFT_PARTS_MAX || walk->rc != ERR_OK)
        return;
    walk->rc = grow_items(&mft->parts, mft->count, &mft->room, sizeof *mft->parts, walk->err);
    if (walk->rc == ERR_OK)
        mft->parts[mft->count++] =
            (struct mft_part){ .volume = leftover_volume(walk, GEOMETRY_NTFS, at),
                               .number = mft->record.base,
                               .vcn = mft->record.vcn,
                               .at = at,
                               .sequence = mft->record.base_sequence };
}

/* The part of this record's stream that begins at the VCN; NULL: none was found. */
static const struct mft_part *mft_part(const struct mft_walk *mft, const struct geometry *volume,
                                       const struct mft_record *record, uint64_t vcn)
{
    const uint64_t number = record->number;
    uint32_t low = 0, high = mft->count;

    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        const struct mft_part *part = &mft->parts[middle];

        if (part->number < number || (part->number == number && part->vcn < vcn))
            low = middle + 1;
        else
            high = middle;
    }
    for (uint32_t i = low; i < mft->count && i < low + 8; i++) {
        const struct mft_part *part = &mft->parts[i];

        if (part->number != number || part->vcn != vcn)
            break;
        /* A deletion counts the number up in the record, and not in those that name it. */
        if (part->volume == volume &&
            (part->sequence == record->sequence || part->sequence + 1 == record->sequence))
            return part;
    }
    return NULL;
}

/* Adds the runs that a record tells; false: they are not what it says of them. */
static bool mft_add(struct mft_walk *mft, const struct mft_record *record,
                    const struct geometry *volume)
{
    struct mft_runs runs = mft_runs_of(record);
    uint64_t cluster = 0, count = 0, vcn = record->vcn;
    bool broken = false;

    while (!mft->walk->tell.broken && mft_runs_next(&runs, &cluster, &count, &broken)) {
        tell_clusters(&mft->walk->tell, volume, cluster, count);
        vcn += count;
    }
    return !broken && vcn == record->next_vcn;
}

static void mft_tell(struct mft_walk *mft, uint64_t at, const struct geometry *volume)
{
    struct mft_record *record = &mft->record;
    struct leftover *walk = mft->walk;
    const struct mft_record *last = record;
    char text[TELL_TEXT_MAX];
    uint64_t size = record->size, vcn = 0;

    tell_begin(&walk->tell);
    /* A record whose stream begins elsewhere has the sizes there. */
    if (!record->has_data || record->vcn != 0) {
        const struct mft_part *part = mft_part(mft, volume, record, 0);

        if (part == NULL || !mft_read(mft, part->at, mft->more, &mft->other))
            return;
        last = &mft->other;
        size = mft->other.size;
    }
    while (mft_add(mft, last, volume) && !walk->tell.broken) {
        vcn = last->next_vcn;
        const struct mft_part *part =
            walk->tell.bytes < size ? mft_part(mft, volume, record, vcn) : NULL;
        if (part == NULL || !mft_read(mft, part->at, mft->more, &mft->other) ||
            !mft->other.has_data || mft->other.vcn != vcn)
            break;
        last = &mft->other;
    }
    if (record->number == UINT64_MAX)
        snprintf(text, sizeof text, "MFT record");
    else
        snprintf(text, sizeof text, "MFT record %" PRIu64, record->number);
    walk->rc = tell_layout(&walk->tell,
                           &(struct io_layout){ .source = IO_LAYOUT_MFT_RECORD,
                                                .size = size,
                                                .in_use = record->in_use,
                                                .path = record->name,
                                                .modified = record->modified,
                                                .at = at,
                                                .text = text },
                           volume, walk->err);
}

/* Tells the block of a folder that begins here. */
static void mft_folder(struct mft_walk *mft, uint64_t at)
{
    struct leftover *walk = mft->walk;
    const uint64_t left = walk->size - at;
    const size_t most = left < MFT_RECORD_MAX ? (size_t)left : MFT_RECORD_MAX;

    if (walk->hint->folder == NULL || !leftover_read(walk, at, mft->bytes, most))
        return;
    const uint32_t len = mft_index_block(mft->bytes, most);
    if (len > 0)
        walk->rc =
            walk->hint->folder(walk->hint->folder_arg, (struct io_range){ at, len }, walk->err);
}

static void mft_spot(struct mft_walk *mft, uint64_t at)
{
    mft_folder(mft, at);
    if (!mft_read(mft, at, mft->bytes, &mft->record) || mft->record.base != 0 || mft->record.folder)
        return;
    const struct geometry *volume = leftover_volume(mft->walk, GEOMETRY_NTFS, at);
    if (volume != NULL)
        mft_tell(mft, at, volume);
}

void leftover_mft(struct leftover *walk)
{
    const struct leftover_spots *spots = &walk->spots[LEFTOVER_SPOT_RECORD];
    struct mft_walk *mft = calloc(1, sizeof *mft);

    if (mft == NULL) {
        walk->rc = ERR_NO_MEMORY(walk->err, sizeof *mft);
        return;
    }
    mft->walk = walk;
    for (uint32_t i = 0; leftover_has_spot(walk, LEFTOVER_SPOT_RECORD, i); i++)
        mft_gather(mft, spots->at[i]);
    if (mft->count > 1)
        qsort(mft->parts, mft->count, sizeof *mft->parts, mft_compare);
    for (uint32_t i = 0; leftover_has_spot(walk, LEFTOVER_SPOT_RECORD, i); i++)
        mft_spot(mft, spots->at[i]);
    free(mft->parts);
    free(mft);
}
