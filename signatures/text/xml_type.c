/* SPDX-License-Identifier: Apache-2.0
 * signatures/text/xml_type.c - what an XML document is called: by the name of its root, and where
 * that is a common word by its name space. */
#include <string.h>

#include "signatures/text/xml.h"

enum {
    XML_T_XML,
    XML_T_SVG,
    XML_T_HTML,
    XML_T_PLIST,
    XML_T_KML,
    XML_T_GPX,
    XML_T_TCX,
    XML_T_RSS,
    XML_T_ATOM,
    XML_T_RDF,
    XML_T_XSL,
    XML_T_XSD,
    XML_T_DAE,
    XML_T_RESX,
    XML_T_MUSICXML,
    XML_T_FB2,
    XML_T_GML,
    XML_T_XMP,
    XML_T_OPML,
    XML_T_XSPF,
    XML_T_MATHML,
    XML_T_SMIL,
    XML_T_TTML,
    XML_T_XLIFF,
    XML_T_FODT,
    XML_T_WSDL,
    XML_T_X3D,
    XML_T_JNLP,
    XML_T_NCX,
    XML_T_OPF,
    XML_T_TMX,
};

const struct sig_type xml_types[] = {
    [XML_T_XML] = { "xml", "xml" },
    [XML_T_SVG] = { "svg", "svg" },
    [XML_T_HTML] = { "xhtml", "xhtml" },
    [XML_T_PLIST] = { "plist", "plist" },
    [XML_T_KML] = { "kml", "kml" },
    [XML_T_GPX] = { "gpx", "gpx" },
    [XML_T_TCX] = { "tcx", "tcx" },
    [XML_T_RSS] = { "rss", "rss" },
    [XML_T_ATOM] = { "atom", "atom" },
    [XML_T_RDF] = { "rdf", "rdf" },
    [XML_T_XSL] = { "xsl", "xsl" },
    [XML_T_XSD] = { "xsd", "xsd" },
    [XML_T_DAE] = { "dae", "dae" },
    [XML_T_RESX] = { "resx", "resx" },
    [XML_T_MUSICXML] = { "musicxml", "musicxml" },
    [XML_T_FB2] = { "fb2", "fb2" },
    [XML_T_GML] = { "gml", "gml" },
    [XML_T_XMP] = { "xmp", "xmp" },
    [XML_T_OPML] = { "opml", "opml" },
    [XML_T_XSPF] = { "xspf", "xspf" },
    [XML_T_MATHML] = { "mathml", "mml" },
    [XML_T_SMIL] = { "smil", "smil" },
    [XML_T_TTML] = { "ttml", "ttml" },
    [XML_T_XLIFF] = { "xliff", "xlf" },
    [XML_T_FODT] = { "fodt", "fodt" },
    [XML_T_WSDL] = { "wsdl", "wsdl" },
    [XML_T_X3D] = { "x3d", "x3d" },
    [XML_T_JNLP] = { "jnlp", "jnlp" },
    [XML_T_NCX] = { "ncx", "ncx" },
    [XML_T_OPF] = { "opf", "opf" },
    [XML_T_TMX] = { "tmx", "tmx" },
    { 0 },
};

/* root: without its prefix. space: occurs in the values of the root's attributes; NULL: any. inner:
 * the first element in the root. */
static const struct {
    uint32_t type;
    const char *root, *space, *inner;
} xml_kinds[] = {
    { XML_T_SVG, "svg", NULL, NULL },
    { XML_T_HTML, "html", NULL, NULL },
    { XML_T_PLIST, "plist", NULL, NULL },
    { XML_T_KML, "kml", NULL, NULL },
    { XML_T_GPX, "gpx", NULL, NULL },
    { XML_T_TCX, "TrainingCenterDatabase", NULL, NULL },
    { XML_T_RSS, "rss", NULL, NULL },
    { XML_T_ATOM, "feed", "http://www.w3.org/2005/Atom", NULL },
    { XML_T_RDF, "RDF", "http://www.w3.org/1999/02/22-rdf-syntax-ns#", NULL },
    { XML_T_XSL, "stylesheet", "http://www.w3.org/1999/XSL/Transform", NULL },
    { XML_T_XSL, "transform", "http://www.w3.org/1999/XSL/Transform", NULL },
    { XML_T_XSD, "schema", "http://www.w3.org/2001/XMLSchema", NULL },
    { XML_T_DAE, "COLLADA", NULL, NULL },
    { XML_T_RESX, "root", NULL, "xsd:schema" },
    { XML_T_RESX, "root", NULL, "resheader" },
    { XML_T_MUSICXML, "score-partwise", NULL, NULL },
    { XML_T_MUSICXML, "score-timewise", NULL, NULL },
    { XML_T_FB2, "FictionBook", NULL, NULL },
    { XML_T_GML, "FeatureCollection", "http://www.opengis.net/gml", NULL },
    { XML_T_XMP, "xmpmeta", "adobe:ns:meta/", NULL },
    { XML_T_OPML, "opml", NULL, NULL },
    { XML_T_XSPF, "playlist", "http://xspf.org/ns/0/", NULL },
    { XML_T_MATHML, "math", "http://www.w3.org/1998/Math/MathML", NULL },
    { XML_T_SMIL, "smil", NULL, NULL },
    { XML_T_TTML, "tt", "/ns/ttml", NULL },
    { XML_T_XLIFF, "xliff", NULL, NULL },
    { XML_T_FODT, "document", "urn:oasis:names:tc:opendocument", NULL },
    { XML_T_WSDL, "definitions", "http://schemas.xmlsoap.org/wsdl", NULL },
    { XML_T_X3D, "X3D", NULL, NULL },
    { XML_T_JNLP, "jnlp", NULL, NULL },
    { XML_T_NCX, "ncx", NULL, NULL },
    { XML_T_OPF, "package", "http://www.idpf.org/2007/opf", NULL },
    { XML_T_TMX, "tmx", NULL, NULL },
};

static uint32_t xml_kind(const struct xml_state *state)
{
    const char *colon = memchr(state->root, ':', state->root_len);
    const char *root = colon == NULL ? state->root : colon + 1;
    const size_t len = state->root_len - (size_t)(root - state->root);

    for (uint32_t i = 0; i < sizeof xml_kinds / sizeof xml_kinds[0]; i++) {
        const char *space = xml_kinds[i].space, *inner = xml_kinds[i].inner;

        if (strlen(xml_kinds[i].root) != len || memcmp(xml_kinds[i].root, root, len) != 0)
            continue;
        if (space != NULL && memmem(state->space, state->space_len, space, strlen(space)) == NULL)
            continue;
        if (inner != NULL && (strlen(inner) != state->second_len ||
                              memcmp(state->second, inner, state->second_len) != 0))
            continue;
        return xml_kinds[i].type;
    }
    return XML_T_XML;
}

const struct sig_type *xml_type(const struct xml_state *state)
{
    return &xml_types[xml_kind(state)];
}

bool xml_is_known(const struct xml_state *state)
{
    return xml_kind(state) != XML_T_XML;
}

bool xml_is_html(const struct xml_state *state)
{
    return xml_kind(state) == XML_T_HTML;
}
