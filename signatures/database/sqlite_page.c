/* SPDX-License-Identifier: Apache-2.0
 * signatures/database/sqlite_page.c - what can be told from one b-tree page alone. See
 * sqlite_page.h. */
#include "signatures/database/sqlite_page.h"
#include "base/bytes.h"

enum {
    FRAGMENTS_MAX = 60, /* bytes in fragments on one page */
    VARINT_MAX = 9,
    CELL_MIN = 4, /* a cell takes at least so many bytes */
};

uint64_t sqlite_varint(const uint8_t *page, uint32_t end, uint32_t *at)
{
    uint64_t value = 0;

    if (*at < end && page[*at] < 0x80) /* nearly all of them */
        return page[(*at)++];
    for (uint32_t i = 0; i < VARINT_MAX; i++) {
        const uint8_t byte = *at < end ? page[*at] : 0;

        (*at)++;
        if (i == VARINT_MAX - 1)
            return value << 8 | byte;
        value = value << 7 | (byte & 0x7f);
        if (byte < 0x80)
            break;
    }
    return value;
}

bool sqlite_page_sane(const uint8_t *page, uint32_t at, uint32_t usable)
{
    const uint8_t *head = page + at;
    const uint32_t kind = head[0], cells = bytes_u16be(head + 3), free_at = bytes_u16be(head + 1);
    const uint32_t content = bytes_u16be(head + 5) == 0 ? 65536 : bytes_u16be(head + 5);
    const uint32_t begin = at + (kind == SQLITE_INDEX_LEAF || kind == SQLITE_TABLE_LEAF ? 8 : 12);

    if (kind != SQLITE_INDEX_INTERIOR && kind != SQLITE_TABLE_INTERIOR &&
        kind != SQLITE_INDEX_LEAF && kind != SQLITE_TABLE_LEAF)
        return false;
    return begin + 2 * cells <= content && content <= usable && head[7] <= FRAGMENTS_MAX &&
           (free_at == 0 || (free_at >= content && free_at < usable));
}

bool sqlite_cell(uint32_t usable, const uint8_t *page, uint32_t head, uint32_t index,
                 struct sqlite_cell *out)
{
    const uint32_t kind = page[head];
    const bool table = sqlite_is_table(kind), leaf = sqlite_is_leaf(kind);
    uint32_t at = bytes_u16be(page + head + (leaf ? 8 : 12) + 2 * (size_t)index);

    const uint32_t begin = at;
    *out = (struct sqlite_cell){ 0 };
    if (at < head + 8 || at + CELL_MIN > usable)
        return false;
    if (!leaf) {
        out->child = bytes_u32be(page + at);
        at += 4;
    }
    if (leaf || !table)
        out->payload = sqlite_varint(page, usable, &at);
    if (table)
        out->row = (int64_t)sqlite_varint(page, usable, &at);
    if (!leaf && table) {
        out->size = at - begin;
        return at <= usable;
    }
    /* SQLite's file format, 1.6: how much of the payload stays on the page. */
    const uint32_t most = table ? usable - 35 : (usable - 12) * 64 / 255 - 23,
                   least = (usable - 12) * 32 / 255 - 23;
    out->local_at = at;
    out->local = (uint32_t)out->payload;
    if (out->payload > most) {
        const uint64_t kept = least + (out->payload - least) % (usable - 4);

        out->local = kept <= most ? (uint32_t)kept : least;
    }
    if (at > usable || out->local > usable - at)
        return false;
    out->size = at + out->local - begin;
    if (out->payload > most) {
        out->size += 4;
        if (usable - at - out->local < 4)
            return false;
        out->overflow = bytes_u32be(page + at + out->local);
        return out->overflow != 0 && out->payload < UINT64_C(1) << 32;
    }
    out->size = out->size < CELL_MIN ? CELL_MIN : out->size;
    return true;
}

bool sqlite_page_full(const uint8_t *page, uint32_t head, uint32_t usable, uint64_t cells_size)
{
    const uint32_t content =
        bytes_u16be(page + head + 5) == 0 ? 65536 : bytes_u16be(page + head + 5);
    uint32_t at = bytes_u16be(page + head + 1), last = 0;

    while (at != 0) {
        if (at <= last || at + 4 > usable)
            return false;
        last = at;
        cells_size += bytes_u16be(page + at + 2);
        at = bytes_u16be(page + at);
    }
    return cells_size + page[head + 7] == usable - content;
}

bool sqlite_cells_full(uint32_t usable, const uint8_t *page, uint32_t head, uint32_t child_max)
{
    const bool leaf = sqlite_is_leaf(page[head]);
    const uint32_t cells = bytes_u16be(page + head + 3);
    uint64_t size = 0;

    for (uint32_t i = 0; i < cells; i++) {
        struct sqlite_cell cell;

        if (!sqlite_cell(usable, page, head, i, &cell) ||
            (!leaf && (cell.child == 0 || cell.child > child_max)))
            return false;
        size += cell.size;
    }
    return sqlite_page_full(page, head, usable, size);
}
