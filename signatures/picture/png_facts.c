/* SPDX-License-Identifier: Apache-2.0
 * signatures/picture/png_facts.c - facts of a PNG file: size, text chunks, Exif, XMP, time of
 * its last change.
 * Source: ISO/IEC 15948 (W3C PNG, third edition), 11.3. */
#include <string.h>

#include "base/bytes.h"
#include "signatures/facts/exif.h"
#include "signatures/facts/xmp.h"
#include "signatures/picture/picture_facts.h"

enum {
    PNG_FACTS_SIGNATURE = 8,
    PNG_FACTS_HEAD = 8,    /* bytes of a chunk's length and type */
    PNG_FACTS_CRC = 4,     /* and of what stands behind its data */
    PNG_FACTS_WORD = 80,   /* bytes of a keyword, its NUL included, at most */
    PNG_FACTS_CHUNKS = 512 /* that are looked at, at most */
};

/* A date as people write it has no rules: one that is none stays a text. */
static void png_facts_creation(struct sig_facts *facts, const uint8_t *text, uint32_t len)
{
    const uint32_t before = facts->count;

    tell_date(facts, SIG_FACT_CREATED, (const char *)text, len, "", 0);
    if (facts->count == before)
        tell_latin1(facts, SIG_FACT_CREATED_LOCAL, text, len);
}

static void png_facts_text(struct sig_facts *facts, uint64_t at, uint32_t len)
{
    const uint32_t want = len < SIG_FACT_LEN + PNG_FACTS_WORD ? len : SIG_FACT_LEN + PNG_FACTS_WORD;
    const uint8_t *bytes = want > 0 ? tell_bytes(facts, at, want) : NULL;
    const uint8_t *word_end =
        bytes != NULL ? memchr(bytes, 0, want < PNG_FACTS_WORD ? want : PNG_FACTS_WORD) : NULL;

    if (word_end == NULL)
        return;
    const char *word = (const char *)bytes;
    const uint8_t *text = word_end + 1;
    const uint32_t text_len = want - (uint32_t)(text - bytes);
    if (strcmp(word, "Title") == 0)
        tell_latin1(facts, SIG_FACT_TITLE, text, text_len);
    else if (strcmp(word, "Author") == 0)
        tell_latin1(facts, SIG_FACT_AUTHOR, text, text_len);
    else if (strcmp(word, "Software") == 0)
        tell_latin1(facts, SIG_FACT_SOFTWARE, text, text_len);
    else if (strcmp(word, "Creation Time") == 0)
        png_facts_creation(facts, text, text_len);
}

/* iTXt: keyword and its NUL | not packed, 0 | language, keyword, each with its NUL | text. */
static void png_facts_xmp(struct sig_facts *facts, uint64_t at, uint32_t len)
{
    static const char head[] = "XML:com.adobe.xmp\0\0\0\0";
    const uint8_t *bytes = len > sizeof head ? tell_bytes(facts, at, sizeof head) : NULL;

    if (bytes != NULL && memcmp(bytes, head, sizeof head) == 0)
        xmp_tell(facts, at + sizeof head, len - sizeof head);
}

/* tIME: in UTC. */
static void png_facts_time(struct sig_facts *facts, uint64_t at)
{
    const uint8_t *bytes = tell_bytes(facts, at, 7);
    char text[24];

    if (bytes == NULL)
        return;
    const uint32_t year = bytes_u16be(bytes);
    const uint32_t parts[] = { year / 100, year % 100, bytes[2], bytes[3],
                               bytes[4],   bytes[5],   bytes[6] };
    static const char marks[] = "\0--T::Z";
    size_t len = 0;
    for (uint32_t i = 0; i < 7; i++) {
        if (parts[i] > 99)
            return;
        text[len++] = (char)('0' + parts[i] / 10);
        text[len++] = (char)('0' + parts[i] % 10);
        if (marks[i] != '\0')
            text[len++] = marks[i];
    }
    tell_date(facts, SIG_FACT_MODIFIED, text, len, "", 0);
}

void png_facts(struct sig_facts *facts)
{
    uint64_t at = PNG_FACTS_SIGNATURE;

    for (uint32_t i = 0; i < PNG_FACTS_CHUNKS; i++) {
        const uint8_t *head = tell_bytes(facts, at, PNG_FACTS_HEAD);

        if (head == NULL)
            return;
        const uint32_t len = bytes_u32be(head);
        const uint64_t data = at + PNG_FACTS_HEAD;
        if (memcmp(head + 4, "IHDR", 4) == 0 && len == 13) {
            const uint8_t *size = tell_bytes(facts, data, 8);

            if (size != NULL)
                tell_size(facts, bytes_u32be(size), bytes_u32be(size + 4));
        } else if (memcmp(head + 4, "tEXt", 4) == 0) {
            png_facts_text(facts, data, len);
        } else if (memcmp(head + 4, "tIME", 4) == 0 && len == 7) {
            png_facts_time(facts, data);
        } else if (memcmp(head + 4, "eXIf", 4) == 0) {
            exif_tell(facts, data, len, false);
        } else if (memcmp(head + 4, "iTXt", 4) == 0) {
            png_facts_xmp(facts, data, len);
        }
        at = data + len + PNG_FACTS_CRC;
    }
}
