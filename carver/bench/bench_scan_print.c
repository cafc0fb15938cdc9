/* carver/bench/bench_scan_print.c - see bench_scan.h: rows as text and as JSON. */
#include <inttypes.h>
#include <stdio.h>

#include "carver/bench/bench_scan.h"

/* Ratios are taken run by run, so that a slow moment of the machine weighs on both sides. */
static struct bench_figure bench_scan_ratio(const struct bench_row *row,
                                            const struct bench_row *base)
{
    double ratios[BENCH_RUNS_MAX];

    for (uint32_t i = 0; i < row->runs; i++)
        ratios[i] = row->wall[i] / base->wall[i];
    return bench_figure(ratios, row->runs);
}

static void bench_scan_print_ratio(const struct bench_row *row, const struct bench_row *base)
{
    if (base == NULL) {
        printf(" %24s", "-");
        return;
    }
    const struct bench_figure ratio = bench_scan_ratio(row, base);
    printf(" %8.3f [%5.2f .. %5.2f]", ratio.median, ratio.min, ratio.max);
}

void bench_scan_print(const struct bench_scan *b)
{
    printf("%s: %" PRIu64 " bytes, %s page cache, %" PRIu64 " runs; median [least .. most]\n",
           b->image, b->bytes, b->cold ? "cold" : "warm", b->runs);
    printf("%-12s %28s %8s %24s %24s %24s %8s %10s\n", "", "seconds", "GB/s", "/ raw read", "/ cat",
           "/ no matching", "CPU s", "peak MiB");
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
        bench_scan_print_ratio(row, b->raw);
        bench_scan_print_ratio(row, b->cat);
        bench_scan_print_ratio(row, b->nothing);
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
    json_open_array(json, "rows");
    for (uint32_t i = 0; i < b->row_count; i++) {
        const struct bench_row *row = &b->rows[i];

        if (row->missing || row->runs == 0)
            continue;
        json_open_object(json, NULL);
        json_string(json, "name", row->name);
        bench_figure_json(json, "wall_seconds", bench_figure(row->wall, row->runs));
        bench_figure_json(json, "cpu_seconds", bench_figure(row->cpu, row->runs));
        bench_figure_json(json, "ratio_raw_read", bench_scan_ratio(row, b->raw));
        if (b->cat != NULL)
            bench_figure_json(json, "ratio_cat", bench_scan_ratio(row, b->cat));
        bench_figure_json(json, "ratio_no_matching", bench_scan_ratio(row, b->nothing));
        json_int(json, "peak_kib", row->peak_kib);
        json_int(json, "exit_status", row->status);
        json_close_object(json);
    }
}
