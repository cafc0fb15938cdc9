/* SPDX-License-Identifier: Apache-2.0
 * tests/signatures/text/test_mail.c - where messages without parts end, mailboxes of one and
 * several messages, and what is no mail; by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "tests/signatures/harness.h"

#define HEADER                                                                                     \
    "Return-Path: <a@example.org>\r\nFrom: A <a@example.org>\r\nDate: Thu, 17 May 2012 09:00:01 "  \
    "+0000\r\n"                                                                                    \
    "Subject: s\r\n"
#define FROM "From a@example.org Thu May 17 09:00:01 2012\n"
#define PARTS                                                                                      \
    HEADER "Content-Type: multipart/mixed;\r\n boundary=\"b\"\r\n\r\n--b\r\nContent-Type: "        \
           "multipart/alternative; "                                                               \
           "boundary=in\r\n\r\n--in\r\n\r\n--in--\r\n"
#define BASE64                                                                                     \
    HEADER "Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\nContent-Transfer-Encoding: "   \
           "base64\r\n\r\nAAAA\r\n"

struct mail_case {
    const char *type, *mail;
    const char *behind;
    size_t behind_len;
};
#define BEHIND(literal) (literal), sizeof(literal) - 1

static void ends_of_messages(void **unused)
{
    static const struct mail_case cases[] = {
        { "eml", HEADER "\r\nbody\r\n", BEHIND("") },
        { "eml", HEADER "\r\nbody\r\n", BEHIND("\0\0\0\0\0\0\0\0\0") },
        { "eml", HEADER "\r\nbody\r\nno newline at the end of this line",
          BEHIND("\0\0\0\0\0\0\0\0") },
        { "eml", HEADER "\r\nbody\r\n", BEHIND("g\xc6\x69s\x1f\0\x7f") },
        { "eml", HEADER "\r\nbody\r\n", BEHIND("\xc6\x69\xff\n\xe1q\x02") },
        { "eml", BASE64 "--b--\r\n", BEHIND("text behind it") },
        { "eml", BASE64 "--b--\r\n", BEHIND(HEADER "\r\n") },
        { "mbox", FROM HEADER "\nbody\n\n", BEHIND("") },
        { "mbox", FROM HEADER "\nbody\n\n" FROM HEADER "\nbody\n>From me\n\n",
          BEHIND("\0\0\0\0\0\0\0\0") },
        { "mbox", FROM BASE64 "--b--\n\n" FROM BASE64 "--b--\n\n", BEHIND("\x01") },
        { "mbox", FROM BASE64 "--b--\nlist footer\n\n" FROM BASE64 "--b--\n", BEHIND("\x01") },
        { "mhtml", "From: <Saved by Blink>\nSubject: s\nMIME-Version: 1.0\n\nbody\n", BEHIND("") },
    };
    char bytes[2048];

    (void)unused;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const size_t len = strlen(cases[i].mail);

        memcpy(bytes, cases[i].mail, len);
        memcpy(bytes + len, cases[i].behind, cases[i].behind_len);
        assert_true(harness_header_matches(harness_sig("eml"), (const uint8_t *)bytes, len));
        const struct harness_verdict v =
            harness_check(harness_sig("eml"), (const uint8_t *)bytes, len + cases[i].behind_len);
        if (v.result.verdict != SIG_COMPLETE || v.result.len != len ||
            strcmp(v.type->name, cases[i].type) != 0)
            fail_msg("%s: %d, %zu, %s: %s", cases[i].mail, v.result.verdict, (size_t)v.result.len,
                     v.type->name, v.result.why);
    }
}

static void what_is_no_mail(void **unused)
{
    static const char *const texts[] = {
        "From: here on it is text\n\nand so on\n",
        "From: a@example.org\nTo: b@example.org\n\n",
        "Date: Thu, 17 May 2012 09:00:01 +0000\nServer: x\nContent-Type: text/html\nMIME-Version: "
        "1.0\n\nbody\n",
        "Subject: s\nthis is no field\n\nbody\n",
        HEADER,
        FROM "and then text\n\n",
        "From me to you, and at 10:20 in May 2012 again\n" HEADER "\nbody",
        BASE64,
        BASE64 "!!!!\r\n--b--\r\n",
        PARTS,
    };

    (void)unused;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        const struct harness_verdict v =
            harness_check(harness_sig("eml"), (const uint8_t *)texts[i], strlen(texts[i]));
        if (v.result.verdict != SIG_REJECT)
            fail_msg("%s: %d", texts[i], v.result.verdict);
    }
}

/* RFC 2045, 6.8: a line of each printable character stands in base64, or does not. */
static void characters_of_base64(void **unused)
{
    static const char right[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
                                "0123456789+/= \t";
    char text[512];

    (void)unused;
    for (int c = 1; c < 0x7f; c++) {
        if ((c < ' ' && c != '\t') || c == '-') /* ends the text, or may be a boundary */
            continue;
        snprintf(text, sizeof text, BASE64 "AAA%c\r\n--b--\r\n", c);
        const struct harness_verdict v =
            harness_check(harness_sig("eml"), (const uint8_t *)text, strlen(text));
        if ((v.result.verdict == SIG_COMPLETE) != (strchr(right, c) != NULL))
            fail_msg("%c: %d", c, v.result.verdict);
    }
}

/* A message in two pieces: its text goes on elsewhere. */
static void text_that_breaks_off_at_a_sector_is_not_whole(void **unused)
{
    char bytes[4096 + 64];

    (void)unused;
    memset(bytes, 'x', sizeof bytes);
    memcpy(bytes, HEADER "\r\n", strlen(HEADER) + 2);
    for (size_t i = 600; i < 4096; i += 60)
        bytes[i] = '\n';
    memset(bytes + 4096, 0, 64);
    const struct harness_verdict v =
        harness_check(harness_sig("eml"), (const uint8_t *)bytes, sizeof bytes);
    assert_int_equal(v.result.verdict, SIG_BREAKS);
}

/* Nothing marks the end of a text but the file that begins behind it. */
static void another_file_on_a_sector_ends_a_message(void **unused)
{
    char bytes[2048];

    (void)unused;
    memset(bytes, 'x', sizeof bytes);
    memcpy(bytes, HEADER "\r\n", strlen(HEADER) + 2);
    memcpy(bytes + 1022, "\r\n<?xml version='1.0'?>", 22);
    const struct harness_verdict v =
        harness_check(harness_sig("eml"), (const uint8_t *)bytes, sizeof bytes);
    assert_int_equal(v.result.verdict, SIG_COMPLETE);
    assert_false(v.result.proven);
    assert_int_equal(v.result.len, 1024);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ends_of_messages),
        cmocka_unit_test(what_is_no_mail),
        cmocka_unit_test(characters_of_base64),
        cmocka_unit_test(text_that_breaks_off_at_a_sector_is_not_whole),
        cmocka_unit_test(another_file_on_a_sector_ends_a_message),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
