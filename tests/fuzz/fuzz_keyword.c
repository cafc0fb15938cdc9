/* SPDX-License-Identifier: Apache-2.0
 * tests/fuzz/fuzz_keyword.c - a keyword of any bytes, as a word in many encodings, as
 * hexadecimal digits and as a regular expression.
 *
 * Found: crashes, patterns that the dictionary refuses, a word that is not found in its own bytes,
 * or not confirmed there.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "carver/keyword/keyword.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool right)
{
    if (!right)
        abort();
}

static void check(const struct keyword_set *set)
{
    struct patterns patterns;
    struct err err = { 0 };

    for (uint32_t i = 0; i < set->count; i++) {
        const struct keyword *k = &set->items[i];

        must(k->len > 0 && k->len <= LIMIT_PATTERN_LEN && !(k->fold_case && k->mask != NULL));
        must(keyword_confirm(k, k->bytes));
        uint32_t len = 0;
        for (const uint8_t *forms = k->forms; forms != NULL && len < k->len;
             forms += 2 + forms[0] * forms[1])
            len += forms[1];
        must(k->forms == NULL || len == k->len);
    }
    if (keyword_patterns(set, &patterns, &err) == ERR_OK) {
        must(patterns.count == set->count);
        patterns_release(&patterns);
    } else {
        must(err.code == ERR_INPUT); /* a mask of zeros alone */
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct keyword_set set;
    struct err err = { 0 };
    char *text = malloc(size + 1);

    must(text != NULL);
    memcpy(text, data, size);
    text[size] = '\0';
    must(keyword_set_open("utf-8,utf-16le,utf-32be,cp1252,koi8-r,shift-jis,utf-7", size % 2 == 0,
                          &set, &err) == ERR_OK);
    (void)!keyword_add(&set, text, &err);
    (void)!keyword_add_hex(&set, text, &err);
    (void)!keyword_add_regex(&set, text, &err);
    check(&set);
    keyword_set_close(&set);
    free(text);
    return 0;
}
