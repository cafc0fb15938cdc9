/* SPDX-License-Identifier: Apache-2.0
 * signatures/text/html_nest.c - how the tags of a page nest, for a page in pieces.
 *
 * Pages are seldom free of faults: a tag is closed twice, or never. A page whose second piece is
 * another page's has more of them, as what the first piece opens is not what the second one closes.
 * So faults say nothing by themselves; of several ways of putting a page together they tell one.
 */
#include <string.h>

#include "signatures/lib/chars.h"
#include "signatures/text/html.h"

enum nest_phase {
    NEST_TEXT,
    NEST_NAME, /* behind <, in the name of a tag */
    NEST_TAG,  /* behind the name */
    NEST_COMMENT,
    NEST_SCRIPT, /* in an element whose text is no markup, */
    NEST_STYLE
};

/* Elements that have no content, and those that may be left open. */
static const char *const nest_empty[] = { "area",  "base",   "basefont", "br",    "col",  "embed",
                                          "frame", "hr",     "img",      "input", "link", "meta",
                                          "param", "source", "track",    "wbr",   NULL };
static const char *const nest_loose[] = { "body",  "colgroup", "dd",     "dt", "font",  "head",
                                          "html",  "li",       "option", "p",  "tbody", "td",
                                          "tfoot", "th",       "thead",  "tr", NULL };

static bool nest_is(const char *const *names, const char *name)
{
    bool is = false;

    for (; !is && *names != NULL; names++)
        is = strcmp(*names, name) == 0;
    return is;
}

/* A number of the name; it is odd where the element has to be closed. */
static uint32_t nest_number(const char *name)
{
    uint32_t hash = CHARS_HASH;

    for (uint32_t i = 0; name[i] != '\0'; i++)
        hash = (hash ^ (uint8_t)name[i]) * 16777619;
    return nest_is(nest_loose, name) ? hash & ~UINT32_C(1) : hash | 1;
}

static void nest_open(struct sig_nest *nest, uint32_t number)
{
    if (nest->depth < SIG_NEST_DEPTH)
        nest->names[nest->depth++] = number;
}

/* Closes the last one of these, and all that were opened since. */
static void nest_close(struct sig_nest *nest, uint32_t number)
{
    uint32_t at = nest->depth;

    while (at > 0 && nest->names[at - 1] != number)
        at--;
    if (at == 0) {
        nest->wrong += number & 1;
        return;
    }
    for (uint32_t i = at; i < nest->depth; i++)
        nest->wrong += nest->names[i] & 1;
    nest->depth = at - 1;
}

/* A tag has been read to its >. */
static void nest_tag(struct sig_nest *nest)
{
    nest->phase = NEST_TEXT;
    if (nest->len == 0 || nest->name[0] == '!' || nest->name[0] == '?')
        return;
    if (nest->closes) {
        nest_close(nest, nest_number(nest->name));
        return;
    }
    if (nest->before == '/' || nest_is(nest_empty, nest->name))
        return;
    nest_open(nest, nest_number(nest->name));
    if (strcmp(nest->name, "script") == 0)
        nest->phase = NEST_SCRIPT;
    else if (strcmp(nest->name, "style") == 0)
        nest->phase = NEST_STYLE;
    nest->len = 0; /* of what ends such a text */
}

static void nest_name_begins(struct sig_nest *nest)
{
    nest->phase = NEST_NAME;
    nest->len = 0;
    nest->name[0] = '\0';
    nest->closes = false;
    nest->before = '<';
}

static void nest_name(struct sig_nest *nest, uint8_t c)
{
    const bool letter = (c | 0x20) >= 'a' && (c | 0x20) <= 'z';

    if (nest->len == 0 && c == '/' && !nest->closes) {
        nest->closes = true;
        return;
    }
    if (!letter && !(c >= '0' && c <= '9') && c != '-' && c != '!' && c != '?') {
        nest->wrong += nest->len == 0; /* < and no tag */
        nest->phase = nest->len == 0 ? NEST_TEXT : NEST_TAG;
        nest->before = c;
        if (c == '>' && nest->len > 0)
            nest_tag(nest);
        return;
    }
    if (nest->len + 1 < SIG_NEST_NAME) {
        nest->name[nest->len++] = (char)(letter ? c | 0x20 : c);
        nest->name[nest->len] = '\0';
    }
    if (strcmp(nest->name, "!--") == 0) {
        nest->phase = NEST_COMMENT;
        nest->len = 0;
    }
}

/* Looks for the end of a comment, or of an element without markup, of which nest->len bytes have
 * been seen. */
static void nest_skip(struct sig_nest *nest, const char *end, uint8_t c)
{
    const uint8_t low = c >= 'A' && c <= 'Z' ? c | 0x20 : c;

    if (nest->phase == NEST_COMMENT && c == '-' && nest->len == 2)
        return; /* any number of them */
    nest->len = low == (uint8_t)end[nest->len] ? nest->len + 1 : low == (uint8_t)end[0];
    if (end[nest->len] != '\0')
        return;
    if (nest->phase == NEST_COMMENT) {
        nest->phase = NEST_TEXT;
        return;
    }
    memcpy(nest->name, end + 2, strlen(end + 2) + 1);
    nest->closes = true;
    nest->len = (uint32_t)strlen(nest->name);
    nest->phase = NEST_TAG;
}

static void nest_byte(struct sig_nest *nest, uint8_t c)
{
    switch ((enum nest_phase)nest->phase) {
    case NEST_TEXT:
        if (c == '<')
            nest_name_begins(nest);
        else
            nest->wrong += c == '>';
        break;
    case NEST_NAME:
        nest_name(nest, c);
        break;
    case NEST_TAG:
        if (c == '>')
            nest_tag(nest);
        else if (c == '<') {
            nest->wrong++;
            nest_name_begins(nest);
        }
        nest->before = c;
        break;
    case NEST_COMMENT:
        nest_skip(nest, "-->", c);
        break;
    case NEST_SCRIPT:
        nest_skip(nest, "</script", c);
        break;
    default:
        nest_skip(nest, "</style", c);
    }
}

void html_nest(struct sig_nest *nest, const uint8_t *bytes, uint32_t len)
{
    for (uint32_t i = 0; i < len; i++)
        nest_byte(nest, bytes[i]);
}

uint32_t html_nest_wrong(const struct sig_nest *nest)
{
    uint32_t wrong = nest->wrong + (nest->phase != NEST_TEXT);

    for (uint32_t i = 0; i < nest->depth; i++)
        wrong += nest->names[i] & 1;
    return wrong;
}
