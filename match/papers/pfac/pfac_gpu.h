/* SPDX-License-Identifier: Apache-2.0
 * match/papers/pfac/pfac_gpu.h - the kernels of pfac.c, and the automaton as a block of bytes that
 * a device gets. */
#ifndef BURIN_MATCH_PAPERS_PFAC_PFAC_GPU_H
#define BURIN_MATCH_PAPERS_PFAC_PFAC_GPU_H

#include "match/device/device.h"
#include "match/papers/pfac/pfac_form.h"
#include "match/papers/pfac/pfac_view.h"

/* In front of the block: `view` with places in the block for pointers. */
struct pfac_block {
    struct pfac_view view;
    size_t size; /* of the block */
    enum pfac_kind kind;
    enum pfac_walks walks; /* for who asks for it */
    size_t rows_at, cells_at, found_at, outputs_at, sieve_at;
};

/* A block made with malloc. Errors: ERR_ENV, ERR_FULL as pfac_table_build. */
ERR_MUST_CHECK enum err_code pfac_block_build(const struct pfac *pfac, enum pfac_kind kind,
                                              struct pfac_block **out, struct err *err);

/* here: the block on the host; there: a copy of it on the device. */
struct pfac_view pfac_block_view(const struct pfac_block *here, const void *there);

#ifdef BURIN_HAVE_CUDA
/* One of each for every form of table. */
#define PFAC_DECLARE(id)                                                                           \
    int pfac_##id##_each_cuda(const void *args, void *stream);                                     \
    int pfac_##id##_queued_cuda(const void *args, void *stream);
PFAC_DECLARE(2d)
PFAC_DECLARE(mfph)
PFAC_DECLARE(linked)
PFAC_DECLARE(ph)
PFAC_DECLARE(ph_reciprocal)
#undef PFAC_DECLARE
#define PFAC_CUDA(name) name##_cuda
#else
#define PFAC_CUDA(name) NULL
#endif

#endif
