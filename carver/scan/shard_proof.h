/* SPDX-License-Identifier: Apache-2.0
 * carver/scan/shard_proof.h - parts with bytes that could not be read.
 *
 * A disk that fails does so for every host; a network does so for one, for a while. So such a part
 * is scanned once more, on another host. Where that one could not read the very same bytes, it
 * leaves a shard NUMBER.again beside NUMBER.part; where it could read more, its shard takes the
 * place of the first one.
 */
#ifndef BURIN_CARVER_SCAN_SHARD_PROOF_H
#define BURIN_CARVER_SCAN_SHARD_PROOF_H

#include "carver/scan/shard_file.h"

enum shard_proof {
    SHARD_BETTER, /* the second one could read more */
    SHARD_PROVEN, /* neither could read the same bytes */
    SHARD_UNLIKE, /* they could not read other bytes: nothing is known */
};

/* What the second host's scan of a part says of the first one's. */
enum shard_proof shard_proof_of(const struct shard_end *first, const struct shard_end *second);

/* The name of the second host's shard: false where it is too long. */
bool shard_proof_path(const char *folder, uint32_t number, char out[LIMIT_PATH]);

/* Whether nothing is to be proven of a shard that was read whole, or a second host has. */
bool shard_proof_there(const char *folder, const struct shard_file *first);

#endif
