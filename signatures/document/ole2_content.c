/* SPDX-License-Identifier: Apache-2.0
 * signatures/document/ole2_content.c - the streams of a compound file whose structure is known,
 * walked.
 *
 *   Workbook: BIFF records (u16le type, u16le length), substreams from BOF to EOF, one for each
 * sheet that the first one names PowerPoint Document, Pictures: records (u16le version and
 * instance, u16le type, u32le length), containers opened WordDocument: the header (FIB) and the
 * formatted pages that the table stream lists, each beginning with the text position listed
 *   SummaryInformation, DocumentSummaryInformation: property sets
 *   CompObj: its header
 *
 * A chain that is right says nothing of what its sectors hold; these records do. Of short streams,
 * in the mini stream, only property sets, CompObj and a small document's table are looked at.
 * Encrypted PowerPoint and Word documents are not, beyond their headers.
 */
#include <string.h>

#include "base/bytes.h"
#include "signatures/document/ole2.h"

enum {
    BIFF_DIMENSIONS = 0, /* of BIFF2, which writers of later workbooks use, too */
    BIFF_DIMENSIONS_LEAST = 8,
    BIFF_BOF = 0x809,
    BIFF_EOF = 0x0a,
    BIFF_SHEET = 0x85,
    BIFF_TYPE_MAX = 0x18ff,
    BIFF_LEN_MAX = 8228,
    BIFF_DEPTH_MAX = 8,
    BIFF_FILLED_MAX = 2 * OLE2_CUTOFF, /* bytes behind the last sheet */
    PPT_FIRST = 0x3e8,
    PPT_LAST = 0x3fff,
    ESCHER_FIRST = 0xf000,
    ESCHER_LAST = 0xf1ff,
    ESCHER_BLIP_FIRST = 0xf007,
    ESCHER_BLIP_LAST = 0xf117,
    FIB_LEN = 0x10a,
    FIB_PAGE = 512,
    FIB_RUNS_MAX = 101,
    SUMMARY_HEAD = 48,
    COMP_OBJ_HEAD = 28,
    SUMMARY_PROPERTIES_MAX = 1024,
};

static enum step content_bad(struct ole2_state *state, uint64_t at, const char *why)
{
    state->bad_at = at;
    state->why = why;
    return STEP_BAD;
}

/*
 * Copies len bytes at position at of the stream; the caller has checked that they are there. With
 * STEP_WAIT nothing has changed: what counts as a step back must not depend on how often this is
 * called.
 */
static enum step content_get(struct sig_input *in, struct ole2_state *state,
                             struct ole2_stream *stream, uint64_t at, uint8_t *to, uint32_t len)
{
    const struct ole2_stream before = *stream;
    const uint32_t back_seeks = state->back_seeks;

    while (len > 0) {
        uint64_t place;
        uint32_t left;
        enum step step = ole2_seek(in, state, stream, at, &place, &left);

        if (step == STEP_BAD)
            return step;
        if (left > len)
            left = len;
        const uint8_t *bytes = step == STEP_WAIT ? NULL : sig_bytes(in, place, left);
        if (bytes == NULL) {
            *stream = before;
            state->back_seeks = back_seeks;
            return STEP_WAIT;
        }
        memcpy(to, bytes, left);
        to += left;
        at += left;
        len -= left;
    }
    return STEP_DONE;
}

static uint64_t content_place(const struct ole2_state *state, const struct ole2_stream *stream)
{
    return ole2_offset(state, stream->sector);
}

static enum step content_workbook(struct sig_input *in, struct ole2_state *state)
{
    struct ole2_stream *stream = &state->parts[OLE2_WORKBOOK];
    uint8_t head[4];

    while (stream->size - state->at >= sizeof head) {
        const enum step step = content_get(in, state, stream, state->at, head, sizeof head);

        if (step != STEP_DONE)
            return step;
        const uint32_t type = bytes_u16le(head), len = bytes_u16le(head + 2);

        if (state->depth == 0 && type != BIFF_BOF) {
            if (state->begun && type == 0 && stream->size - state->at <= BIFF_FILLED_MAX)
                break; /* filled up */
            return content_bad(state, content_place(state, stream),
                               "a sheet must begin here, and none does");
        }
        if ((type == BIFF_DIMENSIONS && len < BIFF_DIMENSIONS_LEAST) || type > BIFF_TYPE_MAX ||
            len > BIFF_LEN_MAX || len > stream->size - state->at - 4)
            return content_bad(state, content_place(state, stream), "invalid record of a workbook");
        if (type == BIFF_BOF && state->depth++ == 0 && state->begun && state->pages > 0)
            state->pages--;
        if (type == BIFF_SHEET && state->depth == 1)
            state->pages++;
        if (state->depth > BIFF_DEPTH_MAX)
            return content_bad(state, content_place(state, stream), "invalid record of a workbook");
        if (type == BIFF_EOF)
            state->depth--;
        state->begun = true;
        state->at += 4u + len;
    }
    if (state->depth > 0 || state->pages > 0)
        return content_bad(state, content_place(state, stream),
                           "there are fewer sheets than the workbook names");
    return STEP_DONE;
}

/* Current User lies in the mini stream; its fourth word says whether the document is encrypted. */
static enum step content_is_encrypted(struct sig_input *in, struct ole2_state *state,
                                      bool *encrypted)
{
    struct ole2_stream *user = &state->parts[OLE2_USER], *mini = &state->parts[OLE2_MINI];
    const uint64_t at = (uint64_t)user->start * 64 + 12;
    uint8_t token[4];

    *encrypted = false;
    if (user->size < 16 || user->size >= OLE2_CUTOFF || at + sizeof token > mini->size)
        return STEP_DONE;
    const enum step step = content_get(in, state, mini, at, token, sizeof token);
    if (step == STEP_DONE)
        *encrypted = bytes_u32le(token) == 0xf3d1c4df;
    return step;
}

static enum step content_slides(struct sig_input *in, struct ole2_state *state,
                                struct ole2_stream *stream, bool pictures)
{
    uint8_t head[8];

    if (!state->begun) {
        bool encrypted;
        const enum step step = content_is_encrypted(in, state, &encrypted);

        if (step != STEP_DONE || encrypted)
            return step;
        state->begun = true;
    }
    while (stream->size - state->at >= sizeof head) {
        const enum step step = content_get(in, state, stream, state->at, head, sizeof head);

        if (step != STEP_DONE)
            return step;
        const uint32_t type = bytes_u16le(head + 2), len = bytes_u32le(head + 4);
        const bool escher = type >= ESCHER_FIRST && type <= ESCHER_LAST;

        if (type == 0 && len == 0 && bytes_u16le(head) == 0)
            break; /* filled up */
        if (pictures ? type < ESCHER_BLIP_FIRST || type > ESCHER_BLIP_LAST
                     : !escher && (type < PPT_FIRST || type > PPT_LAST))
            return content_bad(state, content_place(state, stream),
                               "invalid record of a presentation");
        if (len > stream->size - state->at - 8)
            return content_bad(state, content_place(state, stream),
                               "a record is longer than its stream");
        state->at += (head[0] & 15) == 15 && !pictures ? 8 : 8 + (uint64_t)len;
    }
    return STEP_DONE;
}

/* One of the pages listed at fc of the table: does it begin and end with the text positions of the
 * list? */
static enum step content_page(struct sig_input *in, struct ole2_state *state,
                              struct ole2_stream *table, uint64_t fc, uint32_t count, uint32_t i)
{
    struct ole2_stream *word = &state->parts[OLE2_WORD];
    uint8_t positions[8], number[4], page[FIB_PAGE];
    enum step step =
        content_get(in, state, table, fc + 4 * (uint64_t)i, positions, sizeof positions);

    if (step == STEP_DONE)
        step = content_get(in, state, &state->numbers, fc + 4 * ((uint64_t)count + 1 + i), number,
                           sizeof number);
    if (step != STEP_DONE)
        return step;
    const uint64_t at = (uint64_t)(bytes_u32le(number) & 0x3fffff) * FIB_PAGE;
    if (at + FIB_PAGE > word->size)
        return content_bad(state, content_place(state, table),
                           "a page of formatting lies outside the document");
    step = content_get(in, state, word, at, page, sizeof page);
    if (step != STEP_DONE)
        return step;
    const uint32_t runs = page[FIB_PAGE - 1];
    if (runs == 0 || runs > FIB_RUNS_MAX || memcmp(page, positions, 4) != 0 ||
        memcmp(page + 4 * runs, positions + 4, 4) != 0)
        return content_bad(state, content_place(state, word),
                           "a page of formatting contradicts the list of pages");
    return STEP_DONE;
}

/* The pages of one list, from number state->pages on. A page that has to wait is read again with
 * all streams where they were. */
static enum step content_pages(struct sig_input *in, struct ole2_state *state,
                               struct ole2_stream *table, uint64_t fc, uint32_t count)
{
    struct ole2_stream *word = &state->parts[OLE2_WORD];

    if (state->pages == 0)
        state->numbers = *table;
    for (; state->pages < count; state->pages++) {
        const struct ole2_stream at_word = *word, at_table = *table, at_numbers = state->numbers;
        const uint32_t back_seeks = state->back_seeks;
        const enum step step = content_page(in, state, table, fc, count, state->pages);

        if (step == STEP_WAIT) {
            *word = at_word;
            *table = at_table;
            state->numbers = at_numbers;
            state->back_seeks = back_seeks;
        }
        if (step != STEP_DONE)
            return step;
    }
    return STEP_DONE;
}

/* *at: where the table of a small document begins in the mini stream; *there: it lies in one piece,
 * near the beginning. */
static enum step content_short_table(struct sig_input *in, const struct ole2_state *state,
                                     const struct ole2_stream *table, uint64_t *at, bool *there)
{
    const uint32_t per = 1u << (state->shift - 2);
    const uint64_t pieces = (table->size + 63) / 64, end = table->start + pieces;

    *there = false;
    *at = (uint64_t)table->start * 64;
    if (pieces == 0 || end > per || state->minifat_count == 0 ||
        *at + table->size > state->parts[OLE2_MINI].size)
        return STEP_DONE;
    const uint8_t *next = sig_bytes(in, ole2_offset(state, state->minifat_start), per * 4);
    if (next == NULL)
        return STEP_WAIT;
    for (uint32_t piece = table->start; piece + 1 < end; piece++)
        if (bytes_u32le(next + 4 * (size_t)piece) != piece + 1)
            return STEP_DONE;
    *there = true;
    return STEP_DONE;
}

static enum step content_word(struct sig_input *in, struct ole2_state *state)
{
    const struct ole2_stream *word = &state->parts[OLE2_WORD];
    struct ole2_stream start = { .start = word->start,
                                 .size = word->size }; /* read again by each call: no step back */
    uint8_t fib[FIB_LEN];

    start.sector = start.start;
    if (word->size < FIB_LEN)
        return content_bad(state, content_place(state, &start),
                           "there is no header in the "
                           "document");
    enum step step = content_get(in, state, &start, 0, fib, sizeof fib);
    if (step != STEP_DONE)
        return step;
    const uint32_t magic = bytes_u16le(fib), flags = bytes_u16le(fib + 10);
    if (magic != 0xa5ec && magic != 0xa5dc)
        return content_bad(state, content_place(state, &start),
                           "there is no header in the "
                           "document");
    if (magic == 0xa5dc || (flags & 0x100) != 0 ||
        bytes_u16le(fib + 2) < 0xc0) /* Word 6 and 95; encrypted */
        return STEP_DONE;
    struct ole2_stream *table = &state->parts[(flags & 0x200) != 0 ? OLE2_TABLE_1 : OLE2_TABLE_0];
    const bool is_short = table->size < OLE2_CUTOFF;
    bool there = true;
    uint64_t from = 0; /* in the stream that holds the table */
    if (is_short && (step = content_short_table(in, state, table, &from, &there)) != STEP_DONE)
        return step;
    for (uint32_t list = state->depth; list < 2; list++) {
        const uint32_t fc = bytes_u32le(fib + 0xfa + 8 * list),
                       len = bytes_u32le(fib + 0xfe + 8 * list);
        const uint32_t count = len < 12 ? 0 : (len - 4) / 8;

        if (len > table->size || fc > table->size - len)
            return content_bad(state, content_place(state, &start),
                               "a list of pages lies outside the table");
        if (there)
            step = content_pages(in, state, is_short ? &state->parts[OLE2_MINI] : table, from + fc,
                                 count);
        if (step != STEP_DONE)
            return step;
        state->pages = 0;
        state->depth = list + 1;
    }
    return STEP_DONE;
}

static enum step content_summary(struct sig_input *in, struct ole2_state *state,
                                 struct ole2_stream *stream)
{
    struct ole2_stream start = { .start = stream->start,
                                 .size = stream->size }; /* as in content_word */
    uint8_t head[SUMMARY_HEAD], section[8];
    enum step step = content_get(in, state, &start, 0, head, sizeof head);

    if (step != STEP_DONE)
        return step;
    const uint32_t sets = bytes_u32le(head + 24), at = bytes_u32le(head + 44);
    if (bytes_u16le(head) != 0xfffe || bytes_u16le(head + 2) > 1 || sets < 1 || sets > 2 ||
        at < SUMMARY_HEAD || at > stream->size - 8)
        return content_bad(state, content_place(state, &start), "invalid property set");
    step = content_get(in, state, stream, at, section, sizeof section);
    if (step != STEP_DONE)
        return step;
    const uint32_t len = bytes_u32le(section), count = bytes_u32le(section + 4);
    if (len > stream->size - at || count > SUMMARY_PROPERTIES_MAX || len < 8 + 8 * count)
        return content_bad(state, content_place(state, stream), "invalid property set");
    return STEP_DONE;
}

/* The first len bytes of a short stream, which lie in one piece of the mini stream. *there: it is
 * so long. */
static enum step content_short(struct sig_input *in, struct ole2_state *state,
                               const struct ole2_stream *stream, uint8_t *head, uint32_t len,
                               bool *there)
{
    struct ole2_stream *mini = &state->parts[OLE2_MINI];
    const uint64_t at = (uint64_t)stream->start * 64;

    *there = at <= mini->size && len <= mini->size - at && stream->size >= len;
    return *there ? content_get(in, state, mini, at, head, len) : STEP_DONE;
}

static enum step content_short_summary(struct sig_input *in, struct ole2_state *state,
                                       const struct ole2_stream *stream)
{
    uint8_t head[SUMMARY_HEAD];
    bool there;
    const enum step step = content_short(in, state, stream, head, sizeof head, &there);

    if (step != STEP_DONE || !there)
        return step;
    if (bytes_u16le(head) != 0xfffe || bytes_u16le(head + 2) > 1 || bytes_u32le(head + 24) < 1 ||
        bytes_u32le(head + 24) > 2)
        return content_bad(state, content_place(state, &state->parts[OLE2_MINI]),
                           "invalid property set");
    return STEP_DONE;
}

/* The program's name and class, behind a byte order mark that everybody writes and a -1. */
static enum step content_comp_obj(struct sig_input *in, struct ole2_state *state,
                                  const struct ole2_stream *stream)
{
    uint8_t head[COMP_OBJ_HEAD];
    bool there;
    const enum step step = content_short(in, state, stream, head, sizeof head, &there);

    if (step != STEP_DONE || !there)
        return step;
    if (bytes_u16le(head + 2) != 0xfffe || bytes_u32le(head + 8) != UINT32_MAX)
        return content_bad(state, content_place(state, &state->parts[OLE2_MINI]),
                           "invalid CompObj");
    return STEP_DONE;
}

static enum step content_part(struct sig_input *in, struct ole2_state *state, enum ole2_part part)
{
    switch (part) {
    case OLE2_WORKBOOK:
        return content_workbook(in, state);
    case OLE2_SLIDES:
    case OLE2_PICTURES:
        return content_slides(in, state, &state->parts[part], part == OLE2_PICTURES);
    case OLE2_WORD:
        return content_word(in, state);
    case OLE2_SUMMARY:
    case OLE2_DOC_SUMMARY:
        return content_summary(in, state, &state->parts[part]);
    default:
        return STEP_DONE;
    }
}

enum step ole2_content(struct sig_input *in, struct ole2_state *state)
{
    for (; state->part < OLE2_PARTS; state->part++) {
        const bool summary = state->part == OLE2_SUMMARY || state->part == OLE2_DOC_SUMMARY;
        enum step step = STEP_DONE;

        if (!ole2_is_encrypted(state) && state->parts[state->part].size >= OLE2_CUTOFF)
            step = content_part(in, state, (enum ole2_part)state->part);
        else if (summary && state->parts[state->part].size > 0)
            step = content_short_summary(in, state, &state->parts[state->part]);
        else if (state->part == OLE2_COMP_OBJ && state->parts[state->part].size > 0)
            step = content_comp_obj(in, state, &state->parts[state->part]);
        if (step != STEP_DONE)
            return step;
        state->at = 0;
        state->begun = false;
        state->depth = state->pages = 0;
    }
    return STEP_DONE;
}
