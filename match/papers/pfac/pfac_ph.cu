/* SPDX-License-Identifier: Apache-2.0
 * match/papers/pfac/pfac_ph.cu - the kernels of pfac_each.cuh and pfac_queued.cuh over perfect
 * hashing in two levels. */
#include "match/papers/pfac/pfac_launch.cuh"

PFAC_LAUNCH(ph, PFAC_PH)
PFAC_LAUNCH(ph_reciprocal, PFAC_PH_RECIPROCAL)
