/* SPDX-License-Identifier: Apache-2.0
 * tests/carver/feature/test_check.c - checks of features against published examples: the test
 * vectors of BIP 173 and BIP 350, the registry of IBANs, numbers that makers of payment systems
 * publish for tests, documentation ranges, and each of them with one character changed.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "carver/feature/check.h"
#include "carver/feature/feature.h"

typedef bool (*check_fn)(const char *text, size_t len);

static void all(check_fn check, bool want, const char *const *texts)
{
    for (; *texts != NULL; texts++)
        if (check(*texts, strlen(*texts)) != want)
            fail_msg("%s: %s", *texts, want ? "refused" : "taken");
}

/* No other digit passes at any place: both schemes find every single error. */
static void no_other_digit(check_fn check, const char *text)
{
    char changed[64];
    const size_t len = strlen(text);

    for (size_t i = 0; i < len; i++)
        for (char digit = '0'; digit <= '9'; digit++) {
            memcpy(changed, text, len + 1);
            if (changed[i] == digit || changed[i] < '0' || changed[i] > '9')
                continue;
            changed[i] = digit;
            if (check(changed, len))
                fail_msg("%s is taken as well as %s", changed, text);
        }
}

static void test_cards(void **unused)
{
    static const char *const right[] = { "4111111111111111", "5555555555554444",
                                         "378282246310005",  "6011111111111117",
                                         "3530111333300000", "30569309025904",
                                         "2223003122003222", NULL };
    static const char *const wrong[] = { "4111111111111112", "411111111111111",  "1111111111111117",
                                         "0000000000000000", "9999999999999995", NULL };

    (void)unused;
    all(check_card, true, right);
    all(check_card, false, wrong);
    for (size_t i = 0; right[i] != NULL; i++)
        no_other_digit(check_luhn, right[i]);
}

static void test_ibans(void **unused)
{
    static const char *const right[] = { "DE89370400440532013000",
                                         "GB29NWBK60161331926819",
                                         "FR1420041010050500013M02606",
                                         "NO9386011117947",
                                         "MT84MALT011000012345MTLCAST001S",
                                         "CH9300762011623852957",
                                         NULL };
    static const char *const wrong[] = { "DE8937040044053201300",  "DE89370400440532013001",
                                         "XX89370400440532013000", "de89370400440532013000",
                                         "NO93860111179470",       NULL };

    (void)unused;
    all(check_iban, true, right);
    all(check_iban, false, wrong);
    for (size_t i = 0; right[i] != NULL; i++)
        no_other_digit(check_iban, right[i]);
    assert_int_equal(check_iban_len("NO"), 15);
    assert_int_equal(check_iban_len("ZZ"), 0);
}

static void test_coins(void **unused)
{
    static const char *const base58[] = { "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa",
                                          "3P14159f73E4gFr7JterCCQh9QjiTjiZrG",
                                          "1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN2", NULL };
    static const char *const not_base58[] = { "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNb",
                                              "1A1zP1eP5QGefi2DMPTfTL5SLmv7Divf0a",
                                              "A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa", NULL };
    static const char *const bech32[] = {
        "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4", "BC1QW508D6QEJXTDG4Y5R3ZARVARY0C5XW7KV8F3T4",
        "bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqzk5jj0", NULL
    };
    static const char *const not_bech32[] = {
        "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t5",                     /* checksum */
        "bc1Qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4",                     /* both cases */
        "tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx",                     /* a test network */
        "bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqh2y7hd", /* BIP 350: bech32 */
        "bc1gmk9yu",
        "bc1rw5uspcuh",
        "bc10w508d6qejxtdg4y5r3zarvary0c5xw7kw508d6qejxtdg4y5r3zarvary0c5xw7kw5rljs90",
        NULL
    };

    (void)unused;
    all(check_bitcoin_base58, true, base58);
    all(check_bitcoin_base58, false, not_base58);
    all(check_bitcoin_bech32, true, bech32);
    all(check_bitcoin_bech32, false, not_bech32);
}

static void test_keys(void **unused)
{
    static const char *const wif[] = { "5HueCGU8rMjxEXxiPuD5BDku4MkFqeZyd4dZ1jvhTVqvbTLvyTJ",
                                       "KwdMAjGmerYanjeui5SHS7JkmpZvVipYvB2LJGU1ZxJwYvP98617",
                                       NULL };
    static const char *const not_wif[] = { "5HueCGU8rMjxEXxiPuD5BDku4MkFqeZyd4dZ1jvhTVqvbTLvyTj",
                                           NULL };
    static const char pem[] = "-----BEGIN RSA PRIVATE KEY-----\nMIIEpAIBAAKCAQEA\n";
    static const char public[] = "-----BEGIN PUBLIC KEY-----\nMIIBIjANBgkqhkiG\n";

    (void)unused;
    all(check_bitcoin_key, true, wif);
    all(check_bitcoin_key, false, not_wif);
    assert_int_equal(check_pem(pem, sizeof pem - 1),
                     strlen("-----BEGIN RSA PRIVATE KEY-----\nMIIEpAIBAAKCAQEA"));
    assert_int_equal(check_pem(public, sizeof public - 1), 0);
}

static void test_net(void **unused)
{
    static const char *const v4[] = { "192.0.2.1", "1.0.0.0", "239.255.255.255", NULL };
    static const char *const not_v4[] = { "0.1.2.3", "240.0.0.1",   "192.0.2.256", "192.0.02.1",
                                          "192.0.2", "192.0.2.1.5", NULL };
    static const char *const v6[] = { "2001:db8::1", "2001:db8:0:0:0:0:0:1", "fe80::1",
                                      "2001:db8::192.0.2.1", NULL };
    static const char *const not_v6[] = { "2001:db8::1::2", "1234::",          "2001:db8",
                                          "2001:db8:::1",   "2001:db8::12345", NULL };
    static const char *const domains[] = { "example.com", "a.b.example.org",
                                           "xn--bcher-kva.example.net", NULL };
    static const char *const not_domains[] = { "example", "example.invalidtld",
                                               "-a.com",  "a..com",
                                               ".com",    NULL };

    (void)unused;
    all(check_ipv4, true, v4);
    all(check_ipv4, false, not_v4);
    all(check_ipv6, true, v6);
    all(check_ipv6, false, not_v6);
    all(check_domain, true, domains);
    all(check_domain, false, not_domains);
}

static void test_phones(void **unused)
{
    static const char *const right[] = { "12125550123", "4930901820", "442079460958", NULL };
    static const char *const wrong[] = { "11125550123", "99930901820", "1212555012", NULL };

    (void)unused;
    all(check_phone, true, right);
    all(check_phone, false, wrong);
}

/* What a hit says is told as one value, however it was written. */
static void test_values(void **unused)
{
    char out[FEATURE_LEN_MAX + 1];
    static const char card[] = "4111 1111-1111 1111";
    static const uint8_t wide[] = "A\0@\0E\0x\0.\0c\0o\0m";

    (void)unused;
    feature_value(FEATURE_CARD, (const uint8_t *)card, sizeof card - 1, 0, 0, out);
    assert_string_equal(out, "4111111111111111");
    feature_value(FEATURE_EMAIL, wide, sizeof wide, 0, 1, out);
    assert_string_equal(out, "A@ex.com");
}

static void test_names(void **unused)
{
    struct err err;
    uint32_t packs = 0;

    (void)unused;
    assert_int_equal(feature_packs_parse("card,email", &packs, &err), ERR_OK);
    assert_int_equal(packs, 1u << FEATURE_CARD | 1u << FEATURE_EMAIL);
    packs = 0;
    assert_int_equal(feature_packs_parse("all", &packs, &err), ERR_OK);
    assert_int_equal(packs, (1u << FEATURE_PACKS) - 1);
    assert_int_equal(feature_packs_parse("card,mail", &packs, &err), ERR_ARG);
    assert_int_equal(feature_packs_parse("", &packs, &err), ERR_ARG);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cards),  cmocka_unit_test(test_ibans), cmocka_unit_test(test_coins),
        cmocka_unit_test(test_keys),   cmocka_unit_test(test_net),   cmocka_unit_test(test_phones),
        cmocka_unit_test(test_values), cmocka_unit_test(test_names),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
