/* SPDX-License-Identifier: Apache-2.0
 * signatures/video/isobmff_table.c - where samples are.
 *
 * A track: stsz (sizes of the samples), stsc (samples in each chunk), stco or co64 (where chunks
 * begin). The samples of all tracks are looked at in the order in which they lie, so that a file is
 * read once. A fragment: runs (trun). A picture: items (iloc).
 */
#include "base/bytes.h"
#include "signatures/video/isobmff.h"

enum {
    TABLE_ILOC_HEAD = 8,
    TABLE_EXTENTS_MAX = 1024, /* of one item */
    TABLE_CLOSE =
        64
        << 20, /* bytes of content that are looked at again whole when its tables stand behind it */
    TABLE_AGAIN = 4,
    TABLE_FAR_SAMPLES = 512, /* looked at in larger ones */
};

static void table_data(struct isobmff_state *state, uint64_t at, uint64_t size)
{
    if (state->data_to == 0 || at < state->data_from)
        state->data_from = at;
    if (sig_add(at, size) > state->data_to)
        state->data_to = sig_add(at, size);
}

/* Tables may send us to the same bytes again and again: only those of files made to waste time do.
 */
static enum isobmff_codec table_may_look(struct isobmff_state *state, enum isobmff_codec codec,
                                         uint64_t size)
{
    state->looked = sig_add(state->looked, size);
    return state->looked / TABLE_AGAIN > sig_add(state->data_to, TABLE_CLOSE) ? ISOBMFF_ANY : codec;
}

static enum step table_size(struct sig_input *in, struct isobmff_track *track, uint32_t *size)
{
    if (track->sample < track->size_from || track->sample >= track->size_from + track->size_have) {
        const uint32_t left = track->sizes.count - track->sample;
        const uint32_t want = left < ISOBMFF_SIZES ? left : ISOBMFF_SIZES;
        const uint8_t *entries =
            sig_bytes(in, track->sizes.at + (uint64_t)track->sample * 4, want * 4);

        if (entries == NULL)
            return STEP_WAIT;
        for (uint32_t i = 0; i < want; i++)
            track->size_cache[i] = bytes_u32be(entries + (size_t)i * 4);
        track->size_from = track->sample;
        track->size_have = want;
    }
    *size = track->size_cache[track->sample - track->size_from];
    return STEP_DONE;
}

static enum step table_chunk(struct sig_input *in, struct isobmff_track *track, uint64_t *offset)
{
    if (track->chunk < track->chunk_from || track->chunk >= track->chunk_from + track->chunk_have) {
        const uint32_t left = track->chunks.count - track->chunk, width = track->wide ? 8 : 4;
        const uint32_t want = left < ISOBMFF_CHUNKS ? left : ISOBMFF_CHUNKS;
        const uint8_t *entries =
            sig_bytes(in, track->chunks.at + (uint64_t)track->chunk * width, want * width);

        if (entries == NULL)
            return STEP_WAIT;
        for (uint32_t i = 0; i < want; i++, entries += width)
            track->chunk_cache[i] = track->wide ? bytes_u64be(entries) : bytes_u32be(entries);
        track->chunk_from = track->chunk;
        track->chunk_have = want;
    }
    *offset = track->chunk_cache[track->chunk - track->chunk_from];
    return STEP_DONE;
}

/* How many samples the chunk holds: the run of chunks that it is in. */
static enum step table_per_chunk(struct sig_input *in, struct isobmff_state *state,
                                 struct isobmff_track *track)
{
    while (track->run == 0 ||
           (track->run < track->runs.count && track->chunk + 1 >= track->next_run_chunk)) {
        const bool last = track->run + 1 == track->runs.count;
        const uint8_t *entry =
            sig_bytes(in, track->runs.at + (uint64_t)track->run * 12, last ? 12 : 24);

        if (entry == NULL)
            return STEP_WAIT;
        if ((track->run == 0 && bytes_u32be(entry) != 1) ||
            (!last && bytes_u32be(entry + 12) <= bytes_u32be(entry)))
            return isobmff_bad(state, "the chunks do not follow one another");
        track->per_chunk = bytes_u32be(entry + 4);
        track->next_run_chunk = last ? UINT32_MAX : bytes_u32be(entry + 12);
        track->run++;
    }
    return STEP_DONE;
}

/* Finds the track's next sample, or that there is none. Samples of one size each are taken by the
 * chunk. */
static enum step table_next(struct sig_input *in, struct isobmff_state *state,
                            struct isobmff_track *track)
{
    uint32_t size = 0;

    while (track->in_chunk == 0) {
        if (track->chunk == track->chunks.count || track->sample >= track->sizes.count) {
            if (track->fixed == 0 && track->sample != track->sizes.count)
                return isobmff_bad(state, "the chunks have fewer samples than the table of sizes");
            track->over = true;
            return STEP_DONE;
        }
        uint64_t offset = 0;
        enum step step = table_per_chunk(in, state, track);
        if (step == STEP_DONE)
            step = table_chunk(in, track, &offset);
        if (step != STEP_DONE)
            return step;
        track->offset = offset;
        track->in_chunk = track->per_chunk;
        track->chunk++;
    }
    if (track->fixed != 0) {
        /* a size of 1 is the old way to say that the sound's description knows */
        track->size = track->fixed == 1 ? 0 : (uint64_t)track->fixed * track->in_chunk;
        track->sample = track->in_chunk > track->sizes.count - track->sample
                            ? track->sizes.count
                            : track->sample + track->in_chunk;
        track->in_chunk = 0;
    } else {
        if (track->sample == track->sizes.count)
            return isobmff_bad(state, "the chunks have more samples than the table of sizes");
        const enum step step = table_size(in, track, &size);
        if (step != STEP_DONE)
            return step;
        track->size = size;
        track->sample++;
        track->in_chunk--;
    }
    track->mapped = true;
    return STEP_DONE;
}

/* The track whose next sample lies first; NULL in *next when all are over. */
static enum step table_first(struct sig_input *in, struct isobmff_state *state,
                             struct isobmff_track **next)
{
    *next = NULL;
    for (uint32_t i = 0; i < state->track_count && i < ISOBMFF_TRACKS; i++) {
        struct isobmff_track *track = &state->tracks[i];

        if (track->over || track->elsewhere || track->sizes.at == 0 || track->chunks.at == 0 ||
            track->runs.count == 0)
            continue;
        if (!track->mapped) {
            const enum step step = table_next(in, state, track);

            if (step != STEP_DONE)
                return step;
        }
        if (!track->over && (*next == NULL || track->offset < (*next)->offset))
            *next = track;
    }
    return STEP_DONE;
}

/* Content that has left memory would have to be read again: of large files only some samples are.
 */
static void table_choose_stride(const struct sig_input *in, struct isobmff_state *state)
{
    uint64_t all = 0;

    for (uint32_t i = 0; i < state->track_count && i < ISOBMFF_TRACKS; i++)
        all += state->tracks[i].sizes.count;
    state->stride = 1;
    if (!in->thorough && state->has_mdat && state->last_mdat_end - state->first_mdat > TABLE_CLOSE)
        state->stride = (uint32_t)(all / TABLE_FAR_SAMPLES) + 1;
}

enum step isobmff_tracks(struct sig_input *in, struct isobmff_state *state)
{
    if (state->stride == 0)
        table_choose_stride(in, state);
    for (;;) {
        struct isobmff_track *track = NULL;
        enum step step = table_first(in, state, &track);

        if (step != STEP_DONE || track == NULL)
            return step;
        if (track->size > in->limit || track->offset > in->limit - track->size)
            return isobmff_bad(state, "the samples lie outside the file");
        if (state->no_overlap && track->offset < state->data_to && track->size > 0)
            return isobmff_bad(state, "the samples overlap");
        if (state->stride_at == 0) {
            step = isobmff_sample(
                in, &state->sample, track,
                table_may_look(state, track->fixed != 0 ? ISOBMFF_ANY : track->codec, track->size),
                track->nal_len, track->offset, track->size);
            if (step == STEP_WAIT)
                return step;
            if (step == STEP_BAD) {
                if (state->has_moov && track->offset > state->proven &&
                    track->offset == state->data_to)
                    state->proven = track->offset;
                return isobmff_bad(state, "a sample does not look like its codec");
            }
            state->samples_right += track->codec != ISOBMFF_ANY && track->fixed == 0;
        }
        if (track->size > 0)
            table_data(state, track->offset, track->size);
        else if (track->fixed == 1)
            table_data(state, track->offset, 1);
        state->stride_at = state->stride_at + 1 >= state->stride ? 0 : state->stride_at + 1;
        track->offset += track->size;
        track->mapped = false;
    }
}

enum step isobmff_runs(struct sig_input *in, struct isobmff_state *state)
{
    for (; state->run < state->run_count; state->run++, state->run_sample = 0) {
        const struct isobmff_run *run = &state->runs[state->run];
        struct isobmff_track *track = run->track < ISOBMFF_TRACKS && run->track < state->track_count
                                          ? &state->tracks[run->track]
                                          : NULL;

        if (state->run_sample == 0 && state->run_size == 0 && !run->follows)
            state->run_offset = run->offset;
        if (state->run_offset < state->moof_at || (run->sizes_at == 0 && run->default_size == 0))
            continue; /* not of this fragment, or of an unknown size */
        const enum isobmff_codec codec = track == NULL ? ISOBMFF_ANY : track->codec;
        while (state->run_sample < run->count) {
            /* where nothing is known of samples, and they have one size, they are one: there may be
             * billions */
            const uint32_t together = run->sizes_at == 0 && codec == ISOBMFF_ANY ? run->count : 1;
            uint64_t size = (uint64_t)run->default_size * together;

            if (run->sizes_at != 0) {
                const uint8_t *entry = sig_bytes(
                    in,
                    run->sizes_at + (uint64_t)state->run_sample * run->entry + run->size_in_entry,
                    4);

                if (entry == NULL)
                    return STEP_WAIT;
                size = bytes_u32be(entry);
            }
            state->run_size = size;
            if (sig_add(state->run_offset, size) > state->last_mdat_end)
                return isobmff_bad(state, "the samples lie outside the fragment");
            const enum step step =
                isobmff_sample(in, &state->sample, track, codec, track == NULL ? 0 : track->nal_len,
                               state->run_offset, size);
            if (step != STEP_DONE)
                return step == STEP_WAIT
                           ? step
                           : isobmff_bad(state, "a sample does not look like its codec");
            state->samples_right += codec != ISOBMFF_ANY;
            state->run_offset += size;
            state->run_bytes += size;
            state->run_size = 0;
            state->run_sample += together;
            if (state->run_bytes > in->limit)
                return isobmff_bad(state, "the samples overlap");
        }
    }
    return STEP_DONE;
}

/* Big-endian numbers of 0, 2, 4 or 8 bytes. */
static uint64_t table_number(const uint8_t *p, uint32_t width)
{
    uint64_t value = 0;

    for (uint32_t i = 0; i < width; i++)
        value = value << 8 | p[i];
    return value;
}

static enum isobmff_codec table_item_codec(const struct isobmff_state *state, uint32_t id)
{
    for (uint32_t i = 0; i < state->item_count; i++)
        if (state->item_ids[i] == id)
            switch (state->item_types[i]) {
            case ISOBMFF_4CC('h', 'v', 'c', '1'):
                return ISOBMFF_HEVC;
            case ISOBMFF_4CC('a', 'v', '0', '1'):
                return ISOBMFF_AV1;
            case ISOBMFF_4CC('j', 'p', 'e', 'g'):
                return ISOBMFF_JPEG;
            default:
                return ISOBMFF_ANY;
            }
    return ISOBMFF_ANY;
}

struct table_iloc {
    uint32_t offset, length, base, index, version, count;
};

/* One item: its extents. state->item_at is stepped behind it. */
static enum step table_item(struct sig_input *in, struct isobmff_state *state,
                            const struct table_iloc *iloc)
{
    const uint32_t id_len = iloc->version == 2 ? 4 : 2, method_len = iloc->version > 0 ? 2 : 0;
    const uint32_t head_len = id_len + method_len + 2 + iloc->base + 2,
                   entry = iloc->index + iloc->offset + iloc->length;
    const uint8_t *head = state->iloc_end - state->item_at < head_len
                              ? NULL
                              : sig_bytes(in, state->item_at, head_len);

    if (head == NULL)
        return state->iloc_end - state->item_at < head_len
                   ? isobmff_bad(state, "a list of items is too short")
                   : STEP_WAIT;
    const uint32_t id = (uint32_t)table_number(head, id_len);
    const uint32_t method = method_len == 0 ? 0 : bytes_u16be(head + id_len) & 15;
    const uint32_t reference = bytes_u16be(head + id_len + method_len);
    const uint64_t base = table_number(head + id_len + method_len + 2, iloc->base);
    const uint32_t extents = bytes_u16be(head + head_len - 2);
    const uint64_t next = state->item_at + head_len + (uint64_t)extents * entry;
    if (next > state->iloc_end || extents > TABLE_EXTENTS_MAX)
        return isobmff_bad(state, "a list of items is too short");
    /* an item in several pieces is not a chain of lengths in each of them */
    const enum isobmff_codec codec = extents == 1 ? table_item_codec(state, id) : ISOBMFF_ANY;
    for (; method == 0 && reference == 0 && state->item_extent < extents; state->item_extent++) {
        const uint8_t *extent =
            entry == 0
                ? head
                : sig_bytes(in, state->item_at + head_len + (uint64_t)state->item_extent * entry,
                            entry);

        if (extent == NULL)
            return STEP_WAIT;
        const uint64_t at = sig_add(base, table_number(extent + iloc->index, iloc->offset));
        const uint64_t len = table_number(extent + iloc->index + iloc->offset, iloc->length);
        if (len > in->limit || at > in->limit - len)
            return isobmff_bad(state, "an item lies outside the file");
        if (len == 0)
            continue;
        const enum step step =
            isobmff_sample(in, &state->sample, NULL, table_may_look(state, codec, len),
                           state->item_nal_len == 0 ? 4 : state->item_nal_len, at, len);
        if (step != STEP_DONE)
            return step == STEP_WAIT ? step
                                     : isobmff_bad(state, "a picture does not look like its codec");
        state->has_items = true;
        table_data(state, at, len);
    }
    state->item_extent = 0;
    state->item_at = next;
    return STEP_DONE;
}

enum step isobmff_items(struct sig_input *in, struct isobmff_state *state)
{
    struct table_iloc iloc;

    if (state->iloc_at == 0)
        return STEP_DONE;
    const uint8_t *head = state->iloc_end - state->iloc_at < TABLE_ILOC_HEAD
                              ? NULL
                              : sig_bytes(in, state->iloc_at, TABLE_ILOC_HEAD);
    if (head == NULL)
        return state->iloc_end - state->iloc_at < TABLE_ILOC_HEAD
                   ? isobmff_bad(state, "a list of items is too short")
                   : STEP_WAIT;
    iloc.version = head[0];
    iloc.offset = head[4] >> 4;
    iloc.length = head[4] & 15;
    iloc.base = head[5] >> 4;
    iloc.index = iloc.version > 0 ? head[5] & 15 : 0;
    iloc.count = bytes_u16be(head + 6);
    if (iloc.version > 2 || iloc.offset > 8 || iloc.length > 8 || iloc.base > 8 || iloc.index > 8 ||
        iloc.offset % 4 != 0 || iloc.length % 4 != 0 || iloc.base % 4 != 0 || iloc.index % 4 != 0)
        return isobmff_bad(state, "unknown version of a list of items");
    if (iloc.version == 2) {
        const uint8_t *count = sig_bytes(in, state->iloc_at + 6, 4);

        if (count == NULL)
            return STEP_WAIT;
        iloc.count = bytes_u32be(count);
    }
    if (state->item_at == 0)
        state->item_at = state->iloc_at + (iloc.version == 2 ? 10 : 8);
    for (; state->item < iloc.count; state->item++) {
        const enum step step = table_item(in, state, &iloc);

        if (step != STEP_DONE)
            return step;
    }
    return STEP_DONE;
}
