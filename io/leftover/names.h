/* SPDX-License-Identifier: Apache-2.0
 * io/leftover/names.h - names and times as file systems of DOS and Windows write them. */
#ifndef BURIN_IO_LEFTOVER_NAMES_H
#define BURIN_IO_LEFTOVER_NAMES_H

#include <stdint.h>

/* Writes UTF-16, up to a zero, as UTF-8 with a NUL; out: 3 bytes for each unit, and one. */
void names_utf8(const uint16_t *units, uint32_t count, char *out);

/*
 * Seconds since 1970 of a date (years from 1980 in the upper 7 bits, 4 bits month, 5 bits day) and
 * a time (5 bits hour, 6 bits minute, 5 bits of 2 seconds), taken for UTC. INT64_MIN: no date.
 */
int64_t names_dos_time(uint32_t date, uint32_t time);

#endif
