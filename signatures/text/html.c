/* SPDX-License-Identifier: Apache-2.0
 * signatures/text/html.c - HTML pages.
 *
 *   [BOM] [white space] [comments] [<!doctype html ...>] [<html>] ... </html> [comments] [newlines]
 *
 * A page ends with the </html> that closes its <html>, with the comments and newlines behind it.
 * Text of comments, scripts, styles and the like is skipped, so that a tag in it does not count;
 * where such an element is never closed, it is read like the rest. Many pages have no </html>:
 * theirs is the end of their text, if it stands inside of a sector, behind a tag or a newline; else
 * such a page is not whole. Nothing but text can be in a page, and no second page begins
 * on a sector inside of it: both show one that lies in pieces.
 */
#include <string.h>

#include "base/limits.h"
#include "signatures/lib/step.h"
#include "signatures/text/html.h"

enum {
    HTML_LOOK = 32,         /* characters that show which tag it is */
    HTML_HEAD = 4096,       /* characters within which a page begins behind its comments */
    HTML_TAGS_MIN = 2,      /* tags of the smallest page worth finding */
    HTML_HEAD_WITHIN = 128, /* tags within which <head>, <body> or <title> comes */
    HTML_BROKEN_MIN = 1024, /* bytes of text that make a broken page more than a stray header */
    HTML_BROKEN_TAGS = 8,
    HTML_SPACE_MAX = 256, /* characters of white space between </html> and a comment */
};

static const char *const html_raw[] = { "script", "style", "textarea", "title", "xmp", NULL };

/* Not enum step: a page breaks no rule. It ends, or what follows is not of it. */
enum html_step { HTML_ON, HTML_WAIT, HTML_ENDED, HTML_FOREIGN };

static bool html_tag(const uint8_t *chars, uint32_t len, const char *name)
{
    const uint32_t name_len = (uint32_t)strlen(name);

    return len > name_len && chars_begins(chars, len, name) &&
           (chars[name_len] == '>' || chars[name_len] == '/' || chars_is_space(chars[name_len]));
}

static void html_skip_from(struct html_walk *walk, enum html_phase phase, uint32_t chars)
{
    if (!walk->plain) {
        walk->phase = phase;
        walk->raw_at = walk->text.at;
    }
    chars_skip(&walk->text, chars);
}

/* </html> with white space before its > is seen at chars; returns its length, or 0. */
static uint32_t html_close(const uint8_t *chars, uint32_t len)
{
    uint32_t i = 6;

    if (!chars_begins(chars, len, "</html"))
        return 0;
    while (i < len && chars_is_space(chars[i]))
        i++;
    return i < len && chars[i] == '>' ? i + 1 : 0;
}

/* Another page begins at the tag at text->at. */
static bool html_foreign(const struct html_walk *walk)
{
    return walk->depth > 0 && walk->text.at > 0 && walk->text.at % LIMIT_SECTOR == 0;
}

/* By its first letter a tag, one of most, is none that html_one asks about: neither of html, head,
 * body, title or frameset, nor of html_raw. */
static bool html_is_other(const uint8_t *chars, uint32_t len)
{
    if (len < 3)
        return false;
    if (chars[1] == '/')
        return (chars[2] | 0x20) != 'h';
    switch (chars[1] | 0x20) {
    case 'b':
    case 'f':
    case 'h':
    case 's':
    case 't':
    case 'x':
        return false;
    default:
        return chars_is_letter(chars[1]);
    }
}

/* A tag at text->at. */
static enum html_step html_one(struct html_walk *walk, const uint8_t *chars, uint32_t len)
{
    if (html_is_other(chars, len)) {
        walk->tags++;
        chars_skip(&walk->text, 1);
        return HTML_ON;
    }
    const uint32_t close = html_close(chars, len);
    if (close > 0) {
        chars_skip(&walk->text, close);
        walk->end = walk->text.at;
        walk->phase = HTML_TAIL;
        return HTML_ON;
    }
    if (chars_begins(chars, len, "<!--")) {
        html_skip_from(walk, HTML_COMMENT, 2); /* <!--> is a whole one */
        return HTML_ON;
    }
    const bool html = html_tag(chars, len, "<html");
    if ((html || chars_begins(chars, len, "<!doctype html") || chars_begins(chars, len, "<?xml")) &&
        html_foreign(walk))
        return HTML_FOREIGN;
    if (html)
        walk->depth++;
    if (len > 1 && (chars_is_letter(chars[1]) || chars[1] == '/'))
        walk->tags++;
    if (walk->tags <= HTML_HEAD_WITHIN &&
        (html_tag(chars, len, "<head") || html_tag(chars, len, "<body") ||
         html_tag(chars, len, "<title") || html_tag(chars, len, "<frameset")))
        walk->head = true;
    for (uint32_t i = 0; html_raw[i] != NULL && len > 1; i++)
        if (html_tag(chars + 1, len - 1, html_raw[i])) {
            walk->raw = i;
            html_skip_from(walk, HTML_RAW, 2);
            return HTML_ON;
        }
    chars_skip(&walk->text, 1);
    return HTML_ON;
}

static enum html_step html_body(struct sig_input *in, struct html_walk *walk)
{
    const uint8_t *chars;
    uint32_t len;

    if (chars_look(in, &walk->text, HTML_LOOK, &chars, &len) == CHARS_WAIT)
        return HTML_WAIT;
    const uint64_t from = walk->text.at;
    const uint8_t *const stop = chars + len;
    while (chars < stop && walk->phase == HTML_BODY) {
        const uint8_t *tag = memchr(chars, '<', (size_t)(stop - chars));

        if (tag == NULL) {
            chars_skip(&walk->text, (uint32_t)(stop - chars));
            break;
        }
        chars_skip(&walk->text, (uint32_t)(tag - chars));
        if (stop - tag < HTML_LOOK && walk->text.at > from &&
            chars_more(&walk->text, (uint32_t)(stop - tag)))
            break;
        const uint64_t at = walk->text.at;
        const enum html_step step = html_one(walk, tag, (uint32_t)(stop - tag));
        if (step != HTML_ON)
            return step;
        chars = tag + (walk->text.at - at) / walk->text.unit;
    }
    return len == 0 ? HTML_ENDED : HTML_ON;
}

/* Skips to behind the end of a comment or of an element whose text is no markup. */
static enum html_step html_skip(struct sig_input *in, struct html_walk *walk)
{
    const bool comment = walk->phase != HTML_RAW;
    const char *name = html_raw[walk->raw];
    const uint8_t *chars;
    uint32_t len;

    if (chars_look(in, &walk->text, HTML_LOOK, &chars, &len) == CHARS_WAIT)
        return HTML_WAIT;
    for (const uint8_t *p = chars;
         len > 0 && (p = memchr(p, comment ? '-' : '<', len - (size_t)(p - chars))); p++) {
        const uint32_t left = len - (uint32_t)(p - chars);

        if (left < HTML_LOOK && p > chars && chars_more(&walk->text, len)) {
            chars_skip(&walk->text, (uint32_t)(p - chars));
            return HTML_ON;
        }
        if (comment ? chars_begins(p, left, "-->")
                    : left > 2 && p[1] == '/' && html_tag(p + 2, left - 2, name)) {
            chars_skip(&walk->text, (uint32_t)(p - chars) + (comment ? 3 : 2));
            walk->phase = walk->phase == HTML_TAIL_COMMENT ? HTML_TAIL : HTML_BODY;
            return HTML_ON;
        }
        if (left == 1)
            break;
    }
    chars_skip(&walk->text, len);
    if (len > 0)
        return HTML_ON;
    if (walk->end > 0)
        return HTML_ENDED;
    walk->plain = true; /* it never ends: then it was none */
    walk->text.at = walk->raw_at + walk->text.unit;
    walk->phase = HTML_BODY;
    return HTML_ON;
}

/* Behind </html> or a comment that follows it. */
static enum html_step html_tail(struct sig_input *in, struct html_walk *walk)
{
    const uint8_t *chars;
    uint32_t len, i = 0;

    if (chars_tail(in, &walk->text, &walk->end) == CHARS_WAIT ||
        chars_look(in, &walk->text, HTML_SPACE_MAX + 4, &chars, &len) == CHARS_WAIT)
        return HTML_WAIT;
    while (i < HTML_SPACE_MAX && i < len && chars_is_space(chars[i]))
        i++;
    if (walk->depth > 1 && i < len) {
        walk->depth--;
        walk->phase = HTML_BODY;
        return HTML_ON;
    }
    const uint64_t comment_at = walk->text.at + (uint64_t)i * walk->text.unit;
    if (!chars_begins(chars + i, len - i, "<!--") || comment_at % LIMIT_SECTOR == 0)
        return HTML_ENDED;
    chars_skip(&walk->text, i + 4);
    walk->phase = HTML_TAIL_COMMENT;
    return HTML_ON;
}

static struct sig_result html_broken(struct sig_input *in, const struct html_walk *walk,
                                     const char *why)
{
    if (walk->text.at < HTML_BROKEN_MIN || walk->tags < HTML_BROKEN_TAGS || !walk->head)
        return sig_reject(why);
    sig_valid(in, walk->text.at);
    return sig_breaks(in, why);
}

/* The last character before `end` that is no white space, and whether a newline stands behind it.
 */
static enum step html_last(struct sig_input *in, uint64_t end, uint8_t *last, bool *newline)
{
    const uint32_t back = end < HTML_SPACE_MAX ? (uint32_t)end : HTML_SPACE_MAX;
    const uint8_t *bytes = sig_bytes(in, end - back, back);
    uint32_t i = back;

    if (bytes == NULL)
        return STEP_WAIT;
    while (i > 0 && chars_is_space(bytes[i - 1]))
        i--;
    *last = i > 0 ? bytes[i - 1] : 0;
    *newline = i < back;
    return STEP_DONE;
}

/*
 * The text has stopped without </html>: whether it is the whole page, up to *end. STEP_BAD: it need
 * not be. What lies in pieces breaks at the end of a sector. Where zeros fill the last one, the
 * page ends with a tag or a newline; where other bytes do, some of which may look like text, with
 * both.
 */
static enum step html_text_end(struct sig_input *in, struct html_walk *walk, uint64_t *end)
{
    const bool zeros = walk->text.stop == CHARS_STOP_NUL;
    uint8_t last;
    bool newline;

    if ((!zeros && walk->text.stop != CHARS_STOP_BINARY) || walk->text.unit != 1 ||
        walk->tags < HTML_BROKEN_TAGS || !walk->head)
        return STEP_BAD;
    const enum chars_step step = chars_last(in, &walk->text, end);
    if (step != CHARS_RIGHT)
        return step == CHARS_WAIT ? STEP_WAIT : STEP_BAD;
    const uint32_t rest = LIMIT_SECTOR - (uint32_t)(*end % LIMIT_SECTOR);
    if (rest == LIMIT_SECTOR || *end < HTML_BROKEN_MIN)
        return STEP_BAD;
    if (html_last(in, *end, &last, &newline) == STEP_WAIT)
        return STEP_WAIT;
    if (zeros ? last != '>' && !newline : last != '>' || !newline)
        return STEP_BAD;
    const uint8_t *bytes = zeros ? sig_bytes(in, *end, rest) : NULL;
    if (zeros && bytes == NULL)
        return STEP_WAIT;
    for (uint32_t i = 0; zeros && i < rest; i++)
        if (bytes[i] != 0)
            return STEP_BAD;
    return STEP_DONE;
}

static struct sig_result html_done(struct sig_input *in, struct html_walk *walk)
{
    uint64_t end = 0;
    const enum step step = walk->end == 0 ? html_text_end(in, walk, &end) : STEP_BAD;

    if (step == STEP_WAIT)
        return sig_short(in);
    if (step == STEP_DONE)
        return sig_believe(in, end, "the page leads to the end of its text");
    if (walk->end == 0)
        return html_broken(in, walk,
                           walk->text.stop == CHARS_STOP_LIMIT ? "the image ends before </html>"
                                                               : "the text ends before </html>");
    if (walk->tags < HTML_TAGS_MIN || !walk->head)
        return sig_reject("there are too few tags for a page");
    return sig_complete(in, walk->end, "the page leads to its </html>");
}

struct sig_result html_walk(struct sig_input *in, struct html_walk *walk)
{
    for (;;) {
        enum html_step step = HTML_ON;

        switch (walk->phase) {
        case HTML_START:
            if (chars_open(in, &walk->text) == CHARS_WAIT)
                return sig_short(in);
            walk->text.tolerant = true;
            walk->phase = HTML_BODY;
            break;
        case HTML_BODY:
            step = html_body(in, walk);
            break;
        case HTML_TAIL:
            step = html_tail(in, walk);
            break;
        default:
            step = html_skip(in, walk);
        }
        if (step == HTML_WAIT)
            return sig_short(in);
        if (walk->tags > HTML_HEAD_WITHIN && !walk->head)
            return sig_reject("there is no head and no body");
        if (step == HTML_ENDED || (step == HTML_FOREIGN && walk->end > 0))
            return html_done(in, walk);
        if (step == HTML_FOREIGN)
            return html_broken(in, walk, "another page begins inside, on a sector");
    }
}

/* Whether a page begins at the first character that is neither white space nor a comment; WAIT and
 * ENDED likewise. */
static enum html_step html_begins(struct sig_input *in, struct html_walk *walk)
{
    const uint8_t *chars;
    uint32_t len, i = 0;
    struct chars text = walk->text;

    if (chars_look(in, &text, HTML_HEAD, &chars, &len) == CHARS_WAIT)
        return HTML_WAIT;
    len = len < HTML_HEAD ? len : HTML_HEAD;
    for (;;) {
        while (i < len && chars_is_space(chars[i]))
            i++;
        if (!chars_begins(chars + i, len - i, "<!--"))
            break;
        const uint8_t *end = memmem(chars + i, len - i, "-->", 3);
        if (end == NULL)
            return HTML_ENDED;
        i = (uint32_t)(end - chars) + 3;
    }
    return html_tag(chars + i, len - i, "<!doctype html") ||
                   html_tag(chars + i, len - i, "<html") || html_tag(chars + i, len - i, "<head")
               ? HTML_ON
               : HTML_ENDED;
}

static struct sig_result html_check(struct sig_input *in, void *memory)
{
    struct html_walk *walk = memory;

    if (walk->phase == HTML_START) {
        if (chars_open(in, &walk->text) == CHARS_WAIT)
            return sig_short(in);
        const enum html_step step = html_begins(in, walk);
        if (step == HTML_WAIT)
            return sig_short(in);
        if (step == HTML_ENDED)
            return sig_reject("no page begins here");
    }
    return html_walk(in, walk);
}

const struct sig sig_html = {
    .name = "html",
    .what = "HTML page (XHTML with an XML declaration: see xml)",
    .proves = "text and tags to the </html> that closes the page, or to the end of its text inside "
              "of a sector; tags need not balance",
    .source = "HTML Living Standard, 13.1 Writing HTML documents; RFC 1866; the end: practice",
    .types = (const struct sig_type[]){ { "html", "html" }, { 0 } },
    .headers = { SIG_PATTERN("<!doctype html"),
                 SIG_PATTERN("<html"),
                 SIG_PATTERN("<head>"),
                 SIG_PATTERN("<!--"),
                 SIG_PATTERN("\xef\xbb\xbf<!doctype html"),
                 SIG_PATTERN("\xef\xbb\xbf<html"),
                 SIG_PATTERN("\n<!doctype html"),
                 SIG_PATTERN("\r\n<!doctype html"),
                 SIG_PATTERN(" <!doctype html"),
                 SIG_PATTERN("\n<html"),
                 SIG_PATTERN("\r\n<html"),
                 SIG_PATTERN("\n\n<!doctype html"),
                 SIG_PATTERN("\r\n\r\n<!doctype html"),
                 SIG_PATTERN("\n\n\n<"),
                 SIG_PATTERN("\r\n\r\n\r\n<"),
                 SIG_PATTERN("\t<!doctype html"),
                 SIG_PATTERN("\xef\xbb\xbf\r\n<"),
                 SIG_PATTERN("\xef\xbb\xbf<!--"),
                 SIG_PATTERN("\xff\xfe<\0!\0d\0o\0c\0t\0y\0p\0e\0 \0h\0t\0m\0l\0"),
                 SIG_PATTERN("\xff\xfe<\0h\0t\0m\0l\0"),
                 SIG_PATTERN("\xfe\xff\0<\0!\0d\0o\0c\0t\0y\0p\0e\0 \0h\0t\0m\0l"),
                 SIG_PATTERN("\xfe\xff\0<\0h\0t\0m\0l") },
    .flags = SIG_SECTOR_ALIGNED | SIG_NO_CASE | SIG_CONTAINER,
    .size_min = 24,
    .size_max = UINT64_C(64) << 20, /* policy: no page is larger */
    .state_size = sizeof(struct html_walk),
    .check = html_check,
    .nest = html_nest,
    .nest_wrong = html_nest_wrong,
};
