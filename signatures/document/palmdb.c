/* SPDX-License-Identifier: Apache-2.0
 * signatures/document/palmdb.c - Palm databases that are books: Mobipocket and Kindle (mobi, azw),
 * PalmDOC and others (pdb).
 *
 *   name, 31 letters and 0 | attributes, version | times | modification | 52 places of two blocks |
 *   60 type, creator | seed | 0 | 76 u16be records
 *   records: u32be place | attributes | 3 bytes of id        then their data, in order
 *
 * The places tell where records begin, and nothing where the last one ends. It is told by what the
 * last one is: Mobipocket's end mark (E9 8E 0D 0A) or one of its blocks of known length; the last
 * text record of a PalmDOC book, which is decoded until as many bytes are there as the text has
 * left. Where neither is so the end is not known, and the file counts as broken.
 */
#include <string.h>

#include "base/bytes.h"
#include "signatures/sig.h"

enum {
    PALM_HEAD = 78,
    PALM_ENTRY = 8,
    PALM_TEXT = 4096, /* bytes of text a record, before compression */
    PALM_RECORD_MAX = 65536,
    PALM_BEFORE_MAX = 1 << 16, /* bytes between the list and the first record */
    MOBI_HEAD = 232,
    PALM_BOOK_HEAD = 16,
};

struct palm_book {
    uint32_t compression, text_len, text_records;
    bool is_mobi;
};

struct palm_state {
    uint32_t next, records; /* entry to look at */
    uint32_t place, first;  /* of the last one looked at */
    bool begun;
};

static const struct sig_type palm_types[] = { { "mobi", "mobi" }, { "pdb", "pdb" }, { 0 } };

/* What a record must begin with when the header of the book names it; none when the number is
 * FFFFFFFF. */
static enum sig_verdict palm_named(struct sig_input *in, const struct palm_state *state,
                                   uint32_t number, const char *magic)
{
    if (number == 0 || number >= state->records)
        return SIG_COMPLETE;
    const uint8_t *bytes = sig_bytes(in, PALM_HEAD + (uint64_t)number * PALM_ENTRY, 4);
    if (bytes == NULL)
        return SIG_MORE;
    const uint32_t place = bytes_u32be(bytes);
    bytes = sig_bytes(in, place, 4);
    if (bytes == NULL)
        return SIG_MORE;
    return memcmp(bytes, magic, 4) == 0 ? SIG_COMPLETE : SIG_REJECT;
}

/* The first record. */
static enum sig_verdict palm_book(struct sig_input *in, const struct palm_state *state,
                                  struct palm_book *book)
{
    uint32_t fcis = 0, flis = 0;
    const uint8_t *head = sig_bytes(in, state->first, PALM_BOOK_HEAD + 8);

    if (head == NULL)
        return SIG_MORE;
    book->compression = bytes_u16be(head);
    book->text_len = bytes_u32be(head + 4);
    book->text_records = bytes_u16be(head + 8);
    if ((book->compression != 1 && book->compression != 2 && book->compression != 17480) ||
        book->text_records >= state->records)
        return SIG_REJECT;
    if (!book->is_mobi)
        return SIG_COMPLETE;
    if (memcmp(head + PALM_BOOK_HEAD, "MOBI", 4) != 0)
        return SIG_REJECT;
    if (bytes_u32be(head + PALM_BOOK_HEAD + 4) < MOBI_HEAD - PALM_BOOK_HEAD)
        return SIG_COMPLETE;
    head = sig_bytes(in, state->first, MOBI_HEAD);
    if (head == NULL)
        return SIG_MORE;
    fcis = bytes_u32be(head + 200);
    flis = bytes_u32be(head + 208);
    const enum sig_verdict verdict = palm_named(in, state, fcis, "FCIS");
    return verdict == SIG_COMPLETE ? palm_named(in, state, flis, "FLIS") : verdict;
}

/* How long compressed text is that has `want` bytes of text; 0: it is no such text. */
static uint32_t palm_text_len(const uint8_t *bytes, uint32_t len, uint32_t want)
{
    uint32_t at = 0, made = 0;

    while (made < want && at < len) {
        const uint8_t c = bytes[at++];

        if (c >= 1 && c <= 8) {
            at += c;
            made += c;
        } else if (c >= 0x80 && c < 0xc0) {
            if (at == len || ((uint32_t)(c & 0x3f) << 8 | bytes[at]) >> 3 == 0 ||
                ((uint32_t)(c & 0x3f) << 8 | bytes[at]) >> 3 > made)
                return 0;
            made += (bytes[at++] & 7) + 3u;
        } else {
            made += c >= 0xc0 ? 2 : 1;
        }
    }
    return made == want && at <= len ? at : 0;
}

/* The length of the last record, by what it is. MORE: bytes are missing; REJECT: it cannot be told.
 */
static enum sig_verdict palm_last(struct sig_input *in, const struct palm_state *state,
                                  const struct palm_book *book, uint32_t *len)
{
    const uint8_t *bytes = sig_bytes(in, state->place, 4);

    if (bytes == NULL)
        return SIG_MORE;
    if (memcmp(bytes, "\xe9\x8e\r\n", 4) == 0) {
        *len = 4;
        return SIG_COMPLETE;
    }
    if (book->is_mobi && memcmp(bytes, "FLIS", 4) == 0) {
        *len = 36;
        return SIG_COMPLETE;
    }
    const uint32_t before = (book->text_records - 1) * PALM_TEXT;
    if (book->text_records != state->records - 1 || book->text_len <= before ||
        book->text_len - before > PALM_TEXT || book->compression > 2)
        return SIG_REJECT;
    *len = book->text_len - before;
    if (book->compression == 1)
        return SIG_COMPLETE;
    const uint64_t room = in->limit - state->place;
    const uint32_t most = room < 2 * PALM_TEXT ? (uint32_t)room : 2 * PALM_TEXT;
    bytes = sig_bytes(in, state->place, most);
    if (bytes == NULL)
        return SIG_MORE;
    *len = palm_text_len(bytes, most, *len);
    return *len == 0 ? SIG_REJECT : SIG_COMPLETE;
}

static struct sig_result palm_check(struct sig_input *in, void *memory)
{
    struct palm_state *state = memory;
    struct palm_book book = { 0 };
    uint32_t len = 0;

    if (!state->begun) {
        const uint8_t *head = sig_bytes(in, 0, PALM_HEAD);

        if (head == NULL)
            return sig_short(in);
        state->records = bytes_u16be(head + 76);
        if (state->records < 2 || bytes_u32be(head + 72) != 0 || head[31] != 0 || head[0] < ' ')
            return sig_reject("invalid list of records");
        state->begun = true;
    }
    const uint8_t *type = sig_bytes(in, 60, 8);
    if (type == NULL)
        return sig_short(in);
    book.is_mobi = memcmp(type, "BOOKMOBI", 8) == 0;
    in->type = &palm_types[!book.is_mobi];
    for (; state->next < state->records; state->next++) {
        const uint8_t *entry =
            sig_bytes(in, PALM_HEAD + (uint64_t)state->next * PALM_ENTRY, PALM_ENTRY);

        if (entry == NULL)
            return sig_short(in);
        const uint32_t place = bytes_u32be(entry),
                       list_end = PALM_HEAD + state->records * PALM_ENTRY;
        if (state->next == 0 ? place < list_end || place > list_end + PALM_BEFORE_MAX
                             : place <= state->place || place - state->place > PALM_RECORD_MAX * 16)
            return sig_reject("the places of the records are out of order");
        if (state->next == 0)
            state->first = place;
        state->place = place;
    }
    enum sig_verdict verdict = palm_book(in, state, &book);
    if (verdict == SIG_MORE)
        return sig_short(in);
    if (verdict == SIG_REJECT)
        return sig_reject("the first record has no valid header of a book");
    sig_valid(in, state->first + PALM_BOOK_HEAD);
    if (in->limit > state->place)
        sig_valid(in, state->place);
    verdict = palm_last(in, state, &book, &len);
    if (verdict == SIG_MORE)
        return sig_short(in);
    if (verdict == SIG_REJECT)
        return sig_breaks(in, "no field gives the length of the last record");
    return sig_complete(in, (uint64_t)state->place + len, "the length of the last record is known");
}

const struct sig sig_palmdb = {
    .name = "palmdb",
    .what = "book in a Palm database: Mobipocket, Kindle, PalmDOC",
    .proves = "places of records rise; the last record is an end mark, or text of the given length",
    .source = "MobileRead wiki, PDB, MOBI and PalmDOC; Palm File Format Specification 3008-005, "
              "chapter 2",
    .types = palm_types,
    .headers = { SIG_PATTERN_AT(60, "BOOKMOBI"), SIG_PATTERN_AT(60, "TEXtREAd"),
                 SIG_PATTERN_AT(60, "TEXtTlDc") },
    .flags = SIG_CONTAINER,
    .size_min = PALM_HEAD + 2 * PALM_ENTRY + PALM_BOOK_HEAD,
    .size_max = UINT64_C(1) << 32,
    .state_size = sizeof(struct palm_state),
    .check = palm_check,
};
