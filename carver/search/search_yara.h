/* SPDX-License-Identifier: Apache-2.0
 * carver/search/search_yara.h - `burin search --yara FILE CASE`: which objects of a case meet rules
 * of YARA.
 */
#ifndef BURIN_CARVER_SEARCH_SEARCH_YARA_H
#define BURIN_CARVER_SEARCH_SEARCH_YARA_H

#include "carver/cli/command.h"
#include "carver/yara/yara_rules.h"

enum { SEARCH_YARA_IMAGES_MAX = 64 };

struct search_yara {
    const char *case_path, *command_line;
    const char *sign; /* NULL: no command */
    const char *files[YARA_RULES_FILES_MAX];
    uint32_t file_count; /* 0: no rules of YARA */
    const char *images[SEARCH_YARA_IMAGES_MAX];
    uint32_t image_count;
    uint64_t seconds; /* for an object */
    bool wait, json, quiet, no_jail;
};

/* *status: EXIT_PARTLY where an object is not decided, or not by all of its bytes. */
ERR_MUST_CHECK enum err_code search_yara(const struct search_yara *options,
                                         enum exit_status *status, struct err *err);

#endif
