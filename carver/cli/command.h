/* SPDX-License-Identifier: Apache-2.0
 * carver/cli/command.h - what every command of the program is: one file with a run function, and
 * one line in carver/cli/commands.def.
 */
#ifndef BURIN_CARVER_CLI_COMMAND_H
#define BURIN_CARVER_CLI_COMMAND_H

#include "base/err.h"

enum exit_status {
    EXIT_DONE = 0,
    EXIT_PARTLY = 1, /* some evidence not read, object not written or header left out: it is told */
    EXIT_USAGE = 2,
    EXIT_INPUT = 3,
    EXIT_ENVIRONMENT = 4,
    EXIT_FINDINGS = 10, /* of an audit: something new has met a rule */
    EXIT_CHANGES = 11,  /* of an audit: something is otherwise than before, and no more */
    EXIT_SIGNAL = 130,
};

struct command {
    const char *name;
    const char *arguments; /* "[options] IMAGE..." */
    const char *what;      /* one line */
    const char *options; /* the text of --help below the usage line: options with their meaning, as
                            printed; NULL: help prints it */
    /* Prints the whole text of --help, which depends on the words; argv as for run. Or NULL. */
    enum err_code (*help)(int argc, char **argv, struct err *err);
    /*
     * argv[0] is the command's name. Returns ERR_OK with *status EXIT_DONE or EXIT_PARTLY, or an
     * error that main.c prints and turns into an exit status. Results go to standard output,
     * messages to standard error.
     */
    enum err_code (*run)(int argc, char **argv, enum exit_status *status, struct err *err);
};

#endif
