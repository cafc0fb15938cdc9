/*
 * carver/bench_pfac_time.c - Tables 4 and 5, and a dictionary whose plain table is a gigabyte: forms of the engine on a text in a
 * device's memory. See bench_pfac.h. What one form finds all others must find.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "carver/bench_pfac.h"
#include "carver/stop.h"

enum {
    TIME_DEVICES = 2,           /* of the paper: GTX 480, C2070 */
    TIME_TABLES = 3,            /* of the paper: MFPH, without division, with it */
    TIME_SEGMENT = 1 << 20,     /* bytes of a segment: of no use here, so a small one */
    TIME_HITS = 1 << 10,        /* room for hits of a segment, and one for each pattern */
    TIME_CHECKED = 4 << 20,     /* more hits than that are counted alone */
    TIME_ONE_LEN = 100000000,   /* 100M of Table 4 */
    TIME_TWO_LEN = 64 << 20,    /* the longest of Table 5 */
    TIME_LARGE_LEN = 256 << 20, /* of the million states */
    TIME_LARGE_PATTERNS = 100000,
    TIME_LARGE_LEAVES = 95000,
};

/* One cell of a table: a dictionary and a text. */
struct time_cell {
    const struct bench_pfac *bench;
    const struct bench_dictionary *dictionary;
    struct match_resident *resident;
    uint64_t len;
    char name[BENCH_NAME_MAX];
    const double (*paper)[TIME_DEVICES]; /* [TIME_TABLES]; NULL: the paper has none */

    bool known; /* what is found */
    uint64_t hits;
    struct bench_result result;
    double baseline; /* median rate of MFPH, walks as in the paper */
};

/* What came of one form. */
struct time_form {
    double seconds[BENCH_RUNS_MAX];
    struct bench_figure gbps;
    double compile;             /* seconds */
    char missing[ERR_TEXT_MAX]; /* why there is none of this */
};

static void time_hit(void *arg, const struct hit *hit)
{
    struct bench_result *result = arg;

    if (result->hits < TIME_CHECKED)
        bench_count(result, hit->offset, hit->pattern);
}

static double time_now(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* The first one says what is found. Sums are of hits in any order, so with too many of them they say nothing. */
static enum err_code time_check(struct time_cell *cell, const struct match_engine *engine, uint64_t hits,
                                struct bench_result result, struct err *err)
{
    if (!cell->known) {
        cell->hits = hits;
        cell->result = result;
    }
    cell->known = true;
    if (hits == cell->hits && (hits >= TIME_CHECKED || result.sum == cell->result.sum))
        return ERR_OK;
    return ERR_RAISE(err, ERR_FULL,
                     "%s: %s finds %" PRIu64 " hits (checksum %016" PRIx64 "), others %" PRIu64 " (%016" PRIx64
                     "): one of them is wrong",
                     cell->name, engine->name, hits, result.sum, cell->hits, cell->result.sum);
}

/* A form that has no table for the dictionary is left out and says why. */
static enum err_code time_engine(struct time_cell *cell, const struct match_engine *engine, struct time_form *form,
                                 struct err *err)
{
    const struct bench_pfac_options *o = cell->bench->options;
    const struct match_setup setup = { .threads = 1,
                                       .segment_len = TIME_SEGMENT,
                                       .lanes = 1,
                                       .carry = cell->dictionary->longest - 1,
                                       .hits_max = TIME_HITS + cell->dictionary->count,
                                       .device_mask = UINT32_C(1) << o->device };
    struct bench_result result = { 0 };
    struct match_measure measure = { .resident = cell->resident,
                                     .len = cell->len,
                                     .runs = (uint32_t)o->runs,
                                     .each = cell->hits < TIME_CHECKED ? time_hit : NULL,
                                     .arg = &result,
                                     .seconds = form->seconds };
    struct err why = { 0 };
    void *program = NULL;

    form->missing[0] = '\0';
    if (stop_requested())
        return ERR_RAISE(err, ERR_INTERRUPTED, "stopped on request");
    const double begin = time_now();
    enum err_code rc = engine->compile(cell->dictionary->patterns, &setup, &program, &why);
    form->compile = time_now() - begin;
    if (rc == ERR_OK)
        rc = engine->offload->measure(program, &measure, &why);
    engine->release(program);
    if (rc != ERR_OK) {
        snprintf(form->missing, sizeof form->missing, "%s", why.text);
        return ERR_OK;
    }
    for (uint32_t i = 0; i < measure.runs; i++)
        form->seconds[i] = (double)cell->len * 8 / 1e9 / form->seconds[i];
    form->gbps = bench_figure(form->seconds, measure.runs);
    return time_check(cell, engine, measure.hits, result, err);
}

/* Which of the paper's columns a table of ours is: -1, none. */
static int time_column(enum pfac_kind kind)
{
    return kind == PFAC_MFPH ? 0 : kind == PFAC_PH_RECIPROCAL ? 1 : kind == PFAC_PH ? 2 : -1;
}

static void time_print(const struct time_cell *cell, enum pfac_kind kind, const struct time_form forms[PFAC_WALKS])
{
    const int column = time_column(kind);
    const struct time_form *each = &forms[PFAC_EACH], *queued = &forms[PFAC_QUEUED];

    if (each->missing[0] != '\0') {
        printf("%-22s %-14s %s\n", cell->name, pfac_kind_name(kind), each->missing);
        return;
    }
    printf("%-22s %-14s %10.2f [%8.2f .. %8.2f] %10.2f [%8.2f .. %8.2f] %10.2f", cell->name, pfac_kind_name(kind),
           each->gbps.median, each->gbps.min, each->gbps.max, queued->gbps.median, queued->gbps.min, queued->gbps.max,
           cell->baseline > 0 ? cell->baseline / each->gbps.median : 0);
    if (column >= 0 && cell->paper != NULL)
        printf(" %9.2f %9.2f %8.2f", cell->paper[column][0], cell->paper[column][1],
               cell->paper[0][0] / cell->paper[column][0]);
    printf("\n");
    fflush(stdout);
}

static void time_json(const struct time_cell *cell, enum pfac_kind kind, const struct time_form forms[PFAC_WALKS])
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

/* Every table with both ways to deal out walks; MFPH first, for the others are compared with it. */
static enum err_code time_cell(struct time_cell *cell, struct err *err)
{
    static const enum pfac_kind kinds[] = { PFAC_MFPH, PFAC_PH_RECIPROCAL, PFAC_PH, PFAC_2D, PFAC_LINKED };
    struct time_form *forms = calloc(PFAC_WALKS, sizeof *forms);
    enum err_code rc = forms != NULL ? ERR_OK : ERR_NO_MEMORY(err, PFAC_WALKS * sizeof *forms);

    for (uint32_t i = 0; rc == ERR_OK && i < PFAC_KINDS; i++) {
        for (enum pfac_walks walks = PFAC_EACH; rc == ERR_OK && walks < PFAC_WALKS; walks++)
            rc = time_engine(cell, match_pfac_form(kinds[i], walks, cell->bench->options->longest), &forms[walks], err);
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

static void time_head(const struct bench_pfac *bench, const char *key, const char *title)
{
    if (bench->json != NULL) {
        json_open_array(bench->json, key);
        return;
    }
    printf("\n%s\n%-22s %-14s %33s %33s %10s %9s %9s %8s\n", title, "", "table", "a walk a thread, Gbit/s",
           "sieved and queued, Gbit/s", "mfph/this", "GTX 480", "C2070", "mfph/it");
}

/* The text on the device; it is filled in by the caller. */
static enum err_code time_text(const struct bench_pfac *bench, uint64_t want, uint8_t **text, uint64_t *len,
                               struct err *err)
{
    const uint64_t most = bench->options->size;

    *len = most != 0 && most < want ? most : want;
    *text = malloc((size_t)*len);
    return *text != NULL ? ERR_OK : ERR_NO_MEMORY(err, *len);
}

static enum err_code time_resident(const struct bench_pfac *bench, const uint8_t *text, uint64_t len,
                                   struct match_resident **out, struct err *err)
{
    return match_resident_open(
        &(struct match_resident_setup){ .device = (uint32_t)bench->options->device, .bytes = text, .len = len }, out,
        err);
}

/* Table 4: 100M of one letter under a pattern of one letter. */
enum err_code bench_pfac_one(const struct bench_pfac *bench, struct err *err)
{
    static const uint32_t lens[] = { 1, 10, 100 };
    static const double paper[2][3][TIME_TABLES][TIME_DEVICES] = {
        { { { 103.11, 78.74 }, { 19.67, 25.66 }, { 12.30, 16.23 } },
          { { 15.01, 11.47 }, { 3.58, 5.06 }, { 2.23, 3.10 } },
          { { 1.57, 1.20 }, { 0.39, 0.55 }, { 0.24, 0.34 } } },
        { { { 196.08, 149.05 }, { 38.31, 47.29 }, { 24.33, 30.67 } },
          { { 196.09, 149.07 }, { 66.19, 65.58 }, { 65.38, 63.82 } },
          { { 195.98, 149.06 }, { 65.62, 65.56 }, { 65.37, 63.65 } } },
    };
    uint8_t *text = NULL, pattern[100];
    uint64_t len = 0;
    enum err_code rc = time_text(bench, TIME_ONE_LEN, &text, &len, err);

    memset(pattern, 'a', sizeof pattern);
    time_head(bench, "table4", "Table 4: one letter's text under one letter's pattern");
    for (uint32_t letter = 0; rc == ERR_OK && letter < 2; letter++) {
        struct match_resident *resident = NULL;

        memset(text, letter == 0 ? 'a' : 'b', len);
        rc = time_resident(bench, text, len, &resident, err);
        for (uint32_t i = 0; rc == ERR_OK && i < sizeof lens / sizeof lens[0]; i++) {
            struct bench_dictionary dictionary = { 0 };
            struct time_cell cell = { .bench = bench,
                                      .dictionary = &dictionary,
                                      .resident = resident,
                                      .len = len,
                                      .hits = letter == 0 ? len : 0,
                                      .paper = paper[letter][i] };

            snprintf(cell.name, sizeof cell.name, "%ua, %" PRIu64 "M {%c}", lens[i], len / 1000000,
                     letter == 0 ? 'a' : 'b');
            rc = match_dictionary_create(&dictionary.patterns, err);
            if (rc == ERR_OK)
                rc = bench_dictionary_add(&dictionary, pattern, NULL, lens[i], false, err);
            if (rc == ERR_OK)
                rc = time_cell(&cell, err);
            bench_dictionary_close(&dictionary);
        }
        match_resident_close(resident);
    }
    free(text);
    if (bench->json != NULL)
        json_close_array(bench->json);
    return rc;
}

/* Table 5: the set of 27,754 states on packets and on patterns one behind the other. */
enum err_code bench_pfac_two(const struct bench_pfac *bench, struct err *err)
{
    static const double paper[2][3][TIME_TABLES][TIME_DEVICES] = {
        { { { 60.67, 45.97 }, { 8.54, 6.62 }, { 9.35, 8.88 } },
          { { 69.76, 52.60 }, { 7.39, 5.68 }, { 9.33, 8.25 } },
          { { 72.41, 54.51 }, { 7.74, 5.94 }, { 9.66, 8.58 } } },
        { { { 8.45, 6.39 }, { 1.97, 1.66 }, { 1.44, 1.70 } },
          { { 8.89, 6.78 }, { 2.09, 1.82 }, { 1.47, 1.74 } },
          { { 8.97, 6.84 }, { 2.20, 1.92 }, { 1.48, 1.75 } } },
    };
    static const char *const kinds[] = { "regular", "worst" };
    struct bench_dictionary dictionary;
    uint8_t *text = NULL;
    uint64_t all = 0;
    enum err_code rc = bench_pfac_made(&bench_pfac_sets[4], &dictionary, err);

    if (rc != ERR_OK)
        return rc;
    rc = time_text(bench, TIME_TWO_LEN, &text, &all, err);
    time_head(bench, "table5", "Table 5: 1,998 patterns, 27,754 states");
    for (uint32_t kind = 0; rc == ERR_OK && kind < 2; kind++) {
        static const uint64_t lens[] = { 2 << 20, 16 << 20, 64 << 20 };
        struct match_resident *resident = NULL;

        (kind == 0 ? bench_pfac_regular : bench_pfac_worst)(&dictionary, text, all);
        rc = time_resident(bench, text, all, &resident, err);
        for (uint32_t i = 0; rc == ERR_OK && i < sizeof lens / sizeof lens[0] && (i == 0 || lens[i] <= all); i++) {
            struct time_cell cell = { .bench = bench,
                                      .dictionary = &dictionary,
                                      .resident = resident,
                                      .len = lens[i] < all ? lens[i] : all,
                                      .paper = paper[kind][i] };

            snprintf(cell.name, sizeof cell.name, "%s %" PRIu64 " KiB", kinds[kind], cell.len >> 10);
            rc = time_cell(&cell, err);
        }
        match_resident_close(resident);
    }
    free(text);
    bench_dictionary_close(&dictionary);
    if (bench->json != NULL)
        json_close_array(bench->json);
    return rc;
}

/* Other engines on the same set. */
static enum err_code time_others(struct time_cell *cell, struct err *err)
{
    static const char *const names[] = { "pfac", "shift-and", "ac4" };
    struct json *json = cell->bench->json;
    struct time_form *form = calloc(1, sizeof *form);
    enum err_code rc = form != NULL ? ERR_OK : ERR_NO_MEMORY(err, sizeof *form);

    for (uint32_t i = 0; rc == ERR_OK && i < sizeof names / sizeof names[0]; i++) {
        rc = time_engine(cell, match_engine_named(names[i]), form, err);
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
            printf("%-22s %-14s %33s %10.2f [%8.2f .. %8.2f]\n", cell->name, names[i], "", form->gbps.median,
                   form->gbps.min, form->gbps.max);
        } else {
            printf("%-22s %-14s %s\n", cell->name, names[i], form->missing);
        }
    }
    free(form);
    return rc;
}

/* How large the tables are. */
static enum err_code time_sizes(const struct bench_pfac *bench, const struct bench_dictionary *dictionary,
                                struct err *err)
{
    struct pfac *pfac = NULL;
    enum err_code rc = pfac_build(dictionary->patterns, &pfac, err);

    if (rc != ERR_OK)
        return rc;
    if (bench->json == NULL)
        printf("\n%u states, %u patterns of %u to %u bytes; bytes of tables: %" PRIu64 " of 256 integers a state",
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
                                        .finals = TIME_LARGE_PATTERNS,
                                        .leaves = TIME_LARGE_LEAVES };
    struct match_resident *resident = NULL;
    struct bench_dictionary dictionary;
    uint8_t *text = NULL;
    uint64_t len = 0;
    enum err_code rc = bench_pfac_made(&set, &dictionary, err);

    if (rc != ERR_OK)
        return rc;
    rc = time_sizes(bench, &dictionary, err);
    if (rc == ERR_OK)
        rc = time_text(bench, TIME_LARGE_LEN, &text, &len, err);
    time_head(bench, "large", "As many patterns as a dictionary may have, in packets");
    if (rc == ERR_OK) {
        bench_pfac_regular(&dictionary, text, len);
        rc = time_resident(bench, text, len, &resident, err);
    }
    if (rc == ERR_OK) {
        struct time_cell cell = { .bench = bench, .dictionary = &dictionary, .resident = resident, .len = len };

        snprintf(cell.name, sizeof cell.name, "%u states", set.states);
        rc = time_cell(&cell, err);
        if (rc == ERR_OK)
            rc = time_others(&cell, err);
    }
    match_resident_close(resident);
    free(text);
    bench_dictionary_close(&dictionary);
    if (bench->json != NULL)
        json_close_array(bench->json);
    return rc;
}
