/* SPDX-License-Identifier: Apache-2.0
 * match/papers/mbm/mbm_gpu.c - the engines mbm0 and mbm1: the tables of the CPU's mbm put into the
 * launch that mbm_gpu.h wants.
 *
 * A row has a cell for each letter that is on an edge of the trie, so that keyword lists, which
 * have few letters and many nodes, take little memory.
 */
#include <stdlib.h>
#include <string.h>

#include "match/offload/offload.h"
#include "match/papers/mbm/mbm.h"
#include "match/papers/mbm/mbm_gpu.h"

enum {
    MBM_GPU_ALIGN = 256,
    MBM_GPU_BYTES_MAX = 1 << 30, /* of the trie */
};

static void mbm_gpu_host(const void *args)
{
    const struct mbm_gpu *m = args;
    const struct mbm_gpu_fast fast = { .fixed = m->fixed,
                                       .shifts = m->shifts,
                                       .count =
                                           m->nodes < MBM_GPU_SHIFTS ? m->nodes : MBM_GPU_SHIFTS };

    mbm_gpu_slide(m, &fast, mbm_gpu_first(m), m->search.view.to, m->narrow != 0, m->texture != 0);
}

static const struct device_kernel mbm_gpu_kernel = {
    .name = "mbm",
    .args_size = sizeof(struct mbm_gpu),
    .host = mbm_gpu_host,
    .cuda = MBM_GPU_CUDA,
};

/* Calls each for every edge of the trie. */
static void mbm_gpu_edges(const struct mbm *mbm,
                          void (*each)(void *arg, uint32_t node, uint8_t letter, uint32_t child),
                          void *arg)
{
    for (uint32_t v = 0; v < mbm->node_count; v++)
        if (mbm->nodes[v].goes_on)
            each(arg, v, mbm->nodes[v].letter, v + 1);
    for (uint64_t i = 0; i < (uint64_t)1 << (32 - mbm->edge_shift); i++)
        if (mbm->edges[i].child != 0)
            each(arg, mbm->edges[i].key >> 8, (uint8_t)mbm->edges[i].key, mbm->edges[i].child);
}

static void mbm_gpu_use(void *arg, uint32_t node, uint8_t letter, uint32_t child)
{
    bool *used = arg;

    (void)node;
    (void)child;
    used[letter] = true;
}

/* Classes of the letters on edges; those of bytes are those of their letters. Returns the width of
 * a row. */
static uint32_t mbm_gpu_classes(const struct mbm *mbm, struct mbm_gpu_fixed *fixed)
{
    uint16_t class_of[MBM_GPU_LETTERS] = { 0 };
    bool used[MBM_GPU_LETTERS] = { false };
    uint16_t width = 1;

    mbm_gpu_edges(mbm, mbm_gpu_use, used);
    fixed->bad[0] = (uint16_t)(mbm->shortest + 1);
    for (uint32_t letter = 0; letter < MBM_GPU_LETTERS; letter++) {
        if (!used[letter])
            continue;
        fixed->bad[width] = mbm->bad[letter];
        class_of[letter] = width++;
    }
    for (uint32_t byte = 0; byte < MBM_GPU_LETTERS; byte++) {
        fixed->classes[byte] = class_of[mbm->fold[byte]];
        fixed->skip[byte] = mbm->skip[byte];
    }
    return width;
}

static uint64_t mbm_gpu_place(size_t *at, size_t size)
{
    const size_t place = *at;

    *at = (place + size + MBM_GPU_ALIGN - 1) / MBM_GPU_ALIGN * MBM_GPU_ALIGN;
    return place;
}

static enum err_code mbm_gpu_layout(const struct mbm *mbm, struct mbm_gpu_head *head, size_t *size,
                                    struct err *err)
{
    const uint32_t outputs = mbm->nodes[mbm->node_count].first;

    head->width = mbm_gpu_classes(mbm, &head->fixed);
    head->nodes = mbm->node_count;
    head->tail = mbm->tail;
    head->narrow = mbm->node_count <= MBM_GPU_NARROW;
    const uint64_t rows = (uint64_t)mbm->node_count * head->width *
                          (head->narrow ? sizeof(uint16_t) : sizeof(uint32_t));
    if (rows > MBM_GPU_BYTES_MAX)
        return ERR_RAISE(
            err, ERR_FULL,
            "the reverse trie of these patterns needs more than %d bytes; use another engine",
            MBM_GPU_BYTES_MAX);
    *size = 0;
    (void)mbm_gpu_place(size, sizeof *head);
    head->rows = mbm_gpu_place(size, (size_t)rows);
    head->shifts = mbm_gpu_place(size, head->nodes * sizeof(uint16_t));
    head->firsts = mbm_gpu_place(size, (head->nodes + 1u) * sizeof(uint32_t));
    head->outputs = mbm_gpu_place(size, outputs * sizeof(struct mbm_gpu_output));
    return ERR_OK;
}

struct mbm_gpu_trie {
    const struct mbm_gpu_head *head;
    void *rows;
};

static void mbm_gpu_put(void *arg, uint32_t node, uint8_t letter, uint32_t child)
{
    const struct mbm_gpu_trie *trie = arg;
    /* A letter is what its own byte folds to. */
    const size_t cell = (size_t)node * trie->head->width + trie->head->fixed.classes[letter];

    if (trie->head->narrow)
        ((uint16_t *)trie->rows)[cell] = (uint16_t)child;
    else
        ((uint32_t *)trie->rows)[cell] = child;
}

static void mbm_gpu_fill(const struct mbm *mbm, const struct mbm_gpu_head *head, uint8_t *memory)
{
    struct mbm_gpu_trie trie = { .head = head, .rows = memory + head->rows };
    uint16_t *shifts = (uint16_t *)(void *)(memory + head->shifts);
    uint32_t *firsts = (uint32_t *)(void *)(memory + head->firsts);
    struct mbm_gpu_output *outputs = (struct mbm_gpu_output *)(void *)(memory + head->outputs);

    mbm_gpu_edges(mbm, mbm_gpu_put, &trie);
    for (uint32_t v = 0; v < head->nodes; v++)
        shifts[v] = (uint16_t)(mbm->nodes[v].shift1 | mbm->nodes[v].shift2 << 8);
    for (uint32_t v = 0; v <= head->nodes; v++)
        firsts[v] = mbm->nodes[v].first;
    for (uint32_t i = 0; i < firsts[head->nodes]; i++) {
        const struct match_literal *literal = &mbm->literals.items[mbm->outputs[i].literal];

        outputs[i] = (struct mbm_gpu_output){ .pattern = literal->index,
                                              .tail = (uint16_t)mbm->outputs[i].tail,
                                              .len = (uint16_t)literal->len };
    }
}

static enum err_code mbm_gpu_extra(const struct match_dictionary *dictionary, void **extra,
                                   size_t *size, struct err *err)
{
    struct mbm_gpu_head head = { 0 };
    struct mbm *mbm = NULL;
    enum err_code rc = mbm_build(dictionary, &mbm, err);

    if (rc == ERR_OK)
        rc = mbm_gpu_layout(mbm, &head, size, err);
    uint8_t *memory = rc == ERR_OK ? calloc(1, *size) : NULL;
    if (rc == ERR_OK && memory == NULL)
        rc = ERR_NO_MEMORY(err, *size);
    if (memory != NULL) {
        memcpy(memory, &head, sizeof head);
        mbm_gpu_fill(mbm, &head, memory);
    }
    *extra = memory;
    mbm_destroy(mbm);
    return rc;
}

static struct offload_texture mbm_gpu_texture(const void *extra)
{
    const struct mbm_gpu_head *head = extra;

    return (struct offload_texture){ .at = (size_t)head->rows,
                                     .cells = (uint64_t)head->nodes * head->width,
                                     .cell_size =
                                         head->narrow ? sizeof(uint16_t) : sizeof(uint32_t) };
}

static enum err_code mbm_gpu_enqueue(const struct tables *tables, const struct offload_extra *extra,
                                     struct device_stream *stream, const struct ring_view *view,
                                     struct err *err)
{
    const struct mbm_gpu_head *head = extra->host;
    const uint8_t *there = extra->device;
    const struct mbm_gpu args = {
        .search = { .tables = *tables, .view = *view },
        .fixed = (const struct mbm_gpu_fixed *)there, /* the head's first member */
        .rows = there + head->rows,
        .shifts = (const uint16_t *)(const void *)(there + head->shifts),
        .firsts = (const uint32_t *)(const void *)(there + head->firsts),
        .outputs = (const struct mbm_gpu_output *)(const void *)(there + head->outputs),
        .texture = extra->texture,
        .width = head->width,
        .nodes = head->nodes,
        .tail = head->tail,
        .narrow = head->narrow,
    };

    return device_launch(stream, &mbm_gpu_kernel, &args, err);
}

static const struct offload_form mbm0_form = { .name = "mbm0",
                                               .extra = mbm_gpu_extra,
                                               .enqueue = mbm_gpu_enqueue };
static const struct offload_form mbm1_form = {
    .name = "mbm1", .extra = mbm_gpu_extra, .texture = mbm_gpu_texture, .enqueue = mbm_gpu_enqueue
};

static enum err_code mbm0_compile(const struct match_dictionary *dictionary,
                                  const struct match_setup *setup, void **program, struct err *err)
{
    return offload_compile(&mbm0_form, dictionary, setup, program, err);
}

static enum err_code mbm1_compile(const struct match_dictionary *dictionary,
                                  const struct match_setup *setup, void **program, struct err *err)
{
    return offload_compile(&mbm1_form, dictionary, setup, program, err);
}

const struct match_engine match_mbm0_engine = {
    .name = "mbm0",
    .what = "multi-pattern Boyer-Moore on a GPU, the reverse trie in device memory",
    .device = "CUDA",
    .missing = device_cuda_missing,
    .compile = mbm0_compile,
    .release = offload_release,
    .offload = &offload_calls,
};

const struct match_engine match_mbm1_engine = {
    .name = "mbm1",
    .what = "mbm0 with the reverse trie in a texture",
    .device = "CUDA",
    .missing = device_cuda_missing,
    .compile = mbm1_compile,
    .release = offload_release,
    .offload = &offload_calls,
};
