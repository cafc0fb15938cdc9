/* SPDX-License-Identifier: Apache-2.0
 * carver/cli/args.h - the words of a command line: options, operands, sizes, counts and ranges.
 *
 *   args_begin(&args, "scan", options, argc, argv);
 *   while ((rc = args_next(&args, &id, &value, err)) == ERR_OK && id != ARGS_END)
 *       switch (id) { … }
 *   rc = args_operands(&args, 1, 1, "CASE", &operands, &count, err);
 *
 * --help is answered by main.c before a command runs, so no table has it. Every error is ERR_ARG,
 * names the option and says what is allowed. getopt_long does the splitting: options may stand
 * behind operands, may be shortened as long as they stay unique, and "--" ends them. Its state is
 * the C library's, so one command line is read at a time.
 */
#ifndef BURIN_CARVER_CLI_ARGS_H
#define BURIN_CARVER_CLI_ARGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

enum {
    ARGS_OPTIONS_MAX = 48, /* options of one command */
    ARGS_END = -1,         /* id: no further option */
    ARGS_LONG = 256,       /* ids from here on have no short form */
};

struct args_option {
    const char *name; /* without the dashes; NULL ends the table */
    int id;           /* what args_next gives; a character is the short form too ("-o") */
    const char
        *value; /* what the value is called in messages ("SIZE"); NULL: the option takes none */
};

struct args {
    const char *command;
    const struct args_option *options;
    int argc;
    char **argv;
};

/* argv[0] is the command's name; argv is put into another order while it is read. */
void args_begin(struct args *args, const char *command, const struct args_option *options, int argc,
                char **argv);

/* The next option: its id, and its value (NULL where it takes none). *id is ARGS_END behind the
 * last one. */
ERR_MUST_CHECK enum err_code args_next(struct args *args, int *id, const char **value,
                                       struct err *err);

/* What is left when args_next has come to ARGS_END: min to max words, called `what` in the message
 * ("IMAGE...", "CASE DIR"): of several words those that are not there. */
ERR_MUST_CHECK enum err_code args_operands(const struct args *args, int min, int max,
                                           const char *what, char ***operands, int *count,
                                           struct err *err);

/* A size in bytes: decimal or 0x hexadecimal, with K, M, G or T behind it for powers of 1024.
 * option: "--segment". */
ERR_MUST_CHECK enum err_code args_size(const char *option, const char *text, uint64_t min,
                                       uint64_t max, uint64_t *out, struct err *err);

/* A plain number without a suffix. */
ERR_MUST_CHECK enum err_code args_count(const char *option, const char *text, uint64_t min,
                                        uint64_t max, uint64_t *out, struct err *err);

/* A time of 1 second to max_hours: 60, 60s, 5m or 1h. *out: nanoseconds. */
ERR_MUST_CHECK enum err_code args_time(const char *option, const char *text, uint32_t max_hours,
                                       uint64_t *out, struct err *err);

/* K/N: the number of a part, from 0 on, and how many parts there are, at most max. */
ERR_MUST_CHECK enum err_code args_part(const char *option, const char *text, uint32_t max,
                                       uint32_t *number, uint32_t *count, struct err *err);

/* START[:[LENGTH]], both sizes; without LENGTH to the end: *len is UINT64_MAX - *start. */
ERR_MUST_CHECK enum err_code args_range(const char *option, const char *text, uint64_t *start,
                                        uint64_t *len, struct err *err);

/*
 * ERR_ARG unless text can name a file that is read more than once or at any offset: not "", and not
 * "-", which is standard input. what: "IMAGE", "--known".
 */
ERR_MUST_CHECK enum err_code args_file(const char *what, const char *text, struct err *err);

/*
 * Adds a file to those of an option that may be given up to `most` times: files[most], *count of
 * them so far. text stays the caller's. ERR_ARG: they are too many, or as args_file.
 */
ERR_MUST_CHECK enum err_code args_more_files(const char *option, const char *text,
                                             const char **files, uint32_t most, uint32_t *count,
                                             struct err *err);

/* ERR_ARG unless a comma-separated list has 1 to max words. */
ERR_MUST_CHECK enum err_code args_list_check(const char *option, const char *list, uint32_t max,
                                             struct err *err);

/* Copies the next word of a comma-separated list, cut where size is too small, and moves *list
 * behind it; false behind the last one. */
bool args_word(const char **list, char *word, size_t size);

/*
 * "burin" and the words of a command line (argv[0] is the command) as one text that a shell reads
 * back as the same words; cut, with " ...", where it does not fit. out_size at least 16. To be
 * called before the words are put into another order.
 */
void args_quote(int argc, char *const *argv, char *out, uint32_t out_size);

#endif
