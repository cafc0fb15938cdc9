/* SPDX-License-Identifier: Apache-2.0
 * carver/bench/gpu/bench_cuda_host_print.c - rows of `burin bench cuda`, host to host, as text and
 * as JSON; see bench_cuda.h. */
#include <inttypes.h>
#include <stdio.h>

#include "carver/bench/gpu/bench_cuda.h"

static void host_print(const struct bench_cuda_host_row *row)
{
    printf("%-10s %8u KiB %9.2f [%6.2f .. %6.2f] %9.2f %6.1f%%", row->strategy, row->segment >> 10,
           row->rate.median, row->rate.min, row->rate.max, row->copy.median,
           100 * row->rate.median / row->copy.median);
    for (uint32_t i = 0; i < row->count; i++) {
        const struct match_transfer *t = &row->transfers[i];

        printf("  %u: %2u buffers, %.3f %.3f %.3f ms, predicted %.3f s (A %.3f, B %.3f), took %.3f "
               "s (%+.1f%%)",
               t->device, t->buffers, t->write * 1e3, t->process * 1e3, t->read * 1e3, t->predicted,
               t->predicted_a, t->predicted_b, t->took, 100 * (t->took / t->predicted - 1));
    }
    printf("\n");
    fflush(stdout);
}

static void host_json(struct json *json, const struct bench_cuda_host_row *row)
{
    json_open_object(json, NULL);
    json_string(json, "strategy", row->strategy);
    json_uint(json, "segment", row->segment);
    json_uint(json, "segments", row->segments);
    bench_figure_json(json, "gb_per_second", row->rate);
    bench_figure_json(json, "copy_gb_per_second", row->copy);
    json_double(json, "ratio_copy", row->rate.median / row->copy.median);
    json_open_array(json, "devices");
    for (uint32_t i = 0; i < row->count; i++) {
        const struct match_transfer *t = &row->transfers[i];

        json_open_object(json, NULL);
        json_uint(json, "device", t->device);
        json_uint(json, "buffers", t->buffers);
        json_uint(json, "segments", t->segments);
        json_double(json, "write_seconds", t->write);
        json_double(json, "process_seconds", t->process);
        json_double(json, "read_seconds", t->read);
        json_double(json, "predicted_seconds", t->predicted);
        json_double(json, "predicted_a_seconds", t->predicted_a);
        json_double(json, "predicted_b_seconds", t->predicted_b);
        json_double(json, "seconds", t->took);
        json_close_object(json);
    }
    json_close_array(json);
    json_close_object(json);
}

void bench_cuda_host_print(const struct bench_cuda *bench, const struct bench_cuda_host_row *row)
{
    if (bench->json == NULL)
        host_print(row);
    else
        host_json(bench->json, row);
}
