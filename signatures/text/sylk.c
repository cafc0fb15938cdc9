/* SPDX-License-Identifier: Apache-2.0
 * signatures/text/sylk.c - spreadsheets as symbolic links: SYLK (Multiplan, Excel).
 *
 *   lines: a record's letters, then fields, each behind a semicolon; the first "ID;P...", the last
 * "E"
 *
 * The file ends behind the line end of the record E.
 */
#include <string.h>

#include "signatures/sig.h"

enum {
    SYLK_LINE_MAX = 32 << 10, /* bytes of a record */
    SYLK_STEP = 256,          /* bytes asked for at a time */
    SYLK_SURE = 4,            /* records that are not there by chance */
};

struct sylk_state {
    uint64_t at; /* the line being read */
    uint64_t records, cells;
};

static bool sylk_is_record(const uint8_t *line, uint32_t len)
{
    static const char known[][4] = { "ID", "B", "C", "F", "O", "P", "W", "NN", "NE", "NU", "NL" };
    const uint8_t *semicolon = memchr(line, ';', len);
    const size_t name = semicolon == NULL ? 0 : (size_t)(semicolon - line);

    for (uint32_t i = 0; i < len; i++)
        if (line[i] < ' ' && line[i] != '\t' && line[i] != 0x1b) /* 1b N: a letter with an accent */
            return false;
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (strlen(known[i]) == name && memcmp(known[i], line, name) == 0)
            return true;
    return false;
}

/* Bytes of the line end at p, of which there are len; 0: none. */
static uint32_t sylk_newline(const uint8_t *p, uint32_t len)
{
    if (len > 1 && p[0] == '\r' && p[1] == '\n')
        return 2;
    return len > 0 && (p[0] == '\r' || p[0] == '\n') ? 1 : 0;
}

/* The line at `at`, without its end: its length. NULL: wait, or (*bad) no line. */
static const uint8_t *sylk_line(struct sig_input *in, uint64_t at, uint32_t *len, uint32_t *next,
                                bool *bad)
{
    const uint64_t left = at < in->limit ? in->limit - at : 0;

    *bad = false;
    for (uint32_t want = SYLK_STEP; want <= SYLK_LINE_MAX; want *= 2) {
        const uint32_t have = left < want ? (uint32_t)left : want;
        const uint8_t *line = sig_bytes(in, at, have == 0 ? 1 : have);

        if (line == NULL)
            return NULL;
        for (*len = 0; *len < have && line[*len] != '\r' && line[*len] != '\n'; ++*len)
            ;
        *next = *len + sylk_newline(line + *len, have - *len);
        /* A CR that is the last byte seen may have its LF behind it. */
        if (*next > *len && (*next < have || have == left))
            return line;
        if (have == left)
            return sig_bytes(in, at, have + 1);
    }
    *bad = true;
    return NULL;
}

static struct sig_result sylk_check(struct sig_input *in, void *memory)
{
    struct sylk_state *state = memory;

    for (;;) {
        uint32_t len, next;
        bool bad;
        const uint8_t *line = sylk_line(in, state->at, &len, &next, &bad);

        if (line == NULL && !bad)
            return sig_short(in);
        if (line != NULL && len == 1 && line[0] == 'E' && state->cells > 0)
            return sig_complete(in, state->at + next, "the records lead to the last, E");
        if (bad || !sylk_is_record(line, len))
            return sig_breaks(in, "a line is not a record");
        state->records++;
        state->cells += line[0] == 'C' || line[0] == 'F' || line[0] == 'B';
        state->at += next;
        if (state->records >= SYLK_SURE)
            sig_valid(in, state->at);
    }
}

const struct sig sig_sylk = {
    .name = "slk",
    .what = "spreadsheet as a symbolic link (SYLK)",
    .proves = "every line is a record, up to the record E",
    .source = "Microsoft, SYLK: Symbolic Link Format (1986); practice of Excel and LibreOffice",
    .types = (const struct sig_type[]){ { "slk", "slk" }, { 0 } },
    .headers = { SIG_PATTERN("ID;P") },
    .flags = SIG_SECTOR_ALIGNED,
    .size_min = 16,
    .size_max = UINT64_C(1) << 30,
    .state_size = sizeof(struct sylk_state),
    .check = sylk_check,
};
