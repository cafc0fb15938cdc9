/* SPDX-License-Identifier: Apache-2.0
 * carver/merge/merge_status.h - which parts of a scan are there: `burin merge --missing, --status`.
 */
#ifndef BURIN_CARVER_MERGE_MERGE_STATUS_H
#define BURIN_CARVER_MERGE_MERGE_STATUS_H

#include "base/err.h"
#include "carver/cli/command.h"
#include "carver/scan/shards.h"

enum { MERGE_LIST_MAX = 512 /* bytes of a list of numbers in a message; a longer one is cut */ };

/* The parts that have no whole shard: their number; as text, "3,7-9"; and how many of them have a
 * shard that is wrong. */
uint32_t merge_missing(const struct shards *shards, char out[MERGE_LIST_MAX], uint32_t *wrong);

/* How many of them have a whole shard, with bytes that no other host has tried to read. */
uint32_t merge_unproven(const struct shards *shards);

/* Prints that list whole on standard output; *status: EXIT_PARTLY where there are some. */
void merge_print_missing(const struct shards *shards, enum exit_status *status);

/* Prints a line for people. Errors: ERR_ENV: the folder cannot be read. */
ERR_MUST_CHECK enum err_code merge_print_status(const struct shards *shards, struct err *err);

#endif
