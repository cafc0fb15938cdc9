/* SPDX-License-Identifier: Apache-2.0
 * carver/bench/bench_scan_print.c - see bench_scan.h: rows as text and as JSON. */
#include <inttypes.h>
#include <stdio.h>

#include "carver/bench/bench_scan.h"

void bench_scan_print(const struct bench_scan *b)
{
    const struct bench_row *best = bench_yard_best(&b->yard);

    printf("%s: %" PRIu64 " bytes, %s page cache, %" PRIu64 " runs; median [least .. most]\n",
           b->image, b->bytes, b->cold ? "cold" : "warm", b->runs);
    if (best != NULL)
        printf("best read: %s\n", best->name);
    printf("%-12s %28s %8s %24s %24s %24s %24s %8s %10s\n", "", "seconds", "GB/s", "/ raw read",
           "/ best read", "/ cat", "/ no matching", "CPU s", "peak MiB");
    for (uint32_t i = 0; i < b->row_count; i++) {
        const struct bench_row *row = &b->rows[i];

        if (row->missing || row->runs == 0) {
            printf("%-12s not installed\n", row->name);
            continue;
        }
        const struct bench_figure wall = bench_figure(row->wall, row->runs),
                                  cpu = bench_figure(row->cpu, row->runs);

        printf("%-12s %8.3f [%7.3f .. %7.3f] %8.2f", row->name, wall.median, wall.min, wall.max,
               (double)b->bytes / wall.median / 1e9);
        bench_yard_print_ratio(row, b->raw);
        bench_yard_print_ratio(row, best);
        bench_yard_print_ratio(row, b->yard.cat);
        bench_yard_print_ratio(row, b->nothing);
        printf(" %8.2f %10.1f%s\n", cpu.median, (double)row->peak_kib / 1024,
               row->status == 0 ? "" : "  (exit status not 0)");
    }
}

void bench_scan_json_head(const struct bench_scan *b, struct json *json)
{
    json_init(json, stdout, 3);
    json_open_object(json, NULL);
    json_string(json, "image", b->image);
    json_uint(json, "bytes", b->bytes);
    json_string(json, "cache", b->cold ? "cold" : "warm");
    json_uint(json, "runs", b->runs);
}

void bench_scan_json(const struct bench_scan *b, struct json *json)
{
    const struct bench_row *best = bench_yard_best(&b->yard);

    json_string(json, "best_read", best != NULL ? best->name : NULL);
    json_open_array(json, "rows");
    for (uint32_t i = 0; i < b->row_count; i++) {
        const struct bench_row *row = &b->rows[i];

        if (row->missing || row->runs == 0)
            continue;
        json_open_object(json, NULL);
        json_string(json, "name", row->name);
        bench_figure_json(json, "wall_seconds", bench_figure(row->wall, row->runs));
        bench_figure_json(json, "cpu_seconds", bench_figure(row->cpu, row->runs));
        bench_figure_json(json, "ratio_raw_read", bench_yard_ratio(row, b->raw));
        if (best != NULL)
            bench_figure_json(json, "ratio_best_read", bench_yard_ratio(row, best));
        if (b->yard.cat != NULL && b->yard.cat->runs > 0)
            bench_figure_json(json, "ratio_cat", bench_yard_ratio(row, b->yard.cat));
        bench_figure_json(json, "ratio_no_matching", bench_yard_ratio(row, b->nothing));
        json_int(json, "peak_kib", row->peak_kib);
        json_int(json, "exit_status", row->status);
        json_close_object(json);
    }
}
