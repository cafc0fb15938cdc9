/* SPDX-License-Identifier: Apache-2.0
 * tests/signatures/document/test_pdf.c - documents built by hand after ISO 32000-1, 7.5, documents
 * that qpdf writes, and damage.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/signatures/harness.h"

enum { ROOM = 1 << 18, OBJECTS_MAX = 64, BEHIND = 600, FIRST_SECTION = 93 };

struct document {
    uint8_t bytes[ROOM];
    size_t len;
    size_t object[OBJECTS_MAX]; /* offsets; 0: none */
    int objects;
    size_t section; /* of the last cross-reference section */
};

__attribute__((format(printf, 2, 3))) static void say(struct document *d, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    const int len = vsnprintf((char *)d->bytes + d->len, ROOM - d->len, format, args);
    va_end(args);
    assert_true(len >= 0 && (size_t)len < ROOM - d->len);
    d->len += (size_t)len;
}

static void begin(struct document *d)
{
    memset(d, 0, sizeof *d);
    say(d, "%%PDF-1.4\n%%\xe2\xe3\xcf\xd3\n");
}

static void add_object(struct document *d, const char *body)
{
    d->object[++d->objects] = d->len;
    say(d, "%d 0 obj\n%s\nendobj\n", d->objects, body);
}

static void add_stream(struct document *d, size_t len)
{
    d->object[++d->objects] = d->len;
    say(d, "%d 0 obj\n<< /Length %zu >>\nstream\n", d->objects, len);
    for (size_t i = 0; i < len; i++)
        d->bytes[d->len++] = (uint8_t)(0x80 + i % 64);
    say(d, "\nendstream\nendobj\n");
}

static void add_table(struct document *d, int first)
{
    d->section = d->len;
    say(d, "xref\n%d %d\n", first, d->objects + 1 - first);
    for (int i = first; i <= d->objects; i++)
        say(d, "%010zu %05d %c \n", d->object[i], i == 0 ? 65535 : 0, i == 0 ? 'f' : 'n');
    say(d, "trailer\n<< /Size %d /Root 1 0 R >>\n", d->objects + 1);
}

static void add_end(struct document *d, const char *line_end)
{
    say(d, "startxref\n%zu\n%%%%EOF%s", d->section, line_end);
}

/* Five objects, two of them streams. */
static void make(struct document *d)
{
    begin(d);
    add_object(d, "<< /Type /Catalog /Pages 2 0 R >>");
    add_object(d, "<< /Type /Pages /Kids [ 3 0 R ] /Count 1 >>");
    add_object(
        d, "<< /Type /Page /Parent 2 0 R /Title (endobj \\) stream) /MediaBox [ 0 0 100 100 ] >>");
    add_stream(d, 3000);
    add_stream(d, 2000);
    add_table(d, 0);
}

/* The verdict with BEHIND bytes of this value behind the document. */
static struct harness_verdict check(const struct document *d, uint8_t behind)
{
    static uint8_t file[ROOM + BEHIND];

    memcpy(file, d->bytes, d->len);
    memset(file + d->len, behind, BEHIND);
    assert_true(harness_header_matches(harness_sig("pdf"), file, d->len + BEHIND));
    return harness_check(harness_sig("pdf"), file, d->len + BEHIND);
}

static void assert_complete(const struct document *d)
{
    for (int behind = 0; behind < 256; behind += 51) {
        const struct harness_verdict v = check(d, (uint8_t)behind);

        assert_string_equal(v.result.why, "the cross-reference section is where the end mark says");
        assert_int_equal(v.result.verdict, SIG_COMPLETE);
        assert_int_equal(v.result.len, d->len);
    }
    assert_int_equal(harness_check(harness_sig("pdf"), d->bytes, d->len).result.len, d->len);
}

static void one_line_end_belongs_to_the_document(void **state)
{
    static const char *const ends[] = { "", "\n", "\r", "\r\n" };
    static struct document d;

    (void)state;
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
        make(&d);
        add_end(&d, ends[i]);
        assert_complete(&d);
    }
    make(&d);
    add_end(&d, "\n");
    const size_t len = d.len;
    say(&d, "\n\n");
    const struct harness_verdict v = check(&d, 0);
    assert_int_equal(v.result.verdict, SIG_COMPLETE);
    assert_int_equal(v.result.len, len);
}

static void an_update_goes_on_behind_the_first_end(void **state)
{
    static const char *const between[] = { "\n", "\r\n", "\n\n", "" };
    static struct document d;

    (void)state;
    for (size_t i = 0; i < sizeof between / sizeof between[0]; i++) {
        make(&d);
        add_end(&d, between[i]);
        const size_t first = d.len;
        add_object(&d, "<< /Type /Annot >>");
        const size_t update = d.len;
        add_table(&d, 6);
        add_end(&d, "\n");
        assert_complete(&d);

        memset(d.bytes + update, 'x', 20); /* the update is there, but its section is not */
        const struct harness_verdict v = check(&d, 0);
        assert_int_equal(v.result.verdict, SIG_BREAKS);
        assert_true(v.result.len >= first && v.result.len <= update);
    }
}

static void a_stream_may_hold_a_document(void **state)
{
    static struct document inner, d;

    (void)state;
    make(&inner);
    add_end(&inner, "\n");
    begin(&d);
    add_object(&d, "<< /Type /Catalog >>");
    d.object[++d.objects] = d.len;
    say(&d, "2 0 obj\n<< /Length %zu >>\nstream\n", inner.len);
    assert_int_not_equal(d.len % 512, 0);
    memcpy(d.bytes + d.len, inner.bytes, inner.len);
    d.len += inner.len;
    say(&d, "\nendstream\nendobj\n");
    add_table(&d, 0);
    add_end(&d, "\n");
    assert_complete(&d);
}

static void a_cross_reference_stream_is_a_section(void **state)
{
    static struct document d;

    (void)state;
    make(&d);
    d.len = d.section;
    say(&d, "6 0 obj\n<< /Type /XRef /Size 7 /W [ 1 2 1 ] /Root 1 0 R /Length 28 >>\nstream\r\n");
    d.len += 28;
    say(&d, "\nendstream\nendobj\n");
    add_end(&d, "\n");
    assert_complete(&d);
}

/* First-page section in front, `startxref 0`, the rest, the main section: Annex F in the small. */
static void make_linear(struct document *d, const char *line_end, long error)
{
    begin(d);
    const size_t length_at = d->len + 8 + 24;
    say(d, "6 0 obj\n<< /Linearized 1.0 /L   %010d /H [ 700 100 ] /O 7 >>\nendobj\n", 0);
    assert_memory_equal(d->bytes + length_at - 2, "  ", 2);
    const size_t first = d->len;
    say(d,
        "xref\n6 2\n%010d 00000 n \n%010zu 00000 n \ntrailer\n<< /Prev 99999 "
        ">>\nstartxref\n0\n%%%%EOF\n",
        15, first + FIRST_SECTION);
    assert_int_equal(d->len, first + FIRST_SECTION);
    d->objects = 6;
    add_object(d, "<< /Type /Page >>");
    d->objects = 0;
    add_object(d, "<< /Type /Catalog >>");
    add_stream(d, 3000);
    add_table(d, 0);
    d->section = first;
    add_end(d, line_end);
    snprintf((char *)d->bytes + length_at, 11, "%010ld", (long)d->len + error);
    d->bytes[length_at + 10] = ' ';
}

static void a_linear_document_says_its_length(void **state)
{
    static struct document d;

    (void)state;
    make_linear(&d, "\n", 0);
    assert_complete(&d);
    make_linear(&d, "\r\n\n", 0); /* more white space than others may have */
    assert_complete(&d);
    make_linear(&d, "\n", 512);
    assert_int_not_equal(check(&d, 0).result.verdict, SIG_COMPLETE);
    make_linear(&d, "\n", -512);
    assert_int_not_equal(check(&d, 0).result.verdict, SIG_COMPLETE);
    d.len = 400; /* behind the end of the first page's section */
    assert_int_not_equal(check(&d, 0).result.verdict, SIG_COMPLETE);
}

static void foreign_bytes_break_a_document(void **state)
{
    static const uint8_t fills[] = { 0x00, 0xa5, 'x' };
    static struct document d, broken;

    (void)state;
    make(&d);
    add_end(&d, "\n");
    for (size_t at = 512; at < d.len; at += 512) {
        for (size_t f = 0; f < sizeof fills; f++) {
            memcpy(broken.bytes, d.bytes, at);
            memset(broken.bytes + at, fills[f], 512);
            memcpy(broken.bytes + at + 512, d.bytes + at, d.len - at);
            broken.len = d.len + 512;
            const struct harness_verdict v = check(&broken, 0);
            assert_int_not_equal(v.result.verdict, SIG_COMPLETE);
            assert_true(v.result.len <= at);
        }
    }
}

static void a_broken_document_is_valid_object_by_object(void **state)
{
    static struct document d;

    (void)state;
    make(&d);
    add_end(&d, "\n");
    memset(d.bytes + d.object[5] + 100, 0x5a, d.len);
    struct harness_verdict v = check(&d, 0);
    assert_int_equal(v.result.verdict, SIG_BREAKS);
    assert_int_equal(v.result.len, d.object[5] - 1); /* behind "endobj" of the fourth */

    make(&d);
    v = harness_check(harness_sig("pdf"), d.bytes,
                      d.object[4] + 200); /* the image ends in the first stream */
    assert_int_equal(v.result.verdict, SIG_BREAKS);
    assert_int_equal(v.result.len, d.object[4] - 1);
    memset(d.bytes + 300, 0x5a, ROOM - 300); /* less than a sector is right */
    assert_int_equal(harness_check(harness_sig("pdf"), d.bytes, 5000).result.verdict, SIG_REJECT);
}

static void a_length_may_stand_in_the_next_object(void **state)
{
    static struct document d;

    (void)state;
    for (int wrong = 0; wrong < 2; wrong++) {
        begin(&d);
        add_object(&d, "<< /Type /Catalog >>");
        d.object[++d.objects] = d.len;
        say(&d, "2 0 obj\n<< /Length 3 0 R >>\nstream\n");
        memset(d.bytes + d.len, 0x81, 1000);
        d.len += 1000;
        say(&d, "\nendstream\nendobj\n");
        char value[16];
        snprintf(value, sizeof value, "%d", wrong ? 488 : 1000);
        add_object(&d, value);
        add_object(&d, "<< /Type /Pages >>");
        const size_t end = d.len - 1;
        say(&d, "nothing that belongs here");
        const struct harness_verdict v = check(&d, 0);
        assert_int_equal(v.result.verdict, wrong ? SIG_REJECT : SIG_BREAKS);
        assert_int_equal(v.result.len, wrong ? 0 : end);
    }
}

static void another_document_ends_the_search(void **state)
{
    static struct document d;

    (void)state;
    make(&d);
    const size_t cut = (d.object[5] + 511) / 512 * 512;
    static struct document other;
    make(&other);
    add_end(&other, "\n");
    memcpy(d.bytes + cut, other.bytes, other.len);
    d.len = cut + other.len;
    const struct harness_verdict v = check(&d, 0);
    assert_int_equal(v.result.verdict, SIG_BREAKS);
    assert_string_equal(v.result.why, "another document begins before this one ends");
    assert_int_equal(v.result.len, d.object[5] - 1);
}

/* Many ends that name one long table: reading it for each of them would take the square of the
 * document's length. */
static void ends_that_lead_in_a_circle(void **state)
{
    enum { SUBSECTIONS = 5000, ENDS = 400 };
    static struct document d;

    (void)state;
    begin(&d);
    add_object(&d, "<< /Type /Catalog >>");
    d.section = d.len;
    say(&d, "xref\n");
    for (int i = 0; i < SUBSECTIONS; i++)
        say(&d, "0 0 ");
    for (int i = 0; i < ENDS; i++)
        add_end(&d, "\n");
    const struct harness_verdict v = harness_run(harness_sig("pdf"), d.bytes, d.len, 0, 0);
    assert_int_not_equal(v.result.verdict, SIG_COMPLETE);
    assert_true(v.views < 4 * d.len);
}

static void the_bare_header_is_no_document(void **state)
{
    static const char *const texts[] = { "%PDF-1.4\n%%EOF\n",
                                         "%PDF-1.4\0%PDF-1.5\0%s: not a PDF document object",
                                         "%PDF-1.x\n1 0 obj\n", "%PDF-1.4\n0 obj",
                                         "%PDF-1.4\n1 0 object" };
    char file[2000];

    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        memset(file, 'x', sizeof file);
        memcpy(file, texts[i], strlen(texts[i]) + 1);
        assert_int_equal(
            harness_check(harness_sig("pdf"), (uint8_t *)file, sizeof file).result.verdict,
            SIG_REJECT);
    }
    assert_false(harness_header_matches(harness_sig("pdf"), (const uint8_t *)"%PDF-3.0\n", 9));
}

static void documents_that_qpdf_writes_are_complete(void **state)
{
    static const char *const options[] = { "",
                                           "--linearize",
                                           "--object-streams=generate",
                                           "--linearize --object-streams=generate",
                                           "--encrypt a b 256 --",
                                           "--linearize --encrypt a b 256 --" };
    static struct document d;
    char in[] = "/tmp/burin-test-pdf-XXXXXX", command[256];

    (void)state;
    if (system("qpdf --version >/dev/null 2>&1") != 0) {
        print_message("skipped: qpdf is not installed\n");
        skip();
    }
    const int fd = mkstemp(in);
    assert_true(fd >= 0);
    make(&d);
    add_end(&d, "\n");
    assert_int_equal(write(fd, d.bytes, d.len), (ssize_t)d.len);
    close(fd);
    for (size_t i = 0; i < sizeof options / sizeof options[0]; i++) {
        snprintf(command, sizeof command,
                 "qpdf --warning-exit-0 --preserve-unreferenced %s %s - 2>/dev/null", options[i],
                 in);
        FILE *pipe = popen(command, "r");
        assert_non_null(pipe);
        d.len = fread(d.bytes, 1, ROOM - 1, pipe);
        assert_int_equal(pclose(pipe), 0);
        assert_true(d.len > 500);
        assert_complete(&d);
    }
    unlink(in);
}

/* The sample has two deflated streams; a byte of the second one's Adler-32 is changed. */
static void a_thorough_check_inflates_streams(void **state)
{
    static uint8_t file[ROOM];
    FILE *sample = fopen("tests/samples/pdf/flate.pdf", "rb");
    const struct sig *sig = harness_sig("pdf");

    (void)state;
    assert_non_null(sample);
    const size_t len = fread(file, 1, sizeof file, sample);
    fclose(sample);
    struct harness_verdict v = harness_run_thorough(sig, file, len);
    assert_int_equal(v.result.verdict, SIG_COMPLETE);
    assert_true(v.result.proven);
    assert_int_equal(v.sure, len);
    assert_int_equal(v.open_count, 0);

    uint8_t *end = file;
    for (int i = 0; i < 2; i++)
        end = (uint8_t *)memmem(end, len - (size_t)(end - file), "endstream", 9) + 9;
    end[-11] ^= 1;
    assert_int_equal(harness_run(sig, file, len, 0, 0).result.verdict, SIG_COMPLETE);
    v = harness_run_thorough(sig, file, len);
    assert_int_equal(v.result.verdict, SIG_BREAKS);
    assert_true(v.result.len < (size_t)(end - file));
}

/* What is not deflated is open, and what is between two objects is not. */
static void streams_that_are_not_inflated_are_open(void **state)
{
    static struct document d;

    (void)state;
    begin(&d);
    add_object(&d, "<< /Type /Catalog >>");
    add_stream(&d, 2000);
    const size_t data = d.object[2] + 34;
    add_table(&d, 0);
    add_end(&d, "\n");
    const struct harness_verdict v = harness_run_thorough(harness_sig("pdf"), d.bytes, d.len);
    assert_int_equal(v.result.verdict, SIG_COMPLETE);
    assert_false(v.result.proven);
    assert_int_equal(v.sure, d.len);
    assert_int_equal(v.open_count, 1);
    assert_int_equal(v.open[0].from, data);
    assert_int_equal(v.open[0].to, data + 2000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_line_end_belongs_to_the_document),
        cmocka_unit_test(an_update_goes_on_behind_the_first_end),
        cmocka_unit_test(a_stream_may_hold_a_document),
        cmocka_unit_test(a_cross_reference_stream_is_a_section),
        cmocka_unit_test(a_linear_document_says_its_length),
        cmocka_unit_test(foreign_bytes_break_a_document),
        cmocka_unit_test(a_broken_document_is_valid_object_by_object),
        cmocka_unit_test(a_length_may_stand_in_the_next_object),
        cmocka_unit_test(another_document_ends_the_search),
        cmocka_unit_test(ends_that_lead_in_a_circle),
        cmocka_unit_test(the_bare_header_is_no_document),
        cmocka_unit_test(a_thorough_check_inflates_streams),
        cmocka_unit_test(streams_that_are_not_inflated_are_open),
        cmocka_unit_test(documents_that_qpdf_writes_are_complete),
    };
    return cmocka_run_group_tests_name("pdf", tests, NULL, NULL);
}
