/* SPDX-License-Identifier: Apache-2.0
 * match/papers/rabin_karp/rk_scan.c - the engine rk:cuda-scan: algorithm 5 of the paper that
 * ../rk.c names, step by step on a GPU.
 *
 *   1 powers of the base, made by the host   2 hashes of the patterns, hash table with atomic
 *                                            insertion
 *   3 terms a_i   4 prefix sums by CUB's decoupled look-back, added modulo q   5 hashes of all
 *   windows, looked up, compared
 *
 * Terms and sums have 32 bits each, as there. Steps 3 and 4 are made once for all groups that look
 * in the same text.
 */
#include "match/papers/rabin_karp/rk_scan.h"
#include "match/offload/offload.h"
#include "match/papers/rabin_karp/rk_paper.h"

static void rk_scan_insert_host(const void *args)
{
    const struct rk_pass *p = args;

    for (uint32_t i = 0; i < p->count; i++)
        rk_scan_insert(p, i);
}

static void rk_scan_terms_host(const void *args)
{
    const struct rk_pass *p = args;
    const uint32_t n = rk_pass_n(p);

    for (uint32_t i = 0; i < n; i++)
        rk_scan_term(p, n, i);
}

static void rk_scan_sums_host(const void *args)
{
    const struct rk_pass *p = args;
    const uint32_t n = rk_pass_n(p);

    for (uint32_t i = 1; i < n; i++)
        p->sums[i] = rk_prime_add(p->sums[i - 1], p->sums[i]);
}

static void rk_scan_windows_host(const void *args)
{
    const struct rk_pass *p = args;
    const uint32_t n = rk_pass_n(p);

    for (uint32_t j = 0; j + p->len <= n; j++)
        rk_scan_window(p, n, j, NULL);
}

#define RK_SCAN_KERNEL(id, text)                                                                   \
    static const struct device_kernel id##_kernel = { .name = text,                                \
                                                      .args_size = sizeof(struct rk_pass),         \
                                                      .host = id##_host,                           \
                                                      .cuda = RK_PASS_CUDA(id) };
RK_SCAN_KERNEL(rk_scan_insert, "rk scan, step 2")
RK_SCAN_KERNEL(rk_scan_terms, "rk scan, step 3")
RK_SCAN_KERNEL(rk_scan_sums, "rk scan, step 4")
RK_SCAN_KERNEL(rk_scan_windows, "rk scan, step 5")

/* The prefix sums of the text, or of the text in small letters. */
static enum err_code rk_scan_prefix(const struct rk_pass *p, uint32_t steps,
                                    struct device_stream *stream, struct err *err)
{
    enum err_code rc = steps < 3 ? ERR_OK : device_launch(stream, &rk_scan_terms_kernel, p, err);

    return rc == ERR_OK && steps >= 4 ? device_launch(stream, &rk_scan_sums_kernel, p, err) : rc;
}

static enum err_code rk_scan_enqueue(const struct tables *tables, const struct offload_extra *extra,
                                     struct device_stream *stream, const struct ring_view *view,
                                     struct err *err)
{
    const struct rk_pass_head *head = extra->host;
    enum err_code rc = rk_pass_masked(tables, extra, view, stream, err);

    for (uint32_t g = 0; rc == ERR_OK && g < head->group_count; g++) {
        const struct rk_pass p = rk_pass_of(tables, extra, view, g);

        if (p.len > rk_pass_n(&p) && g != 0 && g != head->plain_count)
            continue;
        rc = device_fill(stream, p.control, 0, RK_PRIME_Q * sizeof *p.control, err);
        if (rc == ERR_OK)
            rc = device_launch(stream, &rk_scan_insert_kernel, &p, err);
        if (rc == ERR_OK && (g == 0 || g == head->plain_count))
            rc = rk_scan_prefix(&p, head->steps, stream, err);
        if (rc == ERR_OK && head->steps >= 5 && p.len <= rk_pass_n(&p))
            rc = device_launch(stream, &rk_scan_windows_kernel, &p, err);
    }
    return rc;
}

/* A form with a base, and with the first so many steps alone: what the later ones take is the
 * difference. */
#define RK_SCAN_FORM(id, base, steps)                                                              \
    static enum err_code id##_extra(const struct match_dictionary *dictionary, void **extra,       \
                                    size_t *size, struct err *err)                                 \
    {                                                                                              \
        return rk_pass_build(dictionary, base, steps, extra, size, err);                           \
    }                                                                                              \
    static const struct offload_form id##_form = { .name = "rk:cuda-scan",                         \
                                                   .scratch = rk_pass_scratch,                     \
                                                   .extra = id##_extra,                            \
                                                   .enqueue = rk_scan_enqueue };                   \
    enum err_code id##_compile(const struct match_dictionary *dictionary,                          \
                               const struct match_setup *setup, void **program, struct err *err)   \
    {                                                                                              \
        return offload_compile(&id##_form, dictionary, setup, program, err);                       \
    }
RK_SCAN_FORM(rk_scan, RK_BASE, 5)
RK_SCAN_FORM(rk_scan_paper, RK_PAPER_BASE, 5)
RK_SCAN_FORM(rk_scan_paper_2, RK_PAPER_BASE, 2)
RK_SCAN_FORM(rk_scan_paper_3, RK_PAPER_BASE, 3)
RK_SCAN_FORM(rk_scan_paper_4, RK_PAPER_BASE, 4)

const struct match_engine match_rk_cuda_scan_engine = {
    .name = "rk:cuda-scan",
    .what = "Rabin-Karp by prefix sums on a GPU, step by step as in its paper",
    .device = "CUDA",
    .missing = device_cuda_missing,
    .compile = rk_scan_compile,
    .release = offload_release,
    .offload = &offload_calls,
};
