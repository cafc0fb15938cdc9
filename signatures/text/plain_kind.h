/* SPDX-License-Identifier: Apache-2.0
 * signatures/text/plain_kind.h - which kind of plain text it is, by its first lines.
 *
 * A few kinds that their lines tell: what begins with #!, source code with the words that only one
 * language begins its lines with, tables whose lines have equally many separators, logs whose lines
 * begin with a date or a time. All else is text.
 */
#ifndef BURIN_SIGNATURES_TEXT_PLAIN_KIND_H
#define BURIN_SIGNATURES_TEXT_PLAIN_KIND_H

#include <stdbool.h>
#include <stdint.h>

enum plain_kind {
    PLAIN_TXT,
    PLAIN_CSV, /* commas or semicolons */
    PLAIN_TSV, /* tabulators */
    PLAIN_LOG,
    PLAIN_C, /* and C++ */
    PLAIN_JAVA,
    PLAIN_PERL,
    PLAIN_PYTHON,
    PLAIN_RUBY,
    PLAIN_SHELL,
    PLAIN_KINDS
};

/*
 * chars[len] are the first characters of a text: ASCII as it is, anything else a byte above it.
 * whole: no others follow. Else the last line, which may be cut, does not count.
 */
enum plain_kind plain_kind(const uint8_t *chars, uint32_t len, bool whole);

#endif
