/* SPDX-License-Identifier: Apache-2.0
 * carver/triage/block_class.h - what a block looks like by its bytes alone.
 *
 * "uniform" is a test of chi square: of the counts of the 256 byte values against equal ones, with
 * 255 degrees of freedom. The mean of the statistic is 255 and its variance 510 for random bytes;
 * a block is uniform within three standard deviations, 187.25 to 322.75. Encrypted bytes pass but
 * for three in a thousand, and so does what LZMA makes. What deflate makes passes in blocks of 4
 * KiB now and then, and hardly ever in those of 64 KiB.
 *
 * Any thread may call any function.
 */
#ifndef BURIN_CARVER_TRIAGE_BLOCK_CLASS_H
#define BURIN_CARVER_TRIAGE_BLOCK_CLASS_H

#include <stddef.h>
#include <stdint.h>

enum block_class {
    BLOCK_ZERO,       /* zeros */
    BLOCK_FILL,       /* the same 1, 2, 4, 8 or 16 bytes over and over: wiped, or formatted */
    BLOCK_TEXT,       /* 95 % of it are printable characters of UTF-8, or ASCII in UTF-16LE */
    BLOCK_STRUCTURED, /* none of the others: programs, databases, tables */
    BLOCK_DENSE,      /* an entropy of 7 bits a byte and more: compressed */
    BLOCK_UNIFORM,    /* looks random: encrypted, or compressed by LZMA */
    BLOCK_UNREADABLE, /* some of it could not be read: nothing is said of it */
    BLOCK_CLASSES
};

enum {
    BLOCK_CLASS_MAX = 1 << 20,  /* bytes of the longest block */
    BLOCK_UNIFORM_LEAST = 2048, /* bytes; the test says nothing of shorter blocks */
};

/* "zero", "fill", ...; static text. */
const char *block_class_name(enum block_class what);

/* Never BLOCK_UNREADABLE. len: 1..BLOCK_CLASS_MAX. */
enum block_class block_class(const uint8_t *bytes, size_t len);

/* How often each byte value stands in the block. */
void block_counts(const uint8_t *bytes, size_t len, uint32_t counts[256]);

/* Chi square of the counts, times len: 256 * sum of squares - len * len. */
uint64_t block_chi_square(const uint32_t counts[256], size_t len);

/* Shannon's entropy, in bits a byte. */
double block_entropy(const uint32_t counts[256], size_t len);

#endif
