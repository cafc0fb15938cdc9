/* SPDX-License-Identifier: Apache-2.0
 * io/reader/stream.c - see stream.h. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "io/reader/stream.h"

enum err_code io_stream_init(struct io_stream *stream, const struct io_reader_options *options,
                             uint64_t image_size, struct err *err)
{
    const struct io_range whole = { 0, image_size };
    const struct io_range *ranges = options->ranges == NULL ? &whole : options->ranges;
    const uint32_t count = options->ranges == NULL ? 1 : options->range_count;
    uint64_t end = 0;

    for (uint32_t i = 0; i < count; i++) {
        if (ranges[i].len == 0 || ranges[i].offset > image_size ||
            ranges[i].len > image_size - ranges[i].offset)
            return ERR_RAISE(err, ERR_ARG,
                             "range %" PRIu64 "+%" PRIu64
                             " is empty or not inside the image of %" PRIu64 " bytes",
                             ranges[i].offset, ranges[i].len, image_size);
        if (ranges[i].offset < end)
            return ERR_RAISE(err, ERR_ARG,
                             "range %" PRIu64 "+%" PRIu64
                             " begins before the end of the one before it",
                             ranges[i].offset, ranges[i].len);
        end = ranges[i].offset + ranges[i].len;
    }
    *stream = (struct io_stream){ .range_count = count, .segment_len = options->segment_len };
    stream->ranges = calloc(count + 1, sizeof *ranges);
    if (stream->ranges == NULL)
        return ERR_NO_MEMORY(err, (count + 1) * sizeof *ranges);
    if (count > 0)
        memcpy(stream->ranges, ranges, count * sizeof *ranges);
    return ERR_OK;
}

bool io_stream_next(struct io_stream *stream, struct io_segment *segment)
{
    if (stream->range == stream->range_count)
        return false;
    const struct io_range *range = &stream->ranges[stream->range];
    const uint64_t left = range->len - stream->at;
    const bool last = left <= stream->segment_len;
    const bool joined_before =
        stream->range > 0 && range[-1].offset + range[-1].len == range->offset;
    const bool joined_after =
        stream->range + 1 < stream->range_count && range[1].offset == range->offset + range->len;

    segment->offset = range->offset + stream->at;
    segment->len = last ? (uint32_t)left : stream->segment_len;
    segment->follows = stream->at > 0 || joined_before;
    segment->ends_range = last && !joined_after;
    stream->at += segment->len;
    if (last) {
        stream->range++;
        stream->at = 0;
    }
    return true;
}

void io_stream_release(struct io_stream *stream)
{
    free(stream->ranges);
}
