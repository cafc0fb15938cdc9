/* SPDX-License-Identifier: Apache-2.0
 * cluster/options.h - the command line of burin-mpi, and the words with which it starts burin. */
#ifndef BURIN_CLUSTER_OPTIONS_H
#define BURIN_CLUSTER_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/limits.h"

enum {
    OPTIONS_WORDS_MAX = 1024,  /* of a command line */
    OPTIONS_PARTS_MAX = 65536, /* as burin scan --part takes */
};

/* Texts point into argv, but for those that are here. */
struct options {
    char program[LIMIT_PATH]; /* burin */
    char parts[LIMIT_PATH];   /* the folder of the shards */
    const char *command;      /* of burin: scan or search */
    const char *case_path;    /* NULL: nothing is merged */
    const char *image;
    const char *others[OPTIONS_WORDS_MAX]; /* words that are for the command */
    uint32_t other_count;
    uint32_t count; /* parts; 0: none was named */
    bool resume, follow, accept_bad, quiet, help, threads;
};

/* Errors: ERR_ARG. With help nothing else is read. */
ERR_MUST_CHECK enum err_code options_read(int argc, char **argv, struct options *out,
                                          struct err *err);

void options_help(void); /* prints it */

/* Numbers of a part, as a rank works on it. */
struct options_part {
    uint32_t number, count;
    uint32_t local;   /* the rank among those of its host */
    uint32_t threads; /* for burin */
};

/* Words, ending with NULL, of the command that scans or searches a part. Room in text, of 256
 * bytes. */
void options_scan(const struct options *o, const struct options_part *part, char text[256],
                  char *words[OPTIONS_WORDS_MAX + 16]);

/* Words of burin merge: how is "--missing", "--status" or NULL, to merge. */
void options_merge(const struct options *o, const char *how, char *words[16]);

/* Words of the burin merge that follows the parts. */
void options_follow(const struct options *o, char *words[16]);

#endif
