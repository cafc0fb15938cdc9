/* SPDX-License-Identifier: Apache-2.0
 * signatures/text/xml_walk.c - the markup of an XML document, character by character where it must
 * be, in leaps where it can. */
#include <string.h>

#include "base/limits.h"
#include "signatures/text/xml.h"

enum {
    XML_LOOK = 16, /* characters that show which markup it is */
    XML_DECLARATION_MAX = 256,
    XML_MISC_SPACE = 64,    /* characters of white space between the root and a comment behind it */
    XML_PADDING = 64 << 10, /* likewise in a packet of metadata */
};

static bool xml_name_start(uint8_t c)
{
    return chars_is_letter(c) || c == '_' || c == ':' || c >= 0x80;
}

static bool xml_name_char(uint8_t c)
{
    return xml_name_start(c) || chars_is_digit(c) || c == '-' || c == '.';
}

static void xml_break(struct xml_state *state, const char *why)
{
    state->why = why;
    state->phase = XML_BROKEN;
}

/* A name's next character, kept for the first two elements. */
static void xml_name_add(struct xml_state *state, uint8_t c)
{
    state->hash = chars_hash(state->hash, c);
    if (state->tags == 0 && state->root_len < XML_NAME_MAX)
        state->root[state->root_len++] = (char)c;
    else if (state->tags == 1 && state->second_len < XML_NAME_MAX)
        state->second[state->second_len++] = (char)c;
}

static void xml_space_add(struct xml_state *state, const uint8_t *chars, uint32_t len)
{
    const uint32_t room = XML_SPACE_MAX - state->space_len;

    if (state->tags > 0)
        return;
    if (len > room)
        len = room;
    memcpy(state->space + state->space_len, chars, len);
    state->space_len += len;
}

/* The start tag ends. */
static void xml_opened(struct xml_state *state, bool empty)
{
    if (!empty) {
        if (state->depth < XML_DEPTH_MAX)
            state->names[state->depth] = state->hash;
        state->depth++;
    }
    state->tags++;
    state->phase = state->depth == 0 ? XML_AFTER : XML_CONTENT;
}

static void xml_closed(struct xml_state *state)
{
    if (state->depth == 0 ||
        (state->depth <= XML_DEPTH_MAX && state->names[state->depth - 1] != state->hash)) {
        xml_break(state, "an end tag closes another element");
        return;
    }
    state->depth--;
    state->phase = state->depth == 0 ? XML_AFTER : XML_CONTENT;
}

static void xml_aside(struct xml_state *state, enum xml_phase phase)
{
    state->back = state->phase == XML_MARKUP ? XML_CONTENT : state->phase;
    state->phase = phase;
}

/* At a < with XML_LOOK characters or the end of the text behind it. Returns how many to skip. */
static uint32_t xml_markup(struct xml_state *state, const uint8_t *chars, uint32_t len)
{
    const uint8_t next = len > 1 ? chars[1] : 0;

    state->hash = CHARS_HASH;
    if (next == '/') {
        state->phase = XML_CLOSE;
        return 2;
    }
    if (len >= 4 && memcmp(chars, "<!--", 4) == 0) {
        xml_aside(state, XML_COMMENT);
        return 4;
    }
    if (len >= 9 && memcmp(chars, "<![CDATA[", 9) == 0 && state->depth > 0) {
        state->phase = XML_CDATA;
        return 9;
    }
    if (next == '?') {
        const bool declaration =
            chars_begins(chars, len, "<?xml") && len > 5 && chars_is_space(chars[5]);

        if (len < 3 || !xml_name_start(chars[2]) ||
            (declaration && (state->declared || state->doctyped || state->rooted))) {
            xml_break(state, "a processing instruction is not allowed here");
            return 0;
        }
        state->declared |= declaration;
        state->packet |= !state->rooted && chars_begins(chars, len, "<?xpacket ");
        xml_aside(state, XML_PI);
        return 2;
    }
    if (chars_begins(chars, len, "<!doctype") && !state->rooted && !state->doctyped) {
        state->doctyped = true;
        state->phase = XML_DOCTYPE;
        return 9;
    }
    if (!xml_name_start(next)) {
        xml_break(state, "a < does not begin markup");
        return 0;
    }
    state->rooted = true;
    state->phase = XML_OPEN;
    return 1;
}

/* In text: leaps to the next <. */
static uint32_t xml_content(struct xml_state *state, const uint8_t *chars, uint32_t len)
{
    if (state->depth > 0) {
        const uint8_t *tag = memchr(chars, '<', len);

        if (tag != NULL)
            state->phase = XML_MARKUP;
        return tag == NULL ? len : (uint32_t)(tag - chars);
    }
    uint32_t i = 0;
    while (i < len && chars_is_space(chars[i]))
        i++;
    if (i < len && chars[i] == '<')
        state->phase = XML_MARKUP;
    else if (i < len)
        xml_break(state, "there is text outside the root");
    return i;
}

static uint32_t xml_name(struct xml_state *state, const uint8_t *chars, uint32_t len)
{
    uint32_t i = 0;

    while (i < len && xml_name_char(chars[i])) {
        if (state->phase == XML_OPEN)
            xml_name_add(state, chars[i]);
        else
            state->hash = chars_hash(state->hash, chars[i]);
        i++;
    }
    if (i < len)
        state->phase = state->phase == XML_OPEN ? XML_TAG : XML_CLOSE_SPACE;
    return i;
}

/* Between attributes: one character decides. */
static void xml_tag(struct xml_state *state, uint8_t c)
{
    if (c == '>')
        xml_opened(state, false);
    else if (c == '/')
        state->phase = XML_EMPTY;
    else if (xml_name_start(c))
        state->phase = XML_ATTRIBUTE;
    else if (!chars_is_space(c))
        xml_break(state, "invalid start tag");
}

static uint32_t xml_attribute(struct xml_state *state, const uint8_t *chars, uint32_t len)
{
    uint32_t i = 0;

    while (i < len && xml_name_char(chars[i]))
        i++;
    if (i == len)
        return i;
    if (chars[i] == '=')
        state->phase = XML_EQUALS;
    else if (!chars_is_space(chars[i]))
        xml_break(state, "an attribute has no value");
    return i + 1;
}

static void xml_equals(struct xml_state *state, uint8_t c)
{
    if (c == '"' || c == '\'') {
        state->quote = c;
        state->phase = XML_VALUE;
    } else if (!chars_is_space(c)) {
        xml_break(state, "a value has no quotes");
    }
}

static uint32_t xml_value(struct xml_state *state, const uint8_t *chars, uint32_t len)
{
    const uint8_t *end = memchr(chars, state->quote, len);
    const uint32_t part = end == NULL ? len : (uint32_t)(end - chars);
    const uint8_t *wrong = memchr(chars, '<', part);
    const uint32_t good = wrong == NULL ? part : (uint32_t)(wrong - chars);

    xml_space_add(state, chars, good);
    if (wrong != NULL) {
        xml_break(state, "the value of an attribute has a <");
        return good;
    }
    if (end == NULL)
        return len;
    state->attributes++;
    state->phase = XML_TAG;
    return part + 1;
}

/* To behind a comment's end. One that begins inside of it is none: the rest of another document is
 * there. */
static uint32_t xml_comment(struct xml_state *state, const uint8_t *chars, uint32_t len)
{
    const uint8_t *end = memmem(chars, len, "-->", 3);
    const uint32_t part = end == NULL ? len : (uint32_t)(end - chars) + 2;

    const uint8_t *inner = memmem(chars, part, "<!--", 4);

    if (inner != NULL) {
        xml_break(state, "a comment has a comment inside");
        return (uint32_t)(inner - chars);
    }
    if (end == NULL)
        return len < 4 ? len : len - 3;
    state->phase = state->back;
    return part + 1;
}

/* To behind the mark that ends an instruction or a CDATA section. */
static uint32_t xml_until(struct xml_state *state, const uint8_t *chars, uint32_t len,
                          const char *mark)
{
    const uint32_t mark_len = (uint32_t)strlen(mark);
    const uint8_t *end = memmem(chars, len, mark, mark_len);

    if (end != NULL) {
        state->phase = state->phase == XML_CDATA ? XML_CONTENT : state->back;
        return (uint32_t)(end - chars) + mark_len;
    }
    return len < mark_len ? len : len - (mark_len - 1);
}

/* A document type and its internal subset. */
static uint32_t xml_doctype(struct xml_state *state, const uint8_t *chars, uint32_t len)
{
    const uint8_t c = chars[0];

    if (state->phase == XML_SUBSET_QUOTE || c == '"' || c == '\'') {
        if (state->phase != XML_SUBSET_QUOTE) {
            state->quote = c;
            state->back = state->phase;
            state->phase = XML_SUBSET_QUOTE;
            return 1;
        }
        const uint8_t *end = memchr(chars, state->quote, len);
        if (end != NULL)
            state->phase = state->back;
        return end == NULL ? len : (uint32_t)(end - chars) + 1;
    }
    if (state->phase == XML_DOCTYPE && c == '>') {
        state->phase = XML_CONTENT;
    } else if (state->phase == XML_DOCTYPE && c == '[') {
        state->phase = XML_SUBSET;
    } else if (state->phase == XML_SUBSET && c == ']') {
        state->phase = XML_DOCTYPE;
    } else if (state->phase == XML_DOCTYPE && c == '<') {
        xml_break(state, "the document type has no end");
    } else if (state->phase == XML_SUBSET && c == '<') {
        if (len >= 4 && memcmp(chars, "<!--", 4) == 0)
            xml_aside(state, XML_COMMENT);
        else if (len >= 2 && chars[1] == '?')
            xml_aside(state, XML_PI);
    }
    return 1;
}

/* One step at chars, of which there are at least XML_LOOK or all that are left. Returns how many
 * are done with. */
static uint32_t xml_step(struct xml_state *state, const uint8_t *chars, uint32_t len)
{
    switch (state->phase) {
    case XML_CONTENT:
        return xml_content(state, chars, len);
    case XML_MARKUP:
        return xml_markup(state, chars, len);
    case XML_OPEN:
    case XML_CLOSE:
        return xml_name(state, chars, len);
    case XML_TAG:
        xml_tag(state, chars[0]);
        return state->phase == XML_ATTRIBUTE ? 0 : 1;
    case XML_ATTRIBUTE:
        return xml_attribute(state, chars, len);
    case XML_EQUALS:
        xml_equals(state, chars[0]);
        return 1;
    case XML_VALUE:
        return xml_value(state, chars, len);
    case XML_EMPTY:
        if (chars[0] == '>')
            xml_opened(state, true);
        else
            xml_break(state, "a tag has a / inside");
        return 1;
    case XML_CLOSE_SPACE:
        if (chars[0] == '>')
            xml_closed(state);
        else if (!chars_is_space(chars[0]))
            xml_break(state, "invalid end tag");
        return 1;
    case XML_COMMENT:
        return xml_comment(state, chars, len);
    case XML_PI:
        return xml_until(state, chars, len, "?>");
    case XML_CDATA:
        return xml_until(state, chars, len, "]]>");
    default:
        return xml_doctype(state, chars, len);
    }
}

/* Behind the root: whether a comment or an instruction follows that belongs to it; a packet is
 * padded with white space before its last one. */
static enum chars_step xml_after(struct sig_input *in, struct xml_state *state)
{
    const uint32_t space_max = state->packet ? XML_PADDING : XML_MISC_SPACE;
    const uint8_t *chars;
    uint32_t len, i = 0;

    if (state->padding == 0 && chars_tail(in, &state->text, &state->end) == CHARS_WAIT)
        return CHARS_WAIT;
    if (chars_look(in, &state->text, XML_MISC_SPACE + XML_LOOK, &chars, &len) == CHARS_WAIT)
        return CHARS_WAIT;
    while (i < len && i < XML_MISC_SPACE && chars_is_space(chars[i]))
        i++;
    state->padding += i;
    if (state->packet && i == XML_MISC_SPACE && state->padding < space_max) {
        chars_skip(&state->text, i);
        return CHARS_RIGHT;
    }
    const uint64_t at = state->text.at + (uint64_t)i * state->text.unit;
    const bool comment = len - i >= 4 && memcmp(chars + i, "<!--", 4) == 0;
    const bool instruction = len - i >= 6 && memcmp(chars + i, "<?", 2) == 0 &&
                             xml_name_start(chars[i + 2]) &&
                             !chars_begins(chars + i, len - i, "<?xml ");
    state->phase = XML_ENDED;
    state->padding = 0;
    if ((comment || instruction) && (at % LIMIT_SECTOR != 0 || state->packet)) {
        chars_skip(&state->text, i + (comment ? 4 : 2));
        state->back = XML_AFTER;
        state->phase = comment ? XML_COMMENT : XML_PI;
    }
    return CHARS_RIGHT;
}

/* The XML declaration, if there is one, is of version 1 and has nothing in it that cannot be. */
static enum chars_step xml_declaration(struct sig_input *in, struct xml_state *state)
{
    static const char version[] = "version";
    const uint8_t *chars;
    uint32_t len, i = 6;

    if (chars_look(in, &state->text, XML_DECLARATION_MAX, &chars, &len) == CHARS_WAIT)
        return CHARS_WAIT;
    len = len < XML_DECLARATION_MAX ? len : XML_DECLARATION_MAX;
    state->phase = XML_CONTENT;
    if (len < 6 || memcmp(chars, "<?xml", 5) != 0 || !chars_is_space(chars[5]))
        return CHARS_RIGHT;
    while (i < len && chars_is_space(chars[i]))
        i++;
    bool right = chars_begins(chars + i, len - i, version);
    while (right && i < len && chars[i] != '"' && chars[i] != '\'')
        i++;
    right = right && i < len && chars_begins(chars + i + 1, len - i - 1, "1.");
    while (i < len &&
           (chars_is_letter(chars[i]) || chars_is_digit(chars[i]) || chars_is_space(chars[i]) ||
            (chars[i] != 0 && strchr("=\"'._:-", chars[i]) != NULL)))
        i++;
    if (!right || !chars_begins(chars + i, len - i, "?>"))
        xml_break(state, "invalid XML declaration");
    return CHARS_RIGHT;
}

/* The text ends, or something is there that cannot be in a document. */
static void xml_stuck(struct xml_state *state, const char *why)
{
    if (state->end > 0)
        state->phase = XML_ENDED; /* a comment behind the root that does not end is none */
    else
        xml_break(state, why);
}

enum chars_step xml_walk(struct sig_input *in, struct xml_state *state)
{
    const uint8_t *chars;
    uint32_t len;

    if (chars_open(in, &state->text) == CHARS_WAIT ||
        (state->phase == XML_START && xml_declaration(in, state) == CHARS_WAIT))
        return CHARS_WAIT;
    while (state->phase < XML_ENDED) {
        const uint64_t from = state->text.at;

        if (state->phase == XML_AFTER) {
            if (xml_after(in, state) == CHARS_WAIT)
                return CHARS_WAIT;
            continue;
        }
        if (chars_look(in, &state->text, XML_LOOK, &chars, &len) == CHARS_WAIT)
            return CHARS_WAIT;
        if (len == 0)
            xml_stuck(state, state->text.stop == CHARS_STOP_LIMIT
                                 ? "the image ends before the root does"
                                 : "the text ends before the root does");
        while (len > 0 && state->phase < XML_AFTER) {
            if (len < XML_LOOK && state->text.at > from && chars_more(&state->text, len))
                break;
            const uint32_t done = xml_step(state, chars, len);

            chars += done;
            len -= done;
            chars_skip(&state->text, done);
        }
    }
    return CHARS_RIGHT;
}
