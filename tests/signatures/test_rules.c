/* SPDX-License-Identifier: Apache-2.0
 * tests/signatures/test_rules.c - the built-in header/footer rules.
 *
 * Goal: each finds the beginning of a file of its type and is off by default. Method: first bytes
 * written down from the formats' descriptions, not from rules.c.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "signatures/list.h"
#include "signatures/sig.h"

#define BYTES(literal) literal, sizeof(literal) - 1

static const struct {
    const char *name, *type, *extension;
    const char *head;
    size_t len;
} files[] = {
    { "art", "art", "art", BYTES("JG\x04\x0e\0\0") },
    { "art-old", "art", "art", BYTES("JG\x03\x0e\0\0") },
    { "idx", "idx", "idx", BYTES("JMF9\0") },
    { "mbx", "mbx", "mbx", BYTES("JMF6\0") },
    { "aol-mail", "aol-mail", "mail", BYTES("AOLVM100") },
    { "pgd", "pgd", "pgd", BYTES("PGPdMAIN`\x01") },
    { "ra", "ra", "ra", BYTES(".ra\xfd\0\x03") },
    { "paperport", "paperport", "max", BYTES("ViGFk\x1a\0\0\0\0") },
    { "pins", "pins", "pins", BYTES("PINS 4.20\r\n") },
    { "gho", "gho", "gho", BYTES("\376\357\001\002") },
    { "tib", "tib", "tib", BYTES("\264nhD\000") },
    { "tib", "tib", "tib", BYTES("\316$\271\242 \000\000\000") },
    { "spf", "spf", "spf", BYTES("SPFI\000\002\000\000A\000") },
    { "dar", "dar", "dar", BYTES("\000\000\000{name") },
    { "qdf", "qdf", "qdf", BYTES("\254\236\275\217\000\000\001") },
    { "nsf", "nsf", "nsf", BYTES("\032\000\000\004\000\000+\000") },
    { "fp5", "fp5", "fp5",
      BYTES("\000\001\000\000\000\002\000\001\000\005\000\002\000\002\300HBAM") },
    { "c4d", "c4d", "c4d", BYTES("QC4DC4D6\000") },
    { "skp", "skp", "skp",
      BYTES("\377\376\377\016S\000k\000e\000t\000c\000h\000U\000p\000 \000M\000") },
    { "gp", "gp", "gp5", BYTES("\030FICHIER GUITAR PRO v5.00") },
    { "ptf", "ptf", "ptf", BYTES("\0030010111100101011\000") },
    { "sib", "sib", "sib", BYTES("\017SIBELIUS\000") },
    { "logic", "logic", "logic", BYTES("\253\300G\023\005\027\000\025\000\004") },
    { "rns", "rns", "rns", BYTES("Propellerheads Reason Song File\000") },
    { "shn", "shn", "shn", BYTES("ajkg\002\373") },
    { "ari", "ari", "ari", BYTES("ARRI\0224Vx\000\020\000\000\003\000") },
    { "sitx", "sitx", "sitx", BYTES("StuffIt!\000") },
    { "sitx", "sitx", "sitx", BYTES("StuffIt?\000") },
    { "age", "age", "age", BYTES("age-encryption.org/v1\n-> X25519 ") },
    { "fp7", "fp7", "fp7", BYTES("\0\1\0\0\0\2\0\1\0\5\0\2\0\2\300HBAM7") },
    { "afdesign", "afdesign", "afdesign", BYTES("\0\377KA\6\0") },
    { "ds2", "ds2", "ds2", BYTES("\3ds2\0") },
    { "pgdump", "pgdump", "dump", BYTES("PGDMP\1\16\0") },
    { "hwp3", "hwp3", "hwp", BYTES("HWP Document File V3.00 \032") },
    { "ess", "ess", "ess", BYTES("TESV_SAVEGAME\0") },
    { "n64", "n64", "z64", BYTES("\200\067\022\100\0\0\0\017") },
};

static const struct sig *find(const char *name)
{
    uint32_t count;
    const struct sig *const *all = sig_builtin(&count);

    for (uint32_t i = 0; i < count; i++)
        if (strcmp(all[i]->name, name) == 0 && strcmp(sig_builtin_family(i), "rules") == 0)
            return all[i];
    fail_msg("no rule %s", name);
    return NULL;
}

static bool begins(const struct sig_pattern *p, const char *head, size_t len)
{
    return p->len > 0 && p->len <= len && memcmp(p->bytes, head, p->len) == 0;
}

static void first_bytes_are_found(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        const struct sig *sig = find(files[i].name);
        uint32_t hits = 0;

        for (uint32_t k = 0; k < SIG_HEADERS_MAX; k++)
            hits += begins(&sig->headers[k], files[i].head, files[i].len);
        if (hits != 1)
            fail_msg("%s: row %zu is found %u times", files[i].name, i, hits);
        assert_string_equal(sig->types[0].name, files[i].type);
        assert_string_equal(sig->types[0].extension, files[i].extension);
    }
}

static void rules_are_off_and_whole(void **state)
{
    uint32_t count, rules = 0;
    const struct sig *const *all = sig_builtin(&count);

    (void)state;
    for (uint32_t i = 0; i < count; i++) {
        if (strcmp(sig_builtin_family(i), "rules") != 0)
            continue;
        rules++;
        assert_int_equal(all[i]->flags, SIG_OFF);
        assert_null(all[i]->check);
        assert_non_null(all[i]->what);
        assert_non_null(all[i]->source);
        assert_true(all[i]->size_max > 0 && all[i]->size_max <= 500000000);
        for (uint32_t k = 0; k < SIG_HEADERS_MAX; k++)
            assert_int_equal(all[i]->headers[k].at,
                             0); /* pairing wants headers in order of their files' starts */
        for (uint32_t k = 0; k < i; k++)
            assert_string_not_equal(all[i]->name, all[k]->name);
    }
    assert_int_equal(rules, 34);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(first_bytes_are_found),
        cmocka_unit_test(rules_are_off_and_whole),
    };
    return cmocka_run_group_tests_name("built-in rules", tests, NULL, NULL);
}
