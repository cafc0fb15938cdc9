/* SPDX-License-Identifier: Apache-2.0
 * carver/audit/value.c - see value.h. */
#include <string.h>

#include "carver/audit/value.h"
#include "carver/feature/check.h"
#include "carver/feature/letter.h"

enum { VALUE_LUHN_MIN = 8 /* digits: fewer pass too often to mean something */ };

/* The characters of the match, without the zeros beside them. */
static uint32_t value_text(const struct keyword *keyword, const uint8_t *bytes, uint32_t len,
                           char out[VALUE_MAX])
{
    const uint32_t unit = 1u + keyword->zeros_before + keyword->zeros_after;
    uint32_t count = 0;

    for (uint32_t at = keyword->zeros_before; at < len && count < VALUE_MAX - 1; at += unit)
        out[count++] = (char)bytes[at];
    out[count] = '\0';
    return count;
}

/* Leaves out spaces and dashes; false: there is another character than digits and, if they are
 * wanted, letters. */
static bool value_compact(char *text, uint32_t *len, bool letters)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < *len; i++) {
        if (text[i] == ' ' || text[i] == '-')
            continue;
        if (!letter_digit(text[i]) && !(letters && letter_alpha(text[i])))
            return false;
        text[count++] =
            (char)(letter_lower(text[i]) ? text[i] - ('a' - 'A') : text[i]); /* as in an IBAN */
    }
    text[count] = '\0';
    *len = count;
    return true;
}

static bool value_passes(const struct policy_rule *rule, char *text, uint32_t *len)
{
    switch (rule->check) {
    case POLICY_CHECK_LUHN:
        return value_compact(text, len, false) && *len >= VALUE_LUHN_MIN && check_luhn(text, *len);
    case POLICY_CHECK_IBAN:
        return value_compact(text, len, true) && check_iban(text, *len);
    case POLICY_CHECK_JWT:
        return check_jwt(text, *len);
    case POLICY_CHECK_PEM:
        return check_pem(text, *len) > 0;
    case POLICY_CHECK_ENTROPY:
        return check_entropy(text, *len) >= rule->entropy;
    case POLICY_CHECK_NONE:
        break;
    }
    return true;
}

bool value_of(const struct policy_rule *rule, const struct keyword *keyword, const uint8_t *bytes,
              uint32_t len, char out[VALUE_MAX], uint32_t *out_len)
{
    if (rule->kind == POLICY_PACK) {
        *out_len = feature_value(keyword->pack, bytes, len, keyword->zeros_before,
                                 keyword->zeros_after, out);
        return true;
    }
    *out_len = value_text(keyword, bytes, len, out);
    if (rule->anchor.text != NULL &&
        memmem(out, *out_len, rule->anchor.text, strlen(rule->anchor.text)) == NULL)
        return false;
    return value_passes(rule, out, out_len);
}
