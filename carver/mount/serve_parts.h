/* SPDX-License-Identifier: Apache-2.0
 * carver/mount/serve_parts.h - what serve.c and serve_answers.c have in common. */
#ifndef BURIN_CARVER_MOUNT_SERVE_PARTS_H
#define BURIN_CARVER_MOUNT_SERVE_PARTS_H

#include <pthread.h>
#include <stdatomic.h>

#include "base/thread.h"
#include "carver/mount/keeper.h"
#include "carver/mount/open_ranges.h"
#include "carver/mount/pass.h"
#include "carver/mount/serve.h"

/* Bytes: the kernel asks for no more at a time. What a pipe takes, so that large reads go by it. */
enum { SERVE_BUFFER = PASS_MAX };

struct serve {
    struct serve_options o;
    struct fuse_session *session;
    bool owned; /* the session closes o.fd */
    int stop;   /* an event: the threads are to end */
    int ended;  /* an event: one of them has */
    struct thread threads[SERVE_THREADS_MAX];
    struct open_ranges ranges;
    pthread_mutex_t lock;             /* of what follows */
    char *buffers[SERVE_THREADS_MAX]; /* that nobody uses */
    uint32_t buffer_count;
    uint32_t *lent; /* [images]: the kernel's numbers of their files; 0: it is asked of us */
    _Atomic uint64_t opens, reads, bytes, failed, through;
};

/*
 * Whose requests this thread answers. The library would tell by a function of its own, which is in
 * a table, as it is loaded late, and the table is told by nobody else.
 */
extern _Thread_local struct serve *serve_self;

/* A file or folder that the kernel has a number of. */
struct serve_node {
    struct tree_node node; /* kind TREE_RANGE: */
    struct ranges ranges;
    uint32_t image; /* of the ranges */
    uint64_t inode;
};

/* False: there is none of this number, any more. */
bool serve_find(struct serve *serve, fuse_ino_t inode, struct serve_node *out);
/* What the kernel is told of it. */
void serve_entry(const struct serve *serve, const struct serve_node *node,
                 struct fuse_entry_param *out);

/* A buffer of SERVE_BUFFER bytes that is this thread's until serve_give; NULL: no memory. */
char *serve_take(struct serve *serve);
void serve_give(struct serve *serve, char *buffer);

/* The kernel is lent the files of images that it can read itself. Before the first answer. */
ERR_MUST_CHECK enum err_code serve_lend(struct serve *serve, struct err *err);
/* The number of the file that the kernel reads itself; 0: it is none. */
uint32_t serve_lent(const struct serve *serve, const struct serve_node *node);
/* Answers the end of somebody's reading. */
void serve_flush(fuse_req_t req, fuse_ino_t inode, struct fuse_file_info *info);

/* Puts those of folders and attributes into the table. */
void serve_answers_folders(struct fuse_lowlevel_ops *out, bool xattrs);

/* The functions that answer the requests of a thread, between serve_enter and serve_leave. */
void serve_answers(struct fuse_lowlevel_ops *out, bool xattrs);
void serve_enter(struct serve *serve);
void serve_leave(void);

#endif
