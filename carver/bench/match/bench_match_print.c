/* SPDX-License-Identifier: Apache-2.0
 * carver/bench/match/bench_match_print.c - the figures of a cell as a table and as JSON. See
 * bench_match.h. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "carver/bench/match/bench_match.h"

struct bench_figure bench_match_ratio(const struct bench_match_cell *cell,
                                      const struct bench_match_row *row,
                                      const struct bench_match_row *base)
{
    double ratios[BENCH_RUNS_MAX];

    for (uint32_t i = 0; i < cell->options->work.runs; i++)
        ratios[i] = row->rate[i] / base->rate[i];
    return bench_figure(ratios, (uint32_t)cell->options->work.runs);
}

const struct bench_match_row *bench_match_best_peer(const struct bench_match_cell *cell,
                                                    const struct bench_match_row *row)
{
    const uint32_t runs = (uint32_t)cell->options->work.runs;
    const struct bench_match_row *best = NULL;
    bool limited = false;

    for (uint32_t i = 0; i < cell->row_count; i++)
        limited |=
            cell->rows[i].peer != NULL && cell->rows[i].is_avx2 && cell->rows[i].missing[0] == '\0';
    for (uint32_t i = 0; i < cell->row_count; i++) {
        const struct bench_match_row *peer = &cell->rows[i];

        if (!peer->is_peer || peer->missing[0] != '\0')
            continue;
        if (peer->peer != NULL && peer->is_avx2 != (row->is_avx2 && limited)) /* like with like */
            continue;
        if (best == NULL ||
            bench_figure(peer->rate, runs).median > bench_figure(best->rate, runs).median)
            best = peer;
    }
    return best;
}

static void print_figure(struct bench_figure figure)
{
    printf("  %7.3f [%7.3f .. %7.3f]", figure.median, figure.min, figure.max);
}

void bench_match_print(const struct bench_match_cell *cell)
{
    const struct bench_dictionary *d = cell->dictionary;
    const uint32_t runs = (uint32_t)cell->options->work.runs;

    printf("\n%s: %u patterns of %u to %u bytes; %s, %" PRIu64 " bytes; %u thread%s: %" PRIu64
           " hits\n",
           d->name, d->count, d->shortest, d->longest, cell->data.name, cell->data.len,
           cell->threads, cell->threads == 1 ? "" : "s", cell->result.hits);
    printf("%-18s %28s %28s %28s %10s\n", "", "GB/s", "/ read", "/ best peer", "compile s");
    for (uint32_t i = 0; i < cell->row_count; i++) {
        const struct bench_match_row *row = &cell->rows[i],
                                     *peer = bench_match_best_peer(cell, row);

        if (row->missing[0] != '\0') {
            printf("%-18s %s\n", row->name, row->missing);
            continue;
        }
        printf("%-18s", row->name);
        print_figure(bench_figure(row->rate, runs));
        if (i > 0) {
            print_figure(bench_match_ratio(cell, row, &cell->rows[0]));
            if (peer != NULL)
                print_figure(bench_match_ratio(cell, row, peer));
            else
                printf("  %27s", "");
            printf(" %10.3f", row->compile_seconds);
        }
        if (row->every > 1)
            printf("  (%.1f MiB of it)",
                   (double)bench_run_bytes(cell, row, row->every) / (1 << 20));
        if (row->engine == &match_auto_engine)
            printf("  (%s)", match_auto_name(row->program));
        printf("%s\n", peer == row ? "  <- best peer" : "");
    }
    if (cell->repeated > 0)
        printf("runs done again because another program had the CPU: %u\n", cell->repeated);
    fflush(stdout);
}

void bench_sweep_note(struct bench_sweep *sweep, const struct bench_match_cell *cell)
{
    if (sweep->cell_count == BENCH_LIST_MAX)
        return;
    snprintf(sweep->cells[sweep->cell_count], BENCH_NAME_MAX, "%s", cell->dictionary->name);
    for (uint32_t i = 1; i < cell->row_count; i++) {
        const struct bench_match_row *row = &cell->rows[i];
        uint32_t engine = 0;

        while (engine < sweep->engine_count && strcmp(sweep->engines[engine], row->name) != 0)
            engine++;
        if (row->missing[0] != '\0' || engine == 2 * BENCH_LIST_MAX)
            continue;
        if (engine == sweep->engine_count)
            snprintf(sweep->engines[sweep->engine_count++], BENCH_NAME_MAX, "%s", row->name);
        sweep->times[engine][sweep->cell_count] =
            1 / bench_figure(row->rate, (uint32_t)cell->options->work.runs).median;
    }
    sweep->cell_count++;
}

void bench_sweep_print(const struct bench_sweep *sweep)
{
    printf("\nnanoseconds a byte, medians\n%-18s", "");
    for (uint32_t c = 0; c < sweep->cell_count; c++)
        printf(" %15s", sweep->cells[c]);
    printf("\n");
    for (uint32_t e = 0; e < sweep->engine_count; e++) {
        printf("%-18s", sweep->engines[e]);
        for (uint32_t c = 0; c < sweep->cell_count; c++)
            if (sweep->times[e][c] > 0)
                printf(" %15.3f", sweep->times[e][c]);
            else
                printf(" %15s", "-");
        printf("\n");
    }
}

void bench_match_json(struct json *json, const struct bench_match_cell *cell)
{
    const struct bench_dictionary *d = cell->dictionary;
    const uint32_t runs = (uint32_t)cell->options->work.runs;
    char sum[17];

    snprintf(sum, sizeof sum, "%016" PRIx64, cell->result.sum);
    json_open_object(json, NULL);
    json_string(json, "dictionary", d->name);
    json_uint(json, "patterns", d->count);
    json_uint(json, "shortest", d->shortest);
    json_uint(json, "longest", d->longest);
    json_uint(json, "patterns_left_out", d->left_out);
    json_string(json, "data", cell->data.name);
    json_uint(json, "bytes", cell->data.len);
    json_uint(json, "threads", cell->threads);
    json_uint(json, "hits", cell->result.hits);
    json_string(json, "checksum", sum);
    json_uint(json, "runs_repeated", cell->repeated);
    json_open_array(json, "rows");
    for (uint32_t i = 0; i < cell->row_count; i++) {
        const struct bench_match_row *row = &cell->rows[i],
                                     *peer = bench_match_best_peer(cell, row);

        json_open_object(json, NULL);
        json_string(json, "name", row->name);
        json_string(json, "kind", i == 0 ? "limit" : row->peer != NULL ? "peer" : "engine");
        if (row->missing[0] != '\0') {
            json_string(json, "missing", row->missing);
        } else {
            bench_figure_json(json, "gb_per_second", bench_figure(row->rate, runs));
            bench_figure_json(json, "ratio_read", bench_match_ratio(cell, row, &cell->rows[0]));
            if (i > 0 && peer != NULL) {
                bench_figure_json(json, "ratio_best_peer", bench_match_ratio(cell, row, peer));
                json_string(json, "best_peer", peer->name);
            }
            if (row->engine == &match_auto_engine)
                json_string(json, "chosen", match_auto_name(row->program));
            json_double(json, "compile_seconds", row->compile_seconds);
            json_uint(json, "bytes_scanned", bench_run_bytes(cell, row, row->every));
        }
        json_close_object(json);
    }
    json_close_array(json);
    json_close_object(json);
}
