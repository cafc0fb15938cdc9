/* SPDX-License-Identifier: Apache-2.0
 * carver/triage/triage_next.c - what may be done behind a triage: see triage.h. */
#include <stdlib.h>
#include <string.h>

#include "carver/cli/args.h"
#include "carver/cli/print_safe.h"
#include "carver/scan/scan_print.h"
#include "carver/triage/triage.h"

enum {
    NEXT_LINE_MAX = 16384,
    NEXT_WORDS = 4, /* scan --resume --case CASE */
};

enum err_code triage_next_see(struct triage *triage, int64_t image_id, struct err *err)
{
    struct db_run run;
    bool scanned = false;
    enum err_code rc = db_scan_exists(triage->db, image_id, &scanned, err);

    if (rc == ERR_OK && scanned)
        rc = db_run_latest(triage->db, image_id, &run, err);
    if (rc != ERR_OK)
        return rc;
    triage->scanned |= scanned;
    triage->left |= !scanned || strcmp(run.status, "done") != 0;
    return ERR_OK;
}

enum err_code triage_next_print(const struct triage *triage, struct err *err)
{
    const struct scan_how *how = &triage->options->how;
    char usual[LIMIT_PATH], line[NEXT_LINE_MAX];
    int count = 0;

    if (!triage->left) {
        scan_print_next(how->case_path);
        return ERR_OK;
    }
    char **words = calloc(NEXT_WORDS + (size_t)how->image_count, sizeof *words);
    if (words == NULL)
        return ERR_NO_MEMORY(err, (size_t)how->image_count * sizeof *words);
    words[count++] = (char *)"scan";
    if (triage->scanned)
        words[count++] = (char *)"--resume";
    if (!scan_how_usual_case(how->images[0], usual) || strcmp(usual, how->case_path) != 0) {
        words[count++] = (char *)"--case";
        words[count++] = (char *)how->case_path;
    }
    for (int i = 0; i < how->image_count; i++)
        words[count++] = (char *)how->images[i];
    args_quote(count, words, line, sizeof line);
    print_safe_line(stderr, "next: %s", line);
    free(words);
    return ERR_OK;
}
