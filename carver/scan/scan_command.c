/* SPDX-License-Identifier: Apache-2.0
 * carver/scan/scan_command.c - `burin scan`: from the command line to a job, see scan_files.h. */
#include "carver/cli/args.h"
#include "carver/cli/command.h"
#include "carver/scan/scan.h"
#include "carver/scan/scan_files.h"
#include "carver/scan/scan_options.h"
#include "carver/scan/scan_part.h"
#include "carver/scan/scan_print.h"

enum { SCAN_COMMAND_LINE_MAX = 16384 };

static enum err_code scan_command_run(int argc, char **argv, enum exit_status *status,
                                      struct err *err)
{
    char command_line[SCAN_COMMAND_LINE_MAX];
    struct scan_options options;
    struct scan_files files;
    struct patterns patterns = { 0 };

    args_quote(argc, argv, command_line, sizeof command_line);
    enum err_code rc = scan_options_read(argc, argv, &options, err);
    if (rc != ERR_OK)
        return rc;
    rc = scan_files_open(&options, &files, err);
    if (rc == ERR_OK)
        rc = patterns_build(files.sigs, files.count, &patterns, err);
    if (rc == ERR_OK)
        rc = options.parts != NULL
                 ? scan_part(scan_files_job(&files, &patterns, command_line), &options, status, err)
                 : scan_images(scan_files_job(&files, &patterns, command_line), status, err);
    if (rc == ERR_OK && options.parts == NULL && !options.how.quiet && !options.how.json &&
        !options.hits_only)
        scan_print_next(options.how.case_path);
    scan_files_close(&files);
    patterns_release(&patterns);
    return rc;
}

const struct command command_scan = {
    .name = "scan",
    .arguments = "[options] IMAGE...",
    .what = "find recoverable files in disk images and record them in a case file",
    .options = SCAN_OPTIONS_TEXT,
    .run = scan_command_run,
};
