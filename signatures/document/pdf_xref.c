/* SPDX-License-Identifier: Apache-2.0
 * signatures/document/pdf_xref.c - does an end belong to this file? Its cross-reference section
 * says.
 *
 *   xref                                    or   N G obj << /Type /XRef … /Length n >> stream
 *   first count                                  n bytes
 *   count lines of 20 bytes: offset … n          endstream endobj
 *   trailer << … >>
 *   startxref X %%EOF                            startxref X %%EOF
 *
 * X counts from the file's header. A section that stands at X and reaches up to its startxref
 * proves that nothing was put in or left out between the header and the end: it would have moved
 * the one against the other. Some lines of a table are followed to the objects they name, which
 * also finds bytes that were replaced; a thorough check follows all.
 */
#include <string.h>

#include "signatures/document/pdf.h"

enum {
    SLACK = 32, /* bytes by which writers miss X; what was moved, was moved by sectors */
    TRAILER_MAX = 16 * 1024,
    DICTIONARY_MAX = 4096, /* of a cross-reference stream */
    CLOSE_MAX = 512, /* bytes from the data of one to startxref: writers put a comment there; what
                        was put in is a sector at least */
    ENTRY_LEN = 18,  /* "0000000017 00000 n", and then one to three bytes of line end */
    ENTRY_EOL_MAX = 3,
    SUBSECTIONS_MAX = 100000,
    SAMPLES_EACH = 8, /* lines of a subsection that are followed */
    SAMPLES_MAX = 24, /* … and of the whole table */
};

struct pdf_table {
    uint64_t at, end;      /* where the reading stands; the table ends before this */
    uint64_t tried, right; /* lines followed, and those that led to their object */
};

/* Reads one line of a table: the offset and whether it is in use. */
static bool pdf_entry(const uint8_t *line, uint64_t *offset, bool *used)
{
    uint32_t at = 0;

    if (!pdf_number(line, 10, &at, offset) || at != 10 || line[10] != ' ' || line[16] != ' ')
        return false;
    *used = line[17] == 'n';
    return *used || line[17] == 'f';
}

/* Follows the line of object `number` to its offset. */
static enum pdf_xref pdf_follow(struct sig_input *in, struct pdf_table *table, uint64_t offset,
                                uint64_t number)
{
    uint64_t found;
    uint32_t len;
    const uint8_t *text = pdf_text(in, offset, table->end, 48, &len);

    /* The table in front of a linearized file names what is behind it. */
    if (in->thorough && offset >= table->end)
        return PDF_XREF_CLOSE;
    table->tried++;
    if (text == NULL)
        return len == 0 ? PDF_XREF_CLOSE : PDF_XREF_WAIT;
    const uint32_t skip = pdf_skip_space(text, len, 0);
    table->right += pdf_object_head(text + skip, len - skip, &found) != 0 && found == number;
    return PDF_XREF_CLOSE;
}

/* `count` lines from table->at on, for objects first, first + 1, …: moves behind them. */
static enum pdf_xref pdf_lines(struct sig_input *in, struct pdf_table *table, uint64_t first,
                               uint64_t count)
{
    uint32_t len, eol = 0;
    const uint8_t *text = pdf_text(in, table->at, table->end, ENTRY_LEN + ENTRY_EOL_MAX, &len);

    if (text == NULL)
        return len == 0 ? PDF_XREF_NONE : PDF_XREF_WAIT;
    while (ENTRY_LEN + eol < len && eol < ENTRY_EOL_MAX && pdf_is_space(text[ENTRY_LEN + eol]))
        eol++;
    const uint64_t each = ENTRY_LEN + eol;
    if (len < ENTRY_LEN || eol == 0 || count > (table->end - table->at) / each)
        return PDF_XREF_NONE;
    const uint64_t samples = in->thorough ? count : SAMPLES_EACH;
    for (uint64_t i = 0; i <= samples; i++) { /* the last turn is the last line */
        const uint64_t index = count <= samples ? i : i * (count - 1) / samples;
        uint64_t offset;
        bool used;

        if (index >= count)
            break;
        if ((text = sig_bytes(in, table->at + index * each, ENTRY_LEN)) == NULL)
            return PDF_XREF_WAIT;
        if (!pdf_entry(text, &offset, &used))
            return PDF_XREF_NONE;
        if (used && offset > 0 && (in->thorough || table->tried < SAMPLES_MAX) &&
            pdf_follow(in, table, offset, first + index) == PDF_XREF_WAIT)
            return PDF_XREF_WAIT;
    }
    table->at += count * each;
    return PDF_XREF_CLOSE;
}

/* Does the trailer at `at` reach up to "startxref" at `from`? */
static enum pdf_xref pdf_trailer(struct sig_input *in, uint64_t at, uint64_t from)
{
    uint32_t len, end;
    const uint8_t *text = pdf_text(in, at, from + 10, TRAILER_MAX, &len);

    if (text == NULL)
        return len == 0 ? PDF_XREF_NONE : PDF_XREF_WAIT;
    return pdf_body(text, len, &end) && at + end == from ? PDF_XREF_CLOSE : PDF_XREF_APART;
}

/* A table whose keyword ends at `at`; "startxref" is at `from`. */
static enum pdf_xref pdf_table(struct sig_input *in, uint64_t at, uint64_t from,
                               uint64_t *subsections)
{
    struct pdf_table table = { .at = at, .end = from };

    for (uint32_t i = 0; i < SUBSECTIONS_MAX; i++) {
        uint32_t len;
        const uint8_t *text = pdf_text(in, table.at, table.end, 64, &len);
        uint64_t first, count;

        if (text == NULL)
            return len == 0 ? PDF_XREF_NONE : PDF_XREF_WAIT;
        uint32_t skip = pdf_skip_space(text, len, 0);
        if (pdf_word(text, len, skip, "trailer")) {
            if (table.tried - table.right > table.tried / 2)
                return PDF_XREF_NONE;
            if (table.tried != table.right)
                sig_open_field(in, at, table.at);
            return pdf_trailer(in, table.at + skip + 7, from);
        }
        if (!pdf_number(text, len, &skip, &first))
            return PDF_XREF_NONE;
        skip = pdf_skip_space(text, len, skip);
        if (!pdf_number(text, len, &skip, &count))
            return PDF_XREF_NONE;
        skip = pdf_skip_space(text, len, skip);
        table.at += skip;
        ++*subsections;
        if (count == 0)
            continue;
        const enum pdf_xref lines = pdf_lines(in, &table, first, count);
        if (lines != PDF_XREF_CLOSE)
            return lines;
    }
    return PDF_XREF_NONE;
}

/* A cross-reference stream whose "N G obj" ends at `at`. */
static enum pdf_xref pdf_stream(struct sig_input *in, uint64_t at, uint64_t from)
{
    uint32_t len;
    uint64_t length;
    const uint8_t *text = pdf_text(in, at, from, DICTIONARY_MAX, &len);

    if (text == NULL)
        return len == 0 ? PDF_XREF_NONE : PDF_XREF_WAIT;
    const uint8_t *body = memmem(text, len, "stream", 6);
    if (body == NULL)
        return PDF_XREF_NONE;
    uint32_t skip = (uint32_t)(body - text);
    if (memmem(text, skip, "/XRef", 5) == NULL || !pdf_key_number(text, skip, "/Length", &length))
        return PDF_XREF_NONE;
    skip += 6;
    skip += skip < len && text[skip] == '\r';
    skip += skip < len && text[skip] == '\n';
    const uint64_t end = sig_add(at + skip, length);
    text = pdf_text(in, end, from, 64, &len);
    if (text == NULL)
        return len == 0 ? PDF_XREF_NONE : PDF_XREF_WAIT;
    skip = pdf_skip_space(text, len, 0);
    if (!pdf_word(text, len, skip, "endstream"))
        return PDF_XREF_NONE;
    return from - end < CLOSE_MAX ? PDF_XREF_CLOSE : PDF_XREF_APART;
}

enum pdf_xref pdf_xref_check(struct sig_input *in, uint64_t at, uint64_t from,
                             uint64_t *subsections)
{
    const uint64_t first = at < SLACK ? 0 : at - SLACK;
    uint32_t len;
    uint64_t number;
    const uint8_t *text = pdf_text(in, first, from, 3 * SLACK, &len);

    if (text == NULL)
        return len == 0 ? PDF_XREF_NONE : PDF_XREF_WAIT;
    /* Nearly always it is right at X; then near it. */
    uint32_t skip = pdf_skip_space(text, len, (uint32_t)(at - first));
    const uint32_t head = skip < len ? pdf_object_head(text + skip, len - skip, &number) : 0;
    if (pdf_word(text, len, skip, "xref"))
        return pdf_table(in, first + skip + 4, from, subsections);
    if (head != 0)
        return pdf_stream(in, first + skip + head, from);
    const uint8_t *near = memmem(text, len, "xref", 4);
    if (near != NULL && (near == text || pdf_is_space(near[-1])))
        return pdf_table(in, first + (uint64_t)(near - text) + 4, from, subsections);
    return PDF_XREF_NONE;
}
