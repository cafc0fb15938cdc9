/* SPDX-License-Identifier: Apache-2.0
 * signatures/archive/zip_data.c - where a member's data ends when its local header does not say.
 *
 * A streamed member is followed by a data descriptor: ["PK\7\8"] CRC-32 | packed size | unpacked
 * size, the sizes of 4 bytes, or of 8 in zip64. What tells it from the same bytes inside the data
 * (a stored ZIP has descriptors of its own) is that its packed size is its distance from the start
 * of the data.
 */
#include <string.h>

#include "signatures/archive/zip.h"
#include "signatures/lib/crc32.h"
#include "signatures/lib/inflate.h"

enum {
    INFLATE_IN = 512,        /* bytes decoded at a time */
    INFLATE_OUT = 32 * 1024, /* decoded bytes are thrown away in pieces of this size */
    SEARCH_HITS_MAX = 4096,  /* headers that are not the end, before the search gives up … */
    SIZED_RATIO = 20, /* what unpacks to more than so many times its size may look like anything */
    SEARCH_HITS_FIRST = 64, /* … and in the first member, of which nothing is proven yet */
};

enum zip_data zip_inflate(struct sig_input *in, uint64_t from, uint64_t to, uint32_t out_max,
                          uint64_t *end)
{
    const uint64_t counted = in->unpacked_from;
    struct inflate_state inflate;
    uint8_t out[INFLATE_OUT];

    isal_inflate_init(&inflate);
    for (uint64_t at = from; at < to && inflate.total_out < out_max;) {
        /* Always the same pieces: igzip decodes ahead of its output, so that where it meets a fault
         * depends on how it is fed. */
        const uint64_t room = (to < in->limit ? to : in->limit) - (at < in->limit ? at : in->limit);
        const uint32_t len = room < INFLATE_IN ? (uint32_t)(room > 0 ? room : 1) : INFLATE_IN;
        const uint8_t *bytes = sig_bytes(in, at, len);

        if (bytes == NULL) {
            /* Decoding begins anew next time: ask for twice as much, so that it all costs no more
             * than twice. */
            const uint64_t twice = sig_add(at + len, at - from);

            if (at + len <= in->limit)
                in->wanted = twice < in->limit ? twice : in->limit;
            return ZIP_DATA_WAIT;
        }
        inflate_give(&inflate, bytes, len);
        do {
            uint32_t got;

            if (!inflate_take(&inflate, out, sizeof out, &got))
                return ZIP_DATA_BAD;
            /* What is decoded anew has been counted. */
            if (at + len > counted && !sig_unpacked(in, at + len, got))
                return ZIP_DATA_BAD;
        } while (inflate_more(&inflate));
        at += len;
        if (inflate_ended(&inflate)) {
            *end = at - inflate_unused(&inflate);
            return ZIP_DATA_END;
        }
    }
    return ZIP_DATA_GOOD;
}

enum zip_data zip_sized(struct sig_input *in, struct zip_state *state)
{
    const uint64_t end = sig_add(state->data_at, state->data_size);
    const bool secret = (state->flags & 1) != 0,
               told = (state->flags & 8) == 0 || state->crc_told != 0;

    if (state->method != 0 && state->plain_size / SIZED_RATIO <= state->data_size) {
        const enum step step =
            plausible_check(in, &state->plausible, PLAUSIBLE_COMPRESSED, 1, state->data_at, end);
        if (step != STEP_DONE)
            return step == STEP_WAIT ? ZIP_DATA_WAIT : ZIP_DATA_BAD;
    }
    if (state->method != 0 || secret || !told || state->plain_size != state->data_size)
        return ZIP_DATA_GOOD;
    if (crc32_add(in, &state->crc_at, end, &state->crc) == STEP_WAIT)
        return ZIP_DATA_WAIT;
    return state->crc == state->crc_told ? ZIP_DATA_GOOD : ZIP_DATA_BAD;
}

static bool zip_begins_record(const uint8_t *bytes)
{
    const uint32_t signature = bytes_u32le(bytes);

    return signature == ZIP_LOCAL || signature == ZIP_CENTRAL || signature == ZIP_EXTRA_DATA;
}

enum zip_data zip_descriptor(struct sig_input *in, uint64_t from, uint64_t at, bool may_miss,
                             uint32_t *len)
{
    /* A central directory with at least one entry and its end follow: these bytes are there in
     * every whole archive. */
    const uint8_t *bytes = sig_bytes(in, at, ZIP_DESCRIPTOR_MAX + 4);
    const uint64_t size = at - from;

    if (bytes == NULL)
        return ZIP_DATA_WAIT;
    const bool marked = bytes_u32le(bytes) == ZIP_DESCRIPTOR;
    if (marked && bytes_u64le(bytes + 8) == size && zip_begins_record(bytes + 24))
        *len = 24;
    else if (marked && bytes_u32le(bytes + 8) == (uint32_t)size)
        *len = 16; /* what comes next may also be an APK's signing block, which has no signature in
                      front */
    else if (marked && bytes_u64le(bytes + 8) == size)
        *len = 24;
    else if (bytes_u64le(bytes + 4) == size && zip_begins_record(bytes + 20))
        *len = 20;
    else if (bytes_u32le(bytes + 4) == (uint32_t)size && zip_begins_record(bytes + 12))
        *len = 12;
    else if (may_miss && zip_begins_record(bytes))
        *len = 0;
    else
        return ZIP_DATA_BAD;
    return ZIP_DATA_END;
}

/* Does the "PK" at `hit` end the data of the member? Both forms of a descriptor that carry no mark
 * end where a record begins. */
static enum zip_data zip_search_hit(struct sig_input *in, struct zip_state *state, uint64_t hit,
                                    uint64_t *end)
{
    static const uint32_t before[] = { 0, 12, 20 };
    const uint8_t *bytes = sig_bytes(in, hit, 4);

    if (bytes == NULL)
        return ZIP_DATA_WAIT;
    const bool marked = bytes_u32le(bytes) == ZIP_DESCRIPTOR;
    if (!marked && !zip_begins_record(bytes))
        return ZIP_DATA_BAD;
    for (size_t i = 0; i < sizeof before / sizeof before[0]; i++) {
        uint32_t len;

        if (marked != (before[i] == 0) || hit - state->data_at < before[i])
            continue;
        const enum zip_data found =
            zip_descriptor(in, state->data_at, hit - before[i], false, &len);
        *end = hit - before[i];
        if (found == ZIP_DATA_WAIT || (found == ZIP_DATA_END && (marked || len == before[i])))
            return found;
    }
    state->search_hits += !marked;
    return ZIP_DATA_BAD;
}

/* The next "PK" from state->search_at on. One byte is looked for, since memchr is many times faster
 * than memmem for two. */
static enum sig_found zip_search_mark(struct sig_input *in, struct zip_state *state, uint64_t to)
{
    /* Behind the last descriptor there is a central directory. */
    const uint64_t last =
        in->limit < ZIP_DESCRIPTOR_MAX + 4 ? 0 : in->limit - ZIP_DESCRIPTOR_MAX - 4;

    if (to > last)
        to = last;
    while (state->search_at < to) {
        uint32_t len;
        const uint8_t *bytes = sig_span_to(in, state->search_at, to, &len);

        if (bytes == NULL)
            return SIG_FIND_WAIT;
        const uint8_t *mark = memchr(bytes, 'P', len);
        if (mark == NULL) {
            state->search_at += len;
            in->find_at = state->search_at;
            continue;
        }
        const uint32_t skip = (uint32_t)(mark - bytes);
        state->search_at += skip;
        if (skip + 1 >= len || mark[1] == 'K') /* at the end of what is seen: maybe */
            return SIG_FOUND;
        state->search_at++;
    }
    return SIG_FIND_NONE;
}

enum zip_data zip_search(struct sig_input *in, struct zip_state *state, uint64_t to, uint64_t *end)
{
    while (state->search_hits < (state->members == 1 ? SEARCH_HITS_FIRST : SEARCH_HITS_MAX)) {
        const enum sig_found found = zip_search_mark(in, state, to);

        if (found != SIG_FOUND)
            return found == SIG_FIND_NONE ? ZIP_DATA_BAD : ZIP_DATA_WAIT;
        const enum zip_data data = zip_search_hit(in, state, state->search_at, end);
        if (data != ZIP_DATA_BAD)
            return data;
        state->search_at++;
    }
    return ZIP_DATA_MANY;
}
