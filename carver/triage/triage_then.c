/* SPDX-License-Identifier: Apache-2.0
 * carver/triage/triage_then.c - `burin triage --then scan`; see triage.h. */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>

#include "carver/cli/interrupt.h"
#include "carver/scan/scan.h"
#include "carver/triage/triage.h"

enum { THEN_LOOK_NS = 20000000 /* between two looks at the process */ };

enum err_code triage_then_wait(pid_t pid, enum exit_status *status, bool *scan, struct err *err)
{
    const struct timespec pause = { .tv_nsec = THEN_LOOK_NS };
    bool told = false;
    int how = 0;
    pid_t got;

    while ((got = waitpid(pid, &how, WNOHANG)) == 0 || (got < 0 && errno == EINTR)) {
        if (interrupt_requested() && !told) {
            kill(pid, SIGTERM); /* a terminal tells both, others this one alone */
            told = true;
        }
        nanosleep(&pause, NULL);
    }
    if (got < 0)
        return ERR_RAISE(err, ERR_ENV, "--then scan: the triage is lost: %s", strerror(errno));
    if (WIFSIGNALED(how))
        return ERR_RAISE(err, ERR_ENV, "--then scan: the triage was ended by signal %d",
                         WTERMSIG(how));
    *status = (enum exit_status)WEXITSTATUS(how); /* it has said why */
    *scan = *status == EXIT_DONE || *status == EXIT_PARTLY;
    return ERR_OK;
}

/* The words of the scan that goes on. */
enum err_code triage_then_scan(const struct triage_options *o, enum exit_status *status,
                               struct err *err)
{
    const size_t most = (size_t)o->how.image_count + 2 * (size_t)o->known_count + 24;
    const char **words = calloc(most, sizeof *words);
    enum exit_status scanned = EXIT_DONE;
    int count = 0;

    if (words == NULL)
        return ERR_NO_MEMORY(err, most * sizeof *words);
    words[count++] = "scan";
    words[count++] = "--case";
    words[count++] = o->how.case_path;
    for (uint32_t i = 0; i < o->known_count; i++) {
        words[count++] = "--known";
        words[count++] = o->known[i];
    }
    if (o->how.image_type != NULL) {
        words[count++] = "--image-type";
        words[count++] = o->how.image_type;
    }
    if (o->how.mapfile != NULL) {
        words[count++] = "--mapfile";
        words[count++] = o->how.mapfile;
    }
    if (o->how.sign != NULL) {
        words[count++] = "--sign";
        words[count++] = o->how.sign;
    }
    if (o->how.no_jail)
        words[count++] = "--no-jail";
    if (o->how.quiet)
        words[count++] = "--quiet";
    if (o->how.json)
        words[count++] = "--json";
    words[count++] = "--";
    for (int i = 0; i < o->how.image_count; i++)
        words[count++] = o->how.images[i];
    const enum err_code rc = command_scan.run(count, (char **)(uintptr_t)words, &scanned, err);
    if (rc == ERR_OK && scanned != EXIT_DONE)
        *status = scanned;
    free(words);
    return rc;
}
