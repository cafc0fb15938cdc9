/* SPDX-License-Identifier: Apache-2.0
 * tests/carver/audit/test_policy.c - policy files: what they say, and each fault with its line. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "carver/audit/policy.h"

#define HEAD "[audit]\nname = a\nimage = /i\nstate = /s\n" /* four lines */

static enum err_code parse(const char *text, struct policy *out, struct err *err)
{
    *err = (struct err){ 0 };
    return policy_parse("p", text, strlen(text), out, err);
}

static void a_policy_is_read_whole(void **state)
{
    static const char text[] =
        "\xef\xbb\xbf[audit]           ; the mark of UTF-8 is no part of it\r\n"
        "name = nas-1_x\r\n"
        "image = /dev/vg0/*\n"
        "  /srv/images/*.raw   ; another one\n"
        "image = nbd://host/x\n"
        "state: /var/lib/burin/nas1\n"
        "keep = 3\n"
        "read = unallocated\n"
        "time = 6h\n"
        "max-read = 200M\n"
        "rules = keys, mail\n"
        "# comment\n"
        "[rule wallets]\n"
        "severity = critical\n"
        "where = type = 'kdbx'\n"
        "   AND known <> 3 ; no comment of SQL\n"
        "\tAND len > 1\n"
        "[rule aws]\n"
        "pattern = AKIA\n"
        " [A-Z2-7]{16}\n"
        "anchor = AKIA\n"
        "check = entropy:3.5\n"
        "mask = 0\n"
        "[rule bad]\n"
        "known = /etc/bad.set\n"
        "[rule rules]\nyara = /etc/bad.yar\n"
        "[rule some]\nyara = /etc/bad.yar\nwhere = len < 9\n"
        "[allow]\n"
        "file = /etc/a.allow\n"
        "file = /etc/b.allow\n"
        "[output]\n"
        "sarif = /o/x.sarif\n"
        "prometheus = /o/x.prom\n";
    struct policy policy;
    struct err err;

    (void)state;
    assert_int_equal(parse(text, &policy, &err), ERR_OK);
    assert_string_equal(policy.name.text, "nas-1_x");
    assert_int_equal(policy.name.line, 2);
    assert_int_equal(policy.image_count, 3);
    assert_string_equal(policy.images[0].text, "/dev/vg0/*");
    assert_string_equal(policy.images[1].text, "/srv/images/*.raw");
    assert_int_equal(policy.images[1].line, 4);
    assert_string_equal(policy.images[2].text, "nbd://host/x");
    assert_string_equal(policy.state.text, "/var/lib/burin/nas1");
    assert_int_equal(policy.keep, 3);
    assert_int_equal(policy.read, POLICY_READ_UNALLOCATED);
    assert_true(policy.time == UINT64_C(6) * 3600 * 1000000000);
    assert_true(policy.max_read == UINT64_C(200) << 20);
    assert_int_equal(policy.rule_count, 7);
    assert_string_equal(policy.rules[0].name.text, "keys");
    assert_int_equal(policy.rules[0].severity, POLICY_CRITICAL);
    assert_int_equal(policy.rules[0].pack, FEATURE_KEY);
    assert_int_equal(policy.rules[1].severity, POLICY_INFO);
    assert_int_equal(policy.rules[1].pack, FEATURE_EMAIL);
    assert_int_equal(policy.rules[2].kind, POLICY_WHERE);
    assert_string_equal(policy.rules[2].what[POLICY_WHERE].text,
                        "type = 'kdbx' AND known <> 3 AND len > 1");
    assert_string_equal(policy.rules[3].what[POLICY_PATTERN].text, "AKIA[A-Z2-7]{16}");
    assert_int_equal(policy.rules[3].check, POLICY_CHECK_ENTROPY);
    assert_true(policy.rules[3].entropy == 3.5);
    assert_int_equal(policy.rules[3].mask, 0);
    assert_int_equal(policy.rules[3].severity, POLICY_WARNING);
    assert_int_equal(policy.rules[4].kind, POLICY_KNOWN);
    assert_int_equal(policy.rules[5].kind, POLICY_YARA);
    assert_string_equal(policy.rules[5].what[POLICY_YARA].text, "/etc/bad.yar");
    assert_int_equal(policy.rules[6].kind, POLICY_YARA);
    assert_string_equal(policy.rules[6].what[POLICY_WHERE].text, "len < 9");
    assert_true(policy_has(&policy, POLICY_YARA) && policy_has(&policy, POLICY_PACK));
    assert_int_equal(policy.allow_count, 2);
    assert_string_equal(policy.outputs[POLICY_OUTPUT_sarif].text, "/o/x.sarif");
    assert_null(policy.outputs[POLICY_OUTPUT_events].text);
    policy_release(&policy);
}

static void what_is_not_said_has_a_default(void **state)
{
    struct policy policy;
    struct err err;

    (void)state;
    assert_int_equal(parse(HEAD, &policy, &err), ERR_OK);
    assert_int_equal(policy.keep, 12);
    assert_int_equal(policy.read, POLICY_READ_ALL);
    assert_true(policy.time == 0);
    assert_int_equal(policy.rule_count, 0);
    policy_release(&policy);
}

static void each_fault_is_told_with_its_line(void **state)
{
    static const struct {
        const char *text, *says;
    } faults[] = {
        { "", "p: [audit] has no name" },
        { "[audit]\nname = a\nimage = /i\n", "p: [audit] has no state" },
        { "[audit]\nname = a\nstate = /i\n", "p: [audit] has no image" },
        { HEAD "imge = /x\n", "p:5: no key 'imge' in [audit]; did you mean 'image'?" },
        { HEAD "max-read = 5\n", "p:5: max-read 5 is out of range: 1M to" },
        { HEAD "[rules]\nx = y\n", "p:5: no section [rules]" },
        { "x = y\n" HEAD, "p:1: no section []" },
        { HEAD "[allow]\n[output]\nsarif = /x\n", "p:5: the section has no key" },
        { HEAD "[rule x]", "p:5: the section has no key" },
        { HEAD "[rule x]\nyara = x.yar\n", "p:6: yara = x.yar: write a path" },
        { HEAD "[rule x]\nyara = /x.yar\nwhere = 1\npack = mail\n",
          "p:6: rule x: write one of where, pattern, known, pack and yara, or where and yara" },
        { HEAD "[rule x]\nyara = /x\nwhere = 1\n[rule y]\nwhere = 1\nyara = /x\n",
          "p:9: rule y looks for the same as rule x of line 6" },
        { HEAD "[rule x]\nyara = /x.yar\nanchor = a\n", "p:7: an anchor is of a pattern" },
        { "\v[rule p]\npack = cards\n", "p: [audit] has no name" },
        { HEAD " [rule p]\npack = cards\n", "p:5: state = [rule p]: write a path" },
        { HEAD "just words\n", "p:5: write KEY = VALUE" },
        { HEAD "name = b\n", "p:5: name is given twice, the first time in line 2" },
        { HEAD "keep = 1\nkeep = 2\n", "p:6: keep is given twice, the first time in line 5" },
        { HEAD "keep = 0\n", "p:5: keep 0 is out of range: 1 to 10000" },
        { HEAD "keep = x\n", "p:5: keep 'x' is not a number" },
        { HEAD "keep =\n", "p:5: keep has no value" },
        { HEAD "time = 5y\n", "p:5: time 5y: write a time up to 8760h" },
        { HEAD "read = some\n", "p:5: read = some: write one of all, unallocated, changed" },
        { HEAD "read = changed\n", "p:5: read = changed and changed = MAPFILE belong together" },
        { HEAD "changed = /m\n", "p:5: read = changed and changed = MAPFILE belong together" },
        { HEAD "read = changed\nchanged = /m\ntime = 1h\n",
          "p:7: read = changed and time exclude each other" },
        { HEAD "image = i\n", "p:5: image = i: write a path that begins with /" },
        { HEAD "[output]\nsarif = x\n", "p:6: sarif = x: write a path that begins with /" },
        { HEAD "rules = keys, kards\n", "p:5: no pack 'kards'" },
        { HEAD "rules = keys\n[rule keys]\npack = keys\n",
          "p:7: rule keys is given twice, the first time in line 5" },
        { HEAD "[rule a b]\npack = keys\n", "p:6: rule 'a b': write 1 to 32 letters" },
        { HEAD "[rule a]\nseverity = high\n",
          "p:6: severity = high: write one of info, warning, critical" },
        { HEAD "[rule a]\nseverity = info\n",
          "p:6: rule a: write one of where, pattern, known, pack and yara, or where and yara" },
        { HEAD "[rule a]\npack = keys\nwhere = 1\n",
          "p:6: rule a: write one of where, pattern, known, pack and yara, or where and yara" },
        { HEAD "[rule a]\npack = keys\nanchor = x\n", "p:7: an anchor is of a pattern" },
        { HEAD "[rule a]\nwhere = 1\ncheck = luhn\n", "p:7: a check is of a pattern" },
        { HEAD "[rule a]\nwhere = 1\nmask = 3\n", "p:7: a mask is of a pattern or a pack" },
        { HEAD "[rule a]\npattern = [0-9]{16}\n", "p:6: rule a: name an anchor" },
        { HEAD "[rule a]\npattern = [0-9]{16}\ncheck = entropy:2\n",
          "p:6: rule a: name an anchor" },
        { HEAD "[rule a]\npattern = x\ncheck = lun\n",
          "p:7: check = lun: write one of none, luhn, iban, jwt, pem" },
        { HEAD "[rule a]\npattern = x\ncheck = entropy:9\n",
          "p:7: check = entropy:9: write entropy: and bits" },
        { HEAD "[rule a]\npattern = x\ncheck = entropy:\n", "p:7: check = entropy:: write" },
        { HEAD "[rule a]\npattern = x\nmask = 33\n", "p:7: mask 33 is out of range: 0 to 32" },
        { HEAD "[rule a]\npack = keys\n[rule b]\npack = keys\n",
          "p:8: rule b looks for the same as rule a of line 6" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++) {
        struct policy policy;
        struct err err;

        if (parse(faults[i].text, &policy, &err) != ERR_INPUT)
            fail_msg("taken: %s", faults[i].text);
        if (strncmp(err.text, faults[i].says, strlen(faults[i].says)) != 0)
            fail_msg("'%s' and not '%s'", err.text, faults[i].says);
        policy_release(&policy);
    }
}

static void lines_and_values_have_limits(void **state)
{
    static char text[POLICY_BYTES_MAX + 2];
    struct policy policy;
    struct err err;

    (void)state;
    snprintf(text, sizeof text, HEAD "[rule a]\nwhere = %0*d\n", POLICY_LINE_MAX - 8, 1);
    assert_int_equal(parse(text, &policy, &err), ERR_OK); /* 198 bytes of line 6 */
    assert_int_equal(strlen(policy.rules[0].what[POLICY_WHERE].text), POLICY_LINE_MAX - 8);
    policy_release(&policy);
    snprintf(text, sizeof text, HEAD "[rule a]\nwhere = %0*d\n", POLICY_LINE_MAX - 7, 1);
    assert_int_equal(parse(text, &policy, &err), ERR_INPUT);
    assert_non_null(strstr(err.text, "p:6: the line has more than 198 bytes"));
    policy_release(&policy);

    size_t used = (size_t)snprintf(text, sizeof text, HEAD "[rule a]\nwhere = 1\n");
    for (int i = 0; i < 100; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, "  %0*d\n", 190, 1);
    assert_int_equal(parse(text, &policy, &err), ERR_INPUT);
    assert_non_null(strstr(err.text, "the value of where has more than 16384 bytes"));
    policy_release(&policy);

    assert_int_equal(policy_parse("p", HEAD "\0", sizeof HEAD, &policy, &err), ERR_INPUT);
    assert_non_null(strstr(err.text, "p:5: a NUL"));
    policy_release(&policy);
    memset(text, '\n', sizeof text);
    assert_int_equal(policy_parse("p", text, POLICY_BYTES_MAX + 1, &policy, &err), ERR_INPUT);
    policy_release(&policy);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_policy_is_read_whole),
        cmocka_unit_test(what_is_not_said_has_a_default),
        cmocka_unit_test(each_fault_is_told_with_its_line),
        cmocka_unit_test(lines_and_values_have_limits),
    };
    return cmocka_run_group_tests_name("policies", tests, NULL, NULL);
}
