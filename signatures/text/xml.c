/* SPDX-License-Identifier: Apache-2.0
 * signatures/text/xml.c - XML documents and what is written in XML: SVG, XHTML, property lists,
 * KML, GPX, RSS, XMP packets, ...
 *
 *   [BOM] [<?xml ...?>] [comments, instructions] [<!DOCTYPE ... [...]>] <root ...> ... </root>
 * [comments, instructions] [newlines]
 *
 * A document ends with its root: every start tag has its end tag, in order, or it is not
 * well-formed, and then it is damaged or in pieces. Without an XML declaration only roots of known
 * kinds are taken. Pages of HTML that begin with the declaration and are not well-formed are read
 * like other pages (html.c).
 */
#include "signatures/text/xml.h"

enum {
    XML_BROKEN_MIN =
        1024, /* bytes of markup that make a broken document more than a stray header */
    XML_BROKEN_TAGS = 8,
};

static struct sig_result xml_check(struct sig_input *in, void *memory)
{
    struct xml_state *state = memory;

    if (!state->soup && xml_walk(in, state) == CHARS_WAIT)
        return sig_short(in);
    in->type = xml_type(state);
    if (!state->declared && (!xml_is_known(state) || xml_is_html(state)))
        return sig_reject("there is neither an XML declaration nor a known root");
    if (state->phase == XML_ENDED)
        return sig_complete(in, state->end,
                            "the document is well-formed up to the end of its "
                            "root");
    if (xml_is_html(state)) {
        state->soup = true;
        return html_walk(in, &state->html);
    }
    if (state->text.at < XML_BROKEN_MIN || state->tags < XML_BROKEN_TAGS)
        return sig_reject(state->why);
    sig_valid(in, state->text.at);
    return sig_breaks(in, state->why);
}

const struct sig sig_xml = {
    .name = "xml",
    .what = "XML document; SVG, XHTML, property list and others by their root",
    .proves = "well-formed: every tag is closed in order, attributes are quoted, up to the end of "
              "the root",
    .source = "W3C, Extensible Markup Language (XML) 1.0, 5th edition: 2.1 Well-Formed XML "
              "Documents; the roots: each "
              "one's own "
              "specification",
    .types = xml_types,
    .headers = { SIG_PATTERN("<?xml version"),
                 SIG_PATTERN("\xef\xbb\xbf<?xml version"),
                 SIG_PATTERN("<?xpacket begin="),
                 SIG_PATTERN("<?xml\n"),
                 SIG_PATTERN("<svg"),
                 SIG_PATTERN("<!--"),
                 SIG_PATTERN("<!DOCTYPE svg"),
                 SIG_PATTERN("<!DOCTYPE plist"),
                 SIG_PATTERN("<plist"),
                 SIG_PATTERN("<x:xmpmeta"),
                 SIG_PATTERN("<rdf:RDF"),
                 SIG_PATTERN("<rss"),
                 SIG_PATTERN("<kml"),
                 SIG_PATTERN("<gpx"),
                 SIG_PATTERN("<feed"),
                 SIG_PATTERN("<xsl:"),
                 SIG_PATTERN("<FictionBook"),
                 SIG_PATTERN("<math"),
                 SIG_PATTERN("\xef\xbb\xbf<svg"),
                 SIG_PATTERN("<?xml-stylesheet"),
                 SIG_PATTERN("\xff\xfe<\0?\0x\0m\0l\0"),
                 SIG_PATTERN("\xfe\xff\0<\0?\0x\0m\0l"),
                 SIG_PATTERN("\xff\xfe<\0s\0v\0g\0"),
                 SIG_PATTERN("<smil") },
    .flags = SIG_SECTOR_ALIGNED | SIG_CONTAINER,
    .size_min = 16,
    .size_max = UINT64_C(4) << 30, /* policy */
    .state_size = sizeof(struct xml_state),
    .check = xml_check,
};
