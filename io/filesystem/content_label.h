/* SPDX-License-Identifier: Apache-2.0
 * io/filesystem/content_label.h - names of file systems, as UTF-8 (content.c only). */
#ifndef BURIN_IO_FILESYSTEM_CONTENT_LABEL_H
#define BURIN_IO_FILESYSTEM_CONTENT_LABEL_H

#include <stdint.h>

#include "io/filesystem/content.h"

/* Up to the first NUL, without blanks at the end; what is no UTF-8 stays as it is. */
void content_label_bytes(const uint8_t *bytes, uint32_t len, char out[CONTENT_LABEL_MAX]);

/* boot: the first 512 bytes of the file system. Without a label, or with a damaged one, "". */
void content_label_ntfs(const struct source *source, const uint8_t *boot, uint32_t cluster,
                        char out[CONTENT_LABEL_MAX]);
void content_label_exfat(const struct source *source, const uint8_t *boot,
                         char out[CONTENT_LABEL_MAX]);

#endif
