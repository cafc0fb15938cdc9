/*
 * io/image/ewf_segments.h - are all files of an E01 image there, and whole? (io/ only)
 *
 * libewf 20140813 does not say: what a missing or shortened file should hold reads as zeros,
 * without an error.
 */
#ifndef BURIN_IO_IMAGE_EWF_SEGMENTS_H
#define BURIN_IO_IMAGE_EWF_SEGMENTS_H

#include <stdint.h>

#include "base/err.h"
#include "io/image/ewf_unread.h"

/*
 * Checks paths[count], the files found in their order, from their headers and their chains of
 * sections, and collects the sectors that were not read when the image was made.
 * Errors  ERR_INPUT  a file is missing, shortened, or of another place in the order (named), or
 *                    lists unread sectors in a way that cannot be right.
 *         ERR_ENV    no memory.
 */
ERR_MUST_CHECK enum err_code io_ewf_check_segments(char *const *paths, uint32_t count,
                                                   struct io_ewf_unread *unread, struct err *err);

#endif
