/* SPDX-License-Identifier: Apache-2.0
 * carver/text/text_before.c - see text_before.h. */
#include "carver/text/text_before.h"

#include "base/bytes.h"
#include "base/limits.h"
#include "carver/text/text_spots.h"

enum {
    TEXT_BLOCK_MIN = 1024,
    TEXT_LIST = 8, /* numbers that follow each other: no other bytes do */
};

const uint8_t *text_source_bytes(struct sig_source *source, uint64_t at, uint32_t len)
{
    uint32_t have = 0;
    const uint8_t *bytes = source->view(source, at, len, &have);

    return have >= len ? bytes : NULL;
}

bool text_is_before(struct sig_source *source, uint64_t at)
{
    const uint8_t *bytes = text_source_bytes(source, at - TEXT_BEFORE, TEXT_BEFORE);

    return bytes != NULL && text_chars(bytes, TEXT_BEFORE) == TEXT_BEFORE;
}

/* Whether it is a list of blocks: one behind the other, or few of them and then zeros. */
static bool text_is_list(const uint8_t *sector)
{
    const uint32_t first = bytes_u32le(sector);
    uint32_t steps = 1, end;

    while (first != 0 && steps < TEXT_LIST && bytes_u32le(sector + steps * 4) == first + steps)
        steps++;
    for (end = steps * 4; steps < TEXT_LIST && end < LIMIT_SECTOR && sector[end] == 0;)
        end++;
    return first != 0 && (steps == TEXT_LIST || end == LIMIT_SECTOR);
}

bool text_is_listed(struct sig_source *source, uint64_t at)
{
    bool listed = false;

    for (uint64_t block = TEXT_BLOCK_MIN; !listed && block <= TEXT_BLOCK_MAX && block <= at;
         block *= 2) {
        const uint8_t *bytes = text_source_bytes(source, at - block, LIMIT_SECTOR);

        listed = bytes != NULL && text_is_list(bytes);
    }
    return listed;
}
