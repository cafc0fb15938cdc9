/* SPDX-License-Identifier: Apache-2.0
 * carver/bench/papers/bench_rk.c - `burin bench rk`: prefix-sum Rabin-Karp as its paper measures
 * it, beside the paper's figures. See bench_rk.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "carver/bench/papers/bench_rk.h"
#include "carver/cli/args.h"
#include "carver/cli/cpus.h"

enum {
    OPT_SIZE = ARGS_LONG,
    OPT_RUNS,
    OPT_THREADS,
    OPT_DEVICE,
    OPT_RUN_TIME,
    OPT_ENGINES,
    OPT_JSON
};

static const struct args_option bench_rk_table[] = {
    { "size", OPT_SIZE, "SIZE" },       { "runs", OPT_RUNS, "N" },
    { "threads", OPT_THREADS, "N" },    { "device", OPT_DEVICE, "N" },
    { "run-time", OPT_RUN_TIME, "MS" }, { "engines", OPT_ENGINES, "LIST" },
    { "json", OPT_JSON, NULL },         { NULL, 0, NULL },
};

const char bench_rk_help[] =
    "Makes tables 2 and 3 of the paper on Rabin-Karp by prefix sums, the paper's figures beside:\n"
    "1 to 256 patterns of 10, 20 and 30 letters of two in a text of such letters.\n"
    "\n"
    "Options:\n"
    "  --size SIZE      bytes of the text (default 128M, the paper's)\n"
    "  --engines LIST   comma-separated (default: all forms of rk and of match-str)\n"
    "  --run-time MS    on the CPU, slow forms search only as much as they can in this time\n"
    "                   (default 300)\n"
    "  --threads N      threads of OpenMP (default: all)\n"
    "  --device N       the device, counted from 0 (default 0)\n"
    "  --runs N         runs that count, 1 to 100 (default 5)\n" BENCH_COMMON_TEXT;

enum { SEED_TEXT = 1, SEED_PATTERNS = 2, LENGTH_MAX = 30 };

static enum err_code bench_rk_option(struct bench_rk_options *o, int id, const char *value,
                                     struct err *err)
{
    switch (id) {
    case OPT_SIZE:
        return args_size("--size", value, 1 << 16, 1 << 30, &o->size, err);
    case OPT_RUNS:
        return args_count("--runs", value, 1, BENCH_RUNS_MAX, &o->runs, err);
    case OPT_THREADS:
        return args_count("--threads", value, 1, LIMIT_THREADS, &o->threads, err);
    case OPT_DEVICE:
        return args_count("--device", value, 0, 15, &o->device, err);
    case OPT_RUN_TIME:
        return args_count("--run-time", value, 1, 1000000, &o->run_time, err);
    case OPT_ENGINES:
        o->engines = value;
        return bench_rk_check(value, err);
    default:
        o->json = true;
        return ERR_OK;
    }
}

static enum err_code bench_rk_read_options(struct bench_rk_options *o, int argc, char **argv,
                                           struct err *err)
{
    struct args args;
    const char *value = NULL;
    char **operands = NULL;
    int id, count;
    enum err_code rc;

    *o = (struct bench_rk_options){
        .runs = 5, .size = 1 << 27, .run_time = 300, .threads = cpus_count()
    };
    args_begin(&args, "bench rk", bench_rk_table, argc, argv);
    while ((rc = args_next(&args, &id, &value, err)) == ERR_OK && id != ARGS_END) {
        rc = bench_rk_option(o, id, value, err);
        if (rc != ERR_OK)
            return rc;
    }
    return rc == ERR_OK ? args_operands(&args, 0, 0, "nothing", &operands, &count, err) : rc;
}

/* Letters of an alphabet of two, as bytes 0 and 1. */
static void bench_rk_letters(uint8_t *bytes, uint64_t len, uint64_t *state)
{
    uint32_t bits = 0;

    for (uint64_t i = 0; i < len; i++, bits >>= 1) {
        if (i % 32 == 0)
            bits = bench_random(state);
        bytes[i] = bits & 1;
    }
}

static enum err_code bench_rk_dictionary(uint32_t count, uint32_t length,
                                         struct match_dictionary **out, struct err *err)
{
    uint64_t state = bench_seed(SEED_PATTERNS + ((uint64_t)count << 8 | length));
    enum err_code rc = match_dictionary_create(out, err);

    for (uint32_t i = 0; rc == ERR_OK && i < count; i++) {
        uint8_t bytes[LENGTH_MAX];
        const struct match_pattern pattern = { .kind = MATCH_LITERAL,
                                               .bytes = bytes,
                                               .len = length };
        uint32_t index;

        bench_rk_letters(bytes, length, &state);
        rc = match_dictionary_add(*out, &pattern, &index, err);
    }
    return rc;
}

/* The forms on the device last, the one thread first: what it finds is what all must find. */
static enum err_code bench_rk_cells(struct bench_rk *bench, struct err *err)
{
    enum err_code rc = ERR_OK;

    for (uint32_t c = 0; rc == ERR_OK && c < BENCH_RK_COUNTS; c++)
        for (uint32_t l = 0; rc == ERR_OK && l < BENCH_RK_LENGTHS; l++) {
            struct bench_result want = { .hits = UINT64_MAX };
            struct match_dictionary *dictionary = NULL;

            rc = bench_rk_dictionary(bench_rk_counts[c], bench_rk_lengths[l], &dictionary, err);
            for (uint32_t form = 0; rc == ERR_OK && form < BENCH_RK_FORMS; form++) {
                rc = bench_rk_run(bench, form, dictionary, &want, &bench->cells[form][c][l], err);
                if (rc == ERR_OK)
                    rc = bench_stopped(err);
            }
            match_dictionary_destroy(dictionary);
        }
    return rc;
}

static enum err_code bench_rk_open(struct bench_rk *bench, struct err *err)
{
    const struct bench_rk_options *o = bench->options;
    const struct match_resident_setup setup = { .bytes = bench->text,
                                                .len = o->size,
                                                .device = (uint32_t)o->device };
    uint64_t state = bench_seed(SEED_TEXT);
    double seconds[BENCH_RUNS_MAX];

    bench_rk_letters(bench->text, o->size, &state);
    if (match_device_missing() != NULL)
        return ERR_OK;
    enum err_code rc = match_resident_open(&setup, &bench->resident, err);
    if (rc == ERR_OK)
        rc = match_resident_limit(bench->resident, MATCH_LIMIT_READ, 0, (uint32_t)o->runs, seconds,
                                  err);
    if (rc != ERR_OK)
        return rc;
    bench->read = bench_figure(seconds, (uint32_t)o->runs);
    snprintf(bench->device, sizeof bench->device, "%s", match_resident_device(bench->resident));
    return ERR_OK;
}

enum err_code bench_rk(int argc, char **argv, struct json *json, struct err *err)
{
    struct bench_rk_options options;
    struct bench_rk *bench = NULL;
    enum err_code rc = bench_rk_read_options(&options, argc, argv, err);

    if (rc != ERR_OK)
        return rc;
    bench = calloc(1, sizeof *bench);
    if (bench == NULL)
        return ERR_NO_MEMORY(err, sizeof *bench);
    bench->options = &options;
    bench->text = malloc(options.size);
    bench->hits = malloc(BENCH_RK_HITS * sizeof *bench->hits);
    if (bench->text == NULL || bench->hits == NULL)
        rc = ERR_NO_MEMORY(err, options.size + BENCH_RK_HITS * sizeof *bench->hits);
    else
        rc = bench_rk_open(bench, err);
    if (rc == ERR_OK && options.json)
        bench_rk_json_head(bench, json);
    if (rc == ERR_OK)
        rc = bench_rk_cells(bench, err);
    if (rc == ERR_OK && options.json)
        bench_rk_json(bench, json);
    else if (rc == ERR_OK)
        bench_rk_print(bench);
    match_resident_close(bench->resident);
    free(bench->hits);
    free(bench->text);
    free(bench);
    return rc;
}
