/* SPDX-License-Identifier: Apache-2.0
 * signatures/archive/zip_directory.c - the end of an archive: the central directory, compared with
 * the members that the walk has met, and the end records; and the verdicts on what breaks before.
 */
#include "signatures/archive/zip.h"

enum {
    WORTH_MIN = 512, /* a broken archive with less than a sector proven is the rest of an old file
                        in a slack */
};

/*
 * Nothing is proven behind the first member: its data decide whether there was an archive at all.
 * Where the archive is contradicted they must decode to their very end, since foreign bytes may
 * decode for long; where the image ends it is enough that they decode.
 */
bool zip_first_data(struct sig_input *in, struct zip_state *state, bool image_ends)
{
    uint64_t end = 0;

    if (state->members != 1 || in->valid > 0 || state->data_judged)
        return true;
    if (state->method != 8 || (state->flags & 1) != 0) {
        state->data_judged = image_ends;
        sig_valid(in, image_ends ? state->data_at : 0);
        return true;
    }
    const enum zip_data data =
        zip_inflate(in, state->data_at, state->data_at + ZIP_PROBE_MAX, ZIP_PROBE_OUT, &end);
    if (data == ZIP_DATA_WAIT && in->wanted <= in->limit)
        return false;
    if (data == ZIP_DATA_END && end - state->data_at == state->data_size)
        sig_valid(in, end);
    else if (data != ZIP_DATA_BAD && image_ends)
        sig_valid(in, state->data_at);
    state->data_judged = true;
    return true;
}

struct sig_result zip_broken(struct sig_input *in, const struct zip_state *state, const char *why)
{
    return in->valid < WORTH_MIN && !state->data_judged ? sig_reject(why) : sig_breaks(in, why);
}

bool zip_short(struct sig_input *in, struct zip_state *state, struct sig_result *out)
{
    const uint64_t wanted = in->wanted;

    if (wanted > in->limit && zip_first_data(in, state, true))
        in->wanted = wanted;
    *out = sig_short(in);
    if (out->verdict == SIG_BREAKS)
        *out = zip_broken(in, state, out->why);
    return false;
}

/* Is there a local header at this offset? Entries mostly come in the order of the members. */
static bool zip_offset_known(struct zip_state *state, uint64_t offset)
{
    const uint32_t seen =
        state->members < ZIP_OFFSETS_MAX ? (uint32_t)state->members : ZIP_OFFSETS_MAX;
    uint32_t low = 0, high = seen;

    if (state->cursor < seen && state->offsets[state->cursor] == (uint32_t)offset) {
        state->cursor++;
        return true;
    }
    if (offset >= state->directory_at)
        return false;
    if (state->members > seen && offset > state->offsets[seen - 1])
        return true; /* past what the table remembers */
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;

        if (state->offsets[middle] < (uint32_t)offset)
            low = middle + 1;
        else
            high = middle;
    }
    state->cursor = low + 1;
    return low < seen && state->offsets[low] == (uint32_t)offset;
}

static bool zip_entry(struct sig_input *in, struct zip_state *state, struct sig_result *out)
{
    const uint8_t *entry = sig_bytes(in, state->at, ZIP_CENTRAL_SIZE);

    if (entry == NULL)
        return zip_short(in, state, out);
    const uint32_t crc = bytes_u32le(entry + 16), packed = bytes_u32le(entry + 20),
                   plain = bytes_u32le(entry + 24);
    const uint32_t name_len = bytes_u16le(entry + 28), extra_len = bytes_u16le(entry + 30);
    const uint64_t extra_at = state->at + ZIP_CENTRAL_SIZE + name_len;
    const uint64_t next = extra_at + extra_len + bytes_u16le(entry + 32);
    uint64_t offset = bytes_u32le(entry + 42);
    if (offset == UINT32_MAX) { /* the third of the sizes in the zip64 extra field, of which only
                                   those are there that are needed */
        const uint32_t sizes = (plain == UINT32_MAX ? 8U : 0U) + (packed == UINT32_MAX ? 8U : 0U);
        const uint8_t *extra = extra_len == 0 ? NULL : sig_bytes(in, extra_at, extra_len);

        if (extra == NULL && extra_len > 0)
            return zip_short(in, state, out);
        for (uint32_t at = 0; extra_len - at >= 4; at += 4 + bytes_u16le(extra + at + 2)) {
            const uint32_t len = bytes_u16le(extra + at + 2);

            if (len > extra_len - at - 4)
                break;
            if (bytes_u16le(extra + at) == 1 && len >= sizes + 8)
                offset = bytes_u64le(extra + at + 4 + sizes);
        }
    }
    if (!zip_offset_known(
            state, offset)) /* the walk has met every member from the first to the directory */
        state->is_tail = true;
    if (in->thorough) {
        if (!zip_name(in, state, state->at + ZIP_CENTRAL_SIZE, name_len,
                      (uint32_t)(next - extra_at)))
            return zip_short(in, state, out);
        state->central_sum += zip_sum(offset, crc, packed, plain, state->name_crc);
    }
    state->entries++;
    state->at = next;
    return true;
}

/*
 * The directory names members from before the first header that was met: that one is no beginning,
 * but with all behind it the end of an archive, if that is so far away as the end record says.
 * offset: where it says that the directory is; 0: it cannot be believed.
 */
static struct sig_result zip_tail(struct sig_input *in, const struct zip_state *state,
                                  uint64_t offset)
{
    if (offset <= state->directory_at || state->entries <= state->members)
        return sig_reject("the central directory belongs to another archive");
    sig_valid(in, state->at + ZIP_END_SIZE);
    return sig_breaks(in, "this is the end of an archive; its beginning is not here");
}

/* The end record agrees, and ends at `end`; behind it is a comment. */
static struct sig_result zip_whole(struct sig_input *in, const struct zip_state *state,
                                   uint64_t end, uint32_t comment)
{
    sig_open_field(in, end, end + comment);
    if (!in->thorough)
        return sig_complete(in, end + comment,
                            "every member and the central directory are in place");
    if (state->no_descriptor || state->local_sum != state->central_sum)
        return sig_believe(in, end + comment,
                           "every member and the central directory are in place, but do not "
                           "agree");
    return sig_complete(in, end + comment,
                        "every member unpacks to its CRC, and the central directory names it");
}

/* "PK\5\6": the numbers in it must be those of the walk. */
static bool zip_end(struct sig_input *in, struct zip_state *state, struct sig_result *out)
{
    const uint8_t *end = sig_bytes(in, state->at, ZIP_END_SIZE);
    const bool has64 = state->end64_at != 0;

    if (end == NULL)
        return zip_short(in, state, out);
    const uint64_t size = state->directory_end - state->directory_at;
    const uint64_t count =
        has64 && bytes_u16le(end + 10) == UINT16_MAX ? state->end64_entries : bytes_u16le(end + 10);
    const uint64_t end_size =
        has64 && bytes_u32le(end + 12) == UINT32_MAX ? state->end64_size : bytes_u32le(end + 12);
    const uint64_t offset =
        has64 && bytes_u32le(end + 16) == UINT32_MAX ? state->end64_offset : bytes_u32le(end + 16);

    if (state->is_tail || offset > state->directory_at) {
        *out =
            zip_tail(in, state,
                     end_size == size && (uint16_t)count == (uint16_t)state->entries ? offset : 0);
        return false;
    }
    if ((bytes_u16le(end + 4) != 0 && !has64) || (uint16_t)count != (uint16_t)state->entries ||
        end_size != size || offset != state->directory_at)
        *out = zip_broken(in, state, "the end record contradicts the central directory");
    else
        *out = zip_whole(in, state, state->at + ZIP_END_SIZE, bytes_u16le(end + 20));
    return false;
}

/* "PK\6\6" | its size | … and the locator behind it, which must point back to it. */
static bool zip_end64(struct sig_input *in, struct zip_state *state, struct sig_result *out)
{
    const uint8_t *end = sig_bytes(in, state->at, 56);

    if (end == NULL)
        return zip_short(in, state, out);
    const uint64_t next = sig_add(state->at, sig_add(12, bytes_u64le(end + 4)));
    const uint64_t entries = bytes_u64le(end + 32), size = bytes_u64le(end + 40),
                   offset = bytes_u64le(end + 48);
    const uint8_t *locator = sig_bytes(in, next, 20);
    if (locator == NULL)
        return zip_short(in, state, out);
    if (next < state->at + 56 || bytes_u32le(locator) != ZIP_LOCATOR64 ||
        bytes_u64le(locator + 8) != state->at) {
        *out = zip_broken(in, state, "the zip64 end record is not where its locator says");
        return false;
    }
    sig_open_field(in, state->at + 56, next);
    state->end64_at = state->at;
    state->end64_entries = entries;
    state->end64_size = size;
    state->end64_offset = offset;
    state->at = next + 20;
    return true;
}

bool zip_directory(struct sig_input *in, struct zip_state *state, struct sig_result *out)
{
    const uint8_t *head = sig_bytes(in, state->at, 6);

    if (head == NULL)
        return zip_short(in, state, out);
    const uint32_t signature = bytes_u32le(head);
    if (signature == ZIP_CENTRAL || signature == ZIP_SIGNED || signature == ZIP_END ||
        signature == ZIP_END64)
        sig_valid(in, state->at);
    if (signature == ZIP_CENTRAL && state->directory_end == 0)
        return zip_entry(in, state, out);
    if (signature == ZIP_SIGNED && state->directory_end == 0) {
        const uint64_t end = state->at + 6 + bytes_u16le(head + 4);
        sig_open_field(in, state->at, end);
        state->at = end;
        return true;
    }
    if (state->directory_end == 0)
        state->directory_end = state->at;
    if (signature == ZIP_END)
        return zip_end(in, state, out);
    if (signature == ZIP_END64 && state->end64_at == 0)
        return zip_end64(in, state, out);
    *out = state->is_tail
               ? zip_tail(in, state, 0)
               : zip_broken(in, state, "a valid end record must follow here, and none does");
    return false;
}
