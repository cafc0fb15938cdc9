/* SPDX-License-Identifier: Apache-2.0
 * carver/carve/written.h - what the reports of a carve tell: the run, and each object with what
 * became of it. */
#ifndef BURIN_CARVER_CARVE_WRITTEN_H
#define BURIN_CARVER_CARVE_WRITTEN_H

#include <stdint.h>

#include "carver/case/cut_short.h"
#include "carver/case/seams.h"
#include "carver/case/unfinished.h"
#include "db/case.h"

struct written_run {
    const char *command_line;
    const char *folder;        /* absolute; NULL: nothing is written but the report */
    const char *case_path;     /* absolute */
    const char *started;       /* UTC, ISO 8601 */
    const char *const *images; /* their paths, image 1 first */
    uint32_t image_count;
    const struct unfinished *unfinished; /* scans that what was carved is not all of */
};

struct written_object {
    const struct db_object *object;
    const char *path;    /* below the folder; NULL: it was not written, see error */
    const char *sha256;  /* of the bytes written; NULL when not written */
    uint64_t bad_bytes;  /* bytes that could not be read, or could not when the image was scanned */
    const int64_t *date; /* the time of its last change that it got, of the object's own; or NULL */
    uint64_t shared;     /* bytes in blocks that the file shares with the image */
    const char *error;   /* NULL, or why it was not written */
    const struct seams *seams;       /* NULL: it is not looked for; of those put together, how */
    const struct db_found_in *place; /* NULL: it is not looked for, or nothing is known of it */
};

struct written_totals {
    const char *ended;  /* UTC, ISO 8601 */
    const char *status; /* "done", "interrupted", or what stopped it */
    uint64_t files, bytes, failed,
        unreadable;             /* unreadable: files with bytes that could not be read */
    uint64_t shared;            /* bytes of the files in blocks that are shared with the images */
    uint64_t uncompared;        /* the scan took no checksum of them: did they change since? */
    uint64_t embedded, other;   /* objects left out because of what they are, or by an option, */
    struct cut_short truncated; /* and as broken */
};

#endif
