/* SPDX-License-Identifier: Apache-2.0
 * carver/feature/feature_parts.h - what the files of this room share: the text around a place, and
 * the functions of the packs.
 */
#ifndef BURIN_CARVER_FEATURE_FEATURE_PARTS_H
#define BURIN_CARVER_FEATURE_FEATURE_PARTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "carver/feature/feature.h"

/* Characters, and bytes, before a feature that may decide whether it is one: those before the "@"
 * of an address are 64 at most. */
enum { FEATURE_LEFT = 66, FEATURE_BEFORE = 2 * FEATURE_LEFT };

/* Characters around a place, where a class of bytes says that a feature may stand. */
struct feature_view {
    const uint8_t *bytes;
    uint32_t len;
    int64_t at;      /* index of the place's byte */
    int32_t unit;    /* bytes of a character */
    int32_t zero_at; /* where its zero lies from its byte: 1, -1; 0: it has none */
};

/* The k-th character from the place on: 0 outside of the text, 0x80 and more for none of ASCII. */
static inline char feature_char(const struct feature_view *view, int32_t k)
{
    const int64_t at = view->at + (int64_t)k * view->unit, zero = at + view->zero_at;

    if (at < 0 || at >= view->len || zero < 0 || zero >= view->len)
        return 0;
    return view->zero_at != 0 && view->bytes[zero] != 0 ? (char)0x80 : (char)view->bytes[at];
}

/* A feature: characters from the place on; from may be negative. */
struct feature_span {
    int32_t from, to;
};

/* Copies the span's characters. */
static inline uint32_t feature_copy(const struct feature_view *view, int32_t from, int32_t to,
                                    char *out)
{
    for (int32_t k = from; k < to; k++)
        *out++ = feature_char(view, k);
    return (uint32_t)(to - from);
}

/* Whether the feature stands there: one function a pack; out is its span. */
#define PACK(id, name, what)                                                                       \
    bool feature_##name(const struct feature_view *view, struct feature_span *out);
#include "carver/feature/packs.def"
#undef PACK

#endif
