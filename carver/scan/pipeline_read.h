/*
 * carver/scan/pipeline_read.h - from the reader into a slot of the matcher: the segment, the bytes
 * in front of it, and what could not be read.
 *
 * Either the thread that runs the pipeline takes from the reader what the reader's own thread has
 * read, or the threads of the matcher read, in turn: see struct match_source. Slots are taken in
 * the order in which they were lent.
 */
#ifndef BURIN_CARVER_SCAN_PIPELINE_READ_H
#define BURIN_CARVER_SCAN_PIPELINE_READ_H

#include "carver/case/record.h"
#include "io/image.h"
#include "io/reader.h"
#include "match/matcher.h"

struct pipeline_read; /* owned by the caller of pipeline_read_open */

/*
 * Opens the reader of the image.
 *
 * options    depth is the number of slots; in_place is set here.
 * shared     Threads of the matcher call pipeline_read_slot; else the caller does, and the reader
 *            has a thread of its own.
 * Ownership  *out is the caller's, to be given to pipeline_read_close. image and matcher must
 *            outlive it.
 * Errors     Those of io_reader_open.
 */
ERR_MUST_CHECK enum err_code pipeline_read_open(struct io_image *image,
                                                const struct io_reader_options *options,
                                                struct match_matcher *matcher, bool shared,
                                                struct pipeline_read **out, struct err *err);

/* From now on pipeline_read_slot returns ERR_INTERRUPTED. */
void pipeline_read_stop(struct pipeline_read *read);

/* Before the matcher, and when no thread of it reads any more (match_drain); NULL is a no-op. */
void pipeline_read_close(struct pipeline_read *read);

/*
 * Lends the slot's buffer to the reader. *lent is false when there is no further segment.
 * Errors: those of io_reader_lend.
 */
ERR_MUST_CHECK enum err_code pipeline_read_lend(struct pipeline_read *read, uint32_t slot,
                                                bool *lent, struct err *err);

/*
 * Reads into the slot that was lent first, and says what it holds then.
 *
 * Threads  With shared any thread, one at a time, while the caller lends; else the caller's.
 * Errors   Those of io_reader_next; ERR_INTERRUPTED after pipeline_read_stop.
 */
ERR_MUST_CHECK enum err_code pipeline_read_slot(struct pipeline_read *read, uint32_t slot,
                                                struct match_segment *segment, struct err *err);

/* Whether the segment that the slot holds follows the one before. */
bool pipeline_read_follows(const struct pipeline_read *read, uint32_t slot);

/*
 * Records what could not be read of the segment that the slot holds; a second time there is
 * nothing. Errors: those of record_bad_range.
 */
ERR_MUST_CHECK enum err_code pipeline_read_record_bad(struct pipeline_read *read, uint32_t slot,
                                                      struct record *record, struct err *err);

/* Whether pipeline_read_slot would not have to wait. */
bool pipeline_read_ready(struct pipeline_read *read);

/* See io_reader_backend. */
const char *pipeline_read_backend(const struct pipeline_read *read);

#endif
