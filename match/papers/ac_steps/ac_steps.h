/* SPDX-License-Identifier: Apache-2.0
 * match/papers/ac_steps/ac_steps.h - the kernels of the engines of ac_steps.c: each launches itself
 * for a struct search. */
#ifndef BURIN_MATCH_PAPERS_AC_STEPS_AC_STEPS_H
#define BURIN_MATCH_PAPERS_AC_STEPS_AC_STEPS_H

#include "match/kernel/search.h"

/* Shapes of blocks that kernels come in: threads, and words of 4 bytes for each. The first one is
 * the usual, the last the paper's. */
#define AC_STEPS_BLOCK_SHAPES(S)                                                                   \
    S(128, 17) S(256, 17) S(64, 17) S(256, 9) S(512, 9) S(128, 31) S(64, 57)
#define AC_STEPS_DIAGONAL_SHAPES(S) S(64, 64) S(32, 64) S(128, 64) S(64, 32) S(128, 32) S(256, 32)
#define AC_STEPS_PLACE_SHAPES(S) S(64, 57) S(32, 57) S(256, 57) S(32, 16) S(128, 16) S(256, 16)

#ifdef BURIN_HAVE_CUDA
int ac0_cuda(const void *args, void *stream);
int ac1_cuda(const void *args, void *stream);
int ac2_cuda(const void *args, void *stream);
int ac3_cuda(const void *args, void *stream);
int ac4_cuda(const void *args, void *stream);
int ac4_classes_cuda(const void *args, void *stream);
int ac5_cuda(const void *args, void *stream);
int ac0_states_cuda(const void *args, void *stream);
int ac1_states_cuda(const void *args, void *stream);
int ac2_states_cuda(const void *args, void *stream);
int ac3_states_cuda(const void *args, void *stream);
int ac4_states_cuda(const void *args, void *stream);
int ac_diagonal_cuda(const void *args, void *stream);
int ac_diagonal_coalesced_cuda(const void *args, void *stream);
int ac_diagonal_naive_cuda(const void *args, void *stream);
int ac_zero_copy_cuda(const void *args, void *stream);
#define AC_STEPS_CUDA(name) name##_cuda
#else
#define AC_STEPS_CUDA(name) NULL
#endif

#endif
