/*
 * io/reader.h - an image, or a list of ranges of it, as a stream of segments.
 *
 * The caller lends empty buffers and takes them back full, in the order of the image, with several requests in flight
 * between the two:
 *
 *   io_reader_lend(reader, buffer, tag)  ──►  requests in flight  ──►  io_reader_next(reader, &segment)
 *
 * Which backend does the reading (io/backends.def: libaio with O_DIRECT, libaio on the page cache, pread threads) can be
 * asked for or is found out; the bytes are the same. Bytes that the page cache already holds are taken from there, since
 * O_DIRECT would read them from the disk again.
 */
#ifndef BURIN_IO_READER_H
#define BURIN_IO_READER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "io/image.h"

enum { IO_BUFFER_ALIGN = 4096 }; /* of lent buffers, bytes: what O_DIRECT asks for */

struct io_reader; /* owned by the caller of io_reader_open */

struct io_range {
    uint64_t offset, len; /* bytes of the image */
};

struct io_reader_options {
    const struct io_range *ranges; /* ascending, not overlapping; copied. NULL: the whole image */
    uint32_t range_count;
    uint32_t segment_len; /* bytes of one segment, a power of two; the last of a range may be shorter */
    uint32_t depth;       /* buffers the caller will lend at most at a time, 1.. */
    const char *backend;  /* name from io/backends.def, or NULL: the best one that works */
    bool in_place;        /* no thread: io_reader_next reads, in any thread, one at a time; others may lend */
};

struct io_segment {
    uint64_t offset; /* image offset of bytes[0] */
    uint32_t len;    /* bytes; 0: the stream has ended and no buffer came back */
    bool follows;    /* begins where the segment before it ended */
    bool ends_range; /* no segment of the stream follows it directly */
    uint8_t *bytes;  /* the lent buffer */
    void *tag;       /* what was lent with it */
};

ERR_MUST_CHECK enum err_code io_reader_open(struct io_image *image, const struct io_reader_options *options,
                                            struct io_reader **out, struct err *err);

/*
 * Lends one buffer of segment_len bytes, IO_BUFFER_ALIGN-aligned, to be filled with the next segment not yet asked for.
 * *lent is false, and the buffer is not taken, when the stream has no further segment. The buffer must stay until
 * io_reader_next hands it back or the reader is closed.
 */
ERR_MUST_CHECK enum err_code io_reader_lend(struct io_reader *reader, uint8_t *buffer, void *tag, bool *lent,
                                            struct err *err);

/*
 * Waits for the oldest lent buffer. Unreadable places are zeros (see io_salvage_read) and are told through
 * io_reader_bad_ranges. len is 0 when nothing is lent.
 * Errors  ERR_ENV  no memory, or nothing can be read any more, see io_salvage_read. The stream has
 *                  ended.
 */
ERR_MUST_CHECK enum err_code io_reader_next(struct io_reader *reader, struct io_segment *out, struct err *err);

/* Whether io_reader_next would return at once. */
bool io_reader_ready(struct io_reader *reader);

/* Bad ranges of the segments handed out since the last call, ascending; valid until the next call on reader. */
void io_reader_bad_ranges(struct io_reader *reader, const struct io_bad_range **ranges, uint32_t *count);

const char *io_reader_backend(const struct io_reader *reader); /* for the log: "aio, O_DIRECT, 8 x 1 MiB" */

void io_reader_close(struct io_reader *reader); /* waits for what is in flight; NULL is a no-op */

#endif
