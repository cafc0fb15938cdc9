/* match/cuda/ac0.h - the kernel of the engine ac0. */
#ifndef BURIN_MATCH_CUDA_AC0_H
#define BURIN_MATCH_CUDA_AC0_H

#include "match/cuda/search.h"

#ifdef BURIN_HAVE_CUDA
int ac0_cuda(const void *args, void *stream);
#define AC0_CUDA ac0_cuda
#else
#define AC0_CUDA NULL
#endif

#endif
