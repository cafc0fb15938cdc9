/* SPDX-License-Identifier: Apache-2.0
 * carver/carve/write_back.h - what was written goes to the disk while more is being written.
 *
 * The kernel begins with that late: after some 30 s, or when a tenth of the memory is to be
 * written. A carve that is done before then would wait for all of it at its end. So a thread of its
 * own asks for it, each time that WRITE_BACK_STEP bytes more were written, and waits in the place
 * of those who write.
 *
 * It promises nothing: what is on the disk, and when, says outdir_sync.
 */
#ifndef BURIN_CARVER_CARVE_WRITE_BACK_H
#define BURIN_CARVER_CARVE_WRITE_BACK_H

#include <stdint.h>

#include "base/err.h"
#include "carver/case/outdir.h"

enum {
    WRITE_BACK_STEP = 256 << 20, /* bytes */
    WRITE_BACK_FILE = 32 << 10,  /* bytes that a file counts for by itself: its inode, its name */
};

struct write_back; /* owned by the caller of write_back_open */

/* dir must outlive it. Errors: ERR_ENV no memory, no thread. */
ERR_MUST_CHECK enum err_code write_back_open(struct outdir *dir, struct write_back **out,
                                             struct err *err);

/* So many bytes more were written. Any thread; does not wait for the disk. NULL is a no-op. */
void write_back_wrote(struct write_back *back, uint64_t bytes);

/* ERR_ENV: some of it did not reach the disk, and will not. Any thread. NULL: ERR_OK. */
ERR_MUST_CHECK enum err_code write_back_check(struct write_back *back, struct err *err);

/* Waits for what it has asked for. Errors: as write_back_check. NULL is a no-op. */
ERR_MUST_CHECK enum err_code write_back_close(struct write_back *back, struct err *err);

#endif
