/* SPDX-License-Identifier: Apache-2.0
 * match/digest/digest_portable.c - four texts at a time with whatever vectors the compiler has. See
 * digest_lanes.h. */
#define DIGEST_LANES 4
#define DIGEST_TARGET
#include "match/digest/digest_lanes.h"

void digest_run_portable(enum digest_kind kind, const uint8_t *const *texts, uint32_t len,
                         uint8_t *out)
{
    digest_all(kind, texts, len, out);
}
