/* match/cuda/ladder.h - the kernels of the engines of ladder.c: each launches itself for a struct search. */
#ifndef BURIN_MATCH_CUDA_LADDER_H
#define BURIN_MATCH_CUDA_LADDER_H

#include "match/cuda/search.h"

#ifdef BURIN_HAVE_CUDA
int ac0_cuda(const void *args, void *stream);
int ac1_cuda(const void *args, void *stream);
int ac2_cuda(const void *args, void *stream);
int ac3_cuda(const void *args, void *stream);
int ac4_cuda(const void *args, void *stream);
int ac0_states_cuda(const void *args, void *stream);
int ac1_states_cuda(const void *args, void *stream);
int ac2_states_cuda(const void *args, void *stream);
int ac3_states_cuda(const void *args, void *stream);
int ac4_states_cuda(const void *args, void *stream);
int ac_diagonal_cuda(const void *args, void *stream);
int ac_diagonal_coalesced_cuda(const void *args, void *stream);
int ac_diagonal_naive_cuda(const void *args, void *stream);
int ac_zero_copy_cuda(const void *args, void *stream);
#define LADDER_CUDA(name) name##_cuda
#else
#define LADDER_CUDA(name) NULL
#endif

#endif
