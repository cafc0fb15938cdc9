/* SPDX-License-Identifier: Apache-2.0
 * signatures/text/mail.h - the parts of the mail validator: header fields (mail_header.c) and
 * messages (mail.c). */
#ifndef BURIN_SIGNATURES_TEXT_MAIL_H
#define BURIN_SIGNATURES_TEXT_MAIL_H

#include "signatures/lib/chars.h"
#include "signatures/sig.h"

enum {
    MAIL_BOUNDARY_MAX = 80, /* RFC 2046 allows 70 characters */
    MAIL_DEPTH_MAX = 8,     /* multiparts inside of each other */
    MAIL_LINE_MAX = 1000,   /* characters of a line that are looked at; RFC 5322 2.1.1 allows 998 */
};

/* Header fields that make a message. */
enum {
    MAIL_FROM = 1 << 0,
    MAIL_TO = 1 << 1,
    MAIL_DATE = 1 << 2,
    MAIL_SUBJECT = 1 << 3,
    MAIL_MESSAGE_ID = 1 << 4,
    MAIL_RECEIVED = 1 << 5,
    MAIL_RETURN_PATH = 1 << 6,
    MAIL_MIME = 1 << 7,
    MAIL_CONTENT_TYPE = 1 << 8,
    MAIL_OTHER = 1 << 9,     /* a field that mail alone has */
    MAIL_WEB_PAGE = 1 << 10, /* not a field: what browsers write into the page they save */
};

struct mail_boundary {
    uint32_t len;
    uint8_t text[MAIL_BOUNDARY_MAX];
};

/* What the header fields of a message or of one of its parts said. */
struct mail_header {
    uint32_t seen, lines;
    bool in_type, multipart, message, base64; /* in_type: the last field was Content-Type */
    struct mail_boundary boundary;
};

/* Takes one line of a header, without its end. false: it is no header line. */
bool mail_header_line(struct mail_header *header, const uint8_t *line, uint32_t len);
/* Whether the fields seen are those of a message. */
bool mail_header_is_message(const struct mail_header *header);
/* Whether the line separates messages of an mbox: From, an address, a date. */
bool mail_from_line(const uint8_t *line, uint32_t len);

#endif
