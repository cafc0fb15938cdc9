/* SPDX-License-Identifier: Apache-2.0
 * signatures/database/sqlite_journal.c - rollback journals of SQLite 3.
 *
 *   header: D9 D5 05 F9 20 A1 63 D7 | u32be records, FFFFFFFF: up to the end | nonce | pages of the
 * database before | sector | page size filled up to a sector records: u32be page number | the page
 * | nonce + every 200th byte of it
 *
 * A further header, on a sector of its own, begins the next part; its first 12 bytes are zeros
 * until its pages are safely on the disk. Where the header does not count its records (0 while they
 * are being written) the file ends behind the last one whose checksum is right. A journal whose
 * header has been overwritten with zeros when the transaction ended is not found.
 */
#include <string.h>

#include "base/bytes.h"
#include "signatures/lib/step.h"
#include "signatures/sig.h"

enum {
    JOURNAL_HEADER = 28,
    JOURNAL_EVERY = 200,
    JOURNAL_PAGE_MAX = 65536,
};

struct journal_state {
    uint64_t at; /* next record or header */
    uint64_t end;
    uint32_t page_size, sector, nonce, db_pages, left, parts,
        pages; /* left: records of this part, UINT32_MAX: not known */
    bool in_part;
};

static enum step journal_header(struct sig_input *in, struct journal_state *state)
{
    const uint8_t *head = sig_bytes(in, state->at, JOURNAL_HEADER);

    if (head == NULL)
        return STEP_WAIT;
    static const uint8_t zeros[12];
    const uint32_t sector = bytes_u32be(head + 20), size = bytes_u32be(head + 24),
                   count = bytes_u32be(head + 8);
    const bool unsynced = state->parts > 0 && memcmp(head, zeros, sizeof zeros) == 0;

    if (!unsynced && memcmp(head, "\xd9\xd5\x05\xf9\x20\xa1\x63\xd7", 8) != 0)
        return STEP_BAD;
    if (size < 512 || size > JOURNAL_PAGE_MAX || (size & (size - 1)) != 0 || sector < 32 ||
        sector > JOURNAL_PAGE_MAX || (sector & (sector - 1)) != 0)
        return STEP_BAD;
    if (state->parts > 0 && (size != state->page_size || sector != state->sector ||
                             bytes_u32be(head + 16) != state->db_pages))
        return STEP_BAD;
    state->db_pages = bytes_u32be(head + 16);
    state->page_size = size;
    state->sector = sector;
    state->nonce = bytes_u32be(head + 12);
    state->left = count == 0 ? UINT32_MAX : count;
    state->at += sector;
    state->parts++;
    state->in_part = true;
    return STEP_DONE;
}

static enum step journal_record(struct sig_input *in, struct journal_state *state)
{
    const uint8_t *bytes = sig_bytes(in, state->at, 4);
    uint32_t sum = state->nonce;

    if (bytes == NULL)
        return STEP_WAIT;
    if (bytes_u32be(bytes) == 0)
        return STEP_BAD;
    if (sig_bytes(in, state->at + 4 + state->page_size, 4) == NULL)
        return STEP_WAIT;
    for (uint32_t i = state->page_size - JOURNAL_EVERY; i > 0 && i < state->page_size;
         i -= JOURNAL_EVERY) {
        bytes = sig_bytes(in, state->at + 4 + i, 1);
        if (bytes == NULL)
            return STEP_WAIT;
        sum += bytes[0];
    }
    bytes = sig_bytes(in, state->at + 4 + state->page_size, 4);
    if (bytes == NULL)
        return STEP_WAIT;
    if (bytes_u32be(bytes) != sum)
        return STEP_BAD;
    state->at += 8 + (uint64_t)state->page_size;
    state->end = state->at;
    state->pages++;
    if (state->left != UINT32_MAX)
        state->left--;
    return STEP_DONE;
}

static struct sig_result journal_check(struct sig_input *in, void *memory)
{
    struct journal_state *state = memory;
    enum step step;

    do {
        if (state->in_part && state->left == 0) {
            state->in_part = false;
            state->at = (state->at + state->sector - 1) / state->sector * state->sector;
        }
        step = state->in_part ? journal_record(in, state) : journal_header(in, state);
    } while (step == STEP_DONE);
    if (step == STEP_WAIT && in->wanted <= in->limit)
        return sig_short(in);
    if (state->pages == 0)
        return sig_reject("no page has the right checksum");
    sig_valid(in, state->end);
    if (state->in_part && state->left != UINT32_MAX)
        return sig_breaks(in, "there are fewer pages than the header says");
    return sig_complete(in, state->end, "the checksum of every page is right");
}

const struct sig sig_sqlite_journal = {
    .name = "sqlite-journal",
    .what = "SQLite rollback journal",
    .proves = "the checksum of every page, which samples every 200th byte",
    .source = "SQLite, Database File Format (fileformat2.html) 3: the rollback journal",
    .types = (const struct sig_type[]){ { "sqlite-journal", "sqlite-journal" }, { 0 } },
    .headers = { SIG_PATTERN("\xd9\xd5\x05\xf9\x20\xa1\x63\xd7") },
    .flags = SIG_SECTOR_ALIGNED,
    .size_min = 512 + 8 + 512,
    .size_max = UINT64_C(1) << 36,
    .state_size = sizeof(struct journal_state),
    .check = journal_check,
};
