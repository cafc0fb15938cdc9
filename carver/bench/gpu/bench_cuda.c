/* SPDX-License-Identifier: Apache-2.0
 * carver/bench/gpu/bench_cuda.c - `burin bench cuda`: engines with a GPU behind them beside what
 * the GPU can do. See bench_cuda.h. */
#include <stdio.h>
#include <string.h>

#include "base/limits.h"
#include "carver/bench/gpu/bench_cuda.h"
#include "carver/cli/args.h"
#include "carver/cli/cpus.h"
#include "carver/cli/devices.h"

enum {
    BENCH_CUDA_SEGMENT_MIN = 4096,
    BENCH_CUDA_SEGMENT_MAX = 256 << 20, /* two of them must fit in the memory for slots */
};

enum {
    OPT_DATA = BENCH_WORK_OWN,
    OPT_THREADS,
    OPT_DEVICES,
    OPT_SEGMENT,
    OPT_TOTAL,
    OPT_NO_HOST,
    OPT_NO_RESIDENT,
    OPT_PAPER,
    OPT_TUNE
};

static const struct args_option bench_cuda_table[] = {
    BENCH_WORK_OPTIONS,
    { "data", OPT_DATA, "NAME" },
    { "threads", OPT_THREADS, "N" },
    { "devices", OPT_DEVICES, "LIST" },
    { "segment", OPT_SEGMENT, "LIST" },
    { "total", OPT_TOTAL, "SIZE" },
    { "no-host", OPT_NO_HOST, NULL },
    { "no-resident", OPT_NO_RESIDENT, NULL },
    { "paper", OPT_PAPER, "NAME" },
    { "tune", OPT_TUNE, NULL },
    { NULL, 0, NULL },
};

const char bench_cuda_help[] =
    "Runs the engines of GPUs on data in a device's memory, each beside a kernel that reads the\n"
    "same and does nothing else. Then segments go from pinned memory to the device and their\n"
    "hits back, under each strategy, beside plain copies.\n"
    "\n"
    "Options:\n"
    "  --dictionary NAME  as in burin bench match (default: burin, keywords:2000i)\n"
    "  --ignore-case    as in burin bench match\n"
    "  --data NAME      as in burin bench match; made for disk (default disk)\n"
    "  --size SIZE      bytes of data that is made (default 1G)\n"
    "  --engines LIST   engines, comma-separated (default: all that run on a device)\n"
    "  --runs N         runs that count, 1 to 100 (default 7)\n"
    "  --devices LIST   devices that segments go round, as in burin scan (default 0)\n"
    "  --segment LIST   bytes of a segment (default 1M,4M,16M,64M)\n"
    "  --total SIZE     bytes that go through in a run (default 4G)\n"
    "  --no-host        only what is in the device's memory\n"
    "  --no-resident    only what goes through it\n"
    "  --tune           look for the fastest number of threads and words for each, and remember\n"
    "                   it in ~/.cache/burin/tune, where scans with the same dictionary find it\n"
    "  --paper NAME     instead the tables of a paper, with its sizes: zha-sahni or tran\n"
    "  --threads N      CPU threads for data and comparison (default: all)\n" BENCH_COMMON_TEXT;

static enum err_code bench_cuda_segments(struct bench_cuda_options *o, const char *value,
                                         struct err *err)
{
    char word[32];
    uint64_t segment = 0;
    enum err_code rc = args_list_check("--segment", value, BENCH_LIST_MAX, err);

    o->segment_count = 0;
    while (rc == ERR_OK && args_word(&value, word, sizeof word)) {
        rc = args_size("--segment", word, BENCH_CUDA_SEGMENT_MIN, BENCH_CUDA_SEGMENT_MAX, &segment,
                       err);
        o->segments[o->segment_count++] = (uint32_t)segment;
    }
    return rc;
}

static enum err_code bench_cuda_option(struct bench_cuda_options *o, int id, const char *value,
                                       struct err *err)
{
    if (id < BENCH_WORK_OWN)
        return bench_work_option(&o->work, id, value, err);
    switch (id) {
    case OPT_DATA:
        o->data = strcmp(value, "made") == 0 ? "disk" : value;
        return ERR_OK;
    case OPT_THREADS:
        return args_count("--threads", value, 1, LIMIT_THREADS, &o->threads, err);
    case OPT_DEVICES:
        return devices_read(value, &o->device_mask, err);
    case OPT_SEGMENT:
        return bench_cuda_segments(o, value, err);
    case OPT_TOTAL:
        return args_size("--total", value, 1 << 20, (uint64_t)1 << 40, &o->total, err);
    case OPT_NO_HOST:
        o->no_host = true;
        return ERR_OK;
    case OPT_NO_RESIDENT:
        o->no_resident = true;
        return ERR_OK;
    case OPT_TUNE:
        o->tune = true;
        return ERR_OK;
    default:
        o->paper = value;
        return ERR_OK;
    }
}

static enum err_code bench_cuda_read_options(struct bench_cuda_options *o, int argc, char **argv,
                                             struct err *err)
{
    struct args args;
    const char *value = NULL;
    char **operands = NULL;
    int id, count;
    enum err_code rc;

    *o = (struct bench_cuda_options){ .work = { .runs = 7, .size = (uint64_t)1 << 30 },
                                      .threads = cpus_count(),
                                      .data = "disk",
                                      .device_mask = 1,
                                      .total = (uint64_t)4 << 30,
                                      .host_engine = match_device_engine(),
                                      .segments = { 1 << 20, 4 << 20, 16 << 20, 64 << 20 },
                                      .segment_count = 4 };
    args_begin(&args, "bench cuda", bench_cuda_table, argc, argv);
    while ((rc = args_next(&args, &id, &value, err)) == ERR_OK && id != ARGS_END) {
        rc = bench_cuda_option(o, id, value, err);
        if (rc != ERR_OK)
            return rc;
    }
    if (rc == ERR_OK)
        rc = args_operands(&args, 0, 0, "nothing", &operands, &count, err);
    if (rc == ERR_OK && o->work.dictionary_count == 0 && o->paper == NULL) {
        o->work.dictionaries[o->work.dictionary_count++] = "burin";
        o->work.dictionaries[o->work.dictionary_count++] = "keywords:2000i";
    }
    return rc;
}

void bench_cuda_head(const struct bench_cuda *bench)
{
    const struct bench_cuda_options *o = bench->options;
    struct match_device_info info = { 0 };
    const enum err_code rc = match_device_get(bench_cuda_device(o), &info, NULL);

    (void)rc; /* the data is on it */
    if (bench->json == NULL) {
        printf("%s, %u multiprocessors, %.1f GB; %u runs, median [least .. most]; GB of 1e9 bytes; "
               "hits are those of "
               "ac on "
               "the CPU\n",
               info.name, info.processors, (double)info.memory / 1e9, (unsigned)o->work.runs);
        return;
    }
    json_init(bench->json, stdout, 2);
    json_open_object(bench->json, NULL);
    json_string(bench->json, "device", info.name);
    json_uint(bench->json, "multiprocessors", info.processors);
    json_uint(bench->json, "memory", info.memory);
    json_uint(bench->json, "threads", o->threads);
    json_uint(bench->json, "runs", o->work.runs);
    json_open_array(bench->json, "tables");
}

/* Data that is made holds patterns of the first dictionary. */
static enum err_code bench_cuda_dictionaries(struct bench_cuda *bench, struct err *err)
{
    const struct bench_cuda_options *o = bench->options;
    enum err_code rc = ERR_OK;

    for (uint32_t i = 0; rc == ERR_OK && i < o->work.dictionary_count; i++) {
        struct bench_dictionary dictionary;

        rc = bench_dictionary_open(o->work.dictionaries[i], o->work.fold_case, &dictionary, err);
        if (rc != ERR_OK)
            return rc;
        if (i == 0) {
            rc = bench_cuda_data_open(bench, o->data, o->work.size, &dictionary, err);
            if (rc == ERR_OK)
                bench_cuda_head(bench);
        }
        if (rc == ERR_OK && !o->no_resident)
            rc = bench_cuda_resident(bench, &dictionary, err);
        if (rc == ERR_OK && !o->no_host)
            rc = bench_cuda_host(bench, &dictionary, err);
        bench_dictionary_close(&dictionary);
    }
    return rc;
}

enum err_code bench_cuda(int argc, char **argv, struct json *json, struct err *err)
{
    struct bench_cuda_options options;
    struct bench_cuda bench = { .options = &options };
    bench_paper_run *paper = NULL;
    enum err_code rc = bench_cuda_read_options(&options, argc, argv, err);

    if (rc != ERR_OK)
        return rc;
    if (options.paper != NULL)
        rc = bench_paper_find(options.paper, &paper, err);
    if (rc != ERR_OK)
        return rc;
    if (match_device_missing() != NULL)
        return ERR_RAISE(err, ERR_ENV,
                         "no device: %s; on a machine without a GPU use \"burin bench match\"",
                         match_device_missing());
    bench.json = options.work.json ? json : NULL;
    rc = bench_crew_open((uint32_t)options.threads, &bench.crew, err);
    if (rc == ERR_OK)
        rc = paper != NULL ? paper(&bench, err) : bench_cuda_dictionaries(&bench, err);
    bench_cuda_data_close(&bench);
    bench_crew_close(bench.crew);
    return rc;
}
