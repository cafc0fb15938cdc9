/* SPDX-License-Identifier: Apache-2.0
 * signatures/text/mail.c - mail: one message (eml), mailboxes (mbox), web pages saved as a message
 * (mhtml).
 *
 *   [From sender date] | fields, "Name: value" | empty line | body, in an mbox with an empty line
 * behind it | next message ...
 *
 * A message whose body has parts ends with the last boundary of the outermost one. Of other
 * messages, and of the last one of an mbox, nothing tells the end: the first byte that is no text
 * does (slack of zeros, binary data), or a beginning of another file on a sector; such a length is
 * believed only. Base64 is checked line by line, so other data in it is noticed; other text in a
 * body of text is not. Any line of a header on a sector looks like the beginning of a message:
 * those inside are part of it.
 */
#include <string.h>

#include "base/limits.h"
#include "signatures/text/mail.h"
#include "signatures/text/mail_facts.h"

enum {
    MAIL_HEADER_LINES = 2000,
    MAIL_BROKEN_MIN = 1024,   /* bytes that make a broken message more than a stray header */
    MAIL_EPILOGUE = 16 << 10, /* bytes that may stand between the last boundary of a message and the
                                 next message */
};

enum mail_phase {
    MAIL_START,
    MAIL_HEADER,   /* of a message */
    MAIL_PART,     /* header of a part */
    MAIL_BODY,     /* text */
    MAIL_BASE64,   /* of the body or of a part */
    MAIL_EPILOGUES /* behind the last boundary of a message of an mbox */
};

/* Kept between calls; zeroed before the first. */
struct mail_state {
    struct chars text;
    enum mail_phase phase;
    struct mail_header header; /* being read */
    uint32_t seen;             /* fields of the first message */
    bool mbox, multipart;      /* multipart: of the message being read */
    bool blank;                /* the line before was empty */
    bool rest;                 /* in the rest of a long line */
    uint32_t messages, depth;
    uint64_t line; /* object offset of the line being read */
    uint64_t closed_at,
        closed; /* where the last boundary of the message ended; with the newlines behind it */
    struct mail_boundary boundaries[MAIL_DEPTH_MAX];
};

/* As enum step, and: the last boundary was read; the text ends; this is no message. */
enum mail_step { MAIL_ON, MAIL_WAIT, MAIL_CLOSED, MAIL_ENDED, MAIL_NONE, MAIL_BAD };

static void mail_new_header(struct mail_state *state, enum mail_phase phase)
{
    state->header = (struct mail_header){ 0 };
    state->phase = phase;
}

static enum mail_step mail_header_end(struct mail_state *state)
{
    struct mail_header *header = &state->header;
    const bool message = header->message;

    if (state->phase == MAIL_HEADER) {
        if (!mail_header_is_message(header))
            return state->messages == 0 ? MAIL_NONE : MAIL_BAD;
        if (state->messages++ == 0)
            state->seen = header->seen;
        state->depth = 0;
        state->multipart = header->multipart && header->boundary.len > 0;
    }
    if (header->multipart && header->boundary.len > 0 && state->depth < MAIL_DEPTH_MAX)
        state->boundaries[state->depth++] = header->boundary;
    if (header->base64 && !header->multipart && !message)
        state->phase = MAIL_BASE64;
    else if (message)
        mail_new_header(state, MAIL_PART);
    else
        state->phase = MAIL_BODY;
    return MAIL_ON;
}

/* Whether the line is one of the boundaries; then it is acted upon. */
static bool mail_boundary(struct mail_state *state, const uint8_t *line, uint32_t len,
                          enum mail_step *step)
{
    if (len < 3 || line[0] != '-' || line[1] != '-')
        return false;
    for (uint32_t i = state->depth; i > 0; i--) {
        const struct mail_boundary *boundary = &state->boundaries[i - 1];
        const uint32_t end = 2 + boundary->len;

        if (len < end || memcmp(line + 2, boundary->text, boundary->len) != 0)
            continue;
        uint32_t space = len;
        while (space > end && chars_is_space(line[space - 1]))
            space--;
        if (space == end) {
            state->depth = i;
            mail_new_header(state, MAIL_PART);
            return true;
        }
        if (len >= end + 2 && memcmp(line + end, "--", 2) == 0) {
            state->depth = i - 1;
            state->phase = MAIL_BODY;
            *step = i == 1 ? MAIL_CLOSED : MAIL_ON;
            state->closed_at = state->line + (uint64_t)(end + 2) * state->text.unit;
            return true;
        }
    }
    return false;
}

static bool mail_is_base64(const uint8_t *line, uint32_t len)
{
    /* By bit: the letters, digits, + / = and white space */
    static const uint32_t right[8] = { 0x00003e00, 0x23ff8801, 0x07fffffe, 0x07fffffe };
    uint32_t all = 1;

    for (uint32_t i = 0; i < len; i++) /* without a branch for each */
        all &= right[line[i] / 32] >> line[i] % 32;
    return all != 0;
}

/* Another file begins at a line on a sector, where the text has no other end. */
static bool mail_other_begins(const struct mail_state *state, const uint8_t *line, uint32_t len)
{
    static const char *const starts[] = { "<?xml version=", "<!doctype html", "%pdf-1.",
                                          "%!ps-adobe-",    "{\\rtf1",        "return-path: <",
                                          "-----begin " };

    if (state->line % LIMIT_SECTOR != 0 || state->depth > 0)
        return false;
    for (uint32_t i = 0; i < sizeof starts / sizeof starts[0]; i++)
        if (chars_begins(line, len, starts[i]))
            return true;
    return !state->mbox && mail_from_line(line, len);
}

static enum mail_step mail_line(struct mail_state *state, const uint8_t *line, uint32_t len)
{
    enum mail_step step = MAIL_ON;
    const bool blank = state->blank;

    state->blank = len == 0;
    if (state->phase == MAIL_START) {
        state->mbox = mail_from_line(line, len);
        mail_new_header(state, MAIL_HEADER);
        if (state->mbox)
            return MAIL_ON;
    } else if (state->mbox && blank && state->phase > MAIL_HEADER && mail_from_line(line, len)) {
        mail_new_header(state, MAIL_HEADER);
        state->depth = 0;
        state->closed = 0;
        return MAIL_ON;
    }
    switch (state->phase) {
    case MAIL_HEADER:
    case MAIL_PART:
        if (len == 0)
            return mail_header_end(state);
        if (state->phase == MAIL_PART && mail_boundary(state, line, len, &step))
            return step;
        if (mail_header_line(&state->header, line, len) && state->header.lines < MAIL_HEADER_LINES)
            return MAIL_ON;
        if (state->phase == MAIL_PART)
            state->phase = MAIL_BODY; /* a part without a header */
        else
            return state->messages == 0 ? MAIL_NONE : MAIL_BAD;
        return MAIL_ON;
    case MAIL_EPILOGUES:
        return state->line - state->closed > MAIL_EPILOGUE ? MAIL_ENDED : MAIL_ON;
    case MAIL_BASE64:
        if (mail_boundary(state, line, len, &step))
            return step;
        if (len == 0 && state->depth == 0)
            state->phase = MAIL_BODY; /* what lists append follows an empty line */
        return mail_is_base64(line, len) ? MAIL_ON : MAIL_BAD;
    default:
        if (mail_boundary(state, line, len, &step))
            return step;
        return mail_other_begins(state, line, len) ? MAIL_ENDED : MAIL_ON;
    }
}

/* The lines that lie together at text->at. */
static enum mail_step mail_lines(struct sig_input *in, struct mail_state *state)
{
    const uint8_t *chars;
    uint32_t len;

    if (chars_look(in, &state->text, MAIL_LINE_MAX + 1, &chars, &len) == CHARS_WAIT)
        return MAIL_WAIT;
    const uint64_t from = state->text.at;
    if (len == 0)
        return MAIL_ENDED;
    while (len > 0) {
        if (len <= MAIL_LINE_MAX && state->text.at > from && chars_more(&state->text, len))
            break;
        const uint32_t most = len < MAIL_LINE_MAX ? len : MAIL_LINE_MAX;
        const uint8_t *newline = memchr(chars, '\n', most);
        const uint32_t line = newline == NULL ? most : (uint32_t)(newline - chars);
        const uint32_t all = line + (newline != NULL);
        const bool rest = state->rest;
        enum mail_step step = MAIL_ON;

        state->rest = newline == NULL;
        const bool chance = newline == NULL && len == most && !chars_more(&state->text, len) &&
                            state->phase == MAIL_BASE64 && chars[0] != '-';
        if (!rest) {
            state->line = state->text.at;
            step = chance ? MAIL_ON
                          : mail_line(state, chars,
                                      line > 0 && chars[line - 1] == '\r' ? line - 1 : line);
        }
        if (step == MAIL_CLOSED)
            state->text.at = state->closed_at;
        else if (step == MAIL_ON)
            chars_skip(&state->text, all);
        if (step != MAIL_ON)
            return step;
        chars += all;
        len -= all;
    }
    return MAIL_ON;
}

static const struct sig_type mail_types[] = {
    { "eml", "eml" }, { "mbox", "mbox" }, { "mhtml", "mhtml" }, { 0 }
};

static struct sig_result mail_broken(struct sig_input *in, const struct mail_state *state,
                                     const char *why)
{
    if (state->messages == 0 || state->line < MAIL_BROKEN_MIN)
        return sig_reject(why);
    sig_valid(in, state->line);
    return sig_breaks(in, why);
}

/* The text is over, or another file begins. */
static struct sig_result mail_end(struct sig_input *in, struct mail_state *state)
{
    const bool stopped = state->text.stop != CHARS_GOES_ON && state->text.at >= state->text.good;
    uint64_t end = state->text.at;

    if (state->messages == 0 || state->phase == MAIL_HEADER)
        return mail_broken(in, state, "the text ends inside a header");
    const enum chars_step step = stopped ? chars_last(in, &state->text, &end) : CHARS_RIGHT;
    if (step == CHARS_WAIT)
        return sig_short(in);
    if (step == CHARS_CUT && state->closed == 0)
        return mail_broken(in, state, "the text breaks off at the end of a sector");
    if (state->closed > 0 && (!stopped || state->closed + MAIL_EPILOGUE < end))
        return sig_complete(in, state->closed,
                            "the messages lead to the last boundary of the "
                            "last one");
    if (state->closed > 0)
        return sig_complete(in, end > state->closed ? end : state->closed,
                            "the messages lead to the end of the text");
    if (state->multipart)
        return mail_broken(in, state, "the text ends before the last boundary");
    if (state->text.stop == CHARS_STOP_LIMIT && stopped && in->limit == in->sig->size_max)
        return mail_broken(in, state, "the file is longer than the limit for this type");
    if (state->mbox && state->messages > 1)
        return sig_complete(in, end, "the messages lead to the end of the text");
    return sig_believe(in, end, "the message leads to the end of the text");
}

static struct sig_result mail_check(struct sig_input *in, void *memory)
{
    struct mail_state *state = memory;

    if (chars_open(in, &state->text) == CHARS_WAIT)
        return sig_short(in);
    for (;;) {
        enum mail_step step = state->phase == MAIL_EPILOGUES && state->closed == 0
                                  ? MAIL_CLOSED
                                  : mail_lines(in, state);

        if (state->messages > 0) {
            in->type = &mail_types[state->mbox ? 1 : state->seen & MAIL_WEB_PAGE ? 2 : 0];
            sig_valid(in, state->text.at);
        }
        switch (step) {
        case MAIL_ON:
            break;
        case MAIL_CLOSED:
            state->phase = MAIL_EPILOGUES; /* called again, this goes on with looking for the end of
                                              the newlines */
            if (chars_tail(in, &state->text, &state->closed) == CHARS_WAIT)
                return sig_short(in);
            if (!state->mbox)
                return sig_complete(in, state->closed, "the message leads to its last boundary");
            state->text.at = state->closed;
            state->line = state->closed;
            state->blank = true;
            break;
        case MAIL_WAIT:
            return sig_short(in);
        case MAIL_ENDED:
            return mail_end(in, state);
        case MAIL_NONE:
            return sig_reject("there is no valid header of a message");
        default:
            return mail_broken(in, state, "a line does not belong in a message");
        }
    }
}

const struct sig sig_eml = {
    .name = "eml",
    .what = "Mail message, mailbox, web page saved as a message",
    .proves = "header fields, boundaries of parts in their order, text; where no boundary ends "
              "it, text up to other data",
    .source = "RFC 5322, RFC 2045, RFC 2046 5.1, RFC 4155 (mbox), RFC 2557 (mhtml)",
    .types = mail_types,
    .headers = { SIG_PATTERN("return-path:"),
                 SIG_PATTERN("received:"),
                 SIG_PATTERN("from:"),
                 SIG_PATTERN("from "),
                 SIG_PATTERN("date:"),
                 SIG_PATTERN("message-id:"),
                 SIG_PATTERN("mime-version:"),
                 SIG_PATTERN("delivered-to:"),
                 SIG_PATTERN("x-"),
                 SIG_PATTERN("subject:"),
                 SIG_PATTERN("to:"),
                 SIG_PATTERN("content-type:"),
                 SIG_PATTERN("reply-to:"),
                 SIG_PATTERN("sender:"),
                 SIG_PATTERN("dkim-signature:"),
                 SIG_PATTERN("authentication-results:"),
                 SIG_PATTERN("arc-"),
                 SIG_PATTERN("envelope-to:"),
                 SIG_PATTERN("status:"),
                 SIG_PATTERN("newsgroups:"),
                 SIG_PATTERN("path:"),
                 SIG_PATTERN("importance:"),
                 SIG_PATTERN("thread-"),
                 SIG_PATTERN("user-agent:") },
    .flags = SIG_SECTOR_ALIGNED | SIG_NO_CASE | SIG_CONTAINER | SIG_STREAM | SIG_LOOSE_END,
    .size_min = 48,
    .size_max = UINT64_C(16) << 30, /* policy: mailboxes grow large */
    .state_size = sizeof(struct mail_state),
    .check = mail_check,
    .facts = mail_facts,
};
