/* SPDX-License-Identifier: Apache-2.0
 * carver/hashset/known_options.h - the command line of `burin known`, and its verbs. */
#ifndef BURIN_CARVER_HASHSET_KNOWN_OPTIONS_H
#define BURIN_CARVER_HASHSET_KNOWN_OPTIONS_H

#include "carver/cli/command.h"
#include "carver/hashset/known_read.h"

struct known_options {
    enum known_format format;
    bool files;    /* operands are files and folders to be hashed, not lists */
    bool has_hash; /* --hash was given */
    enum digest_kind hash;
    enum known_verdict verdict;
    bool has_verdict, has_label, has_rate, has_block;
    bool names, force, check, json, quiet, no_jail;
    uint32_t block_len, threads;
    uint64_t memory; /* bytes */
    double rate;
    const char *label;
    const char *set; /* the first operand */
    char **operands; /* those behind it */
    int operand_count;
};

enum err_code known_build(const struct known_options *options, bool add, enum exit_status *status,
                          struct err *err);
enum err_code known_query(const struct known_options *options, enum exit_status *status,
                          struct err *err);
enum err_code known_info(const struct known_options *options, enum exit_status *status,
                         struct err *err);

/* Tells of a file that could not be read; a known_files_options.trouble. */
void known_trouble(void *arg, const char *text);

#endif
