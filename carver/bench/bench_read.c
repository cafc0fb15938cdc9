/* carver/bench/bench_read.c - `burin bench read`: the reader with nothing behind it, the limit of
 * every scan. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/limits.h"
#include "carver/bench/bench.h"
#include "carver/cli/args.h"
#include "carver/scan/pipeline_slots.h"
#include "io/reader.h"

enum { OPT_SEGMENT = ARGS_LONG, OPT_IO, OPT_JSON, BENCH_READ_SEGMENT = 1 << 20 };

static const struct args_option bench_read_table[] = {
    { "segment", OPT_SEGMENT, "SIZE" },
    { "io", OPT_IO, "NAME" },
    { "json", OPT_JSON, NULL },
    { NULL, 0, NULL },
};

const char bench_read_help[] =
    "Reads IMAGE once, with nothing behind the reader: the limit of every scan.\n"
    "\n"
    "Options:\n"
    "  --segment SIZE   as in burin scan\n"
    "  --io NAME        as in burin scan\n" BENCH_COMMON_TEXT;

/* Every buffer goes back to the reader as soon as it is full. */
static enum err_code bench_read_all(struct io_reader *reader, uint8_t *buffers, uint32_t depth,
                                    uint32_t segment, struct err *err)
{
    struct io_segment read = { 0 };
    bool lent = true;
    enum err_code rc = ERR_OK;

    for (uint32_t i = 0; rc == ERR_OK && lent && i < depth; i++)
        rc = io_reader_lend(reader, buffers + (size_t)i * segment, NULL, &lent, err);
    while (rc == ERR_OK && (rc = io_reader_next(reader, &read, err)) == ERR_OK && read.len > 0)
        if ((rc = bench_stopped(err)) == ERR_OK)
            rc = io_reader_lend(reader, read.bytes, NULL, &lent, err);
    return rc;
}

enum err_code bench_read(int argc, char **argv, struct json *json, struct err *err)
{
    struct io_reader_options options = { .segment_len = BENCH_READ_SEGMENT };
    struct io_reader *reader = NULL;
    struct io_image *image = NULL;
    uint8_t *buffers = NULL;
    struct args args;
    const char *value = NULL;
    char **operands = NULL;
    uint64_t segment = BENCH_READ_SEGMENT;
    bool as_json = false;
    int id, count;
    enum err_code rc;

    args_begin(&args, "bench read", bench_read_table, argc, argv);
    while ((rc = args_next(&args, &id, &value, err)) == ERR_OK && id != ARGS_END) {
        if (id == OPT_SEGMENT)
            rc = args_size("--segment", value, LIMIT_SEGMENT_MIN, LIMIT_SEGMENT_MAX, &segment, err);
        else if (id == OPT_IO)
            options.backend = value;
        else
            as_json = true;
        if (rc != ERR_OK)
            return rc;
    }
    if (rc == ERR_OK)
        rc = args_operands(&args, 1, 1, "IMAGE", &operands, &count, err);
    if (rc == ERR_OK)
        rc = args_file("IMAGE", operands[0], err);
    if (rc == ERR_OK)
        rc = io_image_open(operands[0], NULL, &image, err);
    if (rc == ERR_OK) {
        options.segment_len = (uint32_t)segment;
        options.depth = pipeline_slots(1, options.segment_len, true);
        buffers = aligned_alloc(IO_BUFFER_ALIGN, (size_t)options.depth * options.segment_len);
        rc = buffers != NULL ? io_reader_open(image, &options, &reader, err)
                             : ERR_NO_MEMORY(err, (size_t)options.depth * options.segment_len);
    }
    if (rc == ERR_OK && as_json) {
        json_init(json, stdout, 1);
        json_open_object(json, NULL);
        json_string(json, "image", operands[0]);
        json_uint(json, "bytes", io_image_size(image));
        json_string(json, "reader", io_reader_backend(reader));
    }
    if (rc == ERR_OK)
        rc = bench_read_all(reader, buffers, options.depth, options.segment_len, err);
    if (rc == ERR_OK && !as_json)
        printf("%s: %" PRIu64 " bytes read by %s\n", operands[0], io_image_size(image),
               io_reader_backend(reader));
    io_reader_close(reader);
    io_image_close(image);
    free(buffers);
    return rc;
}
