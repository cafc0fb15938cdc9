/* SPDX-License-Identifier: Apache-2.0
 * carver/bench/match/bench_match.c - `burin bench match`: engines and peers beside the speed of
 * memory. See bench_match.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/limits.h"
#include "carver/bench/match/bench_match.h"
#include "carver/cli/args.h"
#include "carver/cli/cpus.h"

enum {
    OPT_DATA = BENCH_WORK_OWN,
    OPT_THREADS,
    OPT_RUN_TIME,
    OPT_SEGMENT,
    OPT_PEER,
    OPT_PEER_AVX2,
    OPT_NO_PEERS,
    OPT_CLOCK,
    OPT_CHECK,
    OPT_SWEEP
};

static const struct args_option bench_match_table[] = {
    BENCH_WORK_OPTIONS,
    { "data", OPT_DATA, "NAME" },
    { "threads", OPT_THREADS, "LIST" },
    { "run-time", OPT_RUN_TIME, "MS" },
    { "segment", OPT_SEGMENT, "SIZE" },
    { "peer", OPT_PEER, "[NAME=]PATH" },
    { "peer-avx2", OPT_PEER_AVX2, NULL },
    { "no-peers", OPT_NO_PEERS, NULL },
    { "clock", OPT_CLOCK, "wall|cpu" },
    { "check", OPT_CHECK, NULL },
    { "sweep", OPT_SWEEP, NULL },
    { NULL, 0, NULL },
};

const char bench_match_help[] =
    "Runs matching engines on data in memory, in turn with a plain read of it and with Hyperscan\n"
    "or Vectorscan where installed; all must find the same. Options that take a NAME may be\n"
    "given several times.\n"
    "\n"
    "Options:\n"
    "  --dictionary NAME  burin, scalpel, snort, keywords:N, keywords:Ni (any case),\n"
    "                   random:N:LEN, or a file: *.conf rules, keywords a line, or lines of\n"
    "                   s or i, a tab and hexadecimal (default: scalpel's rules where\n"
    "                   installed, burin, keywords:2000i)\n"
    "  --data NAME      disk, text, random, zeros, adversarial (beginnings of patterns),\n"
    "                   near-misses (patterns with one byte wrong), or FILE[:LEN] (default disk)\n"
    "  --size SIZE      bytes of data that is made (default 128M)\n"
    "  --engines LIST   engines, comma-separated; auto for the one that is chosen\n"
    "                   (default: all that run here but naive)\n"
    "  --threads LIST   numbers of threads, comma-separated (default 1)\n"
    "  --segment SIZE   bytes that an engine is given at a time (default 1M)\n"
    "  --ignore-case    keywords of a file in any case\n"
    "  --runs N         rounds that count, 1 to 100 (default 7)\n"
    "  --run-time MS    slow engines scan only as much as they can in this time (default 300)\n"
    "  --clock NAME     wall, or cpu: CPU time of the slowest thread, for a machine that\n"
    "                   others use too (default wall)\n"
    "  --check          no figures that count: everything once, compared with naive\n"
    "  --sweep          time a byte against number and length of patterns\n"
    "  --peer [NAME=]PATH  a library to compare with (default libhs.so.5 where installed)\n"
    "  --peer-avx2      each of them once more, compiled for AVX2\n"
    "  --no-peers       none of them\n" BENCH_COMMON_TEXT;

static enum err_code bench_match_threads(struct bench_match_options *o, const char *value,
                                         struct err *err)
{
    enum err_code rc = args_list_check("--threads", value, BENCH_LIST_MAX, err);
    uint64_t threads = 0;
    char word[16];

    while (rc == ERR_OK && o->thread_count < BENCH_LIST_MAX &&
           args_word(&value, word, sizeof word)) {
        rc = args_count("--threads", word, 1, LIMIT_THREADS, &threads, err);
        o->threads[o->thread_count++] = (uint32_t)threads;
    }
    return rc;
}

static enum err_code bench_match_option(struct bench_match_options *o, int id, const char *value,
                                        struct err *err)
{
    uint64_t milliseconds = 0;
    enum err_code rc = ERR_OK;

    if (id < BENCH_WORK_OWN)
        return bench_work_option(&o->work, id, value, err);
    switch (id) {
    case OPT_DATA:
        return bench_work_list("--data", value, o->data, &o->data_count, err);
    case OPT_PEER:
        return bench_work_list("--peer", value, o->peers, &o->peer_count, err);
    case OPT_THREADS:
        return bench_match_threads(o, value, err);
    case OPT_SEGMENT:
        return args_size("--segment", value, 4096, LIMIT_SEGMENT_MAX, &o->segment_len, err);
    case OPT_RUN_TIME:
        rc = args_count("--run-time", value, 1, 3600000, &milliseconds, err);
        o->run_seconds = (double)milliseconds / 1000;
        return rc;
    case OPT_CLOCK:
        o->cpu_clock = strcmp(value, "cpu") == 0;
        if (!o->cpu_clock && strcmp(value, "wall") != 0)
            return ERR_RAISE(err, ERR_ARG, "--clock %s: wall or cpu is allowed", value);
        return ERR_OK;
    case OPT_PEER_AVX2:
        o->peers_avx2 = true;
        return ERR_OK;
    case OPT_NO_PEERS:
        o->no_peers = true;
        return ERR_OK;
    case OPT_CHECK:
        o->check = true;
        return ERR_OK;
    default:
        o->sweep = true;
        return ERR_OK;
    }
}

/* What is measured when nothing is asked for: signatures and keywords on data like a disk's, within
 * a minute. */
static void bench_match_defaults(struct bench_match_options *o)
{
    static const char *const dictionaries[] = { "burin", "keywords:2000i" };
    static const char *const sweep[] = { "random:1:16",   "random:8:16",    "random:64:16",
                                         "random:512:16", "random:4096:16", "random:32768:16",
                                         "random:64:2",   "random:64:4",    "random:64:8",
                                         "random:64:32",  "random:64:64",   "random:64:255" };
    const char *const *list = o->sweep ? sweep : dictionaries;
    const uint32_t count =
        o->sweep ? sizeof sweep / sizeof sweep[0] : sizeof dictionaries / sizeof dictionaries[0];

    if (o->work.dictionary_count == 0) {
        if (!o->sweep && access("/etc/scalpel/scalpel.conf", R_OK) == 0)
            o->work.dictionaries[o->work.dictionary_count++] = "scalpel";
        for (uint32_t i = 0; i < count; i++)
            o->work.dictionaries[o->work.dictionary_count++] = list[i];
    }
    if (o->data_count == 0)
        o->data[o->data_count++] = o->sweep ? "random" : "disk";
    if (o->thread_count == 0)
        o->threads[o->thread_count++] = 1;
    if (o->check)
        o->work.runs = 1;
}

static enum err_code bench_match_read_options(struct bench_match_options *o, int argc, char **argv,
                                              struct err *err)
{
    struct args args;
    const char *value = NULL;
    char **operands = NULL;
    int id, count;
    enum err_code rc;

    *o = (struct bench_match_options){ .work = { .runs = 7, .size = 128 << 20 },
                                       .segment_len = 1 << 20,
                                       .run_seconds = 0.3 };
    args_begin(&args, "bench match", bench_match_table, argc, argv);
    while ((rc = args_next(&args, &id, &value, err)) == ERR_OK && id != ARGS_END) {
        rc = bench_match_option(o, id, value, err);
        if (rc != ERR_OK)
            return rc;
    }
    if (rc == ERR_OK)
        rc = args_operands(&args, 0, 0, "nothing", &operands, &count, err);
    if (rc == ERR_OK)
        bench_match_defaults(o);
    return rc;
}

/* The peers asked for, or the one that is installed if there is one. */
static enum err_code bench_match_peers(const struct bench_match_options *o,
                                       struct bench_peer **peers, uint32_t *count, struct err *err)
{
    static const char usual[] = "libhs.so.5";
    const uint32_t asked = o->peer_count;
    enum err_code rc = ERR_OK;

    *count = 0;
    for (uint32_t i = 0; rc == ERR_OK && !o->no_peers && i < (asked > 0 ? asked : 1); i++) {
        const char *spec = asked > 0 ? o->peers[i] : usual;

        for (int avx2 = 0; rc == ERR_OK && avx2 <= (int)o->peers_avx2 && *count < BENCH_LIST_MAX;
             avx2++) {
            rc = bench_peer_open(spec, avx2 != 0, &peers[*count], err);
            *count += rc == ERR_OK;
        }
        if (rc != ERR_OK && asked == 0) {
            fprintf(stderr, "burin: bench: no Hyperscan or Vectorscan here to compare with (%s)\n",
                    usual);
            return ERR_OK;
        }
    }
    return rc;
}

static enum err_code bench_match_cells(const struct bench_match_options *o,
                                       const struct bench_dictionary *dictionary,
                                       struct bench_peer *const *peers, uint32_t peer_count,
                                       struct json *json, struct bench_sweep *sweep,
                                       struct err *err)
{
    struct bench_match_cell *cell = calloc(1, sizeof *cell);
    enum err_code rc = cell != NULL ? ERR_OK : ERR_NO_MEMORY(err, sizeof *cell);

    for (uint32_t t = 0; rc == ERR_OK && t < o->thread_count; t++) {
        rc = bench_cell_open(cell, o, peers, peer_count, dictionary, o->threads[t], err);
        for (uint32_t i = 0; rc == ERR_OK && i < o->data_count; i++) {
            rc = bench_cell_run(cell, o->data[i], err);
            if (rc == ERR_OK && o->work.json)
                bench_match_json(json, cell);
            else if (rc == ERR_OK)
                bench_match_print(cell);
            if (rc == ERR_OK)
                bench_sweep_note(sweep, cell);
            bench_data_close(&cell->data);
        }
        bench_cell_close(cell);
    }
    free(cell);
    return rc;
}

static void bench_match_head(const struct bench_match_options *o, struct json *json)
{
    if (o->work.json) {
        json_init(json, stdout, 2);
        json_open_object(json, NULL);
        json_uint(json, "cpus", cpus_count());
        json_uint(json, "runs", o->work.runs);
        json_string(json, "clock", o->cpu_clock ? "cpu" : "wall");
        json_uint(json, "segment", o->segment_len);
        json_open_array(json, "cells");
    } else {
        printf("%u CPUs; %u runs, median [least .. most] by %s; GB of 1e9 bytes; all rows of a "
               "table found the same "
               "hits\n",
               cpus_count(), (unsigned)o->work.runs, o->cpu_clock ? "CPU time" : "wall clock");
    }
}

static enum err_code bench_match_all(const struct bench_match_options *o, struct bench_sweep *sweep,
                                     struct json *json, struct err *err)
{
    struct bench_peer *peers[BENCH_LIST_MAX] = { 0 };
    uint32_t peer_count = 0;

    enum err_code rc = bench_match_peers(o, peers, &peer_count, err);
    if (rc == ERR_OK)
        bench_match_head(o, json);
    for (uint32_t i = 0; rc == ERR_OK && i < o->work.dictionary_count; i++) {
        struct bench_dictionary dictionary;

        rc = bench_dictionary_open(o->work.dictionaries[i], o->work.fold_case, &dictionary, err);
        if (rc == ERR_OK) {
            rc = bench_match_cells(o, &dictionary, peers, peer_count, json, sweep, err);
            bench_dictionary_close(&dictionary);
        }
    }
    if (rc == ERR_OK && o->sweep && !o->work.json)
        bench_sweep_print(sweep);
    for (uint32_t i = 0; i < peer_count; i++)
        bench_peer_close(peers[i]);
    return rc;
}

enum err_code bench_match(int argc, char **argv, struct json *json, struct err *err)
{
    struct bench_match_options options;
    struct bench_sweep *sweep = calloc(1, sizeof *sweep);

    if (sweep == NULL)
        return ERR_NO_MEMORY(err, sizeof *sweep);
    enum err_code rc = bench_match_read_options(&options, argc, argv, err);
    if (rc == ERR_OK)
        rc = bench_match_all(&options, sweep, json, err);
    free(sweep);
    return rc;
}
