/* SPDX-License-Identifier: Apache-2.0
 * signatures/archive/zip_thorough.c - the proof of an archive's content, for an owner that asks for
 * it: every member unpacks to its CRC-32 and length, and the central directory names just these
 * members.
 *
 * Names, sizes, CRCs and places of all members are summed up as they are met, and once more from
 * the central directory: both sums must be the same. Members that are encrypted or packed in
 * another way than deflate are open (sig_open), and so are comments, extra fields and signing
 * blocks of a sector or more.
 */
#include "signatures/archive/zip.h"
#include "signatures/lib/crc32.h"

/* Whether what the member's data unpack to can be looked at. */
static bool zip_deep_known(const struct zip_state *state)
{
    return (state->flags & 1) == 0 && (state->method == 0 || state->method == 8);
}

enum zip_phase zip_deep_begin(struct zip_deep *deep, bool streamed)
{
    struct zip_state *state = &deep->state;

    if (zip_deep_known(state) && state->method == 8 && (streamed || state->data_size > 0)) {
        isal_inflate_init(&deep->inflate);
        deep->inflate.crc_flag = ISAL_GZIP_NO_HDR;
        state->deflated = (struct inflate_got){ 0 };
        state->wrong = false;
        return ZIP_IN_DEFLATED;
    }
    return streamed ? ZIP_AT_SEARCH : ZIP_IN_SIZED;
}

enum zip_data zip_deflated(struct sig_input *in, struct zip_deep *deep, uint64_t *end)
{
    struct zip_state *state = &deep->state;
    const bool sized = state->data_size > 0;
    const uint64_t to = sized ? sig_add(state->data_at, state->data_size) : UINT64_MAX;
    enum step step = STEP_BAD;

    if (!state->wrong)
        step = inflate_range(in, &deep->inflate, &state->search_at, to, &state->deflated);
    /* The verdict on them may have to wait, and must not change by going on. */
    state->wrong = step == STEP_BAD;
    if (step != STEP_DONE)
        return step == STEP_WAIT ? ZIP_DATA_WAIT : ZIP_DATA_BAD;
    *end = state->search_at;
    state->crc = deep->inflate.crc;
    return sized && *end != to ? ZIP_DATA_BAD : ZIP_DATA_END;
}

bool zip_name(struct sig_input *in, struct zip_state *state, uint64_t at, uint32_t len,
              uint32_t behind)
{
    const uint64_t end = sig_add(at, len);

    state->name_crc = 0;
    sig_open_field(in, end, sig_add(end, behind));
    return crc32_add(in, &at, end, &state->name_crc) != STEP_WAIT;
}

/* A size as the central directory has it. */
static uint32_t zip_low(uint64_t size)
{
    return size < UINT32_MAX ? (uint32_t)size : UINT32_MAX;
}

uint64_t zip_sum(uint64_t offset, uint32_t crc, uint64_t packed, uint64_t plain, uint32_t name_crc)
{
    uint64_t sum = offset;

    sum = (sum ^ crc) * UINT64_C(0x9e3779b97f4a7c15);
    sum = (sum ^ sum >> 29 ^ zip_low(packed)) * UINT64_C(0xbf58476d1ce4e5b9);
    sum = (sum ^ sum >> 32 ^ zip_low(plain)) * UINT64_C(0x94d049bb133111eb);
    sum = (sum ^ sum >> 30 ^ name_crc) * UINT64_C(0x9e3779b97f4a7c15);
    return sum ^ sum >> 31;
}

/* The CRC-32 and the length that the descriptor of len bytes at `at` gives; false: wait. */
static bool zip_deep_told(struct sig_input *in, uint64_t at, uint32_t len, uint32_t *crc,
                          uint32_t *plain)
{
    const uint8_t *bytes = sig_bytes(in, at, len);

    if (bytes == NULL)
        return false;
    const bool wide = len == 20 || len == 24;
    const uint32_t first = len == 16 || len == 24 ? 4 : 0;
    *crc = bytes_u32le(bytes + first);
    *plain = bytes_u32le(bytes + first + (wide ? 12 : 8));
    return true;
}

enum zip_data zip_deep_end(struct sig_input *in, struct zip_deep *deep, uint64_t end, uint32_t len)
{
    struct zip_state *state = &deep->state;
    const bool stored = state->method == 0;
    const uint64_t size = end - state->data_at;
    uint32_t crc = state->crc_told, plain = (uint32_t)state->plain_size;

    if (len > 0 && !zip_deep_told(in, end, len, &crc, &plain))
        return ZIP_DATA_WAIT;
    if (!zip_deep_known(state)) {
        sig_open(in, state->data_at, end);
        /* The directory has the length that nothing else tells. */
        state->local_sum += zip_sum(state->at, crc, size, plain, state->name_crc);
        return ZIP_DATA_GOOD;
    }
    if (stored && crc32_add(in, &state->crc_at, end, &state->crc) == STEP_WAIT)
        return ZIP_DATA_WAIT;
    const uint64_t got = stored ? size : size > 0 ? state->deflated.bytes : 0;
    if (len == 0 && (state->flags & 8) != 0 && crc == 0) {
        state->no_descriptor = state->no_descriptor || size > 0;
    } else {
        if (state->crc != crc)
            return ZIP_DATA_BAD;
        /* With zip64 an extra field has the length; old Krita wrote a word in its place. */
        if ((uint32_t)got != plain && plain != UINT32_MAX && !stored)
            return ZIP_DATA_BAD;
    }
    state->local_sum += zip_sum(state->at, state->crc, size, got, state->name_crc);
    /* An empty member has extra fields at its end that nobody has read. */
    sig_sure(in, end + len < in->reached ? end + len : in->reached);
    return ZIP_DATA_GOOD;
}
