/* SPDX-License-Identifier: Apache-2.0
 * carver/bench/bench_work.c - see bench_work.h. */
#include "carver/bench/bench_work.h"

#include <assert.h>

#include "carver/bench/bench.h"

enum err_code bench_work_list(const char *option, const char *value, const char **list,
                              uint32_t *count, struct err *err)
{
    if (*count == BENCH_LIST_MAX)
        return ERR_RAISE(err, ERR_ARG, "%s: at most %d of them", option, BENCH_LIST_MAX);
    list[(*count)++] = value;
    return ERR_OK;
}

enum err_code bench_work_option(struct bench_work *work, int id, const char *value, struct err *err)
{
    assert(id < BENCH_WORK_OWN);
    switch (id) {
    case BENCH_WORK_DICTIONARY:
        return bench_work_list("--dictionary", value, work->dictionaries, &work->dictionary_count,
                               err);
    case BENCH_WORK_SIZE:
        return args_size("--size", value, BENCH_BLOCK, (uint64_t)1 << 40, &work->size, err);
    case BENCH_WORK_ENGINES:
        work->engines = value;
        return args_list_check("--engines", value, BENCH_LIST_MAX, err);
    case BENCH_WORK_RUNS:
        return args_count("--runs", value, 1, BENCH_RUNS_MAX, &work->runs, err);
    case BENCH_WORK_IGNORE_CASE:
        work->fold_case = true;
        return ERR_OK;
    default:
        work->json = true;
        return ERR_OK;
    }
}
