/* SPDX-License-Identifier: Apache-2.0
 * carver/bench/papers/bench_pfac_large.c - a dictionary whose plain table is a gigabyte, and other
 * engines on the same. See bench_pfac.h. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "carver/bench/papers/bench_pfac.h"

enum {
    LARGE_LEN = 256 << 20, /* bytes of text */
    LARGE_PATTERNS = 100000,
    LARGE_LEAVES = 95000,
    LARGE_SEGMENT = 1 << 20, /* bytes that the CPU is given at a time */
    LARGE_HITS = 1 << 16,    /* room for hits of one, and one for each pattern */
};

/* The automaton on one thread of the CPU: Gbit/s, and what it finds. */
static enum err_code large_cpu(const struct bench_dictionary *dictionary, const uint8_t *text,
                               uint64_t len, double *rate, uint64_t *hits, struct err *err)
{
    const struct match_setup setup = { .threads = 1, .segment_len = LARGE_SEGMENT };
    struct match_sink sink = { .max = LARGE_HITS + dictionary->count };
    void *program = NULL;

    *hits = 0;
    sink.items = malloc(sink.max * sizeof *sink.items);
    if (sink.items == NULL)
        return ERR_NO_MEMORY(err, sink.max * sizeof *sink.items);
    enum err_code rc = match_ac_engine.compile(dictionary->patterns, &setup, &program, err);
    const double begin = bench_now();
    for (uint64_t at = 0; rc == ERR_OK && at < len; at += LARGE_SEGMENT) {
        const uint32_t before =
            at < dictionary->longest - 1 ? (uint32_t)at : dictionary->longest - 1;
        const uint32_t fresh = len - at < LARGE_SEGMENT ? (uint32_t)(len - at) : LARGE_SEGMENT;
        const struct match_text part = { .bytes = text + at - before,
                                         .len = before + fresh,
                                         .offset = at - before };

        sink.count = 0;
        if (!match_ac_engine.scan(program, &part, before, part.len, &sink))
            rc = ERR_RAISE(err, ERR_FULL, "more than %u hits in %u bytes of made text", sink.max,
                           fresh);
        *hits += sink.count;
    }
    *rate = (double)len * 8 / 1e9 / (bench_now() - begin);
    match_ac_engine.release(program);
    free(sink.items);
    return rc;
}

/* It must find as much as the others. */
static enum err_code large_cpu_row(const struct bench_pfac_cell *cell, const uint8_t *text,
                                   struct err *err)
{
    struct json *json = cell->bench->json;
    double rate = 0;
    uint64_t hits = 0;
    const enum err_code rc = large_cpu(cell->dictionary, text, cell->len, &rate, &hits, err);

    if (rc != ERR_OK)
        return rc;
    if (cell->known && hits != cell->hits)
        return ERR_RAISE(err, ERR_FULL, "%s: ac on the CPU finds %" PRIu64 " hits, others %" PRIu64,
                         cell->name, hits, cell->hits);
    if (json == NULL) {
        printf("%-22s %-14s %33s %10.2f\n", cell->name, "ac, one core", "", rate);
        return ERR_OK;
    }
    json_open_object(json, NULL);
    json_string(json, "engine", "ac");
    json_uint(json, "threads", 1);
    json_double(json, "gbit_per_second", rate);
    json_close_object(json);
    return ERR_OK;
}

/* Other engines on the same set. */
static enum err_code large_others(struct bench_pfac_cell *cell, struct err *err)
{
    static const char *const names[] = { "pfac", "shift-and", "ac4" };
    struct json *json = cell->bench->json;
    struct bench_pfac_form *form = calloc(1, sizeof *form);
    enum err_code rc = ERR_OK;

    if (form == NULL)
        return ERR_NO_MEMORY(err, sizeof *form);
    for (uint32_t i = 0; rc == ERR_OK && i < sizeof names / sizeof names[0]; i++) {
        rc = bench_pfac_engine(cell, match_engine_named(names[i]), form, err);
        if (rc != ERR_OK)
            break;
        if (json != NULL) {
            json_open_object(json, NULL);
            json_string(json, "engine", names[i]);
            if (form->missing[0] == '\0')
                bench_figure_json(json, "gbit_per_second", form->gbps);
            else
                json_string(json, "missing", form->missing);
            json_close_object(json);
        } else if (form->missing[0] == '\0') {
            printf("%-22s %-14s %33s %10.2f [%8.2f .. %8.2f]\n", cell->name, names[i], "",
                   form->gbps.median, form->gbps.min, form->gbps.max);
        } else {
            printf("%-22s %-14s %s\n", cell->name, names[i], form->missing);
        }
    }
    free(form);
    return rc;
}

/* How large the tables are. */
static enum err_code large_sizes(const struct bench_pfac *bench,
                                 const struct bench_dictionary *dictionary, struct err *err)
{
    struct pfac *pfac = NULL;
    enum err_code rc = pfac_build(dictionary->patterns, &pfac, err);

    if (rc != ERR_OK)
        return rc;
    if (bench->json == NULL)
        printf("\n%u states, %u patterns of %u to %u bytes; bytes of tables: %" PRIu64
               " of 256 integers a state",
               pfac->states, dictionary->count, dictionary->shortest, dictionary->longest,
               (uint64_t)pfac->states * 1024);
    else
        json_open_object(bench->json, "large_bytes");
    for (enum pfac_kind kind = PFAC_MFPH; rc == ERR_OK && kind <= PFAC_LINKED; kind++) {
        struct pfac_table table;

        rc = pfac_table_build(pfac, kind, &table, err);
        if (rc != ERR_OK)
            break;
        if (bench->json == NULL)
            printf(", %zu %s", table.rows_size + table.cells_size, pfac_kind_name(kind));
        else
            json_uint(bench->json, pfac_kind_name(kind), table.rows_size + table.cells_size);
        pfac_table_release(&table);
    }
    if (bench->json == NULL)
        printf("\n");
    else
        json_close_object(bench->json);
    pfac_destroy(pfac);
    return rc;
}

enum err_code bench_pfac_large(const struct bench_pfac *bench, struct err *err)
{
    const struct bench_pfac_set set = { .states = (uint32_t)bench->options->states,
                                        .finals = LARGE_PATTERNS,
                                        .leaves = LARGE_LEAVES };
    struct match_resident *resident = NULL;
    struct bench_dictionary dictionary;
    uint8_t *text = NULL;
    uint64_t len = 0;
    enum err_code rc = bench_pfac_made(&set, &dictionary, err);

    if (rc != ERR_OK)
        return rc;
    rc = large_sizes(bench, &dictionary, err);
    if (rc == ERR_OK)
        rc = bench_pfac_text(bench, LARGE_LEN, &text, &len, err);
    bench_pfac_head(bench, "large", "As many patterns as a dictionary may have, in packets");
    if (rc == ERR_OK) {
        bench_pfac_regular(&dictionary, text, len);
        rc = bench_pfac_resident(bench, text, len, &resident, err);
    }
    if (rc == ERR_OK) {
        struct bench_pfac_cell cell = {
            .bench = bench, .dictionary = &dictionary, .resident = resident, .len = len
        };

        snprintf(cell.name, sizeof cell.name, "%u states", set.states);
        rc = bench_pfac_cell(&cell, err);
        if (rc == ERR_OK)
            rc = large_others(&cell, err);
        if (rc == ERR_OK)
            rc = large_cpu_row(&cell, text, err);
    }
    match_resident_close(resident);
    free(text);
    bench_dictionary_close(&dictionary);
    if (bench->json != NULL)
        json_close_array(bench->json);
    return rc;
}
