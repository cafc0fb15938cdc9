/* SPDX-License-Identifier: Apache-2.0
 * signatures/document/onenote.c - OneNote sections and tables of contents: one, onetoc2.
 *
 *   header, 1024 bytes: class id of the kind | id of the file | zeros | class id of the format |
 * ... | A0 transaction log, AC root list of nodes, B8 list of free chunks: u64le place, u32le
 * length | C4 u64le size of the file fragment of a list: A4567AB1F5F7F4C4 | list | number | nodes |
 * place and length of the next | 8BC215C38233BA4B
 *
 * The fragments of the root list are followed. The other lists are named inside of them and not
 * followed. Files that are kept by a server are packed otherwise and not found.
 */
#include <string.h>

#include "base/bytes.h"
#include "signatures/lib/step.h"
#include "signatures/sig.h"

enum {
    ONENOTE_HEADER = 1024,
    ONENOTE_FRAGMENT_HEAD = 16,
    ONENOTE_FRAGMENT_TAIL = 20,
    ONENOTE_FRAGMENT_MAX = 1 << 24,
    ONENOTE_FRAGMENTS_MAX = 4096,
};

#define ONENOTE_BEGIN UINT64_C(0xa4567ab1f5f7f4c4)
#define ONENOTE_END UINT64_C(0x8bc215c38233ba4b)

struct onenote_state {
    uint64_t place, size; /* of the next fragment; of the file */
    uint32_t len, number, list;
};

static const struct sig_type onenote_types[] = { { "one", "one" },
                                                 { "onetoc2", "onetoc2" },
                                                 { 0 } };

static enum step onenote_fragment(struct sig_input *in, struct onenote_state *state)
{
    if (state->len < ONENOTE_FRAGMENT_HEAD + ONENOTE_FRAGMENT_TAIL ||
        state->len > ONENOTE_FRAGMENT_MAX || state->place < ONENOTE_HEADER ||
        state->place > state->size || state->len > state->size - state->place)
        return STEP_BAD;
    const uint8_t *head = sig_bytes(in, state->place, ONENOTE_FRAGMENT_HEAD);
    if (head == NULL)
        return STEP_WAIT;
    const uint32_t list = bytes_u32le(head + 8);
    if (bytes_u64le(head) != ONENOTE_BEGIN || bytes_u32le(head + 12) != state->number ||
        list < 16 || (state->number > 0 && list != state->list))
        return STEP_BAD;
    const uint8_t *tail =
        sig_bytes(in, state->place + state->len - ONENOTE_FRAGMENT_TAIL, ONENOTE_FRAGMENT_TAIL);
    if (tail == NULL)
        return STEP_WAIT;
    if (bytes_u64le(tail + 12) != ONENOTE_END)
        return STEP_BAD;
    state->place = bytes_u64le(tail);
    state->len = bytes_u32le(tail + 8);
    state->list = list;
    state->number++;
    return STEP_DONE;
}

static struct sig_result onenote_check(struct sig_input *in, void *memory)
{
    struct onenote_state *state = memory;
    static const uint8_t format[16] = { 0x3f, 0xdd, 0x9a, 0x10, 0x1b, 0x91, 0xf5, 0x49,
                                        0xa5, 0xd0, 0x17, 0x91, 0xed, 0xc8, 0xae, 0xd8 };
    const uint8_t *head = sig_bytes(in, 0, ONENOTE_HEADER);

    if (head == NULL)
        return sig_short(in);
    in->type = &onenote_types[head[0] == 0xa1];
    if (state->size == 0) {
        state->size = bytes_u64le(head + 0xc4);
        state->place = bytes_u64le(head + 0xac);
        state->len = bytes_u32le(head + 0xb4);
        if (memcmp(head + 48, format, sizeof format) != 0 || state->size <= ONENOTE_HEADER)
            return sig_reject("unknown format, or no size");
    }
    while (state->len != 0 && state->place != UINT64_MAX && state->number < ONENOTE_FRAGMENTS_MAX) {
        const enum step step = onenote_fragment(in, state);

        if (step == STEP_WAIT) {
            if (in->wanted > in->limit && state->number > 0)
                sig_valid(in, in->limit);
            return sig_short(in);
        }
        if (step == STEP_BAD)
            return sig_breaks(in, "invalid list of nodes");
    }
    if (state->number == 0)
        return sig_reject("there is no list of nodes");
    return sig_believe(in, state->size,
                       "the header gives the size; the root list of nodes is "
                       "there");
}

const struct sig sig_onenote = {
    .name = "onenote",
    .what = "OneNote section or table of contents",
    .proves = "size in the header; the root list of nodes is there in all its parts; other lists "
              "are not read",
    .source = "[MS-ONESTORE] 2.3.1 Header, 2.4.1 FileNodeListFragment",
    .types = onenote_types,
    .headers = { SIG_PATTERN("\xe4\x52\x5c\x7b\x8c\xd8\xa7\x4d\xae\xb1\x53\x78\xd0\x29\x96\xd3"),
                 SIG_PATTERN("\xa1\x2f\xff\x43\xd9\xef\x76\x4c\x9e\xe2\x10\xea\x57\x22\x76\x5f") },
    .flags = SIG_SECTOR_ALIGNED | SIG_CONTAINER,
    .size_min = ONENOTE_HEADER + ONENOTE_FRAGMENT_HEAD + ONENOTE_FRAGMENT_TAIL,
    .size_max = UINT64_C(1) << 36,
    .state_size = sizeof(struct onenote_state),
    .check = onenote_check,
};
