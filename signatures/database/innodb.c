/* SPDX-License-Identifier: Apache-2.0
 * signatures/database/innodb.c - InnoDB tablespaces of MySQL and MariaDB: ibd.
 *
 *   page 0: checksum | number 0 | previous, next | log position | 24 kind 8 | ... | 34 tablespace |
 * 38 again | 46 pages | free limit | 54 flags every page: 4 its number | 16 log position | 24 kind
 * | 34 tablespace; its last 8 bytes end with the lower half of the log position
 *
 * The page size is in the flags (of compressed tables too), the number of pages in page 0. Each
 * page must carry its number and tablespace, or be zeros where it was never used. System
 * tablespaces (ibdata1) begin likewise and may go on in further files; redo logs are not looked
 * for.
 */
#include <string.h>

#include "base/bytes.h"
#include "signatures/sig.h"

enum {
    INNODB_HEAD = 128,
    INNODB_PAGE_HEAD = 38,
    INNODB_PAGES_MIN = 4,
    INNODB_DOUBLE_FROM = 64,
    INNODB_DOUBLE_TO = 192,
    INNODB_FIRST_SIZE =
        65536, /* bytes of a file when it is made; smaller pages leave some of them unused */
    INNODB_FULL_CRC = 1 << 4, /* MariaDB 10.5: other flags, CRC at the end */
};

struct innodb_state {
    uint32_t page_size, pages, next, space, written;
    bool full_crc, compressed;
};

/* The size of a page on the disk; 0: not known. */
static uint32_t innodb_page_size(struct innodb_state *state, uint32_t flags)
{
    const uint32_t zip = flags >> 1 & 15, plain = flags >> 6 & 15;

    state->full_crc = (flags & INNODB_FULL_CRC) != 0 && (flags & 15) >= 3 && (flags & 15) <= 7 &&
                      (flags >> 8) == 0;
    if (state->full_crc)
        return 512u << (flags & 15);
    state->compressed = zip != 0;
    if (zip > 5 || plain > 7 || (plain > 0 && plain < 3))
        return 0;
    return zip != 0 ? 512u << zip : plain != 0 ? 512u << plain : 16384;
}

static const char *innodb_head(const uint8_t *head, struct innodb_state *state)
{
    state->space = bytes_u32be(head + 34);
    state->pages = bytes_u32be(head + 46);
    state->page_size = innodb_page_size(state, bytes_u32be(head + 54));
    if (state->page_size == 0 || state->space != bytes_u32be(head + 38) ||
        bytes_u32be(head + 42) != 0)
        return "tablespace or flags are out of range";
    if (state->pages < INNODB_PAGES_MIN || state->pages > 1u << 30 ||
        bytes_u32be(head + 50) > state->pages + 64 * 64)
        return "the number of pages is out of range";
    state->next = 1;
    return NULL;
}

/* 0: not a page of this tablespace; 1: zeros; 2: a page. */
static uint32_t innodb_page(const struct innodb_state *state, const uint8_t *page)
{
    static const uint8_t zeros[INNODB_PAGE_HEAD];
    const uint8_t *tail = page + state->page_size - (state->full_crc ? 8 : 4);

    if (memcmp(page, zeros, INNODB_PAGE_HEAD) == 0)
        return 1;
    if (state->space == 0 && state->next >= INNODB_DOUBLE_FROM && state->next < INNODB_DOUBLE_TO)
        return 1; /* copies of pages that are just being written */
    if (bytes_u32be(page + 4) != state->next || bytes_u32be(page + 34) != state->space)
        return 0;
    return state->compressed || memcmp(tail, page + 20, 4) == 0 ? 2 : 0;
}

static struct sig_result innodb_check(struct sig_input *in, void *memory)
{
    struct innodb_state *state = memory;

    if (state->next == 0) {
        const uint8_t *head = sig_bytes(in, 0, INNODB_HEAD);

        if (head == NULL)
            return sig_short(in);
        const char *why = innodb_head(head, state);
        if (why != NULL) {
            state->next = 0;
            return sig_reject(why);
        }
    }
    for (; state->next < state->pages; state->next++) {
        const uint64_t at = (uint64_t)state->next * state->page_size;
        const uint8_t *page = sig_bytes(in, at, state->page_size);

        if (page == NULL)
            return sig_short(in);
        const uint32_t kind = innodb_page(state, page);
        if (kind == 0)
            return sig_breaks(in, "a page does not carry its number and tablespace");
        if (kind == 2) {
            sig_valid(in, at + state->page_size);
            state->written++;
        }
    }
    if (state->written < 2)
        return sig_reject("there are no pages behind the first");
    uint64_t len = (uint64_t)state->pages * state->page_size;
    if (state->compressed && len < INNODB_FIRST_SIZE) {
        const uint32_t rest = (uint32_t)(INNODB_FIRST_SIZE - len);
        const uint8_t *bytes = sig_bytes(in, len, rest);

        if (bytes == NULL && in->wanted <= in->limit)
            return sig_short(in);
        if (bytes != NULL && bytes[0] == 0 && memcmp(bytes, bytes + 1, rest - 1) == 0)
            len += rest;
    }
    return sig_complete(in, len, "every page carries its number and tablespace");
}

const struct sig sig_innodb = {
    .name = "innodb",
    .what = "InnoDB tablespace of MySQL or MariaDB",
    .proves = "every page carries its number, tablespace and log position at both ends; checksums "
              "are not compared",
    .source = "MySQL 8.0 source documentation: fil0fil.h, fsp0fsp.h; MariaDB, fsp0types.h: flags "
              "of full_crc32",
    .types = (const struct sig_type[]){ { "ibd", "ibd" }, { 0 } },
    /* page number 0 | kind 8 | between the two words of the tablespace nothing is fixed; the word
       behind them is 0 */
    .headers = { { .bytes = "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x08\0\0\0\0\0\0\0\0\0\0\0\0"
                            "\0\0\0\0\0\0\0\0",
                   .mask = "\xff\xff\xff\xff\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\xff\xff\0\0\0\0\0\0\0"
                           "\0\0\0\0\0\0\0\0\0"
                           "\xff\xff\xff\xff",
                   .len = 42,
                   .at = 4 } },
    .flags = SIG_SECTOR_ALIGNED | SIG_CONTAINER,
    .size_min = 4 * 1024,
    .size_max = UINT64_C(1) << 46,
    .state_size = sizeof(struct innodb_state),
    .check = innodb_check,
};
