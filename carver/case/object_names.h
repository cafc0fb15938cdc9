/* SPDX-License-Identifier: Apache-2.0
 * carver/case/object_names.h - where carve puts the objects of a case, for all who name them.
 *
 * An object is DIR/TYPE/OFFSET.EXT, the offset as 16 hex digits; one that is broken or cut short
 * (cut_short.h) DIR/truncated/TYPE/OFFSET.EXT; both under DIR/imageN/ when the case has several
 * images. A type that has more than OBJECT_NAMES_FOLDER objects in an image has them in
 * DIR/TYPE/0001/, DIR/TYPE/0002/, ..., at most as many in each. Of objects whose names would be the
 * same, the second one gets "-2" before its extension, the third one "-3"; names that differ in
 * small and capital letters alone count as the same. The name of an object depends on the case file
 * alone, not on what else is written.
 */
#ifndef BURIN_CARVER_CASE_OBJECT_NAMES_H
#define BURIN_CARVER_CASE_OBJECT_NAMES_H

#include <stdint.h>

#include "base/err.h"
#include "carver/case/outdir.h"
#include "db/case.h"

enum {
    OBJECT_NAMES_FOLDER = 1000,   /* objects in a folder */
    OBJECT_NAMES_TOP = 40,        /* bytes of the folders above that of a type, the NUL included */
    OBJECT_NAMES_KINDS = 1 << 17, /* types, and types with their extensions, of a case */
    OBJECT_PATH_MAX = OBJECT_NAMES_TOP + 2 * OUTDIR_NAME_MAX + 96,
};

/* A name in its parts, each safe as a step of a path. */
struct object_path {
    char folder[OBJECT_NAMES_TOP + OUTDIR_NAME_MAX + 24]; /* "jpg", "image2/truncated/jpg/0001" */
    char extension[OUTDIR_NAME_MAX + 1];                  /* with its dot, or "" */
    uint64_t offset;
    uint32_t number; /* from 2 on it stands in the name */
};

/*
 * The name of an object with nothing else in the case. top: the folders above that of the type,
 * safe steps of at most OBJECT_NAMES_TOP bytes, or NULL. Type and extension may be anything.
 */
void object_path_make(struct object_path *out, const char *top, const char *type,
                      const char *extension, uint64_t offset);
/* The whole path below the folder, in out. */
void object_path_text(const struct object_path *path, char out[OBJECT_PATH_MAX]);

#define OBJECT_NAMES_CUT "truncated" /* the folder of what is cut short; of no type */

struct object_names; /* owned by the caller of object_names_open; one thread */

/*
 * Looks at the types of all objects. While a cursor is open it sees the objects that the cursor
 * sees. Errors: ERR_INPUT more than OBJECT_NAMES_KINDS types; as of the case file.
 */
ERR_MUST_CHECK enum err_code object_names_open(struct db_case *db, struct object_names **out,
                                               struct err *err);
void object_names_close(struct object_names *names); /* NULL is a no-op */

/* The name of the next object. Called for each object of the case, in the order of a cursor. */
ERR_MUST_CHECK enum err_code object_names_next(struct object_names *names,
                                               const struct db_object *object,
                                               struct object_path *out, struct err *err);

#endif
