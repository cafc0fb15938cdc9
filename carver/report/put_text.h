/* SPDX-License-Identifier: Apache-2.0
 * carver/report/put_text.h - texts of evidence in formats that give some characters a meaning.
 *
 * What print_safe does comes first: what hides, and what is no UTF-8, stands as \xHH.
 */
#ifndef BURIN_CARVER_REPORT_PUT_TEXT_H
#define BURIN_CARVER_REPORT_PUT_TEXT_H

#include <stdio.h>

/*
 * A field of a CSV file (RFC 4180): quoted where it must be. One that a spreadsheet would take for
 * a formula, since it begins with = + - or @, has a ' before it, as has one that begins so behind a
 * '.
 */
void put_csv(FILE *out, const char *text);

/* A field of a body file (The Sleuth Kit): | is \x7C. */
void put_body(FILE *out, const char *text);

#endif
