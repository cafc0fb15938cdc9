/* SPDX-License-Identifier: Apache-2.0
 * carver/keyword/keyword_encode.h - a word's bytes in one encoding (keyword*.c only). */
#ifndef BURIN_CARVER_KEYWORD_KEYWORD_ENCODE_H
#define BURIN_CARVER_KEYWORD_KEYWORD_ENCODE_H

#include "carver/keyword/keyword.h"

/*
 * name: shorter than KEYWORD_ENCODING_NAME. Close it with keyword_encoding_close. ERR_ARG: no such
 * encoding, or none in which a word always has the same bytes.
 */
ERR_MUST_CHECK enum err_code keyword_encoding_open(const char *name, struct keyword_encoding *out,
                                                   struct err *err);
void keyword_encoding_close(struct keyword_encoding *encoding);

/*
 * text through the converter, from its first state. Returns the bytes, or 0 when there is a
 * character that the encoding has not, or too little room.
 */
size_t keyword_convert(iconv_t converter, const char *text, size_t len, uint8_t *out, size_t room);

/*
 * keyword has a text in UTF-8; fills in its bytes in the encoding, in the set's arena. *had stays
 * as it is when the encoding has not all of the characters. ERR_ARG: too long.
 */
ERR_MUST_CHECK enum err_code keyword_encode(struct keyword_set *set,
                                            const struct keyword_encoding *encoding,
                                            struct keyword *keyword, bool *had, struct err *err);

#endif
