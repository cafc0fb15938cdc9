/* SPDX-License-Identifier: Apache-2.0
 * carver/bench/papers/bench_rk_run.c - one form of Rabin-Karp in one cell of the experiment. See
 * bench_rk.h.
 *
 * A sample of the text is searched first; what is found there must be what the other forms find. On
 * the CPU its time says how much of the text can be searched in the time of a run, and the figure
 * is for all of it.
 */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "carver/bench/papers/bench_rk.h"
#include "carver/cli/args.h"
#include "carver/select/names.h"

enum {
    RUN_SAMPLE = 1 << 20, /* bytes */
    RUN_PIECE = 8 << 20,  /* bytes that an engine of the CPU is given at a time */
    RUN_CARRY = 64,       /* more than the longest pattern */
    RUN_SEGMENT = 1 << 20,
};

struct run_form {
    const char *name;
    const struct match_engine *engine;
    rk_paper_compile *compile; /* NULL: the engine's own */
};

static const struct run_form run_forms[BENCH_RK_FORMS] = {
    [BENCH_RK_DIRECT] = { "rk:direct", &match_rk_direct_engine, rk_compile_paper },
    [BENCH_RK_DIRECT_OPENMP] = { "rk:direct-openmp", &match_rk_direct_openmp_engine,
                                 rk_compile_paper },
    [BENCH_RK_DIRECT_CUDA] = { "rk:cuda-direct", &match_rk_cuda_direct_engine,
                               rk_direct_compile_paper },
    [BENCH_RK_SCAN] = { "rk", &match_rk_engine, rk_compile_paper },
    [BENCH_RK_SCAN_OPENMP] = { "rk:openmp", &match_rk_openmp_engine, rk_compile_paper },
    [BENCH_RK_SCAN_CUDA] = { "rk:cuda-scan", &match_rk_cuda_scan_engine, rk_scan_paper_compile },
    [BENCH_RK_MATCH_STR] = { "match-str", &match_match_str_engine, NULL },
    [BENCH_RK_MATCH_STR_OPENMP] = { "match-str:openmp", &match_match_str_openmp_engine, NULL },
    [BENCH_RK_MATCH_STR_CUDA] = { "match-str:cuda", &match_match_str_cuda_engine, NULL },
    [BENCH_RK_PRIME] = { "rk:cuda-prime", &match_rk_cuda_prime_engine, rk_fused_compile_paper },
    [BENCH_RK_FUSED] = { "rk:cuda", &match_rk_cuda_engine, NULL },
    [BENCH_RK_STEP_2] = { "step 2", &match_rk_cuda_scan_engine, rk_scan_paper_2_compile },
    [BENCH_RK_STEP_3] = { "step 3", &match_rk_cuda_scan_engine, rk_scan_paper_3_compile },
    [BENCH_RK_STEP_4] = { "step 4", &match_rk_cuda_scan_engine, rk_scan_paper_4_compile },
};

const char *bench_rk_name(enum bench_rk_form form)
{
    return run_forms[form].name;
}

enum err_code bench_rk_check(const char *engines, struct err *err)
{
    char name[BENCH_NAME_MAX];

    for (const char *list = engines; args_word(&list, name, sizeof name);) {
        uint32_t form = 0;

        while (form < BENCH_RK_STEP_2 && strcasecmp(run_forms[form].name, name) != 0)
            form++;
        if (form == BENCH_RK_STEP_2)
            return ERR_RAISE(
                err, ERR_ARG,
                "--engines %s: '%s' is no form of rk or match-str; see burin info --engines",
                engines, name);
    }
    return args_list_check("--engines", engines, BENCH_LIST_MAX, err);
}

bool bench_rk_wanted(const struct bench_rk_options *options, enum bench_rk_form form)
{
    return names_have(options->engines,
                      run_forms[form >= BENCH_RK_STEP_2 ? BENCH_RK_SCAN_CUDA : form].name);
}

static void run_count(void *arg, const struct hit *hit)
{
    bench_count(arg, hit->offset, hit->pattern);
}

/* The first len bytes of the text, on the CPU. False when a piece has more hits than there is room
 * for. */
static bool run_scan(const struct bench_rk *bench, const struct match_engine *engine,
                     const void *program, uint64_t len, struct bench_result *result)
{
    const struct match_text text = { .bytes = bench->text, .len = (uint32_t)len };

    for (uint64_t from = 0; from < len; from += RUN_PIECE) {
        const uint64_t to = len - from < RUN_PIECE ? len : from + RUN_PIECE;
        struct match_sink sink = { .items = bench->hits, .max = BENCH_RK_HITS };

        if (!engine->scan(program, &text, (uint32_t)from, (uint32_t)to, &sink))
            return false;
        for (uint32_t i = 0; result != NULL && i < sink.count; i++)
            run_count(result, &sink.items[i]);
    }
    return true;
}

static enum err_code run_check(const struct run_form *form, const struct bench_result *got,
                               struct bench_result *want, struct err *err)
{
    if (want->hits == UINT64_MAX)
        *want = *got;
    if (got->hits == want->hits && got->sum == want->sum)
        return ERR_OK;
    return ERR_RAISE(err, ERR_FULL,
                     "%s found %llu matches, the forms before it %llu: not the same ones",
                     form->name, (unsigned long long)got->hits, (unsigned long long)want->hits);
}

static enum err_code run_cpu(const struct bench_rk *bench, const struct run_form *form,
                             const void *program, struct bench_result *want,
                             struct bench_rk_cell *cell, struct err *err)
{
    const struct bench_rk_options *o = bench->options;
    const uint64_t sample = o->size < RUN_SAMPLE ? o->size : RUN_SAMPLE;
    struct bench_result got = { 0 };
    double seconds[BENCH_RUNS_MAX];
    bool fits = run_scan(bench, form->engine, program, sample, &got); /* starts threads, too */
    const double begin = bench_now();

    fits = fits && run_scan(bench, form->engine, program, sample, NULL);
    const double pieces = (double)o->run_time / 1e3 / (bench_now() - begin);
    const uint64_t len = pieces * (double)sample >= (double)o->size ? o->size
                         : pieces < 2                               ? sample
                                                                    : (uint64_t)pieces * sample;
    const enum err_code rc = run_check(form, &got, want, err);
    for (uint64_t i = 0; rc == ERR_OK && i < o->runs; i++) {
        const double start = bench_now();

        fits = fits && run_scan(bench, form->engine, program, len, NULL);
        seconds[i] = (bench_now() - start) * ((double)o->size / (double)len);
    }
    cell->part = len < o->size;
    if (rc == ERR_OK && fits)
        cell->seconds = bench_figure(seconds, (uint32_t)o->runs);
    else
        snprintf(cell->missing, sizeof cell->missing, "more matches than there is room for");
    return rc;
}

static enum err_code run_cuda(const struct bench_rk *bench, const struct run_form *form, bool finds,
                              void *program, struct bench_result *want, struct bench_rk_cell *cell,
                              struct err *err)
{
    const struct bench_rk_options *o = bench->options;
    struct bench_result got = { 0 };
    double seconds[BENCH_RUNS_MAX];
    struct match_timing timing = { .resident = bench->resident,
                                   .len = o->size < RUN_SAMPLE ? o->size : RUN_SAMPLE,
                                   .runs = 1,
                                   .each = run_count,
                                   .arg = &got,
                                   .seconds = seconds };
    enum err_code rc = form->engine->offload->lab->time(program, &timing, err);

    if (rc == ERR_OK && finds)
        rc = run_check(form, &got, want, err);
    timing.len = 0;
    timing.runs = (uint32_t)o->runs;
    timing.each = NULL;
    if (rc == ERR_OK)
        rc = form->engine->offload->lab->time(program, &timing, err);
    if (rc == ERR_OK)
        cell->seconds = bench_figure(seconds, timing.runs);
    return rc;
}

enum err_code bench_rk_run(struct bench_rk *bench, enum bench_rk_form form,
                           const struct match_dictionary *dictionary, struct bench_result *want,
                           struct bench_rk_cell *cell, struct err *err)
{
    const struct run_form *f = &run_forms[form];
    const struct bench_rk_options *o = bench->options;
    const struct match_setup setup = { .threads = (uint32_t)o->threads,
                                       .segment_len = RUN_SEGMENT,
                                       .slots = 1,
                                       .carry = RUN_CARRY,
                                       .hits_max = RUN_SEGMENT / 8,
                                       .device_mask = UINT32_C(1) << o->device };
    void *program = NULL;

    if (!bench_rk_wanted(o, form))
        snprintf(cell->missing, sizeof cell->missing, "not asked for");
    else if (f->engine->missing() != NULL)
        snprintf(cell->missing, sizeof cell->missing, "%s", f->engine->missing());
    if (cell->missing[0] != 0)
        return ERR_OK;
    enum err_code rc =
        (f->compile == NULL ? f->engine->compile : f->compile)(dictionary, &setup, &program, err);
    if (rc == ERR_OK && f->engine->offload == NULL)
        rc = run_cpu(bench, f, program, want, cell, err);
    else if (rc == ERR_OK)
        rc = run_cuda(bench, f, form < BENCH_RK_STEP_2, program, want, cell, err);
    f->engine->release(program);
    return rc;
}
