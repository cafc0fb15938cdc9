/* SPDX-License-Identifier: Apache-2.0
 * signatures/video/isobmff.h - what the parts of the validator of ISO base media files share;
 * nobody else includes it.
 *
 *   isobmff.c          the boxes of the file one after another: which belong to it, and where it
 *                      ends
 *   isobmff_box.c      the boxes inside moov, moof and meta: they must fill each other; tables are
 *                      noted
 *   isobmff_table.c    where the tables of a track, the runs of a fragment and the items of a
 *                      picture say that samples are
 *   isobmff_sample.c   does a sample look like what its codec makes?
 *   isobmff_marks.c    where the tables of a film in pieces lie
 */
#ifndef BURIN_SIGNATURES_VIDEO_ISOBMFF_H
#define BURIN_SIGNATURES_VIDEO_ISOBMFF_H

#include "signatures/lib/step.h"
#include "signatures/sig.h"

enum {
    ISOBMFF_DEPTH = 8,
    ISOBMFF_TRACKS = 12, /* further ones are walked and their samples are not looked at */
    ISOBMFF_RUNS = 64,   /* of one fragment; likewise */
    ISOBMFF_ITEMS = 512, /* of a picture; likewise */
    ISOBMFF_SIZES = 256, /* entries of a table that are kept at a time */
    ISOBMFF_CHUNKS = 128,
};

#define ISOBMFF_4CC(a, b, c, d)                                                                    \
    ((uint32_t)(a) << 24 | (uint32_t)(b) << 16 | (uint32_t)(c) << 8 | (uint32_t)(d))
#define ISOBMFF_TYPE(text) ISOBMFF_4CC((text)[0], (text)[1], (text)[2], (text)[3])

struct isobmff_box {
    uint64_t at, body, end; /* object offsets */
    uint32_t type;
    bool open; /* no size: as far as the file goes */
};

/* How a sample of a codec can be known. */
enum isobmff_codec {
    ISOBMFF_ANY,
    ISOBMFF_AVC, /* NAL units behind their lengths */
    ISOBMFF_HEVC,
    ISOBMFF_AV1, /* OBUs */
    ISOBMFF_MPEG4,
    ISOBMFF_H263,
    ISOBMFF_JPEG,
    ISOBMFF_PRORES,
    ISOBMFF_VP9,
    ISOBMFF_AAC,
    ISOBMFF_AMR,
    ISOBMFF_AMR_WB,
    ISOBMFF_AC3,
    ISOBMFF_FLAC,
    ISOBMFF_PACKED, /* compressed, nothing else is known */
    ISOBMFF_ITEM,   /* a picture's item: known when its type is */
};

struct isobmff_table {
    uint64_t at; /* object offset of the first entry; 0: no such table */
    uint32_t count;
};

struct isobmff_track {
    uint32_t id, sample_default; /* bytes; of fragments */
    enum isobmff_codec codec;
    uint8_t nal_len;
    bool elsewhere; /* its samples are in other files */
    bool wide;      /* 64-bit chunk offsets */
    bool described, mapped, over;
    uint32_t fixed; /* bytes of each sample; 0: by the table */
    struct isobmff_table sizes, chunks, runs;
    /* where the walk over its samples is */
    uint32_t sample, chunk, run, in_chunk, per_chunk, next_run_chunk;
    uint64_t offset, size; /* of the sample that comes next */
    uint8_t aac_kinds, aac_odd;
    uint32_t aac_count;
    uint32_t size_cache[ISOBMFF_SIZES], size_from, size_have;
    uint64_t chunk_cache[ISOBMFF_CHUNKS];
    uint32_t chunk_from, chunk_have;
};

struct isobmff_run { /* samples of a fragment that follow one another */
    uint64_t offset, sizes_at;
    uint32_t track, count, entry, size_in_entry, default_size;
    bool follows; /* begins where the one before it ends */
};

struct isobmff_sample { /* how far the look at one sample is */
    uint64_t done;      /* bytes */
    uint64_t low_at;    /* object offset of the next sector to look at */
    uint32_t low;       /* sectors before it that cannot be compressed data */
    uint32_t padded;    /* sectors of padding before it */
};

struct isobmff_state {
    uint64_t at,
        end;       /* the next top-level box; the end of the last one that is the file's for sure */
    uint64_t tail; /* where boxes begin that belong to this file or to the next; 0: none */
    uint64_t first_mdat, last_mdat_end;
    uint64_t data_from, data_to; /* where samples are, by the tables; data_to 0: not known */
    uint64_t proven;
    uint64_t samples_right; /* samples that were looked at */
    uint64_t looked;        /* bytes of samples looked at */
    uint32_t boxes;
    bool branded;      /* the first box says that this is such a file */
    uint64_t accepted; /* the box at this offset less 1 is the file's; 0: none yet */
    bool inside_done, wanted;
    bool no_overlap; /* samples never share bytes; in edited QuickTime films they may */
    bool begun, has_moov, has_mdat, has_index, has_items, has_mvex, compressed_moov,
        samples_checked;
    bool fragment_open; /* a moof without its mdat */
    uint32_t fragments;
    /* inside of moov, moof or meta */
    uint64_t inside, ends[ISOBMFF_DEPTH]; /* inside 0: not in one */
    uint64_t moof_at, traf_base;
    uint32_t depth, traf_track, traf_default;
    bool traf_based;
    uint32_t track_count, track;
    struct isobmff_track tracks[ISOBMFF_TRACKS];
    struct isobmff_run runs[ISOBMFF_RUNS];
    uint32_t run_count, run, run_sample;
    uint64_t run_offset, run_size;
    uint64_t run_bytes; /* of all samples of a fragment so far */
    uint64_t iloc_at, iloc_end, iinf_at, iinf_end, item_at;
    uint32_t item, item_extent;
    uint64_t item_base;
    uint32_t item_ids[ISOBMFF_ITEMS], item_types[ISOBMFF_ITEMS], item_count;
    uint8_t item_nal_len;
    uint32_t stride, stride_at; /* every so many samples are looked at */
    struct isobmff_sample sample;
    const char *why;
};

/* The head of a box at object offset at; STEP_BAD: its size cannot be. */
enum step isobmff_box_read(struct sig_input *in, uint64_t at, struct isobmff_box *box);
bool isobmff_is_name(uint32_t type);

/* Begins at a moov, moof or meta, in which (full) version and flags may stand before the boxes;
 * goes through all of it. */
void isobmff_enter(struct isobmff_state *state, const struct isobmff_box *box, bool full);
enum step isobmff_inside(struct sig_input *in, struct isobmff_state *state);

/* Looks at all samples of all tracks in the order in which they lie; of the runs of the last
 * fragment; of the items. */
enum step isobmff_tracks(struct sig_input *in, struct isobmff_state *state);
enum step isobmff_runs(struct sig_input *in, struct isobmff_state *state);
enum step isobmff_items(struct sig_input *in, struct isobmff_state *state);

/* One sample; track NULL: an item. *sample is zeroed when it is done. */
enum step isobmff_sample(struct sig_input *in, struct isobmff_sample *sample,
                         struct isobmff_track *track, enum isobmff_codec codec, uint32_t nal_len,
                         uint64_t at, uint64_t size);

/* See struct sig, marks: the box with the tables, behind the media data. */
uint32_t isobmff_marks(const uint8_t *head, struct sig_mark *out);
bool isobmff_is_mark(const uint8_t *head, const struct sig_mark *mark, const uint8_t *sector);

static inline enum step isobmff_bad(struct isobmff_state *state, const char *why)
{
    state->why = why;
    return STEP_BAD;
}

#endif
