/* SPDX-License-Identifier: Apache-2.0
 * base/object_name.c - see object_name.h. */
#include "base/object_name.h"

#include <string.h>

#include "base/hex.h"

void object_name(char out[OBJECT_NAME_MAX], const char *type, const char *extension,
                 uint64_t offset)
{
    const size_t name_len = strnlen(type, OBJECT_NAME_WORD - 1);
    const size_t extension_len = strnlen(extension, OBJECT_NAME_WORD - 1);
    char *to = out;

    memcpy(to, type, name_len);
    to += name_len;
    *to++ = '/';
    to = hex_number(offset, to);
    if (extension_len > 0)
        *to++ = '.';
    memcpy(to, extension, extension_len);
    to[extension_len] = '\0';
}
