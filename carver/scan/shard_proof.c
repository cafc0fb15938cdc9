/* SPDX-License-Identifier: Apache-2.0
 * carver/scan/shard_proof.c - see shard_proof.h. */
#include "carver/scan/shard_proof.h"

#include <string.h>

enum shard_proof shard_proof_of(const struct shard_end *first, const struct shard_end *second)
{
    if (second->bad_bytes < first->bad_bytes)
        return SHARD_BETTER;
    return strcmp(first->bad_sha256, second->bad_sha256) == 0 ? SHARD_PROVEN : SHARD_UNLIKE;
}

bool shard_proof_path(const char *folder, uint32_t number, char out[LIMIT_PATH])
{
    return snprintf(out, LIMIT_PATH, "%s/%u.again", folder, number) < LIMIT_PATH;
}

bool shard_proof_there(const char *folder, const struct shard_file *first)
{
    struct shard_file second = { 0 };
    char path[LIMIT_PATH];
    bool there = false;

    if (first->end.bad_bytes == 0)
        return true;
    if (!shard_proof_path(folder, first->about.number, path))
        return false;
    if (shard_file_open(path, &second, NULL) == ERR_OK && shard_file_check(&second, NULL) == ERR_OK)
        there = shard_about_differs(&first->about, &second.about) == NULL &&
                first->about.number == second.about.number &&
                strcmp(first->about.host, second.about.host) != 0 &&
                shard_proof_of(&first->end, &second.end) == SHARD_PROVEN;
    shard_file_close(&second);
    return there;
}
