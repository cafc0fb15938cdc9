/* SPDX-License-Identifier: Apache-2.0
 * carver/keyword/keyword_context.h - the bytes around a hit, as text that people can read. */
#ifndef BURIN_CARVER_KEYWORD_KEYWORD_CONTEXT_H
#define BURIN_CARVER_KEYWORD_KEYWORD_CONTEXT_H

#include <stdint.h>

#include "base/err.h"
#include "carver/cli/json_write.h"
#include "carver/keyword/keyword.h"
#include "io/image.h"

enum { KEYWORD_CONTEXT_MAX = 4096 }; /* bytes before a hit, and behind it */

struct keyword_context; /* owned by the caller of keyword_context_open */

/* image and keywords stay the caller's. */
ERR_MUST_CHECK enum err_code keyword_context_open(struct io_image *image,
                                                  const struct keyword_set *keywords,
                                                  struct keyword_context **out, struct err *err);
void keyword_context_close(struct keyword_context *context); /* NULL is a no-op */

/*
 * A hit of the keyword, [offset, offset + len) of the image, with `around` bytes on each side as
 * UTF-8: characters of the keyword's encoding that can be printed as they are, the backslash as \\,
 * all other bytes as \xHH. *text is valid until the next call. Zeros stand for what cannot be read.
 * Fast for offsets that ascend.
 *
 * len: at most LIMIT_REGEX_MATCH_LEN, inside of the image. around: at most KEYWORD_CONTEXT_MAX.
 */
ERR_MUST_CHECK enum err_code keyword_context_text(struct keyword_context *context, uint64_t offset,
                                                  uint32_t len, uint32_t around,
                                                  const struct keyword *keyword, const char **text,
                                                  struct err *err);

/*
 * Writes both texts of a hit, under the rules of keyword_context_text: with `around` bytes on each
 * side, and without any. Into json as members "context" and "match", or, where json is NULL, into
 * out, each behind a tab.
 */
ERR_MUST_CHECK enum err_code keyword_context_put(struct keyword_context *context, uint64_t offset,
                                                 uint32_t len, uint32_t around,
                                                 const struct keyword *keyword, struct json *json,
                                                 FILE *out, struct err *err);

/* The bytes of the image themselves, under the same rules for offset, len and how long they are
 * valid. */
ERR_MUST_CHECK enum err_code keyword_context_bytes(struct keyword_context *context, uint64_t offset,
                                                   uint32_t len, const uint8_t **bytes,
                                                   struct err *err);

#endif
