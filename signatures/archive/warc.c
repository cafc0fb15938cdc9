/* SPDX-License-Identifier: Apache-2.0
 * signatures/archive/warc.c - archives of the web: WARC, and the older ARC of the Internet Archive,
 * both not compressed.
 *
 *   warc: "WARC/1.0\r\n" | fields, "Name: value\r\n" each, with WARC-Type, WARC-Record-ID,
 *   WARC-Date and Content-Length | "\r\n" |
 *         content | "\r\n\r\n"          as often as there are records
 *   arc:  "filedesc://" name | address | date of 14 digits | type | length "\n" | content
 *         records: ["\n"] url | address | date | type | length "\n" | content | "\n"
 *
 * A file ends behind the last record that another one does not follow.
 */
#include <string.h>

#include "base/bytes.h"
#include "signatures/lib/step.h"
#include "signatures/sig.h"

enum {
    WARC_HEAD_MAX = 16 << 10, /* bytes of one record's fields */
    WARC_LINE_MAX = 8 << 10,  /* of an ARC's line */
    WARC_STEP = 512,          /* bytes of a head asked for first; then twice as many each time */
    WARC_MARK = 10,           /* "WARC/1.0\r\n" */
    WARC_DATE = 14,
    WARC_GAP = 4, /* "\r\n\r\n" behind a record */
};

static const struct sig_type warc_types[] = { { "warc", "warc" }, { "arc", "arc" }, { 0 } };

struct warc_state {
    uint64_t at;      /* the record being read */
    uint64_t records; /* whole ones before it */
    bool claimed;     /* its beginning is */
};

struct warc_record {
    uint64_t content, len;
};

static bool warc_digits(const uint8_t *text, uint32_t len, uint64_t *value)
{
    *value = 0;
    for (uint32_t i = 0; i < len; i++) {
        if (text[i] < '0' || text[i] > '9')
            return false;
        *value = *value * 10 + (text[i] - '0');
    }
    return len > 0 && len <= 15;
}

/* Is `name` the line's field? Names are the same in any case. */
static bool warc_field(const uint8_t *line, uint32_t len, const char *name)
{
    const uint32_t name_len = (uint32_t)strlen(name);

    if (len <= name_len || line[name_len] != ':')
        return false;
    for (uint32_t i = 0; i < name_len; i++)
        if ((line[i] | 0x20) != (name[i] | 0x20))
            return false;
    return true;
}

/* What the fields read so far say. */
struct warc_head {
    uint32_t at;    /* the first line that has not been read, from the start of the record */
    uint32_t found; /* a bit for each field that a record must have */
};

enum { WARC_TYPE = 1, WARC_DATED = 2, WARC_ID = 4, WARC_LENGTH = 8, WARC_ALL = 15 };

/* Which of them the line has; 0: another one. */
static uint32_t warc_which(const uint8_t *line, uint32_t len)
{
    return warc_field(line, len, "warc-type")        ? WARC_TYPE
           : warc_field(line, len, "warc-date")      ? WARC_DATED
           : warc_field(line, len, "warc-record-id") ? WARC_ID
           : warc_field(line, len, "content-length") ? WARC_LENGTH
                                                     : 0;
}

/* A line without its end, not empty. */
static bool warc_line(const uint8_t *line, uint32_t len, struct warc_head *head,
                      struct warc_record *record)
{
    uint32_t skip = sizeof "content-length:" - 1;

    if (line[0] == ' ' || line[0] == '\t') /* goes on the line before */
        return true;
    if (memchr(line, ':', len) == NULL || memchr(line, 0, len) != NULL)
        return false;
    const uint32_t field = warc_which(line, len);
    if (head->found & field) /* none of these may be repeated */
        return false;
    head->found |= field;
    if (field != WARC_LENGTH)
        return true;
    while (skip < len && line[skip] == ' ')
        skip++;
    while (len > skip && line[len - 1] == ' ')
        len--;
    return warc_digits(line + skip, len - skip, &record->len);
}

/*
 * Reads on in the first len bytes of a record. STEP_WAIT: the empty line that ends the fields is
 * not among them.
 */
static enum step warc_lines(const uint8_t *bytes, uint32_t len, struct warc_head *head,
                            struct warc_record *record)
{
    for (;;) {
        const uint8_t *line = bytes + head->at, *end = memchr(line, '\n', len - head->at);

        if (end == NULL)
            return STEP_WAIT;
        if (end == line || end[-1] != '\r')
            return STEP_BAD;
        head->at = (uint32_t)(end + 1 - bytes);
        if (end - 1 == line)
            return head->found == WARC_ALL ? STEP_DONE : STEP_BAD;
        if (!warc_line(line, (uint32_t)(end - 1 - line), head, record))
            return STEP_BAD;
    }
}

static enum step warc_record(struct sig_input *in, uint64_t at, struct warc_record *record)
{
    struct warc_head head = { .at = WARC_MARK };
    const uint8_t *mark = sig_bytes(in, at, WARC_MARK);

    if (mark == NULL)
        return STEP_WAIT;
    if (memcmp(mark, "WARC/", 5) != 0 || (mark[5] != '0' && mark[5] != '1') || mark[6] != '.' ||
        mark[8] != '\r' || mark[9] != '\n')
        return STEP_BAD;
    for (uint32_t want = WARC_STEP; want <= WARC_HEAD_MAX; want *= 2) {
        const uint64_t left = in->limit - at;
        const uint32_t len = left < want ? (uint32_t)left : want;
        const uint8_t *bytes = sig_bytes(in, at, len);

        if (bytes == NULL)
            return STEP_WAIT;
        const enum step step = warc_lines(bytes, len, &head, record);
        record->content = at + head.at;
        if (step != STEP_WAIT)
            return step;
        if (len < want)
            return sig_bytes(in, at, want) == NULL ? STEP_WAIT : STEP_BAD;
    }
    return STEP_BAD;
}

/* url SP address SP date SP type SP length LF. first: the one that names the archive. */
static enum step warc_arc_line(struct sig_input *in, uint64_t at, struct warc_record *record)
{
    uint32_t len = 0, words = 0, from = 0, looked = 0;
    const uint8_t *line = NULL, *end = NULL;

    for (uint32_t want = WARC_STEP; end == NULL && want <= WARC_LINE_MAX; want *= 2) {
        const uint64_t left = at < in->limit ? in->limit - at : 0;
        uint32_t controls = 0;

        len = left < want ? (uint32_t)left : want;
        line = sig_bytes(in, at, len == 0 ? 1 : len);
        if (line == NULL)
            return STEP_WAIT;
        end = memchr(line + looked, '\n', len - looked);
        const uint32_t stop = end == NULL ? len : (uint32_t)(end - line);
        for (; looked < stop; looked++)
            controls += line[looked] < ' ';
        if (controls > 0)
            return STEP_BAD;
        if (end == NULL && len < want)
            return sig_bytes(in, at, want) == NULL ? STEP_WAIT : STEP_BAD;
    }
    if (end == NULL)
        return STEP_BAD;
    len = (uint32_t)(end - line);
    for (uint32_t i = 0; i <= len; i++) {
        uint64_t date;

        if (i < len && line[i] != ' ')
            continue;
        if (i == from ||
            (words == 2 && (i - from != WARC_DATE || !warc_digits(line + from, WARC_DATE, &date))))
            return STEP_BAD;
        if (i == len && !warc_digits(line + from, i - from, &record->len))
            return STEP_BAD;
        words++;
        from = i + 1;
    }
    record->content = at + len + 1;
    return words == 5 ? STEP_DONE : STEP_BAD;
}

/* Is the record whole at `end`, its content's? *next: where another one would begin. */
static enum step warc_gap(struct sig_input *in, bool arc, uint64_t end, uint64_t *next)
{
    const uint8_t *last = sig_bytes(in, end - 1, 1);

    if (last == NULL)
        return STEP_WAIT;
    if (!arc) {
        const uint8_t *gap = sig_bytes(in, end, WARC_GAP);

        *next = end + WARC_GAP;
        return gap == NULL                              ? STEP_WAIT
               : memcmp(gap, "\r\n\r\n", WARC_GAP) == 0 ? STEP_DONE
                                                        : STEP_BAD;
    }
    const uint8_t *gap = sig_bytes(in, end, 1);
    if (gap == NULL && in->wanted <= in->limit)
        return STEP_WAIT;
    *next = end + (gap != NULL && gap[0] == '\n' ? 1 : 0);
    return STEP_DONE;
}

static struct sig_result warc_check(struct sig_input *in, void *memory)
{
    struct warc_state *state = memory;
    const uint8_t *mark = sig_bytes(in, 0, 4);

    if (mark == NULL)
        return sig_short(in);
    const bool arc = mark[0] == 'f';
    in->type = &warc_types[arc ? 1 : 0];
    for (;;) {
        struct warc_record record = { 0 };
        const enum step head =
            arc ? warc_arc_line(in, state->at, &record) : warc_record(in, state->at, &record);

        if (head == STEP_BAD && state->records == 0)
            return sig_reject("the fields of a record must follow the mark, and do not");
        if (head == STEP_BAD ||
            (head == STEP_WAIT && in->wanted > in->limit && state->at == in->limit))
            return state->at > 0 ? sig_complete(in, state->at, "the records follow one another")
                                 : sig_short(in);
        enum step step = head;
        uint64_t next = 0;
        if (head == STEP_DONE && !state->claimed && sig_claims_full(in))
            return sig_again(in);
        if (head == STEP_DONE && !state->claimed)
            sig_claim(in, state->at); /* what is found right may end in the sector before it */
        state->claimed = state->claimed || head == STEP_DONE;
        if (head == STEP_DONE) {
            sig_valid(in, record.content);
            step = warc_gap(in, arc, sig_add(record.content, record.len), &next);
        }
        if (step == STEP_WAIT && in->wanted > in->limit && in->valid > 0)
            sig_valid(in, in->limit);
        if (step == STEP_WAIT)
            return sig_short(in);
        if (step == STEP_BAD)
            return sig_breaks(in, "a record does not end where its length says");
        state->at = next;
        state->records++;
        state->claimed = false;
        sig_valid(in, next);
    }
}

const struct sig sig_warc = {
    .name = "warc",
    .what = "archive of the web (WARC, ARC), not compressed",
    .proves = "every record has its fields; its length leads to the end of it and to the next",
    .source = "ISO 28500:2017, WARC 1.1; Internet Archive, ARC file format 1.0",
    .types = warc_types,
    .headers = { SIG_MASKED("WARC/\0.\0\r\n", "\xff\xff\xff\xff\xff\0\xff\0\xff\xff"),
                 SIG_PATTERN("filedesc://") },
    .flags = SIG_CONTAINER | SIG_CLAIMS | SIG_STREAM,
    .size_min = 64,
    .size_max = UINT64_C(1) << 42,
    .state_size = sizeof(struct warc_state),
    .check = warc_check,
};
