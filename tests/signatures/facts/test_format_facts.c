/* SPDX-License-Identifier: Apache-2.0
 * tests/signatures/facts/test_format_facts.c - facts of formats, from bytes made by hand from the
 * specifications that the readers name; numbers of dates from `date -u -d ... +%s`.
 */
#include "signatures/facts/markup.h"
#include "tests/signatures/facts/facts_of.h"

#define ARE(name, bytes, want) facts_are((name), (bytes), sizeof(bytes) - 1, (want))

static void value_is(const char *text, const char *name, const char *want)
{
    const struct markup markup = { text, strlen(text) };
    char value[MARKUP_VALUE];
    const size_t len = markup_value(&markup, name, value);

    assert_int_equal(len, strlen(want));
    assert_memory_equal(value, want, len);
}

static void test_markup(void **unused)
{
    (void)unused;
    value_is("<a:b>x</a:b>", "a:b", "x");
    value_is("<a:b><c>\n <d e='f'>x &amp; &#x42;&#67;&lt;&nope;</d></c></a:b>", "a:b",
             "x & BC<&nope;");
    value_is("<a:b/><a:b>later</a:b>", "a:b", "later");
    value_is("<a:bc>no</a:bc><z a:b = \"it's\"/>", "a:b", "it's");
    value_is("<a:b><![CDATA[<raw>]]></a:b>", "a:b", "<raw>");
    value_is("<a:b></a:b><xa:b>no</xa:b>", "a:b", "");
    value_is("<a:b", "a:b", "");
    value_is("<z a:b=\"open", "a:b", "open");
    value_is("<a:b>&#xd800;&#0;</a:b>", "a:b", "&#xd800;&#0;");
}

/* 16000 bytes a second, and 20000 of them: 1.25 s. The date and the artist stand in INFO. */
static void test_wave(void **unused)
{
    (void)unused;
    ARE("riff",
        "RIFF\x60\x4e\0\0WAVEfmt \x10\0\0\0\1\0\1\0\x40\x1f\0\0\x80\x3e\0\0\2\0\x10\0"
        "LIST\x24\0\0\0INFOIART\5\0\0\0Anne\0\0ICRD\x0a\0\0\0"
        "2024-05-31"
        "data\x20\x4e\0\0",
        "author=Anne\ncreated.local=2024-05-31 #1717113600\nduration=1.250 #1250\n");
}

/* A movie of 1904-01-01 plus 3800000000 s = 2024-05-31T11:33:20Z; 90 of 60 units a second. */
static void test_movie(void **unused)
{
    static const char film[] = "\0\0\0\x10"
                               "ftypqt  \0\0\0\0"
                               "\0\0\0\x62moov"
                               "\0\0\0\x1cmvhd\0\0\0\0\xe2\x7f\x66\0\0\0\0\0\0\0\0\x3c\0\0\0\x5a"
                               "\0\0\0\x3eudta"
                               "\0\0\0\x26\xa9xyz\0\x1a\x15\xc7+48.8584-002.2945-035.000/"
                               "\0\0\0\x10\xa9mod\0\4\x15\xc7Phon";

    (void)unused;
    ARE("isobmff", film,
        "created=2024-05-31T11:33:20Z #1717155200\nduration=1.500 #1500\n"
        "gps.lat=48.8584000 #488584000\ngps.lon=-2.2945000 #-22945000\n"
        "gps.alt=-35.000 #-35000\ncamera.model=Phon\n");
}

/* A ZIP archive that grows: members that are stored, then the directory. */
struct zip {
    uint8_t bytes[2048], directory[512];
    size_t len, directory_len, members;
};

static void zip_u32(uint8_t *at, size_t value)
{
    for (int i = 0; i < 4; i++)
        at[i] = (uint8_t)(value >> 8 * i);
}

static void zip_member(struct zip *zip, const char *name, const char *content, uint8_t flags)
{
    const size_t name_len = strlen(name), len = strlen(content);
    uint8_t *local = zip->bytes + zip->len, *entry = zip->directory + zip->directory_len;

    memcpy(local, "PK\3\4", 4);
    local[26] = (uint8_t)name_len;
    memcpy(local + 30, name, name_len);
    memcpy(local + 30 + name_len, content, len);
    memcpy(entry, "PK\1\2", 4);
    entry[8] = flags;
    zip_u32(entry + 20, len);
    entry[28] = (uint8_t)name_len;
    zip_u32(entry + 42, zip->len);
    memcpy(entry + 46, name, name_len);
    zip->len += 30 + name_len + len;
    zip->directory_len += 46 + name_len;
    zip->members++;
}

static void zip_is(struct zip *zip, const char *want)
{
    uint8_t *at = zip->bytes + zip->len;

    memcpy(at, zip->directory, zip->directory_len);
    memcpy(at + zip->directory_len, "PK\5\6", 4);
    at[zip->directory_len + 10] = (uint8_t)zip->members;
    zip_u32(at + zip->directory_len + 16, zip->len);
    facts_are("zip", zip->bytes, zip->len + zip->directory_len + 22, want);
}

static void test_documents_in_zip(void **unused)
{
    struct zip office = { 0 }, open = { 0 };

    (void)unused;
    zip_member(&office, "x", "secret", 1);
    zip_member(&office, "docProps/core.xml",
               "<p><dc:creator>A</dc:creator><dcterms:created xsi:type=\"t\">2024-05-31T12:34:56Z"
               "</dcterms:created><cp:lastPrinted></cp:lastPrinted></p>",
               0);
    zip_member(&office, "docProps/app.xml", "<Properties><Company>C &amp; D</Company></Properties>",
               0);
    zip_is(&office, "encrypted=1 #1\ncreated=2024-05-31T12:34:56Z #1717158896\nauthor=A\n"
                    "company=C & D\n");
    zip_member(&open, "meta.xml",
               "<m><meta:initial-creator>A</meta:initial-creator><dc:creator>B</dc:creator>"
               "<dc:date>2024-05-31T00:00:00</dc:date></m>",
               0);
    zip_is(&open, "modified.local=2024-05-31T00:00:00 #1717113600\nauthor=A\nlast_author=B\n");
}

static void test_pdf(void **unused)
{
    (void)unused;
    /* Without a table that is right: by the number of the object. */
    ARE("pdf",
        "%PDF-1.4\n14 0 obj <</Title(no)>> endobj\n4 0 "
        "obj\n<</Title(a\\)\\(\\101\\n(b)\\\nc)/Author"
        "<41 4>/CreationDate(D:2024053112+02'00)/TitleX(no)>>\nendobj\n"
        "trailer <</Info 4 0 R>>\nstartxref\n0\n%%EOF",
        "title=a)(A (b)c\nauthor=A@\n");
    ARE("pdf",
        "%PDF-1.4\n4 0 obj <</CreationDate(D:20240531123456+02'30')>> endobj\n"
        "trailer <</Info 4 0 R>> startxref\n0\n%%EOF",
        "created=2024:05:31 12:34:56+0230 #1717149896\n");
    ARE("pdf",
        "%PDF-1.4\n4 0 obj <</Title(\1\2)>> endobj\n"
        "trailer <</Encrypt 3 0 R/Info 4 0 R>> startxref\n0\n%%EOF",
        "encrypted=1 #1\n");
}

static void test_mail(void **unused)
{
    (void)unused;
    ARE("eml",
        "Received: by x\r\n\tfrom y; Mon, 1 Jan 2001 00:00:00 +0000\r\nFROM: =?utf-8?Q?J=C3=B6rg?= "
        "=?ISO-8859-1?b?X+Rz/A==?= <j@e.org>\r\nTo: a@e.org,\r\n b@e.org\r\nSubject: "
        "=?UTF-8?B?w6TDtg==?=\r\n =?utf-8?q?_x?= y\r\nDate: Fri, 31 May 2024 12:34:56 +0200 "
        "(CEST)\r\nMessage-Id: <1@e>\r\n\r\nSubject: none\r\n",
        "from=J\xc3\xb6rg_\xc3\xa4s\xc3\xbc <j@e.org>\nto=a@e.org, b@e.org\n"
        "subject=\xc3\xa4\xc3\xb6 x y\nsent=2024-05-31T12:34:56+0200 #1717151696\n"
        "message_id=<1@e>\n");
    ARE("eml", "Date: 31 May 94 07:08 PDT\n\n", "sent=1994-05-31T07:08:00-0700 #770393280\n");
    ARE("eml", "Date: never\nDate: 5 Mai 2024 00:00 +0000\n\n", "");
}

static void test_archives(void **unused)
{
    (void)unused;
    ARE("rar", "Rar!\x1a\7\0\xcf\x90\x73\0\0\x0d\0\0\0\0\0\0\0\1\2\x74\4\x80\x20\0\0\0\0\0",
        "encrypted=1 #1\n");
    ARE("rar", "Rar!\x1a\7\0\xcf\x90\x73\0\0\x0d\0\0\0\0\0\0\0\1\2\x74\0\x80\x20\0\0\0\0\0", "");
    ARE("rar", "Rar!\x1a\7\1\0\1\2\3\4\5\4\0\0\0\0\0\0\0\0\0", "encrypted=1 #1\n");
}

/* The box GPMF of a GoPro: a device, and in it the bytes of its number, firmware, serial, model. */
static void test_gopro(void **unused)
{
    static const char film[] = "\0\0\0\x10"
                               "ftypmp41\0\0\0\0"
                               "\0\0\0\x60moov"
                               "\0\0\0\x58udta"
                               "\0\0\0\x50GPMF"
                               "DEVC\0\1\0\x40"
                               "DVIDL\4\0\1\0\0\0\1"
                               "FMWRc\1\0\6HD8.01\0\0"
                               "CASNc\1\0\5C3331\0\0\0"
                               "MINFc\1\0\13HERO8 Black\0";

    (void)unused;
    ARE("isobmff", film, "software=HD8.01\nserial=C3331\ncamera.model=HERO8 Black\n");
}

/* The block of signatures of a program of Android: v2 and v3, then filling; directory, end. */
static void test_signed(void **unused)
{
    static const char archive[] = "\x4a\0\0\0\0\0\0\0"
                                  "\6\0\0\0\0\0\0\0\x1a\x87\x09qzz"
                                  "\4\0\0\0\0\0\0\0\xc0\x68\x53\xf0"
                                  "\4\0\0\0\0\0\0\0\x77\x65\x72\x42"
                                  "\4\0\0\0\0\0\0\0\x4e\x44\x46\x21"
                                  "\x4a\0\0\0\0\0\0\0"
                                  "APK Sig Block 42"
                                  "PK\5\6\0\0\0\0\0\0\0\0\0\0\0\0\x52\0\0\0\0";
    uint8_t file[sizeof archive];

    (void)unused;
    memcpy(file, archive, sizeof file);
    facts_are("zip", file, sizeof file, "signed=v2 v3\n");
    file[16] ^= 1;
    facts_are("zip", file, sizeof file, "signed=v3\n");
    file[30] ^= 1;
    facts_are("zip", file, sizeof file, "");
}

/* What a signer of JAR files puts into META-INF: sums of members, and their signature. */
static void test_signed_v1(void **unused)
{
    struct zip both = { 0 }, sums = { 0 }, below = { 0 };

    (void)unused;
    zip_member(&both, "META-INF/MANIFEST.MF", "", 0);
    zip_member(&both, "META-INF/CERT.SF", "", 0);
    zip_member(&both, "meta-inf/cert.Ec", "", 0);
    zip_is(&both, "signed=v1\n");
    zip_member(&sums, "META-INF/CERT.SF", "", 0);
    zip_member(&sums, "META-INF/.RSA", "", 0);
    zip_is(&sums, "");
    zip_member(&below, "META-INF/a/CERT.SF", "", 0);
    zip_member(&below, "META-INF/CERT.RSA", "", 0);
    zip_is(&below, "");
}

/* Ultra HDR: the first picture's XMP has the version; ISO 21496-1: an APP2 segment names it. */
static void test_gain_map(void **unused)
{
    (void)unused;
    ARE("jpg",
        "\xff\xd8\xff\xe1\0\x45"
        "http://ns.adobe.com/xap/1.0/\0<rdf:Description hdrgm:Version=\"1.0\"/>"
        "\xff\xe2\0\x22"
        "urn:iso:std:iso:ts:21496:-1\0\0\0\0\0\xff\xd9",
        "gain_map=Ultra HDR 1.0\n");
    ARE("jpg",
        "\xff\xd8\xff\xe2\0\x22"
        "urn:iso:std:iso:ts:21496:-1\0\0\0\0\0\xff\xd9",
        "gain_map=ISO 21496-1\n");
    ARE("isobmff",
        "\0\0\0\x10"
        "ftypheic\0\0\0\0"
        "\0\0\0\x2fmeta\0\0\0\0"
        "\0\0\0\x23iinf\0\0\0\0\0\1"
        "\0\0\0\x15infe\2\0\0\0\0\1\0\0tmap\0",
        "gain_map=ISO 21496-1\n");
    ARE("isobmff",
        "\0\0\0\x10"
        "ftypheic\0\0\0\0"
        "\0\0\0\x50meta\0\0\0\0"
        "\0\0\0\x44iprp\0\0\0\x3cipco"
        "\0\0\0\x34"
        "auxC\0\0\0\0urn:com:apple:photo:2020:aux:hdrgainmap\0",
        "gain_map=Apple\n");
}

/* Drones of DJI: XMP of their photos, the older spelling, places that cannot be; their films. */
static void test_drone(void **unused)
{
    (void)unused;
    ARE("jpg",
        "\xff\xd8\xff\xe1\1\x1b"
        "http://ns.adobe.com/xap/1.0/\0<rdf:Description drone-dji:GpsLatitude=\"22.5\""
        " drone-dji:GpsLongtitude=\"-113.25\" drone-dji:AbsoluteAltitude=\"+31.70\""
        " drone-dji:RelativeAltitude=\"-0.5\" drone-dji:DroneModel=\"M3E\""
        " drone-dji:DroneSerialNumber=\"1581F\" drone-dji:CameraSerialNumber=\"C1\"/>    "
        "\xff\xd9",
        "gps.lat=22.5000000 #225000000\ngps.lon=-113.2500000 #-1132500000\n"
        "gps.alt=31.700 #31700\ndrone.height=-0.500 #-500\ndrone.model=M3E\n"
        "drone.serial=1581F\nserial=C1\n");
    ARE("jpg",
        "\xff\xd8\xff\xe1\0\x92"
        "http://ns.adobe.com/xap/1.0/\0<rdf:Description drone-dji:GpsLatitude=\"92.5\""
        " drone-dji:GpsLongitude=\"3.5\" drone-dji:AbsoluteAltitude=\"5 metres\"/> "
        "\xff\xd9",
        "");
    ARE("isobmff",
        "\0\0\0\x10"
        "ftypmp42\0\0\0\0"
        "\0\0\0\x1emoov\0\0\0\x16udta\0\0\0\x0e\xa9mdlFC6310",
        "camera.model=FC6310\n");
}

/* A prefetch file of Windows 7 (23): last run at 128, count at 152. FILETIME 133616324960000000. */
static void test_prefetch(void **unused)
{
    uint8_t file[200] = { 23, 0, 0, 0, 'S', 'C', 'C', 'A' };

    (void)unused;
    memcpy(file + 16, "A\0.\0E\0X\0E\0", 10);
    memcpy(file + 128, "\x00\x18\x6f\xf1\x56\xb3\xda\x01", 8);
    file[152] = 7;
    facts_are("pf", file, sizeof file,
              "title=A.EXE\nlast_run=2024-05-31T12:34:56Z #1717158896\nrun_count=7 #7\n");
}

/* One page of 512 bytes, with the statements of its schema. */
static void test_sqlite(void **unused)
{
    uint8_t file[512] = "SQLite format 3\0\2\0\1\1\0\x40\x20\x20";

    (void)unused;
    file[100] = 13;
    memcpy(file + 300,
           "tableurlsurlsCREATE TABLE urls(id)tableCREATE TABLE IF NOT EXISTS \"visits\" (", 77);
    memcpy(file + 400, "CREATE VIRTUAL TABLE keyword_search_terms USING fts3", 52);
    facts_are("sqlite", file, sizeof file, "application=chrome-history\n");
    file[425] = 'x';
    facts_are("sqlite", file, sizeof file, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_markup),   cmocka_unit_test(test_wave),
        cmocka_unit_test(test_movie),    cmocka_unit_test(test_documents_in_zip),
        cmocka_unit_test(test_pdf),      cmocka_unit_test(test_mail),
        cmocka_unit_test(test_archives), cmocka_unit_test(test_prefetch),
        cmocka_unit_test(test_sqlite),   cmocka_unit_test(test_signed),
        cmocka_unit_test(test_gopro),    cmocka_unit_test(test_signed_v1),
        cmocka_unit_test(test_gain_map), cmocka_unit_test(test_drone),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
