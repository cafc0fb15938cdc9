/* SPDX-License-Identifier: Apache-2.0
 * signatures/text/xml.h - the parts of the XML validator: the walk over the markup (xml_walk.c) and
 * what a document is called (xml_type.c). */
#ifndef BURIN_SIGNATURES_TEXT_XML_H
#define BURIN_SIGNATURES_TEXT_XML_H

#include "signatures/lib/chars.h"
#include "signatures/sig.h"
#include "signatures/text/html.h"

enum {
    XML_DEPTH_MAX = 2048, /* elements inside of each other; deeper ones are not looked at, and their
                             names not compared */
    XML_NAME_MAX = 40,    /* bytes of a name that are kept */
    XML_SPACE_MAX = 512,  /* bytes of what a name space is searched in */
};

enum xml_phase {
    XML_START,
    XML_CONTENT,   /* text between tags */
    XML_MARKUP,    /* at a < */
    XML_OPEN,      /* in the name of a start tag */
    XML_TAG,       /* between the attributes of one */
    XML_ATTRIBUTE, /* in the name of an attribute */
    XML_EQUALS,
    XML_VALUE,
    XML_EMPTY, /* behind the / of <name/> */
    XML_CLOSE, /* in the name of an end tag */
    XML_CLOSE_SPACE,
    XML_COMMENT,
    XML_CDATA,
    XML_PI,
    XML_DOCTYPE,
    XML_SUBSET, /* between [ and ] of a document type */
    XML_SUBSET_QUOTE,
    XML_AFTER, /* behind the root, or behind what follows it */
    XML_ENDED,
    XML_BROKEN,
};

/* Kept between calls; zeroed before the first. */
struct xml_state {
    struct chars text;
    enum xml_phase phase, back; /* back: the phase that a comment or an instruction was met in */
    uint8_t quote;
    bool declared, rooted,
        doctyped;     /* an XML declaration, a start tag, a document type were seen */
    bool packet;      /* of metadata: <?xpacket ...?> around the root */
    bool soup;        /* a page of HTML after all */
    uint32_t padding; /* characters of white space behind the root */
    uint32_t hash;    /* of the name so far */
    uint32_t depth;   /* elements open */
    uint32_t tags, attributes;
    uint64_t end;    /* behind the root's end tag or what follows it; 0: not there yet */
    const char *why; /* of XML_BROKEN */
    char root[XML_NAME_MAX],
        second[XML_NAME_MAX]; /* names of the root and of the first element in it */
    uint32_t root_len, second_len;
    char space[XML_SPACE_MAX]; /* the values of the root's attributes */
    uint32_t space_len;
    uint32_t names[XML_DEPTH_MAX]; /* hashes of the open elements */
    struct html_walk html;
};
_Static_assert(sizeof(struct xml_state) <= SIG_STATE_MAX, "the state of a document fits");

/* Goes on to XML_ENDED or XML_BROKEN. CHARS_WAIT: return sig_short(in). */
enum chars_step xml_walk(struct sig_input *in, struct xml_state *state);

/* What the document is called, by its root. */
const struct sig_type *xml_type(const struct xml_state *state);
/* Whether the root is of a kind that is known to stand without an XML declaration. */
bool xml_is_known(const struct xml_state *state);
bool xml_is_html(const struct xml_state *state);
extern const struct sig_type xml_types[];

#endif
