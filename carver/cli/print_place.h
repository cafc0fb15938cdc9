/* SPDX-License-Identifier: Apache-2.0
 * carver/cli/print_place.h - what file systems say of a place, for people. */
#ifndef BURIN_CARVER_CLI_PRINT_PLACE_H
#define BURIN_CARVER_CLI_PRINT_PLACE_H

#include <stdint.h>
#include <stdio.h>

/*
 * "p2/ntfs:/path (deleted)", "ext4 (unallocated)", "unpartitioned", "-". partition: 0 for none;
 * file_system and path: "" for none; kind: of io_area_kind_name.
 */
void print_place(FILE *out, uint32_t partition, const char *file_system, const char *path,
                 const char *kind);

#endif
