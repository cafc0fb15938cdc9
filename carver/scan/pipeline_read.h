/*
 * carver/scan/pipeline_read.h - from the reader into a lane of the matcher: the segment, the bytes
 * in front of it, and what could not be read.
 *
 * Either the thread that runs the pipeline takes from the reader what the reader's own thread has
 * read, or the threads of the matcher read, in turn: see match/matcher_read.h. Lanes are taken in
 * the order in which they were lent.
 */
#ifndef BURIN_CARVER_SCAN_PIPELINE_READ_H
#define BURIN_CARVER_SCAN_PIPELINE_READ_H

#include "carver/case/record.h"
#include "io/image.h"
#include "io/reader.h"
#include "match/matcher_read.h"

struct pipeline_read; /* owned by the caller of pipeline_read_open */

/* shared: the matcher's threads call pipeline_read_lane; else the caller does. options->depth is
 * the number of lanes. */
ERR_MUST_CHECK enum err_code pipeline_read_open(struct io_image *image,
                                                const struct io_reader_options *options,
                                                struct match_matcher *matcher, bool shared,
                                                struct pipeline_read **out, struct err *err);

/* Nothing more is read; what is being read is waited for. */
void pipeline_read_stop(struct pipeline_read *read);
void pipeline_read_close(
    struct pipeline_read *read); /* before the matcher, after the stop; NULL is a no-op */

ERR_MUST_CHECK enum err_code pipeline_read_lend(struct pipeline_read *read, uint32_t lane,
                                                bool *lent, struct err *err);

/* Reads into the lane, and says what it holds then. */
ERR_MUST_CHECK enum err_code pipeline_read_lane(struct pipeline_read *read, uint32_t lane,
                                                struct match_segment *segment, struct err *err);

/* Of the segment that the lane holds: whether it follows the one before, and what could not be read
 * of it, which is told once. */
bool pipeline_read_follows(const struct pipeline_read *read, uint32_t lane);
ERR_MUST_CHECK enum err_code pipeline_read_record_bad(struct pipeline_read *read, uint32_t lane,
                                                      struct record *record, struct err *err);

/* Whether pipeline_read_lane would not have to wait. */
bool pipeline_read_ready(struct pipeline_read *read);
const char *pipeline_read_backend(const struct pipeline_read *read);

#endif
