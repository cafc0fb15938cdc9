/* SPDX-License-Identifier: Apache-2.0
 * carver/bench/papers/bench_pfac_time.c - a cell of Tables 4 and 5: every form of the engine with
 * one dictionary on a text in a device's memory. See bench_pfac.h. What one form finds all others
 * must find.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "carver/bench/papers/bench_pfac.h"

enum {
    TIME_SEGMENT = 1 << 20, /* bytes of a segment: of no use here, so a small one */
    TIME_HITS = 1 << 10,    /* room for hits of a segment, and one for each pattern */
    TIME_CHECKED = 4 << 20, /* more hits than that are counted alone */
};

static void time_hit(void *arg, const struct hit *hit)
{
    struct bench_result *result = arg;

    if (result->hits < TIME_CHECKED)
        bench_count(result, hit->offset, hit->pattern);
}

/* The first one says what is found. Sums are of hits in any order, so with too many of them they
 * say nothing. */
static enum err_code time_check(struct bench_pfac_cell *cell, const struct match_engine *engine,
                                uint64_t hits, struct bench_result result, struct err *err)
{
    if (!cell->known) {
        cell->hits = hits;
        cell->result = result;
    }
    cell->known = true;
    if (hits == cell->hits && (hits >= TIME_CHECKED || result.sum == cell->result.sum))
        return ERR_OK;
    return ERR_RAISE(err, ERR_FULL,
                     "%s: %s finds %" PRIu64 " hits (checksum %016" PRIx64 "), others %" PRIu64
                     " (%016" PRIx64 "): one of them is wrong",
                     cell->name, engine->name, hits, result.sum, cell->hits, cell->result.sum);
}

enum err_code bench_pfac_engine(struct bench_pfac_cell *cell, const struct match_engine *engine,
                                struct bench_pfac_form *form, struct err *err)
{
    const struct bench_pfac_options *o = cell->bench->options;
    const struct match_setup setup = { .threads = 1,
                                       .segment_len = TIME_SEGMENT,
                                       .slots = 1,
                                       .carry = cell->dictionary->longest - 1,
                                       .hits_max = TIME_HITS + cell->dictionary->count,
                                       .device_mask = UINT32_C(1) << o->device };
    struct bench_result result = { 0 };
    struct match_timing timing = { .resident = cell->resident,
                                   .len = cell->len,
                                   .runs = (uint32_t)o->runs,
                                   .each = cell->hits < TIME_CHECKED ? time_hit : NULL,
                                   .arg = &result,
                                   .seconds = form->seconds };
    struct err why = { 0 };
    void *program = NULL;

    form->missing[0] = '\0';
    enum err_code rc = bench_stopped(err);
    if (rc != ERR_OK)
        return rc;
    const double begin = bench_now();
    rc = match_compile(engine, cell->dictionary->patterns, &setup, &program, &why);
    form->compile = bench_now() - begin;
    if (rc == ERR_OK)
        rc = engine->offload->lab->time(program, &timing, &why);
    engine->release(program);
    if (rc != ERR_OK) {
        snprintf(form->missing, sizeof form->missing, "%s", why.text);
        return ERR_OK;
    }
    for (uint32_t i = 0; i < timing.runs; i++)
        form->seconds[i] = (double)cell->len * 8 / 1e9 / form->seconds[i];
    form->gbps = bench_figure(form->seconds, timing.runs);
    return time_check(cell, engine, timing.hits, result, err);
}

/* Which of the paper's columns a table of ours is: -1, none. */
static int time_column(enum pfac_kind kind)
{
    return kind == PFAC_MFPH ? 0 : kind == PFAC_PH_RECIPROCAL ? 1 : kind == PFAC_PH ? 2 : -1;
}

static void time_print(const struct bench_pfac_cell *cell, enum pfac_kind kind,
                       const struct bench_pfac_form forms[PFAC_WALKS])
{
    const int column = time_column(kind);
    const struct bench_pfac_form *each = &forms[PFAC_EACH], *queued = &forms[PFAC_QUEUED];

    if (each->missing[0] != '\0') {
        printf("%-22s %-14s %s\n", cell->name, pfac_kind_name(kind), each->missing);
        return;
    }
    printf("%-22s %-14s %10.2f [%8.2f .. %8.2f] %10.2f [%8.2f .. %8.2f] %10.2f", cell->name,
           pfac_kind_name(kind), each->gbps.median, each->gbps.min, each->gbps.max,
           queued->gbps.median, queued->gbps.min, queued->gbps.max,
           cell->baseline > 0 ? cell->baseline / each->gbps.median : 0);
    if (column >= 0 && cell->paper != NULL)
        printf(" %9.2f %9.2f %8.2f", cell->paper[column][0], cell->paper[column][1],
               cell->paper[0][0] / cell->paper[column][0]);
    printf("\n");
    fflush(stdout);
}

static void time_json(const struct bench_pfac_cell *cell, enum pfac_kind kind,
                      const struct bench_pfac_form forms[PFAC_WALKS])
{
    struct json *json = cell->bench->json;
    const int column = time_column(kind);

    json_open_object(json, NULL);
    json_string(json, "case", cell->name);
    json_uint(json, "bytes", cell->len);
    json_uint(json, "hits", cell->hits);
    json_string(json, "table", pfac_kind_name(kind));
    if (forms[PFAC_EACH].missing[0] != '\0') {
        json_string(json, "missing", forms[PFAC_EACH].missing);
    } else {
        json_double(json, "compile_seconds", forms[PFAC_QUEUED].compile);
        bench_figure_json(json, "each_gbit_per_second", forms[PFAC_EACH].gbps);
        bench_figure_json(json, "queued_gbit_per_second", forms[PFAC_QUEUED].gbps);
    }
    if (column >= 0 && cell->paper != NULL) {
        json_double(json, "paper_gtx480", cell->paper[column][0]);
        json_double(json, "paper_c2070", cell->paper[column][1]);
    }
    json_close_object(json);
}

/* MFPH first, for the others are compared with it. */
enum err_code bench_pfac_cell(struct bench_pfac_cell *cell, struct err *err)
{
    static const enum pfac_kind kinds[] = { PFAC_MFPH, PFAC_PH_RECIPROCAL, PFAC_PH, PFAC_2D,
                                            PFAC_LINKED };
    struct bench_pfac_form *forms = calloc(PFAC_WALKS, sizeof *forms);
    enum err_code rc = ERR_OK;

    if (forms == NULL)
        return ERR_NO_MEMORY(err, PFAC_WALKS * sizeof *forms);
    for (uint32_t i = 0; rc == ERR_OK && i < PFAC_KINDS; i++) {
        for (enum pfac_walks walks = PFAC_EACH; rc == ERR_OK && walks < PFAC_WALKS; walks++)
            rc = bench_pfac_engine(cell,
                                   match_pfac_form(kinds[i], walks, cell->bench->options->longest),
                                   &forms[walks], err);
        if (rc != ERR_OK)
            break;
        if (kinds[i] == PFAC_MFPH)
            cell->baseline = forms[PFAC_EACH].gbps.median;
        if (cell->bench->json == NULL)
            time_print(cell, kinds[i], forms);
        else
            time_json(cell, kinds[i], forms);
    }
    free(forms);
    return rc;
}

void bench_pfac_head(const struct bench_pfac *bench, const char *key, const char *title)
{
    if (bench->json != NULL) {
        json_open_array(bench->json, key);
        return;
    }
    printf("\n%s\n%-22s %-14s %33s %33s %10s %9s %9s %8s\n", title, "", "table",
           "a walk a thread, Gbit/s", "sieved and queued, Gbit/s", "mfph/this", "GTX 480", "C2070",
           "mfph/it");
}

enum err_code bench_pfac_text(const struct bench_pfac *bench, uint64_t want, uint8_t **text,
                              uint64_t *len, struct err *err)
{
    const uint64_t most = bench->options->size;

    *len = most != 0 && most < want ? most : want;
    *text = malloc((size_t)*len);
    return *text != NULL ? ERR_OK : ERR_NO_MEMORY(err, *len);
}

enum err_code bench_pfac_resident(const struct bench_pfac *bench, const uint8_t *text, uint64_t len,
                                  struct match_resident **out, struct err *err)
{
    return match_resident_open(
        &(struct match_resident_setup){
            .device = (uint32_t)bench->options->device, .bytes = text, .len = len },
        out, err);
}
