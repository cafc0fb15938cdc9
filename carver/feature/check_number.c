/* SPDX-License-Identifier: Apache-2.0
 * carver/feature/check_number.c - numbers of cards, accounts and telephones: see check.h. */
#include <string.h>

#include "carver/feature/check.h"
#include "carver/feature/letter.h"

bool check_luhn(const char *digits, size_t len)
{
    uint32_t sum = 0;

    for (size_t i = 0; i < len; i++) {
        const char c = digits[len - 1 - i];

        if (!letter_digit(c))
            return false;
        const uint32_t twice = (uint32_t)(c - '0') << (i % 2);
        sum += twice > 9 ? twice - 9 : twice;
    }
    return len > 1 && sum % 10 == 0;
}

/* Issuers by the first four digits, and the lengths of their numbers: bit n is n digits. */
#define LEN(n) (1u << (n))
#define LENS_16_19 (LEN(16) | LEN(17) | LEN(18) | LEN(19))
static const struct check_issuer {
    uint16_t from, to;
    uint32_t lens;
} check_issuers[] = {
    { 2200, 2204, LENS_16_19 },                               /* Mir */
    { 2221, 2720, LEN(16) },                                  /* Mastercard */
    { 3000, 3059, LENS_16_19 | LEN(14) },                     /* Diners Club */
    { 3095, 3095, LENS_16_19 | LEN(14) },                     /* Diners Club */
    { 3400, 3499, LEN(15) },                                  /* American Express */
    { 3528, 3589, LENS_16_19 },                               /* JCB */
    { 3600, 3699, LENS_16_19 | LEN(14) },                     /* Diners Club */
    { 3700, 3799, LEN(15) },                                  /* American Express */
    { 3800, 3999, LENS_16_19 | LEN(14) },                     /* Diners Club */
    { 4000, 4999, LEN(13) | LEN(16) | LEN(19) },              /* Visa */
    { 5018, 5018, LENS_16_19 | LEN(13) | LEN(14) | LEN(15) }, /* Maestro */
    { 5020, 5020, LENS_16_19 | LEN(13) | LEN(14) | LEN(15) }, /* Maestro */
    { 5038, 5038, LENS_16_19 | LEN(13) | LEN(14) | LEN(15) }, /* Maestro */
    { 5100, 5599, LEN(16) },                                  /* Mastercard */
    { 5893, 5893, LENS_16_19 | LEN(13) | LEN(14) | LEN(15) }, /* Maestro */
    { 6011, 6011, LENS_16_19 },                               /* Discover */
    { 6200, 6299, LENS_16_19 },                               /* UnionPay */
    { 6304, 6304, LENS_16_19 | LEN(13) | LEN(14) | LEN(15) }, /* Maestro */
    { 6440, 6599, LENS_16_19 },                               /* Discover */
    { 6759, 6763, LENS_16_19 | LEN(13) | LEN(14) | LEN(15) }, /* Maestro */
};
#undef LENS_16_19
#undef LEN

bool check_card(const char *digits, size_t len)
{
    uint32_t first = 0, seen = 0;

    if (len < CHECK_CARD_MIN || len > CHECK_CARD_MAX || !check_luhn(digits, len))
        return false;
    for (size_t i = 0; i < 4; i++)
        first = first * 10 + (uint32_t)(digits[i] - '0');
    for (size_t i = 0; i < len; i++)
        seen |= 1u << (digits[i] - '0');
    if ((seen & (seen - 1)) == 0)
        return false;
    for (size_t i = 0; i < sizeof check_issuers / sizeof check_issuers[0]; i++)
        if (first >= check_issuers[i].from && first <= check_issuers[i].to)
            return (check_issuers[i].lens >> len & 1) != 0;
    return false;
}

/* SWIFT's registry of IBANs, release 99: country and length. */
static const char check_ibans[][5] = {
    "AD24", "AE23", "AL28", "AT20", "AZ28", "BA20", "BE16", "BG22", "BH22", "BI27", "BR29", "BY28",
    "CH21", "CR22", "CY28", "CZ24", "DE22", "DJ27", "DK18", "DO28", "EE20", "EG29", "ES24", "FI18",
    "FK18", "FO18", "FR27", "GB22", "GE22", "GI23", "GL18", "GR27", "GT28", "HN28", "HR21", "HU28",
    "IE22", "IL23", "IQ23", "IS26", "IT27", "JO30", "KW30", "KZ20", "LB28", "LC32", "LI21", "LT20",
    "LU20", "LV21", "LY25", "MC27", "MD24", "ME22", "MK19", "MN20", "MR27", "MT31", "MU30", "NI28",
    "NL18", "NO15", "OM23", "PK24", "PL28", "PS29", "PT25", "QA29", "RO24", "RS22", "RU33", "SA24",
    "SC31", "SD18", "SE24", "SI19", "SK24", "SM27", "SO23", "ST25", "SV28", "TL23", "TN24", "TR26",
    "UA29", "VA22", "VG24", "XK20", "YE30",
};

size_t check_iban_len(const char country[2])
{
    for (size_t i = 0; i < sizeof check_ibans / sizeof check_ibans[0]; i++)
        if (memcmp(check_ibans[i], country, 2) == 0)
            return (size_t)((check_ibans[i][2] - '0') * 10 + check_ibans[i][3] - '0');
    return 0;
}

bool check_iban(const char *text, size_t len)
{
    uint32_t rest = 0;

    if (len < CHECK_IBAN_MIN || len != check_iban_len(text) || !letter_digit(text[2]) ||
        !letter_digit(text[3]))
        return false;
    for (size_t i = 0; i < len; i++) { /* the first four characters go to the end */
        const char c = text[(i + 4) % len];

        if (letter_digit(c))
            rest = rest * 10 + (uint32_t)(c - '0');
        else if (letter_upper(c))
            rest = rest * 100 + (uint32_t)(c - 'A' + 10);
        else
            return false;
        rest %= 97;
    }
    return rest == 1;
}

/* Codes of countries and services by their first two digits: bit n is that with third digit n;
 * all ten: a code of two digits (and more). */
enum { PHONE_TWO = 0x3ff };
static const uint16_t check_codes[100] = {
    [20] = PHONE_TWO, [21] = 0x14e,     [22] = PHONE_TWO, [23] = PHONE_TWO, [24] = PHONE_TWO,
    [25] = 0x1ff,     [26] = PHONE_TWO, [27] = PHONE_TWO, [29] = 0x383,     [30] = PHONE_TWO,
    [31] = PHONE_TWO, [32] = PHONE_TWO, [33] = PHONE_TWO, [34] = PHONE_TWO, [35] = PHONE_TWO,
    [36] = PHONE_TWO, [37] = PHONE_TWO, [38] = 0x2ef,     [39] = PHONE_TWO, [40] = PHONE_TWO,
    [41] = PHONE_TWO, [42] = 0x00b,     [43] = PHONE_TWO, [44] = PHONE_TWO, [45] = PHONE_TWO,
    [46] = PHONE_TWO, [47] = PHONE_TWO, [48] = PHONE_TWO, [49] = PHONE_TWO, [50] = PHONE_TWO,
    [51] = PHONE_TWO, [52] = PHONE_TWO, [53] = PHONE_TWO, [54] = PHONE_TWO, [55] = PHONE_TWO,
    [56] = PHONE_TWO, [57] = PHONE_TWO, [58] = PHONE_TWO, [59] = PHONE_TWO, [60] = PHONE_TWO,
    [61] = PHONE_TWO, [62] = PHONE_TWO, [63] = PHONE_TWO, [64] = PHONE_TWO, [65] = PHONE_TWO,
    [66] = PHONE_TWO, [67] = 0x3fd,     [68] = 0x3ef,     [69] = 0x007,     [80] = 0x101,
    [81] = PHONE_TWO, [82] = PHONE_TWO, [84] = PHONE_TWO, [85] = 0x06d,     [86] = PHONE_TWO,
    [87] = 0x101,     [88] = 0x14f,     [90] = PHONE_TWO, [91] = PHONE_TWO, [92] = PHONE_TWO,
    [93] = PHONE_TWO, [94] = PHONE_TWO, [95] = PHONE_TWO, [96] = 0x1ff,     [97] = 0x2ff,
    [98] = PHONE_TWO, [99] = 0x17c,
};

bool check_nanp(const char *digits, size_t len)
{
    if (len != 10 || digits[0] < '2' || digits[0] > '9' || digits[3] < '2' || digits[3] > '9')
        return false;
    for (size_t i = 0; i < len; i++)
        if (!letter_digit(digits[i]))
            return false;
    return !(digits[1] == '1' && digits[2] == '1') && !(digits[4] == '1' && digits[5] == '1');
}

bool check_phone(const char *digits, size_t len)
{
    bool same = true;

    if (len < CHECK_PHONE_MIN || len > CHECK_PHONE_MAX)
        return false;
    for (size_t i = 0; i < len; i++) {
        if (!letter_digit(digits[i]))
            return false;
        same = same && (i < 3 || digits[i] == digits[2]);
    }
    if (same)
        return false;
    if (digits[0] == '1')
        return check_nanp(digits + 1, len - 1);
    if (digits[0] == '7') /* Russia and Kazakhstan */
        return len == 11 && digits[1] >= '3';
    const uint32_t code = (uint32_t)((digits[0] - '0') * 10 + digits[1] - '0');
    return (check_codes[code] >> (digits[2] - '0') & 1) != 0;
}
