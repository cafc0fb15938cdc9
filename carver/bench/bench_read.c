/* SPDX-License-Identifier: Apache-2.0
 * carver/bench/bench_read.c - `burin bench read`: the readers of a scan with nothing behind them,
 * the limit of every scan.
 *
 * As in a scan, each thread reads a part of the image by itself, with a reader and buffers of its
 * own, and then the next part.
 */
#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/limits.h"
#include "base/thread.h"
#include "carver/bench/bench.h"
#include "carver/bench/bench_reads.h"
#include "carver/cli/args.h"
#include "carver/cli/cpus.h"
#include "carver/scan/parts.h"
#include "carver/scan/pipeline_slots.h"
#include "io/reader.h"

enum {
    OPT_THREADS = ARGS_LONG,
    OPT_SEGMENT,
    OPT_IO,
    OPT_RUNS,
    OPT_COLD,
    OPT_JSON,
    BENCH_READ_SEGMENT = 512 << 10,
    BENCH_READ_WORDS = 8, /* of --threads, --segment, --io, and room for one more */
};

static const struct args_option bench_read_table[] = {
    { "threads", OPT_THREADS, "N" },
    { "segment", OPT_SEGMENT, "SIZE" },
    { "io", OPT_IO, "NAME" },
    { "runs", OPT_RUNS, "N" },
    { "cold", OPT_COLD, NULL },
    { "json", OPT_JSON, NULL },
    { NULL, 0, NULL },
};

const char bench_read_help[] =
    "Reads IMAGE once, with nothing behind the readers of a scan: the limit of every scan. With\n"
    "--runs, in turn with `cat`, `dd` and, where installed, `fio`, and prints times and ratios.\n"
    "\n"
    "Options:\n"
    "  --threads N      as in burin scan\n"
    "  --segment SIZE   as in burin scan\n"
    "  --io NAME        as in burin scan\n"
    "  --runs N         rounds that count, 1 to 100\n"
    "  --cold           drop IMAGE from the page cache before each run of a "
    "round\n" BENCH_COMMON_TEXT;

struct read_thread {
    struct read_crew *crew;
    struct thread thread;
    struct io_reader *reader; /* NULL before its first part */
    uint8_t *buffers;
    uint64_t bytes; /* that it has read */
    enum err_code rc;
    struct err err;
};

struct read_crew {
    const char *path;
    bool json;
    struct io_image *image;
    struct io_reader_options how; /* but for the ranges */
    uint64_t part_len;
    uint32_t threads;
    uint64_t runs; /* rounds beside other programs; 0: once, here */
    bool cold;
    const char *words[BENCH_READ_WORDS]; /* options to hand on to a run of a round */
    uint32_t word_count;
    _Atomic uint64_t next; /* part */
    atomic_bool failed;    /* some thread has: the others end */
    char backend[160];
    struct read_thread thread[LIMIT_THREADS];
};

/* Every buffer goes back to the reader as soon as it is full. */
static enum err_code read_all(struct read_thread *thread, struct io_reader *reader, struct err *err)
{
    const struct io_reader_options *how = &thread->crew->how;
    struct io_segment read = { 0 };
    bool lent = true;
    enum err_code rc = ERR_OK;

    for (uint32_t i = 0; rc == ERR_OK && lent && i < how->depth; i++)
        rc = io_reader_lend(reader, thread->buffers + (size_t)i * how->segment_len, NULL, &lent,
                            err);
    while (rc == ERR_OK && !atomic_load(&thread->crew->failed) &&
           (rc = io_reader_next(reader, &read, err)) == ERR_OK && read.len > 0) {
        thread->bytes += read.len;
        if ((rc = bench_stopped(err)) == ERR_OK)
            rc = io_reader_lend(reader, read.bytes, NULL, &lent, err);
    }
    return rc;
}

static enum err_code read_part(struct read_thread *thread, const struct io_range *range,
                               struct err *err)
{
    struct io_reader_options options = thread->crew->how;

    options.ranges = range;
    options.range_count = 1;
    const enum err_code rc =
        thread->reader == NULL ? io_reader_open(thread->crew->image, &options, &thread->reader, err)
                               : io_reader_again(thread->reader, range, 1, err);
    return rc == ERR_OK ? read_all(thread, thread->reader, err) : rc;
}

static void read_run(void *arg)
{
    struct read_thread *thread = arg;
    struct read_crew *crew = thread->crew;
    const uint64_t size = io_image_size(crew->image);

    while (thread->rc == ERR_OK && !atomic_load(&crew->failed)) {
        const uint64_t from = atomic_fetch_add(&crew->next, 1) * crew->part_len;

        if (from >= size)
            break;
        const struct io_range range = { from, size - from < crew->part_len ? size - from
                                                                           : crew->part_len };
        thread->rc = read_part(thread, &range, &thread->err);
    }
    if (thread->rc != ERR_OK)
        atomic_store(&crew->failed, true);
    io_reader_close(thread->reader); /* as a scan's thread does */
}

/* Reads the image; *bytes: how many were read. */
static enum err_code read_image(struct read_crew *crew, uint64_t *bytes, struct err *err)
{
    const size_t len = (size_t)crew->how.depth * crew->how.segment_len;
    uint32_t started = 0;
    enum err_code rc = ERR_OK;

    for (; rc == ERR_OK && started < crew->threads; started++) {
        struct read_thread *thread = &crew->thread[started];

        thread->crew = crew;
        thread->buffers = aligned_alloc(IO_BUFFER_ALIGN, len);
        rc = thread->buffers != NULL ? thread_start(&thread->thread, "bench", read_run, thread, err)
                                     : ERR_NO_MEMORY(err, len);
    }
    if (rc != ERR_OK)
        atomic_store(&crew->failed, true);
    *bytes = 0;
    for (uint32_t i = 0; i < started; i++) {
        struct read_thread *thread = &crew->thread[i];

        thread_join(&thread->thread);
        free(thread->buffers);
        *bytes += thread->bytes;
        if (rc == ERR_OK && thread->rc != ERR_OK) {
            rc = thread->rc;
            *err = thread->err;
        }
    }
    return rc;
}

static enum err_code read_forward(struct read_crew *crew, const char *option, const char *value,
                                  struct err *err)
{
    if (crew->word_count + 2 > BENCH_READ_WORDS)
        return ERR_RAISE(err, ERR_ARG, "too many options; give each once");
    crew->words[crew->word_count++] = option;
    crew->words[crew->word_count++] = value;
    return ERR_OK;
}

static enum err_code read_option(struct read_crew *crew, int id, const char *value,
                                 uint64_t *segment, uint64_t *threads, struct err *err)
{
    enum err_code rc = ERR_OK;

    switch (id) {
    case OPT_THREADS:
        rc = args_count("--threads", value, 1, LIMIT_THREADS, threads, err);
        return rc == ERR_OK ? read_forward(crew, "--threads", value, err) : rc;
    case OPT_SEGMENT:
        rc = args_size("--segment", value, LIMIT_SEGMENT_MIN, LIMIT_SEGMENT_MAX, segment, err);
        return rc == ERR_OK ? read_forward(crew, "--segment", value, err) : rc;
    case OPT_IO:
        crew->how.backend = value;
        return read_forward(crew, "--io", value, err);
    case OPT_RUNS:
        return args_count("--runs", value, 1, BENCH_RUNS_MAX, &crew->runs, err);
    case OPT_COLD:
        crew->cold = true;
        return ERR_OK;
    default:
        crew->json = true;
        return ERR_OK;
    }
}

static enum err_code read_options(struct read_crew *crew, int argc, char **argv, struct err *err)
{
    struct args args;
    const char *value = NULL;
    char **operands = NULL;
    uint64_t segment = BENCH_READ_SEGMENT, threads = cpus_count();
    int id, count;
    enum err_code rc;

    args_begin(&args, "bench read", bench_read_table, argc, argv);
    while ((rc = args_next(&args, &id, &value, err)) == ERR_OK && id != ARGS_END) {
        rc = read_option(crew, id, value, &segment, &threads, err);
        if (rc != ERR_OK)
            return rc;
    }
    if (rc == ERR_OK)
        rc = args_operands(&args, 1, 1, "IMAGE", &operands, &count, err);
    if (rc == ERR_OK)
        rc = args_file("IMAGE", crew->path = operands[0], err);
    if (rc == ERR_OK && crew->cold && crew->runs == 0)
        rc = ERR_RAISE(err, ERR_ARG, "--cold goes with --runs");
    crew->how.segment_len = (uint32_t)segment;
    crew->how.depth = pipeline_slots((uint32_t)threads, crew->how.segment_len, true);
    crew->threads = pipeline_threads((uint32_t)threads, crew->how.segment_len);
    return rc;
}

/* Opens the image, and a reader once, to learn how it reads. */
static enum err_code read_open(struct read_crew *crew, struct err *err)
{
    struct io_reader *reader = NULL;
    enum err_code rc = io_image_open(crew->path, NULL, &crew->image, err);

    if (rc == ERR_OK)
        rc = io_reader_open(crew->image, &crew->how, &reader, err);
    if (rc != ERR_OK)
        return rc;
    snprintf(crew->backend, sizeof crew->backend, "%s", io_reader_backend(reader));
    io_reader_close(reader);
    crew->part_len = parts_len(io_image_size(crew->image), crew->threads);
    const uint64_t parts = (io_image_size(crew->image) - 1) / crew->part_len + 1;
    if (parts < crew->threads)
        crew->threads = (uint32_t)parts;
    return ERR_OK;
}

/* Reads it once, here. */
static enum err_code read_once(struct read_crew *crew, struct json *json, struct err *err)
{
    uint64_t bytes = 0;
    enum err_code rc = ERR_OK;

    if (crew->json) {
        json_init(json, stdout, 1);
        json_open_object(json, NULL);
        json_string(json, "image", crew->path);
        json_uint(json, "bytes", io_image_size(crew->image));
        json_string(json, "reader", crew->backend);
        json_uint(json, "threads", crew->threads);
    }
    rc = read_image(crew, &bytes, err);
    if (rc == ERR_OK && crew->json)
        json_uint(json, "bytes_read", bytes);
    else if (rc == ERR_OK)
        printf("%s: %" PRIu64 " bytes read by %s; threads: %" PRIu32 "\n", crew->path, bytes,
               crew->backend, crew->threads);
    return rc;
}

enum err_code bench_read(int argc, char **argv, struct json *json, struct err *err)
{
    struct read_crew *crew = calloc(1, sizeof *crew);

    if (crew == NULL)
        return ERR_NO_MEMORY(err, sizeof *crew);
    enum err_code rc = read_options(crew, argc, argv, err);
    if (rc == ERR_OK)
        rc = read_open(crew, err);
    if (rc == ERR_OK && crew->runs == 0) {
        rc = read_once(crew, json, err);
    } else if (rc == ERR_OK) {
        const struct bench_reads reads = { .image = crew->path,
                                           .runs = (uint32_t)crew->runs,
                                           .cold = crew->cold,
                                           .json = crew->json,
                                           .words = crew->words,
                                           .word_count = crew->word_count };

        rc = bench_reads(&reads, json, err);
    }
    io_image_close(crew->image);
    free(crew);
    return rc;
}
