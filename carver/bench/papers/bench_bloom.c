/* SPDX-License-Identifier: Apache-2.0
 * carver/bench/papers/bench_bloom.c - `burin bench bloom`: Bloom filters filled and asked by one
 * thread, by OpenMP and by a device.
 *
 * Ten million digests go into a filter of each kind, and are asked for; then as many others, which
 * gives the rate of false positives to put beside the formula. After that the experiment of Ong Wen
 * Mei's thesis (String Algorithm on GPGPU, 2013, sections 3.4, 4.2 and 5.2): words of up to 20
 * letters, 500 hashes each, rate 1/n. All forms must make the same table and the same answers. The
 * serial form of the thesis' filter takes minutes for ten million words, so that it is given a part
 * of them; its filter has the size for all.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/limits.h"
#include "carver/bench/papers/bench_bloom.h"
#include "carver/cli/args.h"
#include "carver/cli/cpus.h"
#include "carver/cli/json_write.h"

enum {
    OPT_KEYS = ARGS_LONG,
    OPT_RATE,
    OPT_RUNS,
    OPT_THREADS,
    OPT_THESIS,
    OPT_THESIS_SERIAL,
    OPT_NO_DEVICE,
    OPT_JSON
};

static const struct args_option bench_bloom_table[] = {
    { "keys", OPT_KEYS, "N" },
    { "rate", OPT_RATE, "P" },
    { "runs", OPT_RUNS, "N" },
    { "threads", OPT_THREADS, "N" },
    { "thesis", OPT_THESIS, "N" },
    { "thesis-serial", OPT_THESIS_SERIAL, "N" },
    { "no-device", OPT_NO_DEVICE, NULL },
    { "json", OPT_JSON, NULL },
    { 0 },
};

const char bench_bloom_help[] =
    "Fills Bloom filters with keys and asks them, by one thread, by OpenMP and on a GPU; all\n"
    "must make the same bits.\n"
    "\n"
    "Options:\n"
    "  --keys N         keys of 16 bytes (default 10000000)\n"
    "  --rate P         wanted rate of false positives (default 0.0001)\n"
    "  --thesis N       words with 500 hashes each, at rate 1/N (default 100000; 0: none)\n"
    "  --thesis-serial N  that the serial form inserts of them (default 100000)\n"
    "  --no-device      not on a GPU\n"
    "  --threads N      threads of OpenMP (default: all)\n"
    "  --runs N         runs that count, 1 to 100 (default 5)\n" BENCH_COMMON_TEXT;

enum {
    BENCH_BLOOM_KEYS_MAX = 100000000,
    BENCH_BLOOM_DIGEST = 16,
    BENCH_BLOOM_WORD = 20, /* letters, at most */
    BENCH_BLOOM_K = 500,   /* the thesis' */
};

static enum err_code bench_bloom_rate(const char *text, double *out, struct err *err)
{
    char *end;

    *out = strtod(text, &end);
    if (end == text || *end != '\0' || !(*out > 0 && *out < 1))
        return ERR_RAISE(err, ERR_ARG,
                         "--rate %s: a number between 0 and 1 is allowed, such as 0.0001", text);
    return ERR_OK;
}

static enum err_code bench_bloom_options(struct bench_bloom_options *o, int argc, char **argv,
                                         struct err *err)
{
    struct args args;
    const char *value = NULL;
    char **operands;
    int id, count;
    enum err_code rc;

    *o = (struct bench_bloom_options){ .keys = 10000000,
                                       .thesis = 100000,
                                       .thesis_serial = 100000,
                                       .runs = 5,
                                       .threads = cpus_count(),
                                       .rate = 1e-4,
                                       .device = true };
    args_begin(&args, "bench bloom", bench_bloom_table, argc, argv);
    while ((rc = args_next(&args, &id, &value, err)) == ERR_OK && id != ARGS_END) {
        if (id == OPT_KEYS)
            rc = args_count("--keys", value, 1, BENCH_BLOOM_KEYS_MAX, &o->keys, err);
        else if (id == OPT_RATE)
            rc = bench_bloom_rate(value, &o->rate, err);
        else if (id == OPT_RUNS)
            rc = args_count("--runs", value, 1, BENCH_RUNS_MAX, &o->runs, err);
        else if (id == OPT_THREADS)
            rc = args_count("--threads", value, 1, LIMIT_THREADS, &o->threads, err);
        else if (id == OPT_THESIS)
            rc = args_count("--thesis", value, 0, 10000000, &o->thesis, err);
        else if (id == OPT_THESIS_SERIAL)
            rc = args_count("--thesis-serial", value, 1, 10000000, &o->thesis_serial, err);
        else if (id == OPT_NO_DEVICE)
            o->device = false;
        else
            o->json = true;
        if (rc != ERR_OK)
            return rc;
    }
    return rc == ERR_OK ? args_operands(&args, 0, 0, "", &operands, &count, err) : rc;
}

static void bench_bloom_free(struct bloom_keys *keys)
{
    free((void *)(uintptr_t)keys->bytes);
    free((void *)(uintptr_t)keys->starts);
    *keys = (struct bloom_keys){ 0 };
}

/* Digests, or words that end in their number, so that no two are the same. */
static enum err_code bench_bloom_make(struct bench_bloom *b, uint64_t from, uint64_t count,
                                      struct bloom_keys *out, struct err *err)
{
    const bool words = b->kind == BLOOM_SALTED;
    const size_t size = count * (words ? BENCH_BLOOM_WORD : BENCH_BLOOM_DIGEST) + BLOOM_ALIGN;
    uint8_t *bytes =
        aligned_alloc(BLOOM_ALIGN, (size + BLOOM_ALIGN - 1) / BLOOM_ALIGN * BLOOM_ALIGN);
    uint64_t *starts = words ? malloc((count + 1) * sizeof *starts) : NULL;

    *out = (struct bloom_keys){
        .bytes = bytes, .starts = starts, .len = BENCH_BLOOM_DIGEST, .count = count
    };
    if (bytes == NULL || (words && starts == NULL))
        return ERR_NO_MEMORY(err, size);
    if (words)
        starts[0] = 0;
    for (uint64_t i = 0; i < count; i++) {
        const uint64_t x = bloom_mix(from + i + 1), y = bloom_mix(~x);

        if (!words) {
            memcpy(bytes + i * BENCH_BLOOM_DIGEST, &x, sizeof x);
            memcpy(bytes + i * BENCH_BLOOM_DIGEST + sizeof x, &y, sizeof y);
            continue;
        }
        uint8_t *word = bytes + starts[i];
        uint32_t len = 0;
        for (uint64_t number = from + i; number > 0; number /= 26)
            word[len++] = (uint8_t)('a' + number % 26);
        for (const uint32_t wanted = 8 + (uint32_t)(y % 13); len < wanted; len++)
            word[len] = (uint8_t)('a' + (x >> len) % 26);
        starts[i + 1] = starts[i] + len;
    }
    return ERR_OK;
}

static void bench_bloom_print(const struct bench_bloom *b)
{
    const uint32_t runs = (uint32_t)b->options->runs;
    const struct bench_figure base_in = bench_figure(b->rows[0].insert, runs),
                              base_ask = bench_figure(b->rows[0].query, runs);

    printf("\n%s: %" PRIu64 " keys, k = %u, %.2f bits a key, %.1f MB%s%s\n", b->name, b->keys.count,
           b->shape.k, (double)b->shape.bits / (double)b->keys.count, (double)b->shape.bits / 8e6,
           b->device[0] != '\0' ? "; " : "", b->device);
    printf("  false positives: %.4g by formula, %.4g measured (%+.1f %%)\n", b->formula,
           b->measured, b->formula > 0 ? (b->measured / b->formula - 1) * 100 : 0.0);
    printf("  %-22s %12s %12s %10s %10s %10s %10s\n", "", "insert s", "query s", "Mkeys/s",
           "Mkeys/s", "x serial", "x serial");
    for (uint32_t i = 0; i < b->row_count; i++) {
        const struct bench_bloom_row *row = &b->rows[i];

        if (row->missing != NULL) {
            printf("  %-22s %s\n", row->name, row->missing);
            continue;
        }
        const struct bench_figure in = bench_figure(row->insert, runs),
                                  ask = bench_figure(row->query, runs);
        const double keys = (double)row->keys, part = keys / (double)b->rows[0].keys;
        printf("  %-22s %12.6f %12.6f %10.2f %10.2f %10.2f %10.2f", row->name, in.median,
               ask.median, keys / in.median / 1e6, keys / ask.median / 1e6,
               base_in.median * part / in.median, base_ask.median * part / ask.median);
        if (row->keys != b->keys.count)
            printf("  (%" PRIu64 " of the keys)", row->keys);
        putchar('\n');
    }
}

static void bench_bloom_json(const struct bench_bloom *b, struct json *json)
{
    json_open_object(json, NULL);
    json_string(json, "kind", b->name);
    json_uint(json, "keys", b->keys.count);
    json_uint(json, "k", b->shape.k);
    json_uint(json, "bits", b->shape.bits);
    json_string(json, "device", b->device[0] != '\0' ? b->device : NULL);
    json_double(json, "rate_formula", b->formula);
    json_double(json, "rate_measured", b->measured);
    json_open_array(json, "forms");
    for (uint32_t i = 0; i < b->row_count; i++) {
        const struct bench_bloom_row *row = &b->rows[i];

        json_open_object(json, NULL);
        json_string(json, "form", row->name);
        json_string(json, "missing", row->missing);
        json_uint(json, "keys", row->keys);
        if (row->missing == NULL) {
            bench_figure_json(json, "insert_s",
                              bench_figure(row->insert, (uint32_t)b->options->runs));
            bench_figure_json(json, "query_s",
                              bench_figure(row->query, (uint32_t)b->options->runs));
        }
        json_close_object(json);
    }
    json_close_array(json);
    json_close_object(json);
}

/* One kind of filter, all its forms. */
static enum err_code bench_bloom_one(struct bench_bloom *b, uint64_t count, struct json *json,
                                     struct err *err)
{
    struct bloom *table = NULL;
    enum err_code rc = bloom_plan(b->kind, count, b->wanted, b->k, &b->shape, err);

    b->serial_keys = b->serial_keys < count ? b->serial_keys : count;
    if (rc == ERR_OK)
        rc = bench_bloom_make(b, 0, count, &b->keys, err);
    if (rc == ERR_OK)
        rc = bench_bloom_make(b, BENCH_BLOOM_KEYS_MAX, count, &b->others, err);
    b->answers = malloc(count);
    b->expected = malloc(count);
    if (rc == ERR_OK && (b->answers == NULL || b->expected == NULL))
        rc = ERR_NO_MEMORY(err, count);
    if (rc == ERR_OK)
        rc = bench_bloom_host(b, &table, err);
    if (rc == ERR_OK && b->options->device)
        rc = bench_bloom_device(b, table, err);
    if (rc == ERR_OK && b->options->json)
        bench_bloom_json(b, json);
    else if (rc == ERR_OK)
        bench_bloom_print(b);
    bloom_close(table);
    bench_bloom_free(&b->keys);
    bench_bloom_free(&b->others);
    free(b->answers);
    free(b->expected);
    return rc;
}

enum err_code bench_bloom(int argc, char **argv, struct json *json, struct err *err)
{
    struct bench_bloom_options options;
    enum err_code rc = bench_bloom_options(&options, argc, argv, err);
    if (rc != ERR_OK)
        return rc;
    struct bench_bloom kinds[] = {
        { .name = "standard",
          .kind = BLOOM_STANDARD,
          .wanted = options.rate,
          .serial_keys = UINT64_MAX },
        { .name = "blocked",
          .kind = BLOOM_BLOCKED,
          .wanted = options.rate,
          .serial_keys = UINT64_MAX },
        { .name = "thesis",
          .kind = BLOOM_SALTED,
          .k = BENCH_BLOOM_K,
          .wanted = options.thesis > 1 ? 1 / (double)options.thesis : 0.5,
          .serial_keys = options.thesis_serial },
    };

    if (options.json) {
        json_init(json, stdout, 2);
        json_open_object(json, NULL);
        json_uint(json, "runs", options.runs);
        json_open_array(json, "kinds");
    }
    for (size_t i = 0; rc == ERR_OK && i < sizeof kinds / sizeof kinds[0]; i++) {
        const uint64_t count = kinds[i].kind == BLOOM_SALTED ? options.thesis : options.keys;

        kinds[i].options = &options;
        if (count > 0)
            rc = bench_bloom_one(&kinds[i], count, json, err);
    }
    return rc;
}
