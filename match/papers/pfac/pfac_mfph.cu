/* SPDX-License-Identifier: Apache-2.0
 * match/papers/pfac/pfac_mfph.cu - the kernels of pfac_each.cuh and pfac_queued.cuh over the plain
 * table and over modulo-free perfect hashing. */
#include "match/papers/pfac/pfac_launch.cuh"

PFAC_LAUNCH(2d, PFAC_2D)
PFAC_LAUNCH(mfph, PFAC_MFPH)
PFAC_LAUNCH(linked, PFAC_LINKED)
