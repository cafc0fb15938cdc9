/* SPDX-License-Identifier: Apache-2.0
 * signatures/media.h - names that others have for a type: its media type, where IANA has registered
 * one, and the numbers of PRONOM. media.def is the list.
 */
#ifndef BURIN_SIGNATURES_MEDIA_H
#define BURIN_SIGNATURES_MEDIA_H

/* The media type of a type, by its name as it is: "image/png". NULL: none is registered, or the
 * type is not built in. */
const char *sig_media_type(const char *type);

/*
 * The numbers that PRONOM gives the format, all versions of it, with spaces between: "fmt/3 fmt/4".
 * NULL: it has none. Which version a file has is not told.
 */
const char *sig_pronom(const char *type);

#endif
