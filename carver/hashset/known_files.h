/* SPDX-License-Identifier: Apache-2.0
 * carver/hashset/known_files.h - hashes of files, and of all files below folders, as entries of a
 * set.
 *
 * Files come in the order of their paths; links are not followed. What cannot be read is told
 * through `trouble` and does not stop the rest. Several threads hash; entries come in the caller's.
 */
#ifndef BURIN_CARVER_HASHSET_KNOWN_FILES_H
#define BURIN_CARVER_HASHSET_KNOWN_FILES_H

#include "carver/hashset/known.h"

struct known_files_options {
    enum digest_kind hash;
    uint32_t block_len; /* bytes: entries are whole blocks of files, but those that say nothing; 0:
                           entries are files */
    uint32_t threads;
    void (*trouble)(void *arg, const char *text); /* one line */
    void *trouble_arg;
};

struct known_files_totals {
    uint64_t files, bytes, blocks,
        nonprobative; /* nonprobative: blocks left out because they say nothing */
    uint64_t unread;  /* files and folders */
};

ERR_MUST_CHECK enum err_code known_files_read(char *const *paths, int count,
                                              const struct known_files_options *options,
                                              known_entry_fn each, void *arg,
                                              struct known_files_totals *totals, struct err *err);

#endif
