/* SPDX-License-Identifier: Apache-2.0
 * match/papers/rabin_karp/rk_fused.c - the engines rk:cuda and rk:cuda-prime: see rk_fused.h.
 *
 * The paper that ../rk.c names gets the hash of every window from prefix sums that stand in device
 * memory, and moves some twenty bytes for each byte of the text. Here the text is read once: the
 * hashes of its windows never leave the registers.
 */
#include "match/papers/rabin_karp/rk_fused.h"
#include "match/offload/offload.h"
#include "match/papers/rabin_karp/match_str.h"
#include "match/papers/rabin_karp/rk_paper.h"

/* One group; a window's sum from the start each time, for this is the form that is easily seen to
 * be right. */
static void rk_fused_host_group(const struct rk_fused *a, const struct rk_fused_group *g)
{
    const uint32_t step = g->way == RK_FUSED_WORDS ? RK_FUSED_LETTER : 1;
    const uint32_t *filter = rk_fused_words(a->head) + g->filter_at;

    for (uint32_t end = search_first(&a->search) + 1; end <= a->search.view.to; end++) {
        if ((end + rk_fused_skew(a)) % step != 0 || end < g->window)
            continue;
        const uint32_t sum = rk_fused_sum(g, a->search.view.text + end - g->window);
        const struct rk_fused_probe probe = rk_fused_probe_of(g->way, g->filter_bits, sum);
        if (rk_fused_passes(g->way, filter[probe.word], &probe) >> 31 != 0)
            rk_fused_verify(a, g, end, NULL);
    }
}

static void rk_fused_host(const void *args)
{
    const struct rk_fused *a = args;

    for (uint32_t i = 0; i < a->head->group_count; i++)
        rk_fused_host_group(a, &a->head->groups[i]);
}

static const struct device_kernel rk_fused_kernel = {
    .name = "rk fused",
    .args_size = sizeof(struct rk_fused),
    .host = rk_fused_host,
    .cuda = RK_FUSED_CUDA,
};

static enum err_code rk_fused_extra(const struct match_dictionary *dictionary, void **extra,
                                    size_t *size, struct err *err)
{
    struct rk_fused_head *head = NULL;
    const enum err_code rc = rk_fused_build(dictionary, false, 0, &head, size, err);

    *extra = head;
    return rc;
}

enum err_code rk_fused_enqueue(const struct tables *tables, const struct offload_extra *extra,
                               struct device_stream *stream, const struct ring_view *view,
                               struct err *err)
{
    const struct rk_fused_head *here = extra->host, *there = extra->device;
    const struct rk_fused args = { .search = { .tables = *tables, .view = *view },
                                   .head = there,
                                   .group_count = here->group_count,
                                   .near_words = here->near_words,
                                   .device = stage_device_of(stream) };
    enum err_code rc =
        here->group_count == 0 ? ERR_OK : device_launch(stream, &rk_fused_kernel, &args, err);

    if (rc == ERR_OK)
        rc = match_str_enqueue(tables, view, rk_fused_words(there) + here->masked_at,
                               here->masked_count, stream, err);
    return rc;
}

static const struct match_launch rk_fused_launches[] = { { 256, 33 },
#define RK_FUSED_SHAPE(threads, words, gather, slots) { threads, words },
                                                         RK_FUSED_SHAPES(RK_FUSED_SHAPE)
#undef RK_FUSED_SHAPE
};

static const struct offload_form rk_fused_form = {
    .name = "rk:cuda",
    .extra = rk_fused_extra,
    .enqueue = rk_fused_enqueue,
    .launches = rk_fused_launches,
    .launch_count = sizeof rk_fused_launches / sizeof rk_fused_launches[0],
};

/* With the hash of rk, and a base. */
#define RK_FUSED_PRIME_FORM(id, base)                                                              \
    static enum err_code id##_extra(const struct match_dictionary *dictionary, void **extra,       \
                                    size_t *size, struct err *err)                                 \
    {                                                                                              \
        struct rk_fused_head *head = NULL;                                                         \
        const enum err_code rc = rk_fused_build(dictionary, true, base, &head, size, err);         \
                                                                                                   \
        *extra = head;                                                                             \
        return rc;                                                                                 \
    }                                                                                              \
    static const struct offload_form id##_form = {                                                 \
        .name = "rk:cuda-prime",                                                                   \
        .extra = id##_extra,                                                                       \
        .enqueue = rk_fused_enqueue,                                                               \
        .launches = rk_fused_launches,                                                             \
        .launch_count = sizeof rk_fused_launches / sizeof rk_fused_launches[0],                    \
    };
RK_FUSED_PRIME_FORM(rk_fused_prime, RK_BASE)
RK_FUSED_PRIME_FORM(rk_fused_paper, RK_PAPER_BASE)

static enum err_code rk_fused_compile(const struct match_dictionary *dictionary,
                                      const struct match_setup *setup, void **program,
                                      struct err *err)
{
    return offload_compile(&rk_fused_form, dictionary, setup, program, err);
}

static enum err_code rk_fused_compile_prime(const struct match_dictionary *dictionary,
                                            const struct match_setup *setup, void **program,
                                            struct err *err)
{
    return offload_compile(&rk_fused_prime_form, dictionary, setup, program, err);
}

enum err_code rk_fused_compile_paper(const struct match_dictionary *dictionary,
                                     const struct match_setup *setup, void **program,
                                     struct err *err)
{
    return offload_compile(&rk_fused_paper_form, dictionary, setup, program, err);
}

const struct match_engine match_rk_cuda_engine = {
    .name = "rk:cuda",
    .what = "Rabin-Karp on a GPU, hashes rolling through registers over a text that is read once",
    .device = "CUDA",
    .missing = device_cuda_missing,
    .compile = rk_fused_compile,
    .release = offload_release,
    .offload = &offload_calls,
};

const struct match_engine match_rk_cuda_prime_engine = {
    .name = "rk:cuda-prime",
    .what = "rk:cuda with the hash of rk, every window looked up",
    .device = "CUDA",
    .missing = device_cuda_missing,
    .compile = rk_fused_compile_prime,
    .release = offload_release,
    .offload = &offload_calls,
};
