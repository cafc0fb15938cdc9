/* SPDX-License-Identifier: Apache-2.0
 * io/reader/stream.h - a list of ranges cut into segments. Pure: no bytes are read here. */
#ifndef BURIN_IO_READER_STREAM_H
#define BURIN_IO_READER_STREAM_H

#include "io/reader.h"

struct io_stream {
    struct io_range *ranges;     /* owned */
    uint32_t range_count, range; /* range: the one that holds the next segment */
    uint64_t at;                 /* bytes of that range already cut */
    uint32_t segment_len;
};

/* ERR_ARG for a range that is empty, outside of the image, or begins before the end of the one
 * before it. */
ERR_MUST_CHECK enum err_code io_stream_init(struct io_stream *stream,
                                            const struct io_reader_options *options,
                                            uint64_t image_size, struct err *err);

/* Fills offset, len, follows and ends_range. False at the end. */
bool io_stream_next(struct io_stream *stream, struct io_segment *segment);

void io_stream_release(struct io_stream *stream);

#endif
