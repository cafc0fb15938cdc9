/* SPDX-License-Identifier: Apache-2.0
 * carver/scan/since.h - what an earlier scan of an image found, taken over where nothing has
 * changed.
 *
 *   parts of the earlier scan   │ A │ B │ C │ D │ E │
 *   changed                           ──
 *   B looked at, C looked at        ────    ───────────
 *   taken over                  │ A │       │ D │ E │     B is scanned, and what looked at it
 *
 * What a part holds depends on the bytes that it looked at and on nothing else (part.looked). So a
 * part of which no such byte was changed is what a scan would make of it now. All parts, these and
 * those that are scanned, are stitched as ever: so the rows are those of a scan of the whole image.
 *
 * Threads: one.
 */
#ifndef BURIN_CARVER_SCAN_SINCE_H
#define BURIN_CARVER_SCAN_SINCE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "carver/scan/scan_crew.h"
#include "carver/scan/scan_map.h"

struct since; /* owned by the caller of since_open */

/*
 * Reads the parts of the folder and the map. Errors: ERR_INPUT: they are none, or damaged; ERR_ENV.
 */
ERR_MUST_CHECK enum err_code since_open(const char *folder, const char *changed, struct since **out,
                                        struct err *err);
void since_close(struct since *since); /* NULL is a no-op */

/* They are of this image, of the same size, and were made for the same job by the same program.
 * Errors: ERR_INPUT, naming what differs; those of reading the image. */
ERR_MUST_CHECK enum err_code since_check(const struct since *since, const struct scan_job *job,
                                         struct io_image *image, const struct scan_map *map,
                                         const struct known_scan *known, struct err *err);

/*
 * As since_check; and which of them can be taken over. All that is given must outlive since_close.
 * Errors: ERR_INPUT, naming what differs; those of reading the parts.
 */
ERR_MUST_CHECK enum err_code since_accept(struct since *since, const struct scan_job *job,
                                          struct io_image *image, const struct scan_pick *pick,
                                          const struct scan_map *map,
                                          const struct known_scan *known, struct err *err);

/* What is to be scanned: [*count], ascending. */
const struct io_range *since_gaps(const struct since *since, uint32_t *count);

/* Begins to give parts; lookback: as of part_open. since_end ends that. */
ERR_MUST_CHECK enum err_code since_begin(struct since *since, struct lookback *lookback,
                                         struct err *err);
void since_end(struct since *since);

/* The part that begins at image offset `at`, valid until the next call; NULL: it is to be scanned.
 * The offsets ascend. Errors: ERR_INPUT: the parts have changed; ERR_ENV. */
ERR_MUST_CHECK enum err_code since_next(struct since *since, uint64_t at, struct part **out,
                                        struct err *err);
/* That part as it was kept. */
const uint8_t *since_bytes(const struct since *since, size_t *len);

/* A line for the log. */
enum { SINCE_NOTE = 512 };
void since_note(const struct since *since, char out[SINCE_NOTE]);

#endif
