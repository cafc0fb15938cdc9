/* SPDX-License-Identifier: Apache-2.0
 * carver/cli/advice.h - what the user can do about an error, by the options of the command.
 *
 * The modules know nothing of options: they say what there is too little of (err.h).
 */
#ifndef BURIN_CARVER_CLI_ADVICE_H
#define BURIN_CARVER_CLI_ADVICE_H

#include "base/err.h"

/*
 * Appends to the text of err the option with which the command needs less of what there is too
 * little of. Does nothing where the command has no such option.
 *
 * options  The command's --help text: struct command's options. NULL: nothing is appended.
 */
void advice_append(struct err *err, const char *options);

#endif
