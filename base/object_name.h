/* SPDX-License-Identifier: Apache-2.0
 * base/object_name.h - the name of an object's file below an output folder: TYPE/OFFSET.EXT. */
#ifndef BURIN_BASE_OBJECT_NAME_H
#define BURIN_BASE_OBJECT_NAME_H

#include <stdint.h>

enum {
    OBJECT_NAME_WORD = 32, /* bytes of a type or an extension, with its NUL: more are left out */
    OBJECT_NAME_MAX = 2 * OBJECT_NAME_WORD + 24 /* bytes of a name, with its NUL */
};

/* extension: "" where there is none. offset: of the object in the image. */
void object_name(char out[OBJECT_NAME_MAX], const char *type, const char *extension,
                 uint64_t offset);

#endif
