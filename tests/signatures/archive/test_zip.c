/* SPDX-License-Identifier: Apache-2.0
 * tests/signatures/archive/test_zip.c - archives built record by record from APPNOTE.TXT, archives
 * that python3's zipfile writes, and damage.
 */
#include <isa-l/crc.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/signatures/harness.h"

enum { ROOM = 1 << 16, MEMBERS_MAX = 16, HEADERS = 200 };

enum streamed { SIZED, STREAMED, STREAMED_BARE, STREAMED_64 };

struct archive {
    uint8_t bytes[ROOM];
    size_t len;
    size_t local[MEMBERS_MAX]; /* offsets of the local headers */
    char name[MEMBERS_MAX][64];
    uint32_t size[MEMBERS_MAX];
    int members;
    size_t directory, directory_len;
};

static void put(struct archive *a, uint64_t value, int bytes)
{
    for (int i = 0; i < bytes; i++)
        a->bytes[a->len++] = (uint8_t)(value >> 8 * i);
}

static void put_bytes(struct archive *a, const void *bytes, size_t len)
{
    assert_true(len <= ROOM - a->len);
    memcpy(a->bytes + a->len, bytes, len);
    a->len += len;
}

static void add_sized(struct archive *a, const char *name, int method, const void *data,
                      uint32_t len, enum streamed how)
{
    const int flags = how == SIZED ? 0 : 8;

    a->local[a->members] = a->len;
    snprintf(a->name[a->members], sizeof a->name[0], "%s", name);
    a->size[a->members++] = len;
    put(a, 0x04034b50, 4);
    put(a, 20, 2);
    put(a, (uint64_t)flags, 2);
    put(a, (uint64_t)method, 2);
    put(a, 0x5a2153c0, 4);
    put(a, flags ? 0 : crc32_gzip_refl(0, data, len), 4);
    put(a, flags ? 0 : len, 4);
    put(a, flags ? 0 : len, 4);
    put(a, strlen(name), 2);
    put(a, 0, 2);
    put_bytes(a, name, strlen(name));
    put_bytes(a, data, len);
    if (how == STREAMED || how == STREAMED_64)
        put(a, 0x08074b50, 4);
    if (how != SIZED) {
        put(a, 0x12345678, 4);
        put(a, len, how == STREAMED_64 ? 8 : 4);
        put(a, len, how == STREAMED_64 ? 8 : 4);
    }
}

static void add(struct archive *a, const char *name, const char *text)
{
    add_sized(a, name, 0, text, (uint32_t)strlen(text), SIZED);
}

/* One deflate block of the type "stored" (RFC 1951, 3.2.4). */
static uint32_t deflate_stored(uint8_t *out, const void *data, uint16_t len)
{
    const uint8_t head[5] = { 1, (uint8_t)len, (uint8_t)(len >> 8), (uint8_t)~len,
                              (uint8_t)((uint16_t)~len >> 8) };

    memcpy(out, head, 5);
    memcpy(out + 5, data, len);
    return 5 + (uint32_t)len;
}

static void add_entry(struct archive *a, int member)
{
    const size_t name_len = strlen(a->name[member]);

    put(a, 0x02014b50, 4);
    put(a, 0x0314, 2);
    put(a, 20, 2);
    put(a, 0, 4);
    put(a, 0x5a2153c0, 4);
    put(a, 0x12345678, 4);
    put(a, a->size[member], 4);
    put(a, a->size[member], 4);
    put(a, name_len, 2);
    put(a, 0, 2); /* extra */
    put(a, 0, 2); /* comment */
    put(a, 0, 2); /* disk */
    put(a, 0, 2); /* internal attributes */
    put(a, 0, 4); /* external attributes */
    put(a, a->local[member], 4);
    put_bytes(a, a->name[member], name_len);
}

static void add_directory(struct archive *a, int first)
{
    a->directory = a->len;
    for (int i = first; i < a->members; i++)
        add_entry(a, i);
    a->directory_len = a->len - a->directory;
}

static void add_end(struct archive *a, int count, const char *comment)
{
    put(a, 0x06054b50, 4);
    put(a, 0, 4);
    put(a, (uint64_t)count, 2);
    put(a, (uint64_t)count, 2);
    put(a, a->directory_len, 4);
    put(a, a->directory, 4);
    put(a, strlen(comment), 2);
    put_bytes(a, comment, strlen(comment));
}

static void finish(struct archive *a)
{
    add_directory(a, 0);
    add_end(a, a->members, "");
}

/* The verdict on the archive with 300 bytes behind it. */
static struct harness_verdict check(const struct archive *a)
{
    static uint8_t file[ROOM + 300];

    memset(file, 0xa5, sizeof file);
    memcpy(file, a->bytes, a->len);
    assert_true(harness_header_matches(harness_sig("zip"), file, a->len + 300));
    return harness_check(harness_sig("zip"), file, a->len + 300);
}

static void assert_complete(const struct archive *a, const char *type)
{
    const struct harness_verdict v = check(a);

    assert_string_equal(v.result.why, "every member and the central directory are in place");
    assert_int_equal(v.result.verdict, SIG_COMPLETE);
    assert_int_equal(v.result.len, a->len);
    assert_string_equal(v.type->name, type);
}

static void whole_archives_are_complete(void **state)
{
    static struct archive a;

    (void)state;
    a = (struct archive){ 0 };
    add(&a, "a.txt", "some text");
    add(&a, "folder/", "");
    add(&a, "folder/b.txt", "PK\3\4 is only text here, and so is PK\1\2");
    finish(&a);
    assert_complete(&a, "zip");
    const struct harness_verdict v = check(&a);
    assert_int_equal(v.claim_count, 2); /* the two members behind the first */

    a.len -= 22;
    add_end(&a, 3, "a comment");
    assert_complete(&a, "zip");
}

static void streamed_members_end_where_their_descriptor_says(void **state)
{
    static struct archive inner, a;
    static uint8_t packed[ROOM];

    (void)state;
    inner = (struct archive){ 0 };
    add_sized(&inner, "inside", 0, "PK\7\10 no descriptor", 18, STREAMED);
    add(&inner, "other", "text");
    finish(&inner);
    for (int how = STREAMED; how <= STREAMED_64; how++) {
        a = (struct archive){ 0 };
        add_sized(&a, "stored.zip", 0, inner.bytes, (uint32_t)inner.len, (enum streamed)how);
        add_sized(&a, "packed.zip", 8, packed,
                  deflate_stored(packed, inner.bytes, (uint16_t)inner.len), (enum streamed)how);
        add_sized(&a, "nothing", 0, "", 0, (enum streamed)how);
        add_sized(&a, "folder/", 0, "", 0, (enum streamed)how);
        finish(&a);
        assert_complete(&a, "zip");
        assert_int_equal(check(&a).claim_count, 3);
    }
}

static void a_streamed_first_member_may_be_deflate(void **state)
{
    static struct archive a;
    static uint8_t text[20000], packed[ROOM];

    (void)state;
    memset(text, 'x', sizeof text);
    for (int how = STREAMED; how <= STREAMED_64; how++) {
        for (uint16_t len = 0; len <= sizeof text;
             len = (uint16_t)(len + 10000)) { /* shorter and longer than what is decoded */
            a = (struct archive){ 0 };
            add_sized(&a, "first", 8, packed, deflate_stored(packed, text, len),
                      (enum streamed)how);
            finish(&a);
            assert_complete(&a, "zip");
        }
    }
}

static void zip64_end_records_are_read(void **state)
{
    static struct archive a;
    const size_t entry_offset = 42, end_size = 22;

    (void)state;
    a = (struct archive){ 0 };
    add(&a, "a", "text");
    add(&a, "b", "text");
    add_directory(&a, 0);
    /* the entry of b gets its offset from a zip64 extra field */
    uint8_t *entry = a.bytes + a.directory + 47;
    memset(entry + entry_offset, 0xff, 4);
    entry[30] = 12;
    put(&a, 1, 2);
    put(&a, 8, 2);
    put(&a, a.local[1], 8);
    a.directory_len += 12;
    const size_t end64 = a.len;
    put(&a, 0x06064b50, 4);
    put(&a, 44, 8);
    put(&a, 45, 2);
    put(&a, 45, 2);
    put(&a, 0, 8);
    put(&a, 2, 8);
    put(&a, 2, 8);
    put(&a, a.directory_len, 8);
    put(&a, a.directory, 8);
    put(&a, 0x07064b50, 4);
    put(&a, 0, 4);
    put(&a, end64, 8);
    put(&a, 1, 4);
    add_end(&a, 2, "");
    memset(a.bytes + a.len - end_size + 8, 0xff, 12);
    assert_complete(&a, "zip");

    a.bytes[end64 + 32] = 3; /* entries */
    assert_int_equal(check(&a).result.verdict, SIG_REJECT);
}

static void an_apk_has_a_signing_block(void **state)
{
    static struct archive a;

    (void)state;
    for (int padded = 0; padded < 2; padded++) {
        a = (struct archive){ 0 };
        add(&a, "AndroidManifest.xml", "\3");
        add(&a, "classes.dex", "dex\n035");
        if (padded)
            a.len = 4096;
        put(&a, 100 + 24, 8);
        a.len += 100;
        put(&a, 100 + 24, 8);
        put_bytes(&a, "APK Sig Block 42", 16);
        finish(&a);
        assert_complete(&a, "apk");
    }
}

static void members_say_what_the_archive_is(void **state)
{
    static const struct {
        const char *first, *content, *second, *type;
    } kinds[] = {
        { "mimetype", "application/vnd.oasis.opendocument.text", "content.xml", "odt" },
        { "mimetype", "application/vnd.oasis.opendocument.spreadsheet-template", "content.xml",
          "ots" },
        { "mimetype", "application/epub+zip", "META-INF/container.xml", "epub" },
        { "mimetype", "application/epub+zip\r\n", "META-INF/container.xml", "epub" },
        { "mimetype", "application/octet-stream", "x", "zip" },
        { "[Content_Types].xml",
          "<x ContentType=\"application/vnd.ms-word.document.macroEnabled.main+xml\"/>",
          "word/document.xml", "docm" },
        { "[Content_Types].xml",
          "<x "
          "ContentType=\"application/"
          "vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml\"/>",
          "xl/workbook.xml", "xlsx" },
        { "[Content_Types].xml",
          "<Default Extension=\"xlsx\" ContentType=\"application/vnd.openxmlformats-officedocument."
          "spreadsheetml.sheet\"/>",
          "ppt/presentation.xml", "pptx" },
        { "_rels/.rels", "", "word/document.xml", "zip" },
        { "[content_types].xml", "", "xl\\workbook.xml", "xlsx" },
        { "META-INF/MANIFEST.MF", "Manifest-Version: 1.0", "A.class", "jar" },
        { "AndroidManifest.xml", "", "classes.jar", "zip" },
        { "doc.kml", "<kml/>", "files/", "kmz" },
        { "META-INF/manifest.xml", "", "META-INF/MANIFEST.MF.txt", "zip" },
        { "mimetype", "application/vnd.sun.xml.writer", "content.xml", "sxw" },
        { "mimetype", "image/openraster", "stack.xml", "ora" },
        { "META-INF/MANIFEST.MF", "Manifest-Version: 1.0", "WEB-INF/web.xml", "war" },
        { "META-INF/MANIFEST.MF", "Manifest-Version: 1.0", "META-INF/application.xml", "ear" },
        { "[Content_Types].xml", "<Types/>", "AppxManifest.xml", "appx" },
        { "[Content_Types].xml", "<Types/>", "Some.Package.nuspec", "nupkg" },
        { "[Content_Types].xml",
          "<x ContentType=\"application/vnd.ms-package.3dmanufacturing-3dmodel+xml\"/>",
          "3D/3dmodel.model", "3mf" },
        { "x/__init__.py", "", "x-1.0.dist-info/WHEEL", "whl" },
        { "Payload/X.app/Info.plist", "", "Payload/X.app/X", "ipa" },
        { "Payload/", "", "x", "zip" },
        { "document.json", "{}", "user.json", "sketch" },
        { "Index/Document.iwa", "", "Index/Slide-1.iwa", "key" },
        { "Index/Document.iwa", "", "Index/Tables/DataList.iwa", "numbers" },
        { "Index/Document.iwa", "", "Metadata/Properties.plist", "pages" },
    };
    static struct archive a;
    uint8_t packed[256];

    (void)state;
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        a = (struct archive){ 0 };
        add(&a, kinds[i].first, kinds[i].content);
        add(&a, kinds[i].second, "");
        finish(&a);
        assert_complete(&a, kinds[i].type);

        a = (struct archive){ 0 };
        add_sized(&a, kinds[i].first, 8, packed,
                  deflate_stored(packed, kinds[i].content, (uint16_t)strlen(kinds[i].content)),
                  SIZED);
        add(&a, kinds[i].second, "");
        finish(&a);
        assert_complete(&a, kinds[i].type);
    }
}

static void only_the_first_list_of_types_counts(void **state)
{
    static struct archive a;

    (void)state;
    add(&a, "[Content_Types].xml", "<Types/>");
    add(&a, "[Content_Types].xml",
        "<x "
        "ContentType=\"application/"
        "vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml\"/>");
    add(&a, "word/document.xml", "");
    finish(&a);
    assert_complete(&a, "docx");
}

static void an_empty_archive_is_22_bytes(void **state)
{
    uint8_t file[100] = "PK\5\6";

    (void)state;
    const struct harness_verdict v = harness_check(harness_sig("zip"), file, sizeof file);
    assert_int_equal(v.result.verdict, SIG_COMPLETE);
    assert_int_equal(v.result.len, 22);
    file[20] = 1;
    assert_false(harness_header_matches(harness_sig("zip"), file, sizeof file));
}

static void a_member_that_left_the_directory_is_walked_over(void **state)
{
    static struct archive a;

    (void)state;
    a = (struct archive){ 0 };
    add(&a, "deleted", "text");
    add(&a, "kept", "text");
    add_directory(&a, 1);
    add_end(&a, 1, "");
    assert_complete(&a, "zip");
}

static void the_end_of_an_archive_is_no_archive(void **state)
{
    static struct archive a, bad;

    (void)state;
    a = (struct archive){ 0 };
    for (int i = 0; i < 4; i++)
        add(&a, (const char *[]){ "a", "b", "c", "d" }[i],
            "a text that is so long that more than a sector of the archive is right when its first "
            "part is gone: "
            "then the members that are left stand in a row, one behind the other, up to the "
            "directory, and only the "
            "places in it tell that "
            "there was something in front of them");
    finish(&a);
    for (int i = 1; i < 4; i++) { /* whichever member is the first that is left */
        const struct harness_verdict v =
            harness_check(harness_sig("zip"), a.bytes + a.local[i], a.len - a.local[i]);

        assert_int_equal(v.result.verdict, SIG_BREAKS);
        assert_int_equal(v.result.len, a.len - a.local[i]);
    }
    bad = a;
    bad.bytes[a.len - 22 + 10] ^=
        1; /* another number of members: the directory of another archive */
    assert_int_equal(harness_check(harness_sig("zip"), bad.bytes + a.local[1], a.len - a.local[1])
                         .result.verdict,
                     SIG_REJECT);
}

static void foreign_bytes_break_an_archive(void **state)
{
    static struct archive a, broken;
    static uint8_t text[3000];

    (void)state;
    memset(text, 'x', sizeof text);
    a = (struct archive){ 0 };
    for (int i = 0; i < 4; i++)
        add_sized(&a, (const char *[]){ "a", "b", "c", "d" }[i], 0, text, sizeof text, SIZED);
    finish(&a);
    for (size_t at = 512; at < a.directory; at += 512) {
        size_t valid = 0;

        memset(&broken, 0, sizeof broken);
        memcpy(broken.bytes, a.bytes, at);
        memcpy(broken.bytes + at + 512, a.bytes + at, a.len - at);
        broken.len = a.len + 512;
        for (int i = 0; i < 4; i++)
            if (a.local[i] < at)
                valid = a.local[i];
        const struct harness_verdict v = check(&broken);
        assert_int_equal(v.result.verdict, valid == 0 ? SIG_REJECT : SIG_BREAKS);
        assert_int_equal(v.result.len, valid);
    }
}

static void a_cut_archive_is_valid_as_far_as_it_was_met(void **state)
{
    static struct archive a;
    static uint8_t text[3000];

    (void)state;
    memset(text, 'x', sizeof text);
    a = (struct archive){ 0 };
    add_sized(&a, "a", 0, text, sizeof text, SIZED);
    add_sized(&a, "b", 0, text, sizeof text, SIZED);
    finish(&a);
    struct harness_verdict v =
        harness_check(harness_sig("zip"), a.bytes, 5000); /* the image ends */
    assert_int_equal(v.result.verdict, SIG_BREAKS);
    assert_int_equal(v.result.len, 3031);
    v = harness_check(harness_sig("zip"), a.bytes,
                      2000); /* in the first member: its header and no more */
    assert_int_equal(v.result.verdict, SIG_BREAKS);
    assert_int_equal(v.result.len, 31);
    memset(a.bytes + 512, 0xe5, 8000); /* a header whose file is gone */
    assert_int_equal(harness_check(harness_sig("zip"), a.bytes, 9000).result.verdict, SIG_REJECT);
}

static void headers_without_members_are_given_up(void **state)
{
    static const char block[] = "\1\377\377\0\0 a stored block of deflate that goes on";
    static struct archive a;

    (void)state;
    a = (struct archive){ 0 };
    for (int i = 0; i < HEADERS;
         i++) { /* streamed members, none of which ends before the next one */
        a.members = 0;
        add_sized(&a, "a", i % 2 == 0 ? 0 : 8, block, sizeof block - 1, STREAMED_BARE);
        memset(a.bytes + a.len - 12, 0, 12);
    }
    for (size_t at = 0; at < 20; at++) {
        const size_t start = at * (a.len / HEADERS);

        assert_int_equal(
            harness_check(harness_sig("zip"), a.bytes + start, a.len - start).result.verdict,
            SIG_REJECT);
    }
}

static void what_does_not_agree_is_refused(void **state)
{
    static struct archive a, bad;
    /* places in the local header, the first entry (46 + 1 bytes each) and the end record; value */
    static const struct {
        size_t record, at;
        uint8_t value;
    } faults[] = { { 0, 4, 99 }, { 0, 7, 0x80 }, { 0, 8, 15 }, { 0, 18, 5 },   { 0, 26, 0 },
                   { 0, 30, 1 }, { 1, 0, 'Q' },  { 1, 28, 2 }, { 1, 42, 1 },   { 2, 4, 1 },
                   { 2, 10, 3 }, { 2, 12, 1 },   { 2, 16, 1 }, { 2, 17, 0x70 } };

    (void)state;
    a = (struct archive){ 0 };
    add(&a, "a", "text");
    add(&a, "b", "text");
    finish(&a);
    const size_t records[] = { 0, a.directory, a.len - 22 };
    assert_complete(&a, "zip");
    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++) {
        bad = a;
        bad.bytes[records[faults[i].record] + faults[i].at] = faults[i].value;
        assert_int_equal(check(&bad).result.verdict, SIG_REJECT);
    }
}

static void archives_that_python_writes_are_complete(void **state)
{
    static const char *const scripts[] = {
        "z = zipfile.ZipFile(f, 'w', zipfile.ZIP_DEFLATED)\n",
        "z = zipfile.ZipFile(f, 'w', zipfile.ZIP_STORED)\n",
        "z = zipfile.ZipFile(f, 'w', zipfile.ZIP_BZIP2)\n",
        "f = Pipe()\nz = zipfile.ZipFile(f, 'w', zipfile.ZIP_DEFLATED)\n",
        "f = Pipe()\nz = zipfile.ZipFile(f, 'w', zipfile.ZIP_STORED)\n",
        "z = zipfile.ZipFile(f, 'w', zipfile.ZIP_DEFLATED)\nforce = True\n",
        "f = Pipe()\nz = zipfile.ZipFile(f, 'w', zipfile.ZIP_LZMA)\nforce = True\n",
    };
    static uint8_t file[1 << 20];
    char command[2048];

    (void)state;
    for (size_t i = 0; i < sizeof scripts / sizeof scripts[0]; i++) {
        snprintf(command, sizeof command,
                 "python3 -c \"import io, random, sys, zipfile\n"
                 "class Pipe(io.BytesIO):\n"
                 "    def seekable(self): return False\n"
                 "    def seek(self, *a): raise OSError()\n"
                 "    def tell(self): raise OSError()\n"
                 "f, force = io.BytesIO(), False\n%s"
                 "r = random.Random(1)\n"
                 "for n in range(150):\n"
                 "    with z.open('folder/%%d.bin' %% n, 'w', force_zip64=force) as m:\n"
                 "        m.write(r.randbytes(r.randrange(3000)) + bytes(r.randrange(2000)) + "
                 "b'PK' * 9)\n"
                 "z.comment = b'the end'\n"
                 "z.close()\n"
                 "sys.stdout.buffer.write(f.getvalue())\n\"",
                 scripts[i]);
        FILE *pipe = popen(command, "r");
        assert_non_null(pipe);
        const size_t len = fread(file, 1, sizeof file - 1000, pipe);
        assert_int_equal(pclose(pipe), 0);
        assert_true(len > 10000);
        memset(file + len, 0x5a, 1000);
        const struct harness_verdict v = harness_check(harness_sig("zip"), file, len + 1000);
        assert_int_equal(v.result.verdict, SIG_COMPLETE);
        assert_int_equal(v.result.len, len);
        assert_int_equal(v.claim_count, 149);
    }
}

static struct sig_result thorough(const struct archive *a)
{
    return harness_run_thorough(harness_sig("zip"), a->bytes, a->len).result;
}

/* add_entry gives all members a CRC that is not theirs, so here is what else can be wrong. */
static void a_thorough_check_unpacks_what_it_can(void **state)
{
    static struct archive right, wrong, secret;
    uint8_t data[600] = { 0x14, 3, 0x2e };
    const uint32_t len = deflate_stored(data, "only a decoder sees this", 24);

    (void)state;
    add(&right, "a", "stored");
    finish(&right);
    assert_int_equal(thorough(&right).verdict, SIG_COMPLETE);
    assert_false(thorough(&right).proven); /* the directory has another CRC */
    memcpy(right.bytes + right.directory + 16, right.bytes + right.local[0] + 14, 4);
    assert_true(thorough(&right).proven);
    right.bytes[right.directory + 46] = 'b'; /* another name */
    assert_false(thorough(&right).proven);

    /* The CRC is that of the packed bytes. */
    add_sized(&wrong, "a", 8, data, len, SIZED);
    finish(&wrong);
    assert_int_equal(harness_run(harness_sig("zip"), wrong.bytes, wrong.len, 0, 0).result.verdict,
                     SIG_COMPLETE);
    assert_int_not_equal(thorough(&wrong).verdict, SIG_COMPLETE);

    add_sized(&secret, "a", 14, data, sizeof data, SIZED); /* LZMA */
    finish(&secret);
    memcpy(secret.bytes + secret.directory + 16, secret.bytes + secret.local[0] + 14, 4);
    assert_int_equal(thorough(&secret).verdict, SIG_COMPLETE);
    assert_false(thorough(&secret).proven);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whole_archives_are_complete),
        cmocka_unit_test(streamed_members_end_where_their_descriptor_says),
        cmocka_unit_test(a_streamed_first_member_may_be_deflate),
        cmocka_unit_test(zip64_end_records_are_read),
        cmocka_unit_test(an_apk_has_a_signing_block),
        cmocka_unit_test(members_say_what_the_archive_is),
        cmocka_unit_test(only_the_first_list_of_types_counts),
        cmocka_unit_test(an_empty_archive_is_22_bytes),
        cmocka_unit_test(a_member_that_left_the_directory_is_walked_over),
        cmocka_unit_test(the_end_of_an_archive_is_no_archive),
        cmocka_unit_test(foreign_bytes_break_an_archive),
        cmocka_unit_test(a_cut_archive_is_valid_as_far_as_it_was_met),
        cmocka_unit_test(headers_without_members_are_given_up),
        cmocka_unit_test(what_does_not_agree_is_refused),
        cmocka_unit_test(a_thorough_check_unpacks_what_it_can),
        cmocka_unit_test(archives_that_python_writes_are_complete),
    };
    return cmocka_run_group_tests_name("zip", tests, NULL, NULL);
}
