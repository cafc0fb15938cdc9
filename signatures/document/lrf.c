/* SPDX-License-Identifier: Apache-2.0
 * signatures/document/lrf.c - Sony's BroadBand eBooks: lrf.
 *
 *   "L" 0 "R" 0 "F" 0 0 0 | u16le version | u16le key | u32le root object | u64le objects | 18
 *   u64le place of their index
 *   index: for each object: u32le id, place, length | 0        objects: F5 00 | u32le id | ... | F5
 *   01
 *
 * The index is the end of the file; every object in it must begin and end as one does.
 */
#include <string.h>

#include "base/bytes.h"
#include "signatures/sig.h"

enum {
    LRF_HEAD = 32,
    LRF_ENTRY = 16,
    LRF_OBJECTS_MAX = 1 << 20,
    LRF_TAG = 6,
};

struct lrf_state {
    uint32_t next;
};

static struct sig_result lrf_check(struct sig_input *in, void *memory)
{
    struct lrf_state *state = memory;
    const uint8_t *head = sig_bytes(in, 0, LRF_HEAD);

    if (head == NULL)
        return sig_short(in);
    const uint32_t version = bytes_u16le(head + 8);
    const uint64_t objects = bytes_u64le(head + 16), index = bytes_u64le(head + 24);
    if (version == 0 || version > 2000 || objects == 0 || objects > LRF_OBJECTS_MAX ||
        index < LRF_HEAD || index > UINT32_MAX)
        return sig_reject("header fields are out of range");
    for (; state->next < objects; state->next++) {
        const uint8_t *entry = sig_bytes(in, index + state->next * (uint64_t)LRF_ENTRY, LRF_ENTRY);

        if (entry == NULL)
            return sig_short(in);
        const uint32_t id = bytes_u32le(entry), place = bytes_u32le(entry + 4),
                       len = bytes_u32le(entry + 8);
        if (len < LRF_TAG + 2 || place < LRF_HEAD || place > index || len > index - place ||
            bytes_u32le(entry + 12) != 0)
            return state->next == 0 ? sig_reject("there is no valid index where the header points")
                                    : sig_breaks(in, "an object lies outside the file");
        const uint8_t *object = sig_bytes(in, place, LRF_TAG);
        if (object == NULL)
            return sig_short(in);
        bool right = object[0] == 0 && object[1] == 0xf5 && bytes_u32le(object + 2) == id;
        object = sig_bytes(in, place + len - 2, 2);
        if (object == NULL)
            return sig_short(in);
        right = right && object[0] == 1 && object[1] == 0xf5;
        if (!right)
            return state->next == 0 ? sig_reject("there is no object where the index says")
                                    : sig_breaks(in, "an object is not where the index says");
        sig_valid(in, place + len);
    }
    return sig_complete(in, index + objects * LRF_ENTRY, "every object is where the index says");
}

const struct sig sig_lrf = {
    .name = "lrf",
    .what = "Sony BroadBand eBook",
    .proves = "index at the end; every object begins and ends where the index says",
    .source = "LRF format, as described by the pylrs and calibre projects: header, object index, "
              "tags F500 and F501",
    .types = (const struct sig_type[]){ { "lrf", "lrf" }, { 0 } },
    .headers = { SIG_PATTERN("L\0R\0F\0\0\0") },
    .flags = SIG_SECTOR_ALIGNED | SIG_CONTAINER,
    .size_min = LRF_HEAD + LRF_ENTRY + LRF_TAG,
    .size_max = UINT64_C(1) << 33,
    .state_size = sizeof(struct lrf_state),
    .check = lrf_check,
};
