/* SPDX-License-Identifier: Apache-2.0
 * signatures/text/mail_facts.c - facts of a message, or of the first one of a mailbox: the fields
 * of its header. Sources: RFC 5322, RFC 2047 (encoded words).
 */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/utf8.h"
#include "signatures/facts/tell.h"
#include "signatures/text/mail_facts.h"

enum {
    MAIL_FACTS_LOOK = 16 << 10,          /* bytes of the header that are looked at */
    MAIL_FACTS_VALUE = 4 * SIG_FACT_LEN, /* bytes of a field */
};

struct mail_facts_text {
    char bytes[MAIL_FACTS_VALUE];
    size_t len;
};

static void mail_facts_put(struct mail_facts_text *text, const void *bytes, size_t len)
{
    if (len > sizeof text->bytes - text->len)
        len = sizeof text->bytes - text->len;
    memcpy(text->bytes + text->len, bytes, len);
    text->len += len;
}

/* A byte of the text that an encoded word stands for; that of ISO 8859-1 is two in UTF-8. */
static void mail_facts_byte(struct mail_facts_text *text, uint8_t byte, bool latin1)
{
    char out[UTF8_MAX] = { 0 };

    if (latin1 && byte >= 0x80) {
        const size_t len = utf8_put(byte, out);

        mail_facts_put(text, out, len);
    } else {
        mail_facts_put(text, &byte, 1);
    }
}

static int mail_facts_digit(char c)
{
    return c >= 'A' && c <= 'Z'   ? c - 'A'
           : c >= 'a' && c <= 'z' ? c - 'a' + 26
           : c >= '0' && c <= '9' ? c - '0' + 52
           : c == '+'             ? 62
           : c == '/'             ? 63
                                  : -1;
}

static int mail_facts_hex(char c)
{
    return c >= '0' && c <= '9'                     ? c - '0'
           : (c | 0x20) >= 'a' && (c | 0x20) <= 'f' ? (c | 0x20) - 'a' + 10
                                                    : -1;
}

static void mail_facts_base64(struct mail_facts_text *text, const char *from, size_t len,
                              bool latin1)
{
    uint32_t bits = 0, count = 0;

    for (size_t i = 0; i < len; i++) {
        const int digit = mail_facts_digit(from[i]);

        if (digit < 0)
            continue;
        bits = bits << 6 | (uint32_t)digit;
        count += 6;
        if (count >= 8) {
            count -= 8;
            mail_facts_byte(text, (uint8_t)(bits >> count), latin1);
        }
    }
}

static void mail_facts_quoted(struct mail_facts_text *text, const char *from, size_t len,
                              bool latin1)
{
    for (size_t i = 0; i < len; i++) {
        const bool coded = from[i] == '=' && i + 2 < len && mail_facts_hex(from[i + 1]) >= 0 &&
                           mail_facts_hex(from[i + 2]) >= 0;

        if (coded) {
            mail_facts_byte(
                text, (uint8_t)(mail_facts_hex(from[i + 1]) << 4 | mail_facts_hex(from[i + 2])),
                latin1);
            i += 2;
        } else {
            mail_facts_byte(text, (uint8_t)(from[i] == '_' ? ' ' : from[i]), false);
        }
    }
}

/* "=?charset?B?...?=": returns its bytes, 0: it is none, or in an encoding that is not known. text
 * NULL: it is not read. */
static size_t mail_facts_word(struct mail_facts_text *text, const char *from, size_t len)
{
    const char *charset = from + 2, *end = from + len;
    const char *mark = len > 8 && from[0] == '=' && from[1] == '?'
                           ? memchr(charset, '?', (size_t)(end - charset))
                           : NULL;

    if (mark == NULL || end - mark < 5 || mark[2] != '?')
        return 0;
    const char *content = mark + 3, *close = content;
    while (close + 1 < end && (close[0] != '?' || close[1] != '='))
        close++;
    if (close + 1 >= end)
        return 0;
    const size_t name = (size_t)(mark - charset), size = (size_t)(close - content);
    const bool utf8 = (name == 5 && strncasecmp(charset, "utf-8", 5) == 0) ||
                      (name == 8 && strncasecmp(charset, "us-ascii", 8) == 0);
    const bool latin1 = (name == 10 && strncasecmp(charset, "iso-8859-1", 10) == 0) ||
                        (name == 12 && strncasecmp(charset, "windows-1252", 12) == 0);
    if (!utf8 && !latin1)
        return 0;
    if (text == NULL)
        return (size_t)(close + 2 - from);
    if ((mark[1] | 0x20) == 'b')
        mail_facts_base64(text, content, size, latin1);
    else
        mail_facts_quoted(text, content, size, latin1);
    return (size_t)(close + 2 - from);
}

/* A field's value, its lines joined and its encoded words read. */
static void mail_facts_value(struct mail_facts_text *text, const char *from, size_t len)
{
    bool after_word = false;

    text->len = 0;
    for (size_t at = 0; at < len;) {
        size_t blanks = 0;

        while (at + blanks < len && strchr(" \t\r\n", from[at + blanks]) != NULL &&
               from[at + blanks] != '\0')
            blanks++;
        const size_t word = mail_facts_word(NULL, from + at + blanks, len - at - blanks);
        if (blanks > 0 && !(after_word && word > 0) && text->len > 0)
            mail_facts_put(text, " ", 1);
        at += blanks;
        if (word > 0)
            at += mail_facts_word(text, from + at, len - at);
        else if (at < len)
            mail_facts_put(text, from + at++, 1);
        after_word = word > 0;
    }
}

/* A number of at most so many digits, behind blanks. False: there is none. */
static bool mail_facts_number(const char **at, uint32_t most, unsigned *out)
{
    uint32_t digits = 0;

    while (**at == ' ')
        ++*at;
    for (*out = 0; digits < most && **at >= '0' && **at <= '9'; ++*at, digits++)
        *out = *out * 10 + (unsigned)(**at - '0');
    return digits > 0;
}

/* A word of letters, digits and signs, behind blanks. */
static void mail_facts_letters(const char **at, char *out, size_t size)
{
    size_t len = 0;

    while (**at == ' ')
        ++*at;
    for (; len + 1 < size && **at != '\0' && strchr(" \t(),", **at) == NULL; ++*at)
        out[len++] = **at;
    out[len] = '\0';
}

/* "Fri, 31 May 2024 12:34:56 +0200 (CEST)" */
static void mail_facts_date(struct sig_facts *facts, const char *from, size_t len)
{
    static const char months[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
    static const struct {
        const char *name, *zone;
    } zones[] = { { "GMT", "Z" },     { "UT", "Z" },      { "EST", "-0500" }, { "EDT", "-0400" },
                  { "CST", "-0600" }, { "CDT", "-0500" }, { "MST", "-0700" }, { "MDT", "-0600" },
                  { "PST", "-0800" }, { "PDT", "-0700" } };
    char text[128], month[4], zone[8], date[64];
    unsigned day, year, hour, minute, second = 0;

    snprintf(text, sizeof text, "%.*s", (int)(len < 120 ? len : 120), from);
    const char *comma = strchr(text, ',');
    const char *at = comma != NULL ? comma + 1 : text;
    if (!mail_facts_number(&at, 2, &day))
        return;
    mail_facts_letters(&at, month, sizeof month);
    if (!mail_facts_number(&at, 4, &year) || !mail_facts_number(&at, 2, &hour) || *at++ != ':' ||
        !mail_facts_number(&at, 2, &minute))
        return;
    if (*at == ':') {
        at++;
        (void)mail_facts_number(&at, 2, &second);
    }
    mail_facts_letters(&at, zone, sizeof zone);
    const char *found = strlen(month) == 3 ? strstr(months, month) : NULL;
    if (found == NULL || (found - months) % 3 != 0)
        return;
    year += year < 50 ? 2000 : year < 1000 ? 1900 : 0;
    for (size_t i = 0; i < sizeof zones / sizeof zones[0]; i++)
        if (strcmp(zone, zones[i].name) == 0)
            snprintf(zone, sizeof zone, "%s", zones[i].zone);
    snprintf(date, sizeof date, "%04u-%02u-%02uT%02u:%02u:%02u%s", year % 10000,
             (unsigned)((found - months) / 3 + 1) % 100, day % 100, hour % 100, minute % 100,
             second % 100, zone[0] == '+' || zone[0] == '-' || zone[0] == 'Z' ? zone : "");
    tell_date(facts, SIG_FACT_SENT, date, strlen(date), "", 0);
}

static void mail_facts_field(struct sig_facts *facts, const char *line, size_t name_len, size_t len)
{
    static const struct {
        const char *name;
        enum sig_fact_key key;
    } names[] = { { "From", SIG_FACT_FROM },         { "To", SIG_FACT_TO },
                  { "Subject", SIG_FACT_SUBJECT },   { "Message-ID", SIG_FACT_MESSAGE_ID },
                  { "X-Mailer", SIG_FACT_SOFTWARE }, { "User-Agent", SIG_FACT_SOFTWARE },
                  { "Date", SIG_FACT_SENT } };
    struct mail_facts_text text;

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (strlen(names[i].name) != name_len || strncasecmp(line, names[i].name, name_len) != 0)
            continue;
        mail_facts_value(&text, line + name_len + 1, len - name_len - 1);
        if (names[i].key == SIG_FACT_SENT)
            mail_facts_date(facts, text.bytes, text.len);
        else
            tell_text(facts, names[i].key, text.bytes, text.len);
    }
}

void mail_facts(struct sig_facts *facts)
{
    const uint64_t len = tell_len(facts);
    const uint32_t want = len < MAIL_FACTS_LOOK ? (uint32_t)len : MAIL_FACTS_LOOK;
    const char *text = (const char *)tell_bytes(facts, 0, want);

    if (text == NULL)
        return;
    for (size_t at = 0; at < want;) {
        size_t end = at;

        /* A line that begins with a blank belongs to the one before it. */
        do {
            const char *feed = memchr(text + end, '\n', want - end);

            if (feed == NULL)
                return;
            end = (size_t)(feed - text) + 1;
        } while (end < want && (text[end] == ' ' || text[end] == '\t'));
        if (text[at] == '\r' || text[at] == '\n') /* the header ends */
            return;
        const char *colon = memchr(text + at, ':', end - at);
        if (colon != NULL)
            mail_facts_field(facts, text + at, (size_t)(colon - text) - at, end - at);
        at = end;
    }
}
