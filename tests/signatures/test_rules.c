/*
 * tests/signatures/test_rules.c - the built-in header/footer rules.
 *
 * Goal: each finds the beginning of a file of its type and is off by default. Method: first bytes written down from the
 * formats' descriptions, not from rules.c.
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
    { "tif", "tif", "tif", BYTES("II*\0\x08\0\0\0") },
    { "tif", "tif", "tif", BYTES("MM\0*\0\0\0\x08") },
    { "mov", "mov", "mov", BYTES("\0\0\x10\x20moov\0\0\0\x6cmvhd") },
    { "mov", "mov", "mov", BYTES("\0\x01\x10\x20mdat") },
    { "mov-atoms", "mov", "mov", BYTES("\0\0\0\x08wide\0\x01\x10\x20mdat") },
    { "mov-atoms", "mov", "mov", BYTES("\0\0\0\x10skip") },
    { "mov-atoms", "mov", "mov",
      BYTES("\0\0\0\x10"
            "free") },
    { "mpg", "mpg", "mpg", BYTES("\0\0\x01\xba\x44") },
    { "mpg-seq", "mpg", "mpg", BYTES("\0\0\x01\xb3\x14") },
    { "swf", "swf", "swf", BYTES("FWS\x05") },
    { "doc", "doc", "doc", BYTES("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1\0\0\0\0\0\0\0\0") },
    { "doc-any", "doc", "doc", BYTES("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1\0\0\0\0\0\0\0\0") },
    { "pst", "pst", "pst", BYTES("!BDN\x12\x34\x56\x78SM\x17\0\x13\0\x01\x01") },
    { "ost", "ost", "ost", BYTES("!BDN\x12\x34\x56\x78SO\x17\0\x13\0\x01\x01") },
    { "dbx", "dbx", "dbx", BYTES("\xcf\xad\x12\xfe\xc5\xfd\x74\x6f\x66") },
    { "idx", "idx", "idx", BYTES("JMF9\0") },
    { "mbx", "mbx", "mbx", BYTES("JMF6\0") },
    { "wpc", "wpc", "wpc", BYTES("\xffWPC\x10\0\0\0") },
    { "htm", "htm", "htm", BYTES("<HTML><head>") },
    { "mail", "mail", "mail", BYTES("AOLVM100") },
    { "pgd", "pgd", "pgd", BYTES("PGPdMAIN`\x01") },
    { "pgp", "pgp", "pgp", BYTES("\x99\0\x8d\x03") },
    { "pgp", "pgp", "pgp", BYTES("\x95\x01\xd8\x03") },
    { "txt", "txt", "txt", BYTES("-----BEGIN PGP MESSAGE-----") },
    { "ra", "ra", "ra", BYTES(".ra\xfd\0\x03") },
    { "ra", "ra", "ra", BYTES(".RMF\0\0\0\x12") },
    { "reg", "reg", "dat", BYTES("regf\x05\0\0\0") },
    { "reg", "reg", "dat", BYTES("CREG\0\0\x01\0") },
    { "java", "java", "class", BYTES("\xca\xfe\xba\xbe\0\0\0\x34") },
    { "max", "max", "max", BYTES("ViGFk\x1a\0\0\0\0") },
    { "pins", "pins", "pins", BYTES("PINS 4.20\r\n") },
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

static bool begins(const struct sig_pattern *p, bool fold, const char *head, size_t len)
{
    if (p->len == 0 || p->len > len)
        return false;
    for (uint32_t i = 0; i < p->len; i++) {
        const char mask = p->mask == NULL ? (char)0xff : p->mask[i];
        const char differ = (char)((p->bytes[i] ^ head[i]) & mask);

        if (differ != 0 && !(fold && differ == 0x20 && (p->bytes[i] | 0x20) >= 'a' && (p->bytes[i] | 0x20) <= 'z'))
            return false;
    }
    return true;
}

static void first_bytes_are_found(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        const struct sig *sig = find(files[i].name);
        uint32_t hits = 0;

        for (uint32_t k = 0; k < SIG_HEADERS_MAX; k++)
            hits += begins(&sig->headers[k], (sig->flags & SIG_NO_CASE) != 0, files[i].head, files[i].len);
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
        assert_int_equal(all[i]->flags & ~(uint32_t)SIG_NO_CASE, SIG_OFF);
        assert_null(all[i]->check);
        assert_non_null(all[i]->what);
        assert_non_null(all[i]->source);
        assert_true(all[i]->size_max > 0 && all[i]->size_max <= 500000000);
        for (uint32_t k = 0; k < SIG_HEADERS_MAX; k++)
            assert_int_equal(all[i]->headers[k].at, 0); /* pairing wants headers in order of their files' starts */
        for (uint32_t k = 0; k < i; k++)
            assert_string_not_equal(all[i]->name, all[k]->name);
    }
    assert_int_equal(rules, 26);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(first_bytes_are_found),
        cmocka_unit_test(rules_are_off_and_whole),
    };
    return cmocka_run_group_tests_name("built-in rules", tests, NULL, NULL);
}
