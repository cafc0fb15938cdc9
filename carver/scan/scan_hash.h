/* SPDX-License-Identifier: Apache-2.0
 * carver/scan/scan_hash.h - the hashes of an image: which ones, into the case file, beside those
 * that its container has, and to people.
 */
#ifndef BURIN_CARVER_SCAN_SCAN_HASH_H
#define BURIN_CARVER_SCAN_SCAN_HASH_H

#include <stdint.h>

#include "base/err.h"
#include "carver/cli/command.h"
#include "carver/cli/json_write.h"
#include "carver/scan/scan_job.h"

/* The kinds of the job, with those that the container has in the place of IMAGE_HASH_STORED. 0:
 * none is asked for. */
uint32_t scan_hash_kinds(const struct scan_job *job, const struct io_image *image);

/* Rows of the hashes; and entries of the log, one for each that the container has too. */
ERR_MUST_CHECK enum err_code scan_hash_record(struct db_case *db, const struct io_image *image,
                                              const struct scan_ids *ids,
                                              const struct image_hash_result *result,
                                              struct err *err);

/*
 * Says what people must know: a hash that is not the container's (*status EXIT_PARTLY), or that is
 * not the medium's; and else, not with quiet, that the container has the same ones.
 */
void scan_hash_tell(const struct scan_job *job, const struct scan_done *done,
                    enum exit_status *status);

/* The hashes, a line each, on standard error; or as members of an object. Nothing where there are
 * none. */
void scan_hash_print(const struct scan_done *done);
void scan_hash_json(const struct scan_done *done, struct json *json);

#endif
