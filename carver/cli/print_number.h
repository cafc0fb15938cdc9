/* SPDX-License-Identifier: Apache-2.0
 * carver/cli/print_number.h - numbers in decimal, for lists of millions of lines.
 *
 * They write what printf writes for PRIu64 and PRId64, several times as fast.
 */
#ifndef BURIN_CARVER_CLI_PRINT_NUMBER_H
#define BURIN_CARVER_CLI_PRINT_NUMBER_H

#include <stdint.h>
#include <stdio.h>

void print_uint(FILE *out, uint64_t value);
void print_int(FILE *out, int64_t value);

#endif
