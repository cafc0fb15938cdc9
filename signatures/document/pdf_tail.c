/* SPDX-License-Identifier: Apache-2.0
 * signatures/document/pdf_tail.c - where the end of a document lies that is in pieces.
 *
 * "startxref" says where the last cross-reference section stands, which lies right before it: a
 * table, or an object with a stream of the type XRef.
 */
#include <string.h>

#include "signatures/document/pdf.h"

enum {
    TAIL_WORD = 9,  /* bytes of "startxref" */
    TAIL_ENTRY = 20 /* bytes of a line of a table */
};

uint64_t pdf_tail_at(const uint8_t *bytes, uint64_t *lead)
{
    uint32_t at = pdf_skip_space(bytes, SIG_TAIL, TAIL_WORD);
    uint64_t section = 0;

    *lead = 0;
    return pdf_number(bytes, SIG_TAIL, &at, &section) ? section : 0;
}

/* The last place of a word; len: it is nowhere. */
static uint32_t pdf_tail_last(const uint8_t *text, uint32_t len, const char *word)
{
    const uint32_t size = (uint32_t)strlen(word);

    for (uint32_t at = len; at >= size; at--)
        if (memcmp(text + at - size, word, size) == 0)
            return at - size;
    return len;
}

uint32_t pdf_tail_names(const uint8_t *before, uint32_t len)
{
    const uint32_t trailer = pdf_tail_last(before, len, "trailer");
    const uint32_t table = pdf_tail_last(before, trailer, "xref");
    uint32_t at = pdf_tail_last(before, len, "/XRef");

    if (trailer < len && table < trailer && (at == len || trailer > at))
        return len - table;
    if (at == len)
        return 0;
    /* "N G obj" */
    at = pdf_tail_last(before, at, "obj");
    for (int part = 0; part < 2; part++) {
        while (at > 0 && pdf_is_space(before[at - 1]))
            at--;
        while (at > 0 && pdf_is_digit(before[at - 1]))
            at--;
    }
    return len - at;
}

/* The offset of the first object, and its number; SIG_LEAD: none is there. */
static uint32_t pdf_tail_first(const uint8_t *head, uint64_t *number)
{
    for (uint32_t at = 1; at < SIG_LEAD; at++)
        if (pdf_is_space(head[at - 1]) && pdf_is_digit(head[at]) &&
            pdf_object_head(head + at, SIG_LEAD - at, number) != 0)
            return at;
    return SIG_LEAD;
}

/* A table that has all objects from 0 on says where the first one of the file stands. */
bool pdf_tail_fits(const uint8_t *head, const uint8_t *section)
{
    uint64_t number = 0, from = 1, count = 0, offset = 0;
    const uint32_t first = pdf_tail_first(head, &number);
    uint32_t at = 4;

    if (!pdf_word(section, SIG_LEAD, 0, "xref") || first == SIG_LEAD)
        return true;
    at = pdf_skip_space(section, SIG_LEAD, at);
    if (!pdf_number(section, SIG_LEAD, &at, &from) || from != 0)
        return true;
    at = pdf_skip_space(section, SIG_LEAD, at);
    if (!pdf_number(section, SIG_LEAD, &at, &count) || number >= count)
        return true;
    at = pdf_skip_space(section, SIG_LEAD, at);
    if (number >= (SIG_LEAD - at) / TAIL_ENTRY)
        return true;
    at += (uint32_t)number * TAIL_ENTRY;
    return pdf_number(section, SIG_LEAD, &at, &offset) && offset == first;
}
