/* SPDX-License-Identifier: Apache-2.0
 * base/utf8.h - characters of UTF-8 (RFC 3629), one at a time. */
#ifndef BURIN_BASE_UTF8_H
#define BURIN_BASE_UTF8_H

#include <stddef.h>
#include <stdint.h>

enum {
    UTF8_MAX = 4,             /* bytes of a sequence */
    UTF8_REPLACEMENT = 0xfffd /* stands for what is no character */
};

/*
 * Bytes of the well-formed UTF-8 sequence at text (1..4), or 0 where there is none or len is 0.
 * *code is its character. Overlong forms, surrogates and values above U+10FFFF are not well-formed
 * (RFC 3629).
 */
size_t utf8_sequence(const char *text, size_t len, uint32_t *code);

/* Writes the character, U+10FFFF at most and no surrogate; returns the number of bytes. */
size_t utf8_put(uint32_t code, char out[UTF8_MAX]);

#endif
