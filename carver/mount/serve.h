/* SPDX-License-Identifier: Apache-2.0
 * carver/mount/serve.h - answers what the kernel asks of a mount, until it is unmounted or a stop
 * is asked for. Beside keeper.c the only one that speaks FUSE.
 */
#ifndef BURIN_CARVER_MOUNT_SERVE_H
#define BURIN_CARVER_MOUNT_SERVE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "carver/mount/case_facts.h"
#include "carver/mount/content.h"
#include "carver/mount/lib_fuse.h"
#include "carver/mount/tree.h"

enum { SERVE_THREADS_MAX = 64 };

struct keeper; /* keeper.h */

struct serve_options {
    const struct lib_fuse *fuse;
    const struct tree *tree;
    const struct content *content;
    struct case_facts *facts;
    const char *help;      /* the text of README.txt */
    int fd;                /* of the connection; serve's from here on */
    struct keeper *keeper; /* NULL: the kernel is lent no files */
    uint32_t threads;      /* 1..SERVE_THREADS_MAX */
    bool direct;           /* past the page cache */
    bool xattrs;
};

struct serve; /* owned by the caller of serve_start */

/* Threads answer from now on. Errors: ERR_ENV; then fd is closed. */
ERR_MUST_CHECK enum err_code serve_start(const struct serve_options *options, struct serve **out,
                                         struct err *err);

/* Waits until it is unmounted, or interrupt_requested. True: it was unmounted. */
bool serve_wait(struct serve *serve);

struct serve_totals {
    uint64_t opens, reads, bytes; /* files opened; requests, and what they were given */
    uint64_t failed;              /* requests that ended with EIO */
    uint64_t through; /* of the opens: files that the kernel reads itself, of which nothing else is
                         counted */
};

/* The threads end, when what they are at is done, and the connection is closed. NULL is a no-op. */
void serve_end(struct serve *serve, struct serve_totals *totals);

#endif
