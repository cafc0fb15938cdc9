/* SPDX-License-Identifier: Apache-2.0
 * carver/scan/shard_impl.h - what shard_file.c and shard_new.c share. */
#ifndef BURIN_CARVER_SCAN_SHARD_IMPL_H
#define BURIN_CARVER_SCAN_SHARD_IMPL_H

#define SHARD_MAGIC "burin shard\n"

enum { SHARD_MAGIC_LEN = 12 };

#endif
