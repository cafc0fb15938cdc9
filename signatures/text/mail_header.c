/* SPDX-License-Identifier: Apache-2.0
 * signatures/text/mail_header.c - lines of a message's header: which fields there are, and the
 * boundary of its parts. */
#include <string.h>

#include "signatures/text/mail.h"

enum { MAIL_NAME_MAX = 76, MAIL_KINDS_MIN = 3 };

static const struct {
    const char *name; /* lower case, with the colon */
    uint32_t kind;
} mail_fields[] = {
    { "from:", MAIL_FROM },
    { "sender:", MAIL_FROM },
    { "to:", MAIL_TO },
    { "cc:", MAIL_TO },
    { "bcc:", MAIL_TO },
    { "newsgroups:", MAIL_TO },
    { "date:", MAIL_DATE },
    { "subject:", MAIL_SUBJECT },
    { "message-id:", MAIL_MESSAGE_ID },
    { "received:", MAIL_RECEIVED },
    { "return-path:", MAIL_RETURN_PATH },
    { "mime-version:", MAIL_MIME },
    { "content-type:", MAIL_CONTENT_TYPE },
    { "delivered-to:", MAIL_OTHER },
    { "reply-to:", MAIL_OTHER },
    { "in-reply-to:", MAIL_OTHER },
    { "references:", MAIL_OTHER },
    { "x-mailer:", MAIL_OTHER },
    { "dkim-signature:", MAIL_OTHER },
    { "authentication-results:", MAIL_OTHER },
    { "snapshot-content-location:", MAIL_WEB_PAGE },
};

static const char *const mail_months[] = { "jan", "feb", "mar", "apr", "may", "jun",
                                           "jul", "aug", "sep", "oct", "nov", "dec" };

static bool mail_month(const uint8_t *chars, uint32_t len)
{
    for (uint32_t i = 0; i < 12; i++)
        if (chars_begins(chars, len, mail_months[i]))
            return true;
    return false;
}

static const uint8_t *mail_find(const uint8_t *chars, uint32_t len, const char *word)
{
    for (uint32_t i = 0; i < len; i++)
        if (chars_begins(chars + i, len - i, word))
            return chars + i;
    return NULL;
}

/* A time of day: digit, colon, two digits. */
static const uint8_t *mail_time(const uint8_t *chars, uint32_t len)
{
    for (uint32_t i = 1; i + 2 < len; i++)
        if (chars[i] == ':' && chars_is_digit(chars[i - 1]) && chars_is_digit(chars[i + 1]) &&
            chars_is_digit(chars[i + 2]))
            return chars + i;
    return NULL;
}

/* Any of the ways to write a date: a month's name and a time, or figures alone. */
static bool mail_date(const uint8_t *chars, uint32_t len)
{
    if (mail_time(chars, len) == NULL)
        return false;
    for (uint32_t i = 0; i < len; i++)
        if (mail_month(chars + i, len - i) ||
            (i + 3 < len && chars_is_digit(chars[i]) && chars_is_digit(chars[i + 1]) &&
             chars_is_digit(chars[i + 2]) && chars_is_digit(chars[i + 3])))
            return true;
    return false;
}

bool mail_from_line(const uint8_t *line, uint32_t len)
{
    uint32_t i = 5;

    if (len < 24 || memcmp(line, "From ", 5) != 0)
        return false;
    while (i < len && line[i] == ' ')
        i++;
    while (i < len && line[i] != ' ')
        i++;
    /* Www Mmm dd hh:mm[:ss] [zone] yyyy; a sender with spaces in it is met, too */
    for (; i + 15 < len; i++) {
        if (line[i] != ' ' || !mail_month(line + i + 1, len - i - 1) || line[i + 4] != ' ')
            continue;
        const uint8_t *time = mail_time(line + i + 4, len - i - 4);
        if (time == NULL)
            return false;
        for (const uint8_t *p = time; p + 4 <= line + len; p++)
            if (p[-1] == ' ' && (memcmp(p, "19", 2) == 0 || memcmp(p, "20", 2) == 0) &&
                chars_is_digit(p[2]) && chars_is_digit(p[3]))
                return true;
    }
    return false;
}

/* The value of Content-Type, or a line that continues it. */
static void mail_type(struct mail_header *header, const uint8_t *value, uint32_t len)
{
    struct mail_boundary *boundary = &header->boundary;
    const uint8_t *p = mail_find(value, len, "boundary=");

    if (chars_begins(value, len, "multipart/"))
        header->multipart = true;
    if (chars_begins(value, len, "message/rfc822"))
        header->message = true;
    if (p == NULL || boundary->len > 0)
        return;
    const uint8_t *const end = value + len;
    p += 9;
    const bool quoted = p < end && *p == '"';
    for (p += quoted; p < end && boundary->len < MAIL_BOUNDARY_MAX; p++) {
        if (quoted ? *p == '"' : chars_is_space(*p) || *p == ';')
            break;
        boundary->text[boundary->len++] = *p;
    }
}

static void mail_field(struct mail_header *header, uint32_t kind, const uint8_t *value,
                       uint32_t len)
{
    if (kind == MAIL_DATE && !mail_date(value, len))
        return;
    if (kind == MAIL_FROM && len == 0)
        return;
    if (kind == MAIL_FROM && mail_find(value, len, "saved by ") != NULL)
        header->seen |= MAIL_WEB_PAGE;
    if (kind == MAIL_CONTENT_TYPE)
        mail_type(header, value, len);
    header->in_type = kind == MAIL_CONTENT_TYPE;
    header->seen |= kind;
}

bool mail_header_line(struct mail_header *header, const uint8_t *line, uint32_t len)
{
    uint32_t name = 0, at;

    header->lines++;
    if (len > 0 && (line[0] == ' ' || line[0] == '\t')) {
        for (at = 0; at < len && chars_is_space(line[at]); at++)
            ;
        if (header->in_type)
            mail_type(header, line + at, len - at);
        return header->lines > 1;
    }
    if (header->lines < 3 && len > 6 && memcmp(line, ">From ", 6) == 0)
        return true; /* left behind by a mailbox inside of a mailbox */
    while (name < len && name < MAIL_NAME_MAX && line[name] > ' ' && line[name] < 0x7f &&
           line[name] != ':')
        name++;
    if (name == 0 || name == len || line[name] != ':')
        return false;
    header->in_type = false;
    for (at = name + 1; at < len && chars_is_space(line[at]); at++)
        ;
    for (uint32_t i = 0; i < sizeof mail_fields / sizeof mail_fields[0]; i++)
        if (chars_begins(line, len, mail_fields[i].name))
            mail_field(header, mail_fields[i].kind, line + at, len - at);
    if (chars_begins(line, len, "content-transfer-encoding:") &&
        chars_begins(line + at, len - at, "base64"))
        header->base64 = true;
    return true;
}

bool mail_header_is_message(const struct mail_header *header)
{
    const uint32_t seen = header->seen & (MAIL_WEB_PAGE - 1);

    return (seen & (MAIL_FROM | MAIL_RETURN_PATH | MAIL_RECEIVED)) != 0 &&
           (seen & (MAIL_DATE | MAIL_SUBJECT | MAIL_MESSAGE_ID | MAIL_RECEIVED)) != 0 &&
           __builtin_popcount(seen) >= MAIL_KINDS_MIN;
}
