/* SPDX-License-Identifier: Apache-2.0
 * carver/carve/audit.h - audit.txt in scalpel's layout, so that what reads scalpel's reads ours:
 * per image a table of file, start, chop, length, image; here with SHA-256 and state behind. Sorted
 * by offset.
 */
#ifndef BURIN_CARVER_CARVE_AUDIT_H
#define BURIN_CARVER_CARVE_AUDIT_H

#include <stdint.h>
#include <stdio.h>

#include "carver/carve/written.h"

/* All write to out; the caller looks for write errors. */
void audit_begin(FILE *out, const struct written_run *run);
/* The table of an image begins. */
void audit_image(FILE *out, const char *image_path);
/* One line; for an object that was not written, why. image_path as given to audit_image. */
void audit_object(FILE *out, const struct written_object *written, const char *image_path);
void audit_end(FILE *out, const struct written_totals *totals);

#endif
