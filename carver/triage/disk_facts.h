/* SPDX-License-Identifier: Apache-2.0
 * carver/triage/disk_facts.h - what is sure of a disk before any of it is sampled: its volumes,
 * what is free in them, what is locked.
 *
 * Threads: one at a time.
 */
#ifndef BURIN_CARVER_TRIAGE_DISK_FACTS_H
#define BURIN_CARVER_TRIAGE_DISK_FACTS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "io/image.h"
#include "io/volumes.h"

struct disk_facts {
    struct io_volumes *volumes;
    uint64_t *free; /* bytes, by volume; UINT64_MAX: not known, or not within two seconds */
};

/* Errors: those of io_volumes_open. On an error *out needs no close. */
ERR_MUST_CHECK enum err_code disk_facts_open(const struct io_image *image, bool (*stop)(void),
                                             struct disk_facts *out, struct err *err);
void disk_facts_close(struct disk_facts *facts); /* of a zeroed one: a no-op */

/* Whether the volume's content cannot be read without a key. */
bool disk_facts_locked(const struct io_volume *volume);

/* Whether nothing is known of what the volume holds. */
bool disk_facts_blank(const struct io_volume *volume);

#endif
