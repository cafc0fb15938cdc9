/* SPDX-License-Identifier: Apache-2.0
 * io/reader.h - an image, or a list of ranges of it, as a stream of segments.
 *
 * The caller lends empty buffers and gets them back full, in the order of the image. Several
 * requests are in flight at a time:
 *
 *   io_reader_lend(reader, buffer, tag)  ->  requests in flight  ->  io_reader_next(reader, &s)
 *
 * A reader has no thread of its own: io_reader_next begins requests and waits for them. Several
 * readers may read one image at the same time.
 *
 * Threads: one thread at a time uses a reader.
 *
 * A backend does the reading (io/backends.def: libaio with O_DIRECT, reads through the page cache,
 * pread). The caller names one, or the reader takes the best that works; all give the same
 * bytes. Bytes that the page cache already holds are read from there, because O_DIRECT would read
 * them from the disk again.
 */
#ifndef BURIN_IO_READER_H
#define BURIN_IO_READER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "io/image.h"

enum { IO_BUFFER_ALIGN = 4096 }; /* bytes; alignment of lent buffers, which O_DIRECT needs */

struct io_reader; /* owned by the caller of io_reader_open */

struct io_range {
    uint64_t offset, len; /* bytes of the image */
};

struct io_reader_options {
    const struct io_range *ranges; /* ascending, not overlapping; copied. NULL: the whole image */
    uint32_t range_count;
    uint32_t segment_len; /* bytes, a power of two; the last segment of a range may be shorter */
    uint32_t depth;       /* most buffers that the caller lends at a time, at least 1 */
    const char *backend;  /* name from io/backends.def; NULL: the best one that works */
    /* Who has no time for a disk that fails: a request that fails is tried once more, and not cut
     * into smaller ones. All of its bytes are bad then. */
    bool once;
};

struct io_segment {
    uint64_t offset; /* image offset of bytes[0] */
    uint32_t len;    /* bytes; 0: the stream has ended, and this is no buffer */
    bool follows;    /* the segment begins where the one before it ended */
    bool ends_range; /* no segment of the stream begins where this one ends */
    uint8_t *bytes;  /* the lent buffer */
    void *tag;       /* the tag that was lent with the buffer */
};

ERR_MUST_CHECK enum err_code io_reader_open(struct io_image *image,
                                            const struct io_reader_options *options,
                                            struct io_reader **out, struct err *err);

/*
 * Begins anew, with other ranges (see io_reader_options): what was lent is the caller's again, and
 * is read no further. To open another reader takes longer, and so does closing it.
 * Errors: ERR_ARG for ranges that are none; ERR_ENV. The reader is then only to be closed.
 */
ERR_MUST_CHECK enum err_code io_reader_again(struct io_reader *reader,
                                             const struct io_range *ranges, uint32_t range_count,
                                             struct err *err);

/*
 * Lends one buffer of segment_len bytes, IO_BUFFER_ALIGN-aligned. The reader fills it with the next
 * segment that has no buffer yet. When the stream has no further segment, *lent is false and the
 * buffer stays the caller's. Otherwise it must not be freed before io_reader_next hands it back or
 * the reader is closed.
 */
ERR_MUST_CHECK enum err_code io_reader_lend(struct io_reader *reader, uint8_t *buffer, void *tag,
                                            bool *lent, struct err *err);

/*
 * Fills the buffer that was lent first and hands it back. Bytes that cannot be read are zeros
 * (see io_salvage_read); io_reader_bad_ranges lists them. out->len is 0 when no buffer is lent.
 * Errors  ERR_ENV  no memory, or nothing can be read any more: see io_salvage_read. The stream has
 *                  ended.
 */
ERR_MUST_CHECK enum err_code io_reader_next(struct io_reader *reader, struct io_segment *out,
                                            struct err *err);

/* Reads all buffers that are lent; io_reader_next then hands them back without waiting. */
void io_reader_fill(struct io_reader *reader);

/*
 * The bad ranges of the segments that were handed out since the last call, ascending. *ranges is
 * valid until the next call on reader.
 */
void io_reader_bad_ranges(struct io_reader *reader, const struct io_bad_range **ranges,
                          uint32_t *count);

/* For the log: "aio, O_DIRECT, 8 x 1 MiB" */
const char *io_reader_backend(const struct io_reader *reader);

void io_reader_close(struct io_reader *reader); /* waits for what is in flight; NULL is a no-op */

#endif
