/* SPDX-License-Identifier: Apache-2.0
 * carver/text/text_tasks.h - the texts of an image, found by many threads, in the order of the
 * image (text.c only).
 *
 *   image ──► steps ──► from the first cut of a step to the next cut: a task (text_cut.h)
 *   threads ──► tasks ──► rows of each ──► caller's thread, task by task ──► text_rows
 */
#ifndef BURIN_CARVER_TEXT_TEXT_TASKS_H
#define BURIN_CARVER_TEXT_TEXT_TASKS_H

#include <stdint.h>

#include "base/err.h"
#include "carver/text/occupied.h"
#include "carver/text/text.h"
#include "carver/text/text_rows.h"

/*
 * Adds all texts to rows; *reread becomes how many bytes were read for them. Memory: see text_walk,
 * 8 times for each thread, and 8 bytes a step. Errors: see text_image.
 */
ERR_MUST_CHECK enum err_code text_tasks_run(const struct text_image *job,
                                            const struct occupied *occupied, struct text_rows *rows,
                                            uint64_t *reread, struct err *err);

#endif
