/* SPDX-License-Identifier: Apache-2.0
 * signatures/archive/zip_type.c - which of the formats that are ZIP archives this is.
 *
 * In this order: the stored member `mimetype` (OpenDocument, EPUB, Krita), the main part's type in
 * [Content_Types].xml (Office Open XML), the names of members. What none of them names is a plain
 * zip.
 */
#include <ctype.h>
#include <string.h>

#include "signatures/archive/zip.h"
#include "signatures/lib/inflate.h"

enum {
    MIME_TEXT_MAX = 128,            /* bytes of a type's name */
    CONTENT_TYPES_MAX = 64 * 1024,  /* bytes of [Content_Types].xml that are read */
    CONTENT_PACKED_MAX = 32 * 1024, /* … and of its packed form, which is far smaller */
};

enum zip_type_index {
    T_ZIP,
    T_DOCX,
    T_DOCM,
    T_DOTX,
    T_XLSX,
    T_XLSM,
    T_XLTX,
    T_XLSB,
    T_PPTX,
    T_PPTM,
    T_PPSX,
    T_POTX,
    T_VSDX,
    T_XPS,
    T_ODT,
    T_ODS,
    T_ODP,
    T_ODG,
    T_OTT,
    T_OTS,
    T_OTP,
    T_OTG,
    T_ODF,
    T_ODB,
    T_EPUB,
    T_KRA,
    T_JAR,
    T_APK,
    T_XPI,
    T_KMZ,
    T_SXW,
    T_SXC,
    T_SXI,
    T_SXD,
    T_ODC,
    T_ORA,
    T_IDML,
    T_ASICE,
    T_WAR,
    T_EAR,
    T_APPX,
    T_NUPKG,
    T_WHL,
    T_IPA,
    T_SKETCH,
    T_3MF,
    T_KEY,
    T_PAGES,
    T_NUMBERS,
    T_OLM,
    T_AAB,
    T_VSIX,
    T_1PUX,
    T_END,
};

const struct sig_type zip_types[] = {
    [T_ZIP] = { "zip", "zip" },
    [T_DOCX] = { "docx", "docx" },
    [T_DOCM] = { "docm", "docm" },
    [T_DOTX] = { "dotx", "dotx" },
    [T_XLSX] = { "xlsx", "xlsx" },
    [T_XLSM] = { "xlsm", "xlsm" },
    [T_XLTX] = { "xltx", "xltx" },
    [T_XLSB] = { "xlsb", "xlsb" },
    [T_PPTX] = { "pptx", "pptx" },
    [T_PPTM] = { "pptm", "pptm" },
    [T_PPSX] = { "ppsx", "ppsx" },
    [T_POTX] = { "potx", "potx" },
    [T_VSDX] = { "vsdx", "vsdx" },
    [T_XPS] = { "xps", "xps" },
    [T_ODT] = { "odt", "odt" },
    [T_ODS] = { "ods", "ods" },
    [T_ODP] = { "odp", "odp" },
    [T_ODG] = { "odg", "odg" },
    [T_OTT] = { "ott", "ott" },
    [T_OTS] = { "ots", "ots" },
    [T_OTP] = { "otp", "otp" },
    [T_OTG] = { "otg", "otg" },
    [T_ODF] = { "odf", "odf" },
    [T_ODB] = { "odb", "odb" },
    [T_EPUB] = { "epub", "epub" },
    [T_KRA] = { "kra", "kra" },
    [T_JAR] = { "jar", "jar" },
    [T_APK] = { "apk", "apk" },
    [T_XPI] = { "xpi", "xpi" },
    [T_KMZ] = { "kmz", "kmz" },
    [T_SXW] = { "sxw", "sxw" },
    [T_SXC] = { "sxc", "sxc" },
    [T_SXI] = { "sxi", "sxi" },
    [T_SXD] = { "sxd", "sxd" },
    [T_ODC] = { "odc", "odc" },
    [T_ORA] = { "ora", "ora" },
    [T_IDML] = { "idml", "idml" },
    [T_ASICE] = { "asice", "asice" },
    [T_WAR] = { "war", "war" },
    [T_EAR] = { "ear", "ear" },
    [T_APPX] = { "appx", "appx" },
    [T_NUPKG] = { "nupkg", "nupkg" },
    [T_WHL] = { "whl", "whl" },
    [T_IPA] = { "ipa", "ipa" },
    [T_SKETCH] = { "sketch", "sketch" },
    [T_3MF] = { "3mf", "3mf" },
    [T_KEY] = { "key", "key" },
    [T_PAGES] = { "pages", "pages" },
    [T_NUMBERS] = { "numbers", "numbers" },
    [T_OLM] = { "olm", "olm" },
    [T_AAB] = { "aab", "aab" },
    [T_VSIX] = { "vsix", "vsix" },
    [T_1PUX] = { "1pux", "1pux" },
    [T_END] = { NULL, NULL },
};

struct zip_type_word {
    const char *text;
    enum zip_type_index type;
};

static const struct zip_type_word zip_type_mimes[] = {
    { "application/vnd.oasis.opendocument.text", T_ODT },
    { "application/vnd.oasis.opendocument.spreadsheet", T_ODS },
    { "application/vnd.oasis.opendocument.presentation", T_ODP },
    { "application/vnd.oasis.opendocument.graphics", T_ODG },
    { "application/vnd.oasis.opendocument.text-template", T_OTT },
    { "application/vnd.oasis.opendocument.spreadsheet-template", T_OTS },
    { "application/vnd.oasis.opendocument.presentation-template", T_OTP },
    { "application/vnd.oasis.opendocument.graphics-template", T_OTG },
    { "application/vnd.oasis.opendocument.formula", T_ODF },
    { "application/vnd.oasis.opendocument.base", T_ODB },
    { "application/vnd.oasis.opendocument.database", T_ODB },
    { "application/vnd.sun.xml.base",
      T_ODB }, /* OpenOffice before OpenDocument had a type for it */
    { "application/epub+zip", T_EPUB },
    { "application/x-krita", T_KRA },
    { "application/vnd.oasis.opendocument.chart", T_ODC },
    { "application/vnd.sun.xml.writer", T_SXW },
    { "application/vnd.sun.xml.calc", T_SXC },
    { "application/vnd.sun.xml.impress", T_SXI },
    { "application/vnd.sun.xml.draw", T_SXD },
    { "image/openraster", T_ORA },
    { "application/vnd.adobe.indesign-idml-package", T_IDML },
    { "application/vnd.etsi.asic-e+zip", T_ASICE },
};

/* The main part's type, always followed by "+xml" or "main": embedded documents are only named by
 * their extension's type. */
static const struct zip_type_word zip_type_parts[] = {
    { "wordprocessingml.document.main+xml", T_DOCX },
    { "wordprocessingml.template.main+xml", T_DOTX },
    { "ms-word.document.macroEnabled.main+xml", T_DOCM },
    { "ms-word.template.macroEnabledTemplate.main+xml", T_DOCM },
    { "spreadsheetml.sheet.main+xml", T_XLSX },
    { "spreadsheetml.template.main+xml", T_XLTX },
    { "ms-excel.sheet.macroEnabled.main+xml", T_XLSM },
    { "ms-excel.template.macroEnabled.main+xml", T_XLSM },
    { "ms-excel.sheet.binary.macroEnabled.main", T_XLSB },
    { "presentationml.presentation.main+xml", T_PPTX },
    { "presentationml.slideshow.main+xml", T_PPSX },
    { "presentationml.template.main+xml", T_POTX },
    { "ms-powerpoint.presentation.macroEnabled.main+xml", T_PPTM },
    { "ms-powerpoint.slideshow.macroEnabled.main+xml", T_PPTM },
    { "ms-powerpoint.template.macroEnabled.main+xml", T_PPTM },
    { "ms-visio.drawing.main+xml", T_VSDX },
    { "ms-visio.drawing.macroEnabled.main+xml", T_VSDX },
    { "package.xps-fixeddocumentsequence+xml", T_XPS },
    { "package.3dmanufacturing-3dmodel+xml", T_3MF },
};

static const struct {
    const char *text;
    enum { NAME_BEGINS, NAME_IS, NAME_ENDS } where;
    uint32_t hint;
} zip_type_names[] = {
    { "word/", NAME_BEGINS, ZIP_HAS_WORD },
    { "word/vbaProject.bin", NAME_IS, ZIP_HAS_VBA },
    { "xl/", NAME_BEGINS, ZIP_HAS_XL },
    { "xl/vbaProject.bin", NAME_IS, ZIP_HAS_VBA },
    { "xl/workbook.bin", NAME_IS, ZIP_HAS_XL_BINARY },
    { "ppt/", NAME_BEGINS, ZIP_HAS_PPT },
    { "ppt/vbaProject.bin", NAME_IS, ZIP_HAS_VBA },
    { "visio/", NAME_BEGINS, ZIP_HAS_VISIO },
    { "FixedDocSeq.fdseq", NAME_IS, ZIP_HAS_FIXED_PAGES },
    { "FixedDocumentSequence.fdseq", NAME_IS, ZIP_HAS_FIXED_PAGES },
    { "[Content_Types].xml", NAME_BEGINS,
      ZIP_HAS_CONTENT_TYPES }, /* also in pieces: "[Content_Types].xml/[0].piece" */
    { "META-INF/MANIFEST.MF", NAME_IS, ZIP_HAS_JAVA_MANIFEST },
    { "AndroidManifest.xml", NAME_IS, ZIP_HAS_ANDROID_MANIFEST },
    { "classes.dex", NAME_IS, ZIP_HAS_DEX },
    { "resources.arsc", NAME_IS, ZIP_HAS_DEX },
    { "META-INF/mozilla.rsa", NAME_IS, ZIP_HAS_MOZILLA },
    { "install.rdf", NAME_IS, ZIP_HAS_MOZILLA },
    { "chrome.manifest", NAME_IS, ZIP_HAS_MOZILLA },
    { "doc.kml", NAME_IS, ZIP_HAS_KML },
    { "WEB-INF/", NAME_BEGINS, ZIP_HAS_WEB },
    { "META-INF/application.xml", NAME_IS, ZIP_HAS_ENTERPRISE },
    { "AppxManifest.xml", NAME_IS, ZIP_HAS_APPX },
    { "AppxMetadata/AppxBundleManifest.xml", NAME_IS, ZIP_HAS_APPX },
    { ".nuspec", NAME_ENDS, ZIP_HAS_NUSPEC },
    { ".dist-info/WHEEL", NAME_ENDS, ZIP_HAS_WHEEL },
    { "Payload/", NAME_BEGINS, ZIP_HAS_PAYLOAD },
    { ".app/Info.plist", NAME_ENDS, ZIP_HAS_APP_PLIST },
    { "document.json", NAME_IS, ZIP_HAS_SKETCH },
    { "user.json", NAME_IS, ZIP_HAS_SKETCH_USER },
    { "Index/Document.iwa", NAME_IS, ZIP_HAS_IWORK },
    { "Index/Slide", NAME_BEGINS, ZIP_HAS_IWORK_SLIDE },
    { "Index/Tables/", NAME_BEGINS, ZIP_HAS_IWORK_TABLE },
    { "index.apxl", NAME_IS, ZIP_HAS_IWORK_SLIDE | ZIP_HAS_IWORK },
    { "Local/com.microsoft.__", NAME_BEGINS, ZIP_HAS_OUTLOOK },
    { "BundleConfig.pb", NAME_IS, ZIP_HAS_BUNDLE },
    { "extension.vsixmanifest", NAME_IS, ZIP_HAS_VSIX },
    { "export.data", NAME_IS, ZIP_HAS_1PASSWORD },
    { "export.attributes", NAME_IS, ZIP_HAS_1PASSWORD_ATTRIBUTES },
};

/* Some writers of Office documents change the case of names, or write Windows' separators. */
static bool zip_type_same(const uint8_t *name, const char *text, size_t len)
{
    for (size_t i = 0; i < len; i++)
        if (tolower(name[i] == '\\' ? '/' : name[i]) != tolower((unsigned char)text[i]))
            return false;
    return true;
}

void zip_type_name(struct zip_state *state, const uint8_t *name, uint32_t name_len,
                   uint32_t whole_len)
{
    const bool first =
        (state->hints & ZIP_HAS_CONTENT_TYPES) == 0; /* unpacking all of many would take long */

    for (size_t i = 0; i < sizeof zip_type_names / sizeof zip_type_names[0]; i++) {
        const size_t len = strlen(zip_type_names[i].text);

        const bool ends = zip_type_names[i].where == NAME_ENDS;

        if (name_len >= len && (zip_type_names[i].where != NAME_IS || whole_len == len) &&
            (!ends || whole_len == name_len) &&
            zip_type_same(name + (ends ? name_len - len : 0), zip_type_names[i].text, len))
            state->hints |= zip_type_names[i].hint;
    }
    state->is_content_types = first && whole_len == 19 && name_len == 19 &&
                              zip_type_same(name, "[Content_Types].xml", 19);
}

const struct sig_type *zip_type_mime(const uint8_t *mime, uint32_t len, uint32_t method)
{
    uint8_t text[MIME_TEXT_MAX];

    if (method == 8) { /* the formats forbid it, some writers do it */
        struct inflate_state inflate;

        isal_inflate_init(&inflate);
        inflate_give(&inflate, mime, len);
        if (!inflate_take(&inflate, text, sizeof text, &len))
            return NULL;
        mime = text;
    }
    while (len > 0 && (mime[len - 1] == '\n' || mime[len - 1] == '\r' || mime[len - 1] == ' '))
        len--;
    for (size_t i = 0; i < sizeof zip_type_mimes / sizeof zip_type_mimes[0]; i++)
        if (strlen(zip_type_mimes[i].text) == len && memcmp(zip_type_mimes[i].text, mime, len) == 0)
            return &zip_types[zip_type_mimes[i].type];
    return NULL;
}

/*
 * Unpacks [Content_Types].xml; the bytes that fit are enough. *have 0 when it cannot be read.
 * False: wait. All in one call of igzip: what it has put out before an error depends on how its
 * input was cut.
 */
static bool zip_type_unpack(struct sig_input *in, const struct zip_state *state, uint8_t *text,
                            uint32_t *have)
{
    const uint32_t len =
        state->data_size < CONTENT_PACKED_MAX ? (uint32_t)state->data_size : CONTENT_PACKED_MAX;
    const uint8_t *bytes = len == 0 ? text : sig_bytes(in, state->data_at, len);
    struct inflate_state inflate;

    *have = 0;
    if (bytes == NULL)
        return false;
    if (state->method == 0) {
        memcpy(text, bytes, len);
        *have = len;
        return true;
    }
    isal_inflate_init(&inflate);
    inflate_give(&inflate, bytes, len);
    if (!inflate_take(&inflate, text, CONTENT_TYPES_MAX, have))
        *have = 0;
    return true;
}

bool zip_type_content(struct sig_input *in, struct zip_state *state)
{
    uint8_t text[CONTENT_TYPES_MAX];
    uint32_t have;

    if (state->named != NULL || (state->method != 0 && state->method != 8) ||
        (state->flags & 1) != 0)
        return true;
    if (!zip_type_unpack(in, state, text, &have))
        return false;
    for (size_t i = 0; i < sizeof zip_type_parts / sizeof zip_type_parts[0] && state->named == NULL;
         i++)
        if (memmem(text, have, zip_type_parts[i].text, strlen(zip_type_parts[i].text)) != NULL)
            state->named = &zip_types[zip_type_parts[i].type];
    return true;
}

const struct sig_type *zip_type(const struct zip_state *state)
{
    const uint32_t hints = state->hints;
    const bool macros = (hints & ZIP_HAS_VBA) != 0;

    if (state->named != NULL)
        return state->named;
    if (hints & ZIP_HAS_VSIX)
        return &zip_types[T_VSIX];
    if (hints & ZIP_HAS_CONTENT_TYPES) {
        if (hints & ZIP_HAS_WORD)
            return &zip_types[macros ? T_DOCM : T_DOCX];
        if (hints & ZIP_HAS_XL)
            return &zip_types[hints & ZIP_HAS_XL_BINARY ? T_XLSB : macros ? T_XLSM : T_XLSX];
        if (hints & ZIP_HAS_PPT)
            return &zip_types[macros ? T_PPTM : T_PPTX];
        if (hints & ZIP_HAS_VISIO)
            return &zip_types[T_VSDX];
        if (hints & ZIP_HAS_FIXED_PAGES)
            return &zip_types[T_XPS];
        if (hints & ZIP_HAS_APPX)
            return &zip_types[T_APPX];
        if (hints & ZIP_HAS_NUSPEC)
            return &zip_types[T_NUPKG];
    }
    if (hints & ZIP_HAS_BUNDLE)
        return &zip_types[T_AAB];
    if (hints & ZIP_HAS_OUTLOOK)
        return &zip_types[T_OLM];
    if ((hints & ZIP_HAS_1PASSWORD) && (hints & ZIP_HAS_1PASSWORD_ATTRIBUTES))
        return &zip_types[T_1PUX];
    if ((hints & ZIP_HAS_ANDROID_MANIFEST) && (hints & ZIP_HAS_DEX))
        return &zip_types[T_APK];
    if (hints & ZIP_HAS_MOZILLA)
        return &zip_types[T_XPI];
    if (hints & ZIP_HAS_ENTERPRISE)
        return &zip_types[T_EAR];
    if (hints & ZIP_HAS_WEB)
        return &zip_types[T_WAR];
    if (hints & ZIP_HAS_JAVA_MANIFEST)
        return &zip_types[T_JAR];
    if (hints & ZIP_HAS_WHEEL)
        return &zip_types[T_WHL];
    if ((hints & ZIP_HAS_PAYLOAD) && (hints & ZIP_HAS_APP_PLIST))
        return &zip_types[T_IPA];
    if ((hints & ZIP_HAS_SKETCH) && (hints & ZIP_HAS_SKETCH_USER))
        return &zip_types[T_SKETCH];
    if (hints & ZIP_HAS_IWORK)
        return &zip_types[hints & ZIP_HAS_IWORK_SLIDE   ? T_KEY
                          : hints & ZIP_HAS_IWORK_TABLE ? T_NUMBERS
                                                        : T_PAGES];
    if (hints & ZIP_HAS_KML)
        return &zip_types[T_KMZ];
    return &zip_types[T_ZIP];
}
