/* SPDX-License-Identifier: Apache-2.0
 * match/papers/pfac/pfac_launch.cuh - both kernels over one form of table, as pfac.c launches them.
 */
#ifndef BURIN_MATCH_PAPERS_PFAC_PFAC_LAUNCH_CUH
#define BURIN_MATCH_PAPERS_PFAC_PFAC_LAUNCH_CUH

#include "match/papers/pfac/pfac_each.cuh"
#include "match/papers/pfac/pfac_queued.cuh"

#define PFAC_LAUNCH(id, kind)                                                                      \
    extern "C" int pfac_##id##_each_cuda(const void *args, void *stream)                           \
    {                                                                                              \
        return pfac_each_launch<kind>(args, stream);                                               \
    }                                                                                              \
    extern "C" int pfac_##id##_queued_cuda(const void *args, void *stream)                         \
    {                                                                                              \
        return pfac_queued_launch<kind>(args, stream);                                             \
    }

#endif
