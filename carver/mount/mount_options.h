/* SPDX-License-Identifier: Apache-2.0
 * carver/mount/mount_options.h - the words of `burin mount`. */
#ifndef BURIN_CARVER_MOUNT_MOUNT_OPTIONS_H
#define BURIN_CARVER_MOUNT_MOUNT_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "carver/carve/carve_choice.h"

enum { MOUNT_IMAGES_MAX = 64 };

struct mount_options {
    const char *case_path, *folder;
    const char *key_file; /* NULL: none; to be taken by the process that reads images */
    const char *images[MOUNT_IMAGES_MAX];
    uint32_t image_count, threads;
    bool foreground, others, direct, check, no_xattrs, quiet, no_jail;
    struct carve_choice choice;
};

extern const char mount_options_text[]; /* of --help */

/* Errors: ERR_ARG. */
ERR_MUST_CHECK enum err_code mount_read_options(int argc, char **argv, struct mount_options *out,
                                                struct err *err);

#endif
