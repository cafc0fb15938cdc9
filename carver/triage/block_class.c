/* SPDX-License-Identifier: Apache-2.0
 * carver/triage/block_class.c - see block_class.h. */
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "carver/cli/print_safe.h"
#include "carver/triage/block_class.h"

enum {
    BLOCK_PERIOD = 16, /* bytes of the longest pattern that fills a block */
    BLOCK_TEXT_PERCENT = 95,
    BLOCK_CHI_LOW = 749,   /* quarters: 255 - 3 * sqrt(510), rounded to 187.25, */
    BLOCK_CHI_HIGH = 1291, /* and 255 + 3 * sqrt(510), to 322.75 */
};
#define BLOCK_DENSE_BITS 7.0

const char *block_class_name(enum block_class what)
{
    static const char *const names[BLOCK_CLASSES] = {
        [BLOCK_ZERO] = "zero",
        [BLOCK_FILL] = "fill",
        [BLOCK_TEXT] = "text",
        [BLOCK_STRUCTURED] = "structured",
        [BLOCK_DENSE] = "dense",
        [BLOCK_UNIFORM] = "uniform",
        [BLOCK_UNREADABLE] = "unreadable",
    };

    return names[what];
}

void block_counts(const uint8_t *bytes, size_t len, uint32_t counts[256])
{
    uint32_t part[4][256] = { 0 }; /* neighbours are often equal: each waits for itself alone */
    size_t i = 0;

    for (; i + 4 <= len; i += 4)
        for (size_t k = 0; k < 4; k++)
            part[k][bytes[i + k]]++;
    for (; i < len; i++)
        part[0][bytes[i]]++;
    for (size_t k = 0; k < 256; k++)
        counts[k] = part[0][k] + part[1][k] + part[2][k] + part[3][k];
}

uint64_t block_chi_square(const uint32_t counts[256], size_t len)
{
    uint64_t squares = 0;

    for (size_t k = 0; k < 256; k++)
        squares += (uint64_t)counts[k] * counts[k];
    return 256 * squares - (uint64_t)len * len;
}

double block_entropy(const uint32_t counts[256], size_t len)
{
    double sum = 0;

    for (size_t k = 0; k < 256; k++)
        if (counts[k] > 0)
            sum += counts[k] * log2(counts[k]);
    return log2((double)len) - sum / (double)len;
}

static bool block_is_uniform(const uint32_t counts[256], size_t len)
{
    const uint64_t chi = 4 * block_chi_square(counts, len);

    return len >= BLOCK_UNIFORM_LEAST && chi >= BLOCK_CHI_LOW * (uint64_t)len &&
           chi <= BLOCK_CHI_HIGH * (uint64_t)len;
}

static bool block_prints(uint8_t byte)
{
    return (byte >= ' ' && byte <= '~') || (byte >= '\t' && byte <= '\r');
}

static bool block_is_utf16(const uint8_t *bytes, size_t len)
{
    size_t good = 0;

    for (size_t i = 0; i + 2 <= len; i += 2)
        good += bytes[i + 1] == 0 && block_prints(bytes[i]);
    return len >= 2 && good * 100 >= len / 2 * BLOCK_TEXT_PERCENT;
}

/*
 * Characters of several bytes count as far as they are well-formed. Most blocks are no text by the
 * number of each byte alone: bytes from 0x80 on could all be parts of such characters, and UTF-16
 * has a zero in each.
 */
static bool block_is_text(const uint8_t *bytes, size_t len, const uint32_t counts[256])
{
    const bool wide = counts[0] * (size_t)100 >= len / 2 * BLOCK_TEXT_PERCENT;
    size_t good = 0, parts = 0, i = 0;
    uint32_t code;

    for (size_t k = 0; k < 128; k++)
        good += block_prints((uint8_t)k) ? counts[k] : 0;
    for (size_t k = 128; k < 256; k++)
        parts += counts[k];
    if (good * 100 >= len * BLOCK_TEXT_PERCENT)
        return true;
    if ((good + parts) * 100 < len * BLOCK_TEXT_PERCENT)
        return wide && block_is_utf16(bytes, len);
    for (good = 0; i < len;) {
        const size_t n = utf8_sequence((const char *)bytes + i, len - i, &code);

        good += n > 1 || (n == 1 && block_prints(bytes[i])) ? n : 0;
        i += n > 0 ? n : 1;
    }
    return good * 100 >= len * BLOCK_TEXT_PERCENT || (wide && block_is_utf16(bytes, len));
}

static bool block_is_filled(const uint8_t *bytes, size_t len)
{
    return len > BLOCK_PERIOD && memcmp(bytes, bytes + BLOCK_PERIOD, len - BLOCK_PERIOD) == 0;
}

enum block_class block_class(const uint8_t *bytes, size_t len)
{
    uint32_t counts[256];

    block_counts(bytes, len, counts);
    if (counts[0] == len)
        return BLOCK_ZERO;
    if (block_is_filled(bytes, len))
        return BLOCK_FILL;
    if (block_is_uniform(counts, len))
        return BLOCK_UNIFORM;
    if (block_entropy(counts, len) >= BLOCK_DENSE_BITS)
        return BLOCK_DENSE;
    return block_is_text(bytes, len, counts) ? BLOCK_TEXT : BLOCK_STRUCTURED;
}
