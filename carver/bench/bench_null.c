/* SPDX-License-Identifier: Apache-2.0
 * carver/bench/bench_null.c - `burin bench null`: a scan that looks for nothing: reader, matcher,
 * planner and case file as always, but no pattern. What it takes is what a scan takes beside
 * matching. The case file that it writes is of no use, so scan has no such option.
 */
#include "carver/bench/bench.h"
#include "carver/scan/scan.h"
#include "carver/scan/scan_files.h"

const char bench_null_help[] =
    "Runs a scan without any pattern once: what a scan costs beside matching. The case file that\n"
    "it writes is of no use.\n"
    "\n"
    "Options are those of burin scan; see burin scan --help.\n" BENCH_HELP_TEXT;

enum err_code bench_null(int argc, char **argv, struct json *json, struct err *err)
{
    enum exit_status status = EXIT_DONE;
    struct scan_options options;
    struct scan_files files;
    struct patterns none = { 0 };

    (void)json; /* the job's summary has its own */
    enum err_code rc = scan_options_read(argc, argv, &options, err);
    if (rc != ERR_OK)
        return rc;
    rc = scan_files_open(&options, &files, err);
    if (rc == ERR_OK)
        rc = patterns_build(files.sigs, 0, &none, err);
    if (rc == ERR_OK)
        rc = scan_images(scan_files_job(&files, &none, "burin bench null"), &status, err);
    scan_files_close(&files);
    patterns_release(&none);
    return rc;
}
