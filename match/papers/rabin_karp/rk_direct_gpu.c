/* SPDX-License-Identifier: Apache-2.0
 * match/papers/rabin_karp/rk_direct_gpu.c - the engine rk:cuda-direct: algorithm 4 of the paper
 * that ../rk.c names, on a GPU.
 *
 * A thread for each pattern's hash; then a thread for each of many parts of the text, whose rolling
 * hash is compared with the hash of every pattern. All of it stands in device memory, as there.
 */
#include "match/offload/offload.h"
#include "match/papers/rabin_karp/rk_direct.h"
#include "match/papers/rabin_karp/rk_paper.h"

static void rk_direct_hash_host(const void *args)
{
    const struct rk_pass *p = args;

    for (uint32_t i = 0; i < p->count; i++)
        p->hashes[i] = rk_pass_pattern(p, i);
}

static void rk_direct_find_host(const void *args)
{
    const struct rk_pass *p = args;
    const uint32_t n = rk_pass_n(p);

    rk_direct_find(p, n, 0, n, NULL);
}

static const struct device_kernel rk_direct_hash_kernel = {
    .name = "rk direct, hashes",
    .args_size = sizeof(struct rk_pass),
    .host = rk_direct_hash_host,
    .cuda = RK_PASS_CUDA(rk_direct_hash),
};
static const struct device_kernel rk_direct_find_kernel = {
    .name = "rk direct, matches",
    .args_size = sizeof(struct rk_pass),
    .host = rk_direct_find_host,
    .cuda = RK_PASS_CUDA(rk_direct_find),
};

static enum err_code rk_direct_enqueue(const struct tables *tables,
                                       const struct offload_extra *extra,
                                       struct device_stream *stream, const struct ring_view *view,
                                       struct err *err)
{
    const struct rk_pass_head *head = extra->host;
    enum err_code rc = rk_pass_masked(tables, extra, view, stream, err);

    for (uint32_t g = 0; rc == ERR_OK && g < head->group_count; g++) {
        const struct rk_pass p = rk_pass_of(tables, extra, view, g);

        if (p.len > rk_pass_n(&p))
            continue;
        rc = device_launch(stream, &rk_direct_hash_kernel, &p, err);
        if (rc == ERR_OK)
            rc = device_launch(stream, &rk_direct_find_kernel, &p, err);
    }
    return rc;
}

#define RK_DIRECT_FORM(id, base)                                                                   \
    static enum err_code id##_extra(const struct match_dictionary *dictionary, void **extra,       \
                                    size_t *size, struct err *err)                                 \
    {                                                                                              \
        return rk_pass_build(dictionary, base, 0, extra, size, err);                               \
    }                                                                                              \
    static const struct offload_form id##_form = { .name = "rk:cuda-direct",                       \
                                                   .scratch = rk_pass_scratch,                     \
                                                   .extra = id##_extra,                            \
                                                   .enqueue = rk_direct_enqueue };
RK_DIRECT_FORM(rk_direct, RK_BASE)
RK_DIRECT_FORM(rk_direct_paper, RK_PAPER_BASE)

static enum err_code rk_direct_compile(const struct match_dictionary *dictionary,
                                       const struct match_setup *setup, void **program,
                                       struct err *err)
{
    return offload_compile(&rk_direct_form, dictionary, setup, program, err);
}

enum err_code rk_direct_compile_paper(const struct match_dictionary *dictionary,
                                      const struct match_setup *setup, void **program,
                                      struct err *err)
{
    return offload_compile(&rk_direct_paper_form, dictionary, setup, program, err);
}

const struct match_engine match_rk_cuda_direct_engine = {
    .name = "rk:cuda-direct",
    .what = "Rabin-Karp on a GPU, a rolling hash compared with each pattern's",
    .device = "CUDA",
    .missing = device_cuda_missing,
    .compile = rk_direct_compile,
    .release = offload_release,
    .offload = &offload_calls,
};
