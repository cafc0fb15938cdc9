/* SPDX-License-Identifier: Apache-2.0
 * carver/cli/print_safe.h - bytes that came from outside, made safe to print.
 *
 * Paths and the strings of a case file may hold anything: terminal escapes, tabs and line feeds
 * that would forge a line of a table, bytes that are no UTF-8.
 */
#ifndef BURIN_CARVER_CLI_PRINT_SAFE_H
#define BURIN_CARVER_CLI_PRINT_SAFE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/utf8.h"

/*
 * A character that shows nothing itself, and changes what others look like: control characters, and
 * those that turn the direction of what follows, join it, part it or hide in it (general categories
 * Cf, Zl and Zp of Unicode 15.1, without the signs of Arabic, Syriac and Kaithi that are seen). A
 * name must not look like another one. The letters of no alphabet are among them; what some scripts
 * and emoji use to join letters is.
 */
bool utf8_hides(uint32_t code);

/*
 * Writes text with every character that utf8_hides, every byte that is no UTF-8, and the backslash
 * itself as \xHH of their bytes, so that what was there can be had back.
 */
void print_safe(FILE *out, const char *text);

/* print_safe for a message of ours: the backslash stays, since nobody reads it back. */
void print_safe_message(FILE *out, const char *text);

/* A line: what printf would write, through print_safe_message, and a line feed. */
void print_safe_line(FILE *out, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The end of a word that counts: "1 hit", "2 hits". */
static inline const char *plural_s(uint64_t count)
{
    return count == 1 ? "" : "s";
}

/*
 * print_safe for XML: also with & < > " as entities, and the characters that XML 1.0 does not allow
 * as \xHH of their bytes.
 */
void print_safe_xml(FILE *out, const char *text);

/* What stands for a character that has a meaning where it is written, or NULL: it stays. */
typedef const char *(*print_instead_fn)(uint32_t code);
/* print_safe for other formats. instead is not asked about what stands as \xHH. */
void print_safe_with(FILE *out, const char *text, print_instead_fn instead);

#endif
