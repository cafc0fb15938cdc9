/* SPDX-License-Identifier: Apache-2.0
 * signatures/document/indesign.c - Adobe InDesign documents: indd.
 *
 *   two master pages of 4096 bytes: class id | "DOCUMENT" | 1: little-endian, 2: big | ... | 108
 * u64 sequence | ... | 118 u32 pages of the database the database | streams: class id, u32 object,
 * kind, length, checksum | data | class id, the same four words
 *
 * The master page with the higher sequence counts. The streams behind the database are walked; the
 * file ends with the last of them. What is in the database is not published.
 */
#include <string.h>

#include "base/bytes.h"
#include "signatures/sig.h"

enum {
    INDD_PAGE = 4096,
    INDD_SEQUENCE = 264,
    INDD_PAGES = 280,
    INDD_MARK = 32, /* head and tail of a stream */
};

struct indd_state {
    uint64_t at; /* stream to look at */
};

static const uint8_t indd_class[16] = { 0x06, 0x06, 0xed, 0xf5, 0xd8, 0x1d, 0x46, 0xe5,
                                        0xbd, 0x31, 0xef, 0xe7, 0xfe, 0x74, 0xb7, 0x1d };
static const uint8_t indd_head[16] = { 0xde, 0x39, 0x39, 0x79, 0x51, 0x88, 0x4b, 0x6c,
                                       0x8e, 0x63, 0xee, 0xf8, 0xae, 0xe0, 0xdd, 0x38 };
static const uint8_t indd_tail[16] = { 0xfd, 0xce, 0xdb, 0x70, 0xf7, 0x86, 0x4b, 0x4f,
                                       0xa4, 0xd3, 0xc7, 0x28, 0xb3, 0x41, 0x71, 0x06 };

static struct sig_result indd_check(struct sig_input *in, void *memory)
{
    struct indd_state *state = memory;
    uint64_t sequence = 0, pages = 0;

    for (uint32_t i = 0; i < 2; i++) {
        const uint8_t *master = sig_bytes(in, i * (uint64_t)INDD_PAGE, INDD_PAGE);

        if (master == NULL)
            return sig_short(in);
        if (memcmp(master, indd_class, sizeof indd_class) != 0 ||
            memcmp(master + 16, "DOCUMENT", 8) != 0 || master[24] < 1 || master[24] > 2)
            return sig_reject("there is no second master page");
        if (bytes_u64le(master + INDD_SEQUENCE) >= sequence) {
            sequence = bytes_u64le(master + INDD_SEQUENCE);
            pages = bytes_u32le(master + INDD_PAGES);
        }
    }
    if (pages < 3)
        return sig_reject("the database has no pages");
    if (state->at == 0)
        state->at = pages * INDD_PAGE;
    if (state->at > in->limit)
        return sig_complete(in, state->at, "");
    sig_valid(in, state->at < in->limit ? state->at : in->limit);
    for (uint8_t mark[INDD_MARK];;) {
        const uint8_t *head = sig_bytes(in, state->at, INDD_MARK);

        if (head == NULL && in->wanted <= in->limit)
            return sig_short(in);
        if (head == NULL || memcmp(head, indd_head, sizeof indd_head) != 0)
            break;
        memcpy(mark, head, sizeof mark);
        const uint64_t tail_at = state->at + INDD_MARK + bytes_u32le(mark + 24);
        const uint8_t *tail = sig_bytes(in, tail_at, INDD_MARK);
        if (tail == NULL)
            return sig_short(in);
        if (memcmp(tail, indd_tail, sizeof indd_tail) != 0 || memcmp(tail + 16, mark + 16, 16) != 0)
            return sig_breaks(in, "a stream has no end");
        state->at = tail_at + INDD_MARK;
        sig_valid(in, state->at);
    }
    if (state->at > pages * INDD_PAGE)
        return sig_complete(in, state->at, "every stream behind the database has its end");
    return sig_believe(in, state->at, "the master page gives the number of pages");
}

const struct sig sig_indesign = {
    .name = "indd",
    .what = "Adobe InDesign document",
    .proves = "streams behind the database have their ends; without any, only the number of pages: "
              "the database is opaque",
    .source = "Adobe, XMP Specification Part 3 (2020) 1.3.4: InDesign, master pages, contiguous "
              "object streams",
    .types = (const struct sig_type[]){ { "indd", "indd" }, { 0 } },
    .headers = { SIG_PATTERN("\x06\x06\xed\xf5\xd8\x1d\x46\xe5\xbd\x31\xef\xe7\xfe\x74\xb7\x1d"
                             "DOCUMENT") },
    .flags = SIG_SECTOR_ALIGNED | SIG_CONTAINER,
    .size_min = 3 * INDD_PAGE,
    .size_max = UINT64_C(1) << 40,
    .state_size = sizeof(struct indd_state),
    .check = indd_check,
};
