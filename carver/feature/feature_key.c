/* SPDX-License-Identifier: Apache-2.0
 * carver/feature/feature_key.c - addresses of Bitcoin, private keys and tokens. */
#include <string.h>

#include "carver/feature/check.h"
#include "carver/feature/feature_parts.h"
#include "carver/feature/letter.h"

/* Characters of letters and digits from the place on; `most` at most. */
static int32_t key_run(const struct feature_view *view, int32_t k, int32_t most)
{
    int32_t len = 0;

    while (len < most && letter_alnum(feature_char(view, k + len)))
        len++;
    return len;
}

static int32_t key_base64url(const struct feature_view *view, int32_t k, int32_t most)
{
    int32_t len = 0;

    while (len < most && letter_base64url(feature_char(view, k + len)))
        len++;
    return len;
}

/* Whether the text stands from character k on. */
static bool key_is(const struct feature_view *view, int32_t k, const char *text)
{
    for (; *text != '\0'; text++, k++)
        if (feature_char(view, k) != *text)
            return false;
    return true;
}

bool feature_btc(const struct feature_view *view, struct feature_span *out)
{
    enum { BTC_MAX = 90 };
    char text[BTC_MAX];
    const char first = letter_small(feature_char(view, 0));

    if (first != '1' && first != '3' && first != 'b')
        return false;
    const int32_t run = key_run(view, 0, BTC_MAX + 1);
    *out = (struct feature_span){ 0, run };
    if (run > BTC_MAX)
        return false;
    const uint32_t len = feature_copy(view, 0, run, text);
    return first == 'b' ? check_bitcoin_bech32(text, len) : check_bitcoin_base58(text, len);
}

/* Tokens: what they begin with, and the characters behind it. */
static const struct key_token {
    const char *prefix;
    int16_t least, most; /* characters behind the prefix */
    bool base64url;      /* they are of base64url, else letters and digits alone */
    bool (*check)(const char *body, size_t len); /* NULL: the form says enough */
} key_tokens[] = {
    { "ghp_", 36, 36, false, check_crc62 }, { "gho_", 36, 36, false, check_crc62 },
    { "ghu_", 36, 36, false, check_crc62 }, { "ghs_", 36, 36, false, check_crc62 },
    { "ghr_", 36, 76, false, check_crc62 }, { "npm_", 36, 36, false, check_crc62 },
    { "github_pat_", 82, 82, true, NULL },  { "sk_live_", 24, 99, false, NULL },
    { "rk_live_", 24, 99, false, NULL },    { "glpat-", 20, 20, true, NULL },
    { "xoxb-", 40, 80, true, NULL },        { "xoxp-", 40, 80, true, NULL },
    { "xoxa-", 40, 80, true, NULL },        { "xoxr-", 40, 80, true, NULL },
    { "AIza", 35, 35, true, NULL },
};

/* The place lies in a token's prefix, `in` characters from its start. */
static bool key_token(const struct feature_view *view, const struct key_token *token, int32_t in,
                      struct feature_span *out)
{
    char body[128];
    const int32_t at = (int32_t)strlen(token->prefix) - in;

    if (!key_is(view, -in, token->prefix) || letter_base64url(feature_char(view, -in - 1)))
        return false;
    const int32_t len = token->base64url ? key_base64url(view, at, token->most + 1)
                                         : key_run(view, at, token->most + 1);
    if (len < token->least || len > token->most)
        return false;
    const char next = feature_char(view, at + len);
    const uint32_t copied = feature_copy(view, at, at + len, body);
    *out = (struct feature_span){ -in, at + len };
    return next != '_' && next != '-' && check_entropy(body, copied) > 3.0 &&
           (token->check == NULL || token->check(body, copied));
}

/* A token whose prefix ends with the character at the place, or has it as its first. */
static bool key_any_token(const struct feature_view *view, struct feature_span *out)
{
    for (size_t i = 0; i < sizeof key_tokens / sizeof key_tokens[0]; i++) {
        const char *prefix = key_tokens[i].prefix;
        const size_t len = strlen(prefix);
        const int32_t in = letter_alnum(prefix[len - 1]) ? 0 : (int32_t)len - 1;

        if (feature_char(view, 0) == prefix[in] && key_token(view, &key_tokens[i], in, out))
            return true;
    }
    return false;
}

static bool key_jwt(const struct feature_view *view, struct feature_span *out)
{
    char text[FEATURE_LEN_MAX];
    int32_t len = 0;
    uint32_t dots = 0;

    for (; len < FEATURE_LEN_MAX; len++) {
        const char c = feature_char(view, len);

        if (!letter_base64url(c) && (c != '.' || dots++ == 2))
            break;
        text[len] = c;
    }
    *out = (struct feature_span){ 0, len };
    /* The signature of a long one may lie behind what is looked at. */
    if (len == FEATURE_LEN_MAX && dots == 1)
        text[len - 2] = '.';
    return key_is(view, 0, "eyJ") && !letter_base64url(feature_char(view, -1)) &&
           check_jwt(text, (size_t)len);
}

static bool key_pem(const struct feature_view *view, struct feature_span *out)
{
    enum { PEM_CHARS = 160 };
    char text[PEM_CHARS];

    feature_copy(view, 0, PEM_CHARS, text);
    *out = (struct feature_span){ 0, (int32_t)check_pem(text, PEM_CHARS) };
    return out->to > 0;
}

/* Letters and digits beside each other: keys of Bitcoin, and of AWS. */
static bool key_word(const struct feature_view *view, struct feature_span *out)
{
    enum { WORD_MAX = 111 };
    char text[WORD_MAX + 1];
    const char last = feature_char(view, -1), first = feature_char(view, 0);

    if (strchr("5KLxA", first) == NULL || first == '\0')
        return false;
    const int32_t run = key_run(view, 0, WORD_MAX + 1);
    const char next = feature_char(view, run);
    const uint32_t len = feature_copy(view, 0, run, text);
    *out = (struct feature_span){ 0, run };
    if (first == 'A')
        return last != '/' && last != '+' && last != '_' && next != '/' && next != '+' &&
               next != '_' && next != '=' && check_aws_key(text, len);
    return check_bitcoin_key(text, len);
}

/* age's identity (its file format, C2SP): bech32 in capital letters. */
static bool key_age(const struct feature_view *view, struct feature_span *out)
{
    enum { AGE_LEN = 74, AGE_IN = 14 };
    char text[AGE_LEN];

    if (!key_is(view, -AGE_IN, "AGE-SECRET-KEY-1") ||
        key_run(view, 1, AGE_LEN) != AGE_LEN - AGE_IN - 1)
        return false;
    const uint32_t len = feature_copy(view, -AGE_IN, AGE_LEN - AGE_IN, text);
    *out = (struct feature_span){ -AGE_IN, AGE_LEN - AGE_IN };
    return check_bech32(text, len, "age-secret-key-");
}

/* The first line of a key of PuTTY, version 2 or 3. */
static bool key_putty(const struct feature_view *view, struct feature_span *out)
{
    enum { PUTTY_IN = 5, PUTTY_TO = 18, PUTTY_LINE = 48 };
    int32_t to = PUTTY_TO;

    if (!key_is(view, -PUTTY_IN, "PuTTY-User-Key-File-") ||
        (!key_is(view, 15, "2: ") && !key_is(view, 15, "3: ")))
        return false;
    while (to < PUTTY_LINE && feature_char(view, to) > ' ' && feature_char(view, to) < 0x7f)
        to++;
    *out = (struct feature_span){ -PUTTY_IN, to };
    return to > PUTTY_TO;
}

bool feature_key(const struct feature_view *view, struct feature_span *out)
{
    const char c = feature_char(view, 0);

    if (c == '-' && feature_char(view, -1) != '-' && key_pem(view, out))
        return true;
    if (c == '-')
        return key_age(view, out) || key_putty(view, out) || key_any_token(view, out);
    if (c == '_')
        return key_any_token(view, out);
    return key_word(view, out) || (c == 'e' && key_jwt(view, out)) ||
           (c == 'A' && key_any_token(view, out));
}
