/* SPDX-License-Identifier: Apache-2.0
 * match/papers/mbm/mbm_gpu.h - multi-pattern Boyer-Moore on a device: its tables, and the sliding
 * of a window, the same on host and device.
 *
 * The algorithm and the functions are match/papers/mbm/mbm.h's; source: Zha and Sahni, section 3.1
 * and 5.1.2. The reverse trie has a row for each node as in the paper, but only as many cells as
 * there are letters in keywords and one for all others. Every thread has a stretch of the text in
 * which windows end; where the first of them ends is nobody's to know, so it begins at the first
 * byte.
 */
#ifndef BURIN_MATCH_PAPERS_MBM_MBM_GPU_H
#define BURIN_MATCH_PAPERS_MBM_MBM_GPU_H

#include "match/kernel/search.h"

enum {
    MBM_GPU_LETTERS = 256,
    MBM_GPU_NARROW = 1 << 16,  /* up to so many nodes a cell of the trie has 16 bits */
    MBM_GPU_SHIFTS = 4 * 1024, /* nodes whose shifts fit in shared memory: as in the paper */
};

/* What every look needs: stands in shared memory. */
struct mbm_gpu_fixed {
    uint16_t classes[MBM_GPU_LETTERS]; /* of bytes of text; 0: in no keyword */
    uint16_t bad[MBM_GPU_LETTERS + 1]; /* by class */
    uint8_t skip[MBM_GPU_LETTERS];     /* by byte of text */
    uint8_t unused[6];
};

struct mbm_gpu_output {
    uint32_t pattern;
    uint16_t tail, len; /* bytes of the pattern behind the keyword; of the pattern */
};

/* Head of the extra that offload.h copies to the device; what the offsets name is behind it. */
struct mbm_gpu_head {
    struct mbm_gpu_fixed fixed;
    uint64_t rows, shifts, firsts, outputs; /* bytes from the head */
    uint32_t width, nodes, tail;
    bool narrow;
};

/* Arguments of the kernels. */
struct mbm_gpu {
    struct search search; /* its tables have no rows */
    const struct mbm_gpu_fixed *fixed;
    const void *rows;       /* [node * width + class]: the child, or 0 */
    const uint16_t *shifts; /* of each node: shift1, and above it shift2 */
    const uint32_t *firsts; /* of each node, in outputs; they end at the next node's */
    const struct mbm_gpu_output *outputs;
    uint64_t texture; /* over the rows; 0: none */
    uint32_t width, nodes, tail, narrow;
};

/* Where a thread finds them. */
struct mbm_gpu_fast {
    const struct mbm_gpu_fixed *fixed;
    const uint16_t *shifts; /* of the first `count` nodes */
    uint32_t count;
    struct search_near *near; /* NULL on the host */
};

HOST_DEVICE uint32_t mbm_gpu_child(const struct mbm_gpu *m, uint32_t node, uint32_t class_of,
                                   bool narrow, bool texture)
{
    const uint32_t cell = node * m->width + class_of;

#ifdef __CUDA_ARCH__
    if (texture)
        return narrow ? tex1Dfetch<uint16_t>(m->texture, (int)cell)
                      : tex1Dfetch<uint32_t>(m->texture, (int)cell);
#else
    (void)texture;
#endif
    return narrow ? ((const uint16_t *)m->rows)[cell] : ((const uint32_t *)m->rows)[cell];
}

/* The patterns whose keyword ends at text[last] and the trie at node. */
HOST_DEVICE void mbm_gpu_report(const struct mbm_gpu *m, struct search_near *near, uint32_t node,
                                uint32_t last)
{
    const struct ring_view *view = &m->search.view;

    for (uint32_t i = m->firsts[node]; i < m->firsts[node + 1]; i++) {
        const struct mbm_gpu_output o = m->outputs[i];
        const uint32_t end = last + o.tail;

        if (end < view->from || end >= view->to || o.len > end + 1)
            continue;
        if (search_compare(&m->search.tables, o.pattern, o.len, view->text + (end + 1 - o.len)))
            search_keep(view, near, end + 1 - o.len, o.pattern, o.len);
    }
}

/* Reads the window that ends at text[last] backwards; answers with how far it may go on. */
HOST_DEVICE uint32_t mbm_gpu_window(const struct mbm_gpu *m, const struct mbm_gpu_fast *fast,
                                    uint32_t last, bool narrow, bool texture)
{
    uint32_t node = 0, bad = 0;

    for (uint32_t j = 0; j <= last; j++) {
        const uint32_t class_of = fast->fixed->classes[m->search.view.text[last - j]];
        const uint32_t child = mbm_gpu_child(m, node, class_of, narrow, texture);

        if (child == 0) {
            bad = fast->fixed->bad[class_of] > j + 1 ? fast->fixed->bad[class_of] - j - 1 : 0;
            break;
        }
        node = child;
        mbm_gpu_report(m, fast->near, node, last);
    }
    const uint32_t shifts = node < fast->count ? fast->shifts[node] : m->shifts[node];
    const uint32_t shift1 = shifts & 0xff, shift2 = shifts >> 8;
    const uint32_t shift = shift1 > bad ? shift1 : bad;
    return shift < shift2 ? shift : shift2;
}

/* First and last places, and one more, where a window can end that belongs to a match in the view.
 */
HOST_DEVICE uint32_t mbm_gpu_first(const struct mbm_gpu *m)
{
    return m->search.view.from > m->tail ? m->search.view.from - m->tail : 0;
}

/* All windows that end in text [from, to). */
HOST_DEVICE void mbm_gpu_slide(const struct mbm_gpu *m, const struct mbm_gpu_fast *fast,
                               uint32_t from, uint32_t to, bool narrow, bool texture)
{
    uint32_t last = from;

    while (last < to) {
        const uint32_t skip = fast->fixed->skip[m->search.view.text[last]];

        last += skip != 0 ? skip : mbm_gpu_window(m, fast, last, narrow, texture);
    }
}

#ifdef BURIN_HAVE_CUDA
int mbm_gpu_cuda(const void *args, void *stream);
#define MBM_GPU_CUDA mbm_gpu_cuda
#else
#define MBM_GPU_CUDA NULL
#endif

#endif
