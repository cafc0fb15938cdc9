/* SPDX-License-Identifier: Apache-2.0
 * signatures/document/ole2_type.c - what kind of document a compound file is.
 *
 * The class of the root storage says it for those whose streams have no name of their own; for all
 * others the names in the root storage do, since many writers leave the class empty. Names count
 * without regard to case, as in the directory.
 */
#include <string.h>

#include "base/bytes.h"
#include "signatures/document/ole2.h"

enum ole2_kind {
    OLE2_PLAIN,
    OLE2_DOC,
    OLE2_XLS,
    OLE2_PPT,
    OLE2_PUB,
    OLE2_VSD,
    OLE2_MSG,
    OLE2_OFT,
    OLE2_MSI,
    OLE2_MSP,
    OLE2_MST,
    OLE2_MPP,
    OLE2_THUMBS,
    OLE2_JUMP_LIST,
    OLE2_HWP,
    OLE2_WPS,
    OLE2_SDW,
    OLE2_SDC,
    OLE2_SDD,
    OLE2_SDV,
    OLE2_FPX,
    OLE2_MIC,
    OLE2_ADP,
    OLE2_DGN,
    OLE2_WB3,
    OLE2_SHW,
    OLE2_MAX,
    OLE2_RVT,
    OLE2_SNT,
    OLE2_ENCRYPTED,
};

const struct sig_type ole2_types[] = {
    [OLE2_PLAIN] = { "ole", "ole" },
    [OLE2_DOC] = { "doc", "doc" },
    [OLE2_XLS] = { "xls", "xls" },
    [OLE2_PPT] = { "ppt", "ppt" },
    [OLE2_PUB] = { "pub", "pub" },
    [OLE2_VSD] = { "vsd", "vsd" },
    [OLE2_MSG] = { "msg", "msg" },
    [OLE2_OFT] = { "oft", "oft" },
    [OLE2_MSI] = { "msi", "msi" },
    [OLE2_MSP] = { "msp", "msp" },
    [OLE2_MST] = { "mst", "mst" },
    [OLE2_MPP] = { "mpp", "mpp" },
    [OLE2_THUMBS] = { "thumbs.db", "db" },
    [OLE2_JUMP_LIST] = { "automaticdestinations-ms", "automaticdestinations-ms" },
    [OLE2_HWP] = { "hwp", "hwp" },
    [OLE2_WPS] = { "wps", "wps" },
    [OLE2_SDW] = { "sdw", "sdw" },
    [OLE2_SDC] = { "sdc", "sdc" },
    [OLE2_SDD] = { "sdd", "sdd" },
    [OLE2_SDV] = { "sdv", "sdv" },
    [OLE2_FPX] = { "fpx", "fpx" },
    [OLE2_MIC] = { "mic", "mic" },
    [OLE2_ADP] = { "adp", "adp" },
    [OLE2_DGN] = { "dgn", "dgn" },
    [OLE2_WB3] = { "wb3", "wb3" },
    [OLE2_SHW] = { "shw", "shw" },
    [OLE2_MAX] = { "max", "max" },
    [OLE2_RVT] = { "rvt", "rvt" },
    [OLE2_SNT] = { "snt", "snt" },
    [OLE2_ENCRYPTED] = { "encrypted-ooxml",
                         "ole" }, /* docx, xlsx or pptx: only the password tells */
    { 0 },
};

/* A class {first-0000-0000-C000-000000000046} unless rest says otherwise. */
static const struct {
    uint32_t first;
    const char *rest;
    enum ole2_kind kind;
} ole2_classes[] = {
    { 0x000c1084, NULL, OLE2_MSI },
    { 0x000c1086, NULL, OLE2_MSP },
    { 0x000c1082, NULL, OLE2_MST },
    { 0x0006f046, NULL, OLE2_OFT },
    { 0x00021201, NULL, OLE2_PUB },
    { 0x00021a13, NULL, OLE2_VSD },
    { 0x00021a14, NULL, OLE2_VSD },
    { 0x00021302, NULL, OLE2_WPS },
    { 0x56616700, "\x54\xc1\xce\x11\x85\x53\x00\xaa\x00\xa1\xf9\x5b", OLE2_FPX },
    { 0x74b78f3a, "\xc8\xc8\xd1\x11\xbe\x11\x00\xc0\x4f\xb6\xfa\xf1", OLE2_MPP },
    { 0x72fd3320, "\x05\x9a\xcf\x11\x85\xa4\x00\xa0\xc9\x04\xde\x5f", OLE2_MPP },
};

/* In the order in which they decide. A star stands for any further letters. */
static const struct {
    const char *name;
    enum ole2_kind kind;
} ole2_known[] = {
    { "EncryptedPackage", OLE2_ENCRYPTED },
    { "WordDocument", OLE2_DOC },
    { "Workbook", OLE2_XLS },
    { "Book", OLE2_XLS },
    { "PowerPoint Document", OLE2_PPT },
    { "PP40", OLE2_PPT },
    { "VisioDocument", OLE2_VSD },
    { "Quill", OLE2_PUB },
    { "__properties_version1.0", OLE2_MSG },
    { "DestList", OLE2_JUMP_LIST },
    { "Catalog", OLE2_THUMBS },
    { "256_*", OLE2_THUMBS },
    { "96_*", OLE2_THUMBS },
    { "HwpSummaryInformation", OLE2_HWP },
    { "MatOST", OLE2_WPS },
    { "SPELLING", OLE2_WPS },
    { "StarWriterDocument", OLE2_SDW },
    { "StarCalcDocument", OLE2_SDC },
    { "StarDrawDocument*", OLE2_SDD },
    { "DataAccessPages", OLE2_ADP },
    { "Dgn~H", OLE2_DGN },
    { "SlideShow", OLE2_SHW },
    { "PerfectOffice_MAIN", OLE2_WB3 },
    { "VideoPostQueue", OLE2_MAX },
    { "BasicFileInfo", OLE2_RVT },
    { "StickyNotes", OLE2_SNT },
    { "Metafile", OLE2_SNT },
    { "Props", OLE2_MPP },
    { "Props9", OLE2_MPP },
    { "Props12", OLE2_MPP },
    { "Props14", OLE2_MPP },
    { "0001.ACI", OLE2_MIC },
    { "dd2*", OLE2_SDV },
};

static const struct {
    const char *name;
    enum ole2_part part;
} ole2_part_names[] = {
    { "Book", OLE2_WORKBOOK },
    { "Workbook", OLE2_WORKBOOK },
    { "PowerPoint Document", OLE2_SLIDES },
    { "Pictures", OLE2_PICTURES },
    { "WordDocument", OLE2_WORD },
    { "0Table", OLE2_TABLE_0 },
    { "1Table", OLE2_TABLE_1 },
    { "SummaryInformation", OLE2_SUMMARY },
    { "DocumentSummaryInformation", OLE2_DOC_SUMMARY },
    { "Current User", OLE2_USER },
    { "CompObj", OLE2_COMP_OBJ },
};

static char ole2_fold(char c)
{
    return c >= 'a' && c <= 'z' ? (char)(c - 32) : c;
}

static bool ole2_is(const char *name, uint32_t len, const char *known)
{
    uint32_t i = 0;

    for (; i < len && known[i] != '\0' && known[i] != '*'; i++)
        if (ole2_fold(name[i]) != ole2_fold(known[i]))
            return false;
    return known[i] == '*' || (i == len && known[i] == '\0');
}

void ole2_name(struct ole2_state *state, const uint8_t *name, uint32_t len,
               const struct ole2_stream *stream)
{
    char ascii[OLE2_NAME];
    uint32_t skip = 0;

    if (len == 0 || len > OLE2_NAME)
        return;
    for (uint32_t i = 0; i < len; i++) {
        const uint16_t c = bytes_u16le(name + 2 * i);

        ascii[i] = c < 0x80 ? (char)c : '?';
    }
    if (ascii[0] < ' ') /* what it is for: 5 property set, 6 data space */
        skip = 1;
    for (uint32_t i = 0; i < sizeof ole2_known / sizeof ole2_known[0]; i++)
        if (ole2_is(ascii + skip, len - skip, ole2_known[i].name))
            state->names |= UINT64_C(1) << i;
    for (uint32_t i = 0; i < sizeof ole2_part_names / sizeof ole2_part_names[0]; i++)
        if (ole2_is(ascii + skip, len - skip, ole2_part_names[i].name)) {
            struct ole2_stream *part = &state->parts[ole2_part_names[i].part];

            if (part->size == 0 ||
                ole2_part_names[i].name[0] != 'B') /* both: saved for two versions of Excel */
                *part = *stream;
        }
}

const struct sig_type *ole2_type(const struct ole2_state *state)
{
    const uint32_t first = bytes_u32le(state->clsid);

    for (uint32_t i = 0; i < sizeof ole2_classes / sizeof ole2_classes[0]; i++) {
        const char *rest =
            ole2_classes[i].rest == NULL ? "\0\0\0\0\xc0\0\0\0\0\0\0\x46" : ole2_classes[i].rest;

        if (first == ole2_classes[i].first && memcmp(state->clsid + 4, rest, 12) == 0)
            return &ole2_types[ole2_classes[i].kind];
    }
    for (uint32_t i = 0; i < sizeof ole2_known / sizeof ole2_known[0]; i++)
        if ((state->names >> i & 1) != 0)
            return &ole2_types[ole2_known[i].kind];
    return &ole2_types[OLE2_PLAIN];
}

bool ole2_is_encrypted(const struct ole2_state *state)
{
    return ole2_type(state) == &ole2_types[OLE2_ENCRYPTED];
}
