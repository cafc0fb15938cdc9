/* SPDX-License-Identifier: Apache-2.0
 * signatures/document/pdf_facts.c - facts of PDF files: the Info dictionary, whether the document
 * is encrypted, and XMP where it is not packed.
 *
 * It finds the trailer, or the dictionary of a cross-reference stream, by the last startxref, and
 * the Info object by the table, or by a search for its number near the end and the beginning. An
 * Info object inside of an object stream is not read.
 *
 * Source: ISO 32000-1, 7.5 (file structure), 7.6 (encryption), 7.9.4 (dates), 14.3.3 (Info).
 */
#include <stdio.h>
#include <string.h>

#include "signatures/document/document_facts.h"
#include "signatures/facts/tell.h"
#include "signatures/facts/xmp.h"

enum {
    PDF_FACTS_TAIL = 1024,       /* bytes at the end in which startxref stands */
    PDF_FACTS_LOOK = 8 << 10,    /* bytes of a table or an object that are looked at, */
    PDF_FACTS_SEARCH = 32 << 10, /* and of the file, where the table does not tell */
    PDF_FACTS_PLACE = 20,        /* bytes of an entry of a table */
    PDF_FACTS_VALUE = 2 * SIG_FACT_LEN + 2,
    PDF_FACTS_TRAILERS = 4, /* that are looked at: each names the one before it */
};

struct pdf_facts_walk {
    struct sig_facts *facts;
    uint32_t info; /* number of the object; 0: none is known */
    uint64_t info_at;
    bool encrypted;
    bool streams; /* a newer list of places is packed: what an older one says may be old */
};

static bool pdf_facts_is_blank(uint8_t c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\f' || c == 0;
}

/* A number at text[*at], and behind it; false: there is none. */
static bool pdf_facts_number(const uint8_t *text, uint32_t len, uint32_t *at, uint64_t *out)
{
    uint32_t digits = 0;

    while (*at < len && pdf_facts_is_blank(text[*at]))
        ++*at;
    *out = 0;
    for (; *at < len && text[*at] >= '0' && text[*at] <= '9' && digits < 12; ++*at, digits++)
        *out = *out * 10 + (text[*at] - '0');
    return digits > 0;
}

/* Behind the name in a dictionary's text, which is followed by no letter; 0: it has none. */
static uint32_t pdf_facts_name(const uint8_t *text, uint32_t len, const char *name)
{
    const size_t name_len = strlen(name);

    for (const uint8_t *from = text; from != NULL;) {
        const uint8_t *at = memmem(from, len - (size_t)(from - text), name, name_len);
        const size_t behind = at != NULL ? (size_t)(at - text) + name_len : 0;

        if (at == NULL || behind >= len)
            return 0;
        if ((text[behind] | 0x20) < 'a' || (text[behind] | 0x20) > 'z')
            return (uint32_t)behind;
        from = text + behind;
    }
    return 0;
}

/* UTF-16 with its mark, UTF-8 with its mark, or PDFDocEncoding, which is ISO 8859-1 but for a few.
 */
static void pdf_facts_text(struct sig_facts *facts, enum sig_fact_key key, const uint8_t *value,
                           uint32_t len)
{
    if (len >= 2 && value[0] == 0xfe && value[1] == 0xff)
        tell_utf16(facts, key, value + 2, len - 2, true);
    else if (len >= 3 && memcmp(value, "\xef\xbb\xbf", 3) == 0)
        tell_text(facts, key, value + 3, len - 3);
    else
        tell_latin1(facts, key, value, len);
}

/* D:YYYYMMDDHHmmSSOHH'mm, of which all behind the year may be missing. */
static void pdf_facts_date(struct sig_facts *facts, enum sig_fact_key key, const uint8_t *value,
                           uint32_t len)
{
    char text[40];
    uint32_t at = len >= 2 && value[0] == 'D' && value[1] == ':' ? 2 : 0, out = 0;

    for (uint32_t i = 0; i < 14 && at < len && value[at] >= '0' && value[at] <= '9'; i++, at++) {
        if (i == 4 || i == 6 || i == 10 || i == 12)
            text[out++] = ':';
        else if (i == 8)
            text[out++] = ' ';
        text[out++] = (char)value[at];
    }
    if (out == 0)
        return;
    for (; at < len && out + 1 < sizeof text && strchr("Z+-0123456789", value[at]) != NULL &&
           value[at] != 0;
         at++) {
        text[out++] = (char)value[at];
        if (value[at] == 'Z')
            break;
        if (at + 1 < len && value[at + 1] == '\'')
            at++;
    }
    tell_date(facts, key, text, out, "", 0);
}

static int pdf_facts_hex(uint8_t c)
{
    return c >= '0' && c <= '9'                     ? c - '0'
           : (c | 0x20) >= 'a' && (c | 0x20) <= 'f' ? (c | 0x20) - 'a' + 10
                                                    : -1;
}

static uint32_t pdf_facts_hex_string(const uint8_t *text, uint32_t len, uint8_t *out)
{
    uint32_t got = 0, digits = 0;

    for (uint32_t at = 0; at < len && text[at] != '>' && got < PDF_FACTS_VALUE; at++) {
        const int digit = pdf_facts_hex(text[at]);

        if (digit < 0)
            continue;
        out[got] = (uint8_t)(digits % 2 == 0 ? digit << 4 : out[got] | digit);
        got += digits++ % 2;
    }
    return got + (uint32_t)(digits % 2 == 1 && got < PDF_FACTS_VALUE);
}

/* A string in parentheses, from behind the first one on. */
static uint32_t pdf_facts_string(const uint8_t *text, uint32_t len, uint8_t *out)
{
    static const char names[] = "nrtbf", codes[] = "\n\r\t\b\f";
    uint32_t got = 0, depth = 1;

    for (uint32_t at = 0; at < len && got < PDF_FACTS_VALUE; at++) {
        uint8_t c = text[at];

        depth += c == '(';
        if (c == ')' && --depth == 0)
            break;
        if (c == '\\' && at + 1 < len) {
            const char *name = strchr(names, text[++at]);

            c = text[at];
            if (c >= '0' && c <= '7') {
                uint32_t value = 0;

                for (uint32_t i = 0; i < 3 && at < len && text[at] >= '0' && text[at] <= '7';
                     i++, at++)
                    value = value * 8 + (text[at] - '0');
                at--;
                c = (uint8_t)value;
            } else if (name != NULL && c != 0) {
                c = (uint8_t)codes[name - names];
            } else if (c == '\r' || c == '\n') {
                continue;
            }
        }
        out[got++] = c;
    }
    return got;
}

/* The Info object: "number generation obj" stands before the dictionary, which is len bytes. */
static void pdf_facts_info(struct sig_facts *facts, const uint8_t *text, uint32_t len)
{
    static const struct {
        const char *name;
        enum sig_fact_key key;
    } names[] = { { "/CreationDate", SIG_FACT_CREATED }, { "/ModDate", SIG_FACT_MODIFIED },
                  { "/Title", SIG_FACT_TITLE },          { "/Author", SIG_FACT_AUTHOR },
                  { "/Subject", SIG_FACT_SUBJECT },      { "/Creator", SIG_FACT_SOFTWARE },
                  { "/Producer", SIG_FACT_SOFTWARE } };
    uint8_t value[PDF_FACTS_VALUE + 1];

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        uint32_t at = pdf_facts_name(text, len, names[i].name), got = 0;

        while (at != 0 && at < len && pdf_facts_is_blank(text[at]))
            at++;
        if (at == 0 || at + 1 >= len)
            continue;
        if (text[at] == '(')
            got = pdf_facts_string(text + at + 1, len - at - 1, value);
        else if (text[at] == '<' && text[at + 1] != '<')
            got = pdf_facts_hex_string(text + at + 1, len - at - 1, value);
        if (got == 0)
            continue;
        if (names[i].key == SIG_FACT_CREATED || names[i].key == SIG_FACT_MODIFIED)
            pdf_facts_date(facts, names[i].key, value, got);
        else
            pdf_facts_text(facts, names[i].key, value, got);
    }
}

/* The object at `at`: its dictionary ends at the latest with the object. */
static bool pdf_facts_object(struct sig_facts *facts, uint64_t at, uint32_t number)
{
    const uint64_t left = at < tell_len(facts) ? tell_len(facts) - at : 0;
    const uint32_t want = left < PDF_FACTS_LOOK ? (uint32_t)left : PDF_FACTS_LOOK;
    const uint8_t *text = want > 0 ? tell_bytes(facts, at, want) : NULL;
    const uint8_t *end = text != NULL ? memmem(text, want, "endobj", 6) : NULL;
    uint64_t value = 0;
    uint32_t from = 0;

    if (text == NULL || !pdf_facts_number(text, want, &from, &value) || value != number ||
        !pdf_facts_number(text, want, &from, &value))
        return false;
    pdf_facts_info(facts, text, end != NULL ? (uint32_t)(end - text) : want);
    return true;
}

/* Looks for the last "number 0 obj" in want bytes at object offset at: that of the last change. */
static bool pdf_facts_search(struct sig_facts *facts, uint64_t at, uint32_t want, uint32_t number)
{
    char head[32];
    const int len = snprintf(head, sizeof head, "%u 0 obj", number);
    const uint8_t *text = want > 0 ? tell_bytes(facts, at, want) : NULL;

    uint64_t place = UINT64_MAX;

    for (const uint8_t *from = text; from != NULL;) {
        from = memmem(from, want - (size_t)(from - text), head, (size_t)len);
        if (from != NULL && (from == text || from[-1] < '0' || from[-1] > '9'))
            place = at + (uint64_t)(from - text);
        from = from != NULL ? from + len : NULL;
    }
    return place != UINT64_MAX && pdf_facts_object(facts, place, number);
}

/* In the sections of a table: first number, count, then 20 bytes each. */
static void pdf_facts_table(struct pdf_facts_walk *walk, uint64_t at, const uint8_t *text,
                            uint32_t len)
{
    uint32_t from = 4; /* "xref" */
    uint64_t first, count, place;

    while (walk->info != 0 && walk->info_at == 0 && pdf_facts_number(text, len, &from, &first) &&
           pdf_facts_number(text, len, &from, &count)) {
        while (from < len && pdf_facts_is_blank(text[from]))
            from++;
        if (walk->info >= first && walk->info - first < count) {
            uint32_t digit = 0;
            const uint64_t entry = at + from + (walk->info - first) * PDF_FACTS_PLACE;
            const uint8_t *bytes = tell_bytes(walk->facts, entry, PDF_FACTS_PLACE);

            if (bytes != NULL && pdf_facts_number(bytes, PDF_FACTS_PLACE, &digit, &place))
                walk->info_at = place;
            return;
        }
        if (count > (len - from) / PDF_FACTS_PLACE)
            return;
        from += (uint32_t)count * PDF_FACTS_PLACE;
    }
}

/* What a trailer, or the dictionary of a cross-reference stream, says. */
static void pdf_facts_trailer(struct pdf_facts_walk *walk, const uint8_t *text, uint32_t len)
{
    uint32_t at = pdf_facts_name(text, len, "/Info");
    uint64_t number;

    if (at != 0 && walk->info == 0 && pdf_facts_number(text, len, &at, &number) &&
        number < UINT32_MAX)
        walk->info = (uint32_t)number;
    walk->encrypted = walk->encrypted || pdf_facts_name(text, len, "/Encrypt") != 0;
}

/* The table or stream at `at`; returns where the one before it is, 0: there is none. */
static uint64_t pdf_facts_xref(struct pdf_facts_walk *walk, uint64_t at)
{
    const uint64_t left = at < tell_len(walk->facts) ? tell_len(walk->facts) - at : 0;
    const uint32_t want = left < PDF_FACTS_LOOK ? (uint32_t)left : PDF_FACTS_LOOK;
    const uint8_t *text = want > 4 ? tell_bytes(walk->facts, at, want) : NULL;

    if (text == NULL)
        return 0;
    const bool table = memcmp(text, "xref", 4) == 0;
    const uint8_t *from = table ? memmem(text, want, "trailer", 7) : text;
    if (from == NULL)
        return 0;
    const uint32_t room = want - (uint32_t)(from - text);
    const uint8_t *end = memmem(from, room, table ? "startxref" : "stream", table ? 9 : 6);
    const uint32_t len = end != NULL ? (uint32_t)(end - from) : room;
    uint32_t prev = pdf_facts_name(from, len, "/Prev");
    uint64_t before = 0;

    pdf_facts_trailer(walk, from, len);
    if (prev == 0 || !pdf_facts_number(from, len, &prev, &before))
        before = 0;
    walk->streams = walk->streams || !table;
    if (table && !walk->streams)
        pdf_facts_table(walk, at, text, (uint32_t)(from - text));
    return before;
}

/* A table with a long list: its trailer stands before startxref. */
static uint64_t pdf_facts_start(struct pdf_facts_walk *walk)
{
    const uint64_t len = tell_len(walk->facts);
    const uint32_t want = len < PDF_FACTS_TAIL ? (uint32_t)len : PDF_FACTS_TAIL;
    const uint8_t *text = tell_bytes(walk->facts, len - want, want);
    const uint8_t *start = NULL, *trailer = NULL;
    uint64_t at = 0;

    for (const uint8_t *from = text; from != NULL && want - (size_t)(from - text) > 9; from++) {
        from = memmem(from, want - (size_t)(from - text), "startxref", 9);
        if (from == NULL)
            break;
        start = from;
    }
    if (start == NULL)
        return 0;
    trailer = memmem(text, (size_t)(start - text), "trailer", 7);
    if (trailer != NULL)
        pdf_facts_trailer(walk, trailer, (uint32_t)(start - trailer));
    uint32_t from = (uint32_t)(start - text) + 9;
    return pdf_facts_number(text, want, &from, &at) ? at : 0;
}

/* XMP that is not packed says what it is. */
static void pdf_facts_xmp(struct sig_facts *facts, uint64_t at, uint32_t want)
{
    const uint8_t *text = want > 0 ? tell_bytes(facts, at, want) : NULL;
    const uint8_t *found = text != NULL ? memmem(text, want, "<x:xmpmeta", 10) : NULL;

    if (found != NULL)
        xmp_tell(facts, at + (uint64_t)(found - text),
                 tell_len(facts) - at - (uint64_t)(found - text));
}

void pdf_facts(struct sig_facts *facts)
{
    const uint64_t len = tell_len(facts);
    const uint32_t want = len < PDF_FACTS_SEARCH ? (uint32_t)len : PDF_FACTS_SEARCH;
    struct pdf_facts_walk walk = { .facts = facts };
    uint64_t at = pdf_facts_start(&walk);

    for (uint32_t i = 0;
         at != 0 && i < PDF_FACTS_TRAILERS && (i == 0 || walk.info == 0 || walk.info_at == 0); i++)
        at = pdf_facts_xref(&walk, at);
    if (walk.encrypted) { /* and so are its texts */
        tell_count(facts, SIG_FACT_ENCRYPTED, 1);
        return;
    }
    if (walk.info == 0 ||
        ((walk.info_at == 0 || !pdf_facts_object(facts, walk.info_at, walk.info)) &&
         !pdf_facts_search(facts, len - want, want, walk.info) &&
         !pdf_facts_search(facts, 0, want, walk.info)))
        pdf_facts_xmp(facts, len - want, want);
}
