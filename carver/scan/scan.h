/* carver/scan/scan.h - a whole scan, as `burin scan` and the benchmark run it. */
#ifndef BURIN_CARVER_SCAN_SCAN_H
#define BURIN_CARVER_SCAN_SCAN_H

#include <stdbool.h>

#include "base/err.h"
#include "carver/cli/command.h"
#include "carver/scan/scan_options.h"

/*
 * Scans the images of the options into their case file. find: false looks for nothing, so that what
 * all else costs can be measured; only `burin bench null` asks for that.
 */
ERR_MUST_CHECK enum err_code scan_images(const struct scan_options *options,
                                         const char *command_line, bool find,
                                         enum exit_status *status, struct err *err);

#endif
