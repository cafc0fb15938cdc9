/* SPDX-License-Identifier: Apache-2.0
 * signatures/conf/conf_translate.c - the escapes of scalpel.conf and foremost.conf, and small
 * questions about tokens.
 *
 * All four tools share one translate(), and its habits are kept in every mode, for a rule that has
 * been in use for years must go on finding what it found: an unknown escape keeps its backslash, a
 * \x or octal escape without its digits loses it. The linter warns of both.
 */
#include <string.h>
#include <strings.h>

#include "base/hex.h"
#include "signatures/conf/conf_parse.h"

static bool conf_octal(char c)
{
    return c >= '0' && c <= '7';
}

enum conf_escape conf_escape(const char *text, size_t len, uint8_t *out, uint32_t *used,
                             uint32_t *made)
{
    static const char letters[] = "\\asnrtv", values[] = "\\\a \n\r\t\v";
    const char c = len > 1 ? text[1] : '\0';
    const char *letter = c == '\0' ? NULL : strchr(letters, c);

    *made = 1;
    *used = 2;
    if (letter != NULL) {
        out[0] = (uint8_t)values[letter - letters];
        return CONF_ESCAPE_RIGHT;
    }
    if (c == 'x' && len > 3 && hex_digit(text[2]) >= 0 && hex_digit(text[3]) >= 0) {
        out[0] = (uint8_t)(hex_digit(text[2]) << 4 | hex_digit(text[3]));
        *used = 4;
        return CONF_ESCAPE_RIGHT;
    }
    if (c >= '0' && c <= '3' && len > 3 && conf_octal(text[2]) && conf_octal(text[3])) {
        out[0] = (uint8_t)((c - '0') << 6 | (text[2] - '0') << 3 | (text[3] - '0'));
        *used = 4;
        return CONF_ESCAPE_RIGHT;
    }
    if (c == 'x' || (c >= '0' && c <= '3')) {
        out[0] = (uint8_t)c;
        return CONF_ESCAPE_BROKEN;
    }
    out[0] = '\\';
    *used = 1;
    return CONF_ESCAPE_UNKNOWN;
}

uint32_t conf_translate(const char *text, size_t len, uint8_t *out)
{
    uint32_t count = 0;

    for (size_t i = 0; i < len;) {
        uint32_t used = 1, made = 1;

        if (text[i] == '\\')
            conf_escape(text + i, len - i, out + count, &used, &made);
        else
            out[count] = (uint8_t)text[i];
        i += used;
        count += made;
    }
    return count;
}

bool conf_is_regex(const struct conf_token *token, enum sig_compat compat)
{
    return compat != SIG_COMPAT_FOREMOST && token->len >= 2 && token->text[0] == '/' &&
           token->text[token->len - 1] == '/';
}

bool conf_is_word(const struct conf_token *token, const char *word)
{
    return token->len == strlen(word) && strncasecmp(token->text, word, token->len) == 0;
}

bool conf_has_prefix(const struct conf_token *token, const char *word)
{
    return token->len >= strlen(word) && strncasecmp(token->text, word, strlen(word)) == 0;
}

const char *conf_quote(const struct conf_token *token, char out[CONF_QUOTE_MAX])
{
    static const char digits[] = "0123456789abcdef";
    size_t used = 0, i = 0;

    for (; i < token->len && used + 4 + sizeof "..." <= CONF_QUOTE_MAX; i++) {
        const uint8_t c = (uint8_t)token->text[i];

        if (c >= 0x20 && c < 0x7f) {
            out[used++] = (char)c;
            continue;
        }
        out[used++] = '\\';
        out[used++] = 'x';
        out[used++] = digits[c >> 4];
        out[used++] = digits[c & 15];
    }
    if (i < token->len) {
        memcpy(out + used, "...", 3);
        used += 3;
    }
    out[used] = '\0';
    return out;
}
