/* SPDX-License-Identifier: Apache-2.0
 * carver/mount/serve_answers.c - what each request of the kernel is answered with: see serve.h. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "carver/mount/serve_parts.h"
#include "carver/mount/through.h"

/* Nothing changes below a mount: what the kernel knows it may keep. */
#define SERVE_KEEP_SECONDS (24.0 * 60 * 60)
#define SERVE_RANGE_SECONDS 1.0

enum {
    SERVE_BLOCK = 512,
    SERVE_DIRECTORY_MODE = S_IFDIR | 0555,
    SERVE_FILE_MODE = S_IFREG | 0444,
};

_Thread_local struct serve *serve_self;
static _Thread_local struct pass serve_pass;

void serve_enter(struct serve *serve)
{
    serve_self = serve;
    pass_open(&serve_pass);
}

void serve_leave(void)
{
    pass_close(&serve_pass);
}

/* The library says what the kernel can do; without the flag it copies what is in a pipe. It derives
 * what the kernel asks for at a time from max_write, for reads too. */
static void serve_init(void *arg, struct fuse_conn_info *connection)
{
    (void)arg;
    connection->want |= connection->capable & FUSE_CAP_SPLICE_WRITE;
    connection->max_write = SERVE_BUFFER;
}

bool serve_find(struct serve *serve, fuse_ino_t inode, struct serve_node *out)
{
    out->inode = inode;
    if (inode < TREE_FREE)
        return tree_node_of(serve->o.tree, inode, &out->node);
    out->node = (struct tree_node){ TREE_RANGE, 0 };
    return open_ranges_get(&serve->ranges, inode - TREE_FREE, &out->image, &out->ranges);
}

static struct content_file serve_file(const struct serve *serve, const struct serve_node *node,
                                      struct ranges_piece *one)
{
    if (node->node.kind == TREE_RANGE)
        return (struct content_file){ .image = node->image,
                                      .pieces = node->ranges.pieces,
                                      .count = node->ranges.count,
                                      .len = node->ranges.len };
    return content_of(serve->o.content, &node->node, one);
}

static void serve_stat(const struct serve *serve, const struct serve_node *node, struct stat *out)
{
    const struct tree *tree = serve->o.tree;
    struct ranges_piece one;
    int64_t date;

    *out = (struct stat){ .st_ino = node->inode,
                          .st_uid = getuid(),
                          .st_gid = getgid(),
                          .st_blksize = SERVE_BUFFER,
                          .st_mode = SERVE_FILE_MODE,
                          .st_nlink = 1 };
    if (node->node.kind == TREE_DIR) {
        out->st_mode = SERVE_DIRECTORY_MODE;
        out->st_nlink = 2 + (nlink_t)tree->dirs[node->node.index].kids;
    } else if (node->node.kind == TREE_HELP) {
        out->st_size = (off_t)strlen(serve->o.help);
    } else {
        out->st_size = (off_t)serve_file(serve, node, &one).len;
    }
    if (node->node.kind == TREE_OBJECT && tree_date_of(tree, node->node.index, &date))
        out->st_mtim.tv_sec = date;
    out->st_blocks = (out->st_size + SERVE_BLOCK - 1) / SERVE_BLOCK;
}

void serve_entry(const struct serve *serve, const struct serve_node *node,
                 struct fuse_entry_param *out)
{
    const double keep = node->node.kind == TREE_RANGE ? SERVE_RANGE_SECONDS : SERVE_KEEP_SECONDS;

    *out = (struct fuse_entry_param){ .ino = node->inode,
                                      .attr_timeout = keep,
                                      .entry_timeout = keep };
    serve_stat(serve, node, &out->attr);
}

/* Ranges by their name: 0, or an errno. */
static int serve_lookup_ranges(struct serve *serve, const char *name, struct serve_node *out)
{
    uint64_t number = 0;

    out->image = out->node.index;
    if (!ranges_read(name, serve->o.tree->image_sizes[out->image - 1], &out->ranges))
        return ENOENT;
    const int failed = open_ranges_add(&serve->ranges, out->image, name, &out->ranges, &number);
    out->inode = TREE_FREE + number;
    return failed;
}

static void serve_lookup(fuse_req_t req, fuse_ino_t parent, const char *name)
{
    struct serve *serve = serve_self;
    struct serve_node folder, node;
    struct fuse_entry_param entry;
    int failed = 0;

    if (!serve_find(serve, parent, &folder) || folder.node.kind != TREE_DIR ||
        !tree_lookup(serve->o.tree, folder.node.index, name, &node.node))
        failed = ENOENT;
    else if (node.node.kind == TREE_RANGE)
        failed = serve_lookup_ranges(serve, name, &node);
    else
        node.inode = tree_inode(serve->o.tree, &node.node);
    if (failed != 0) {
        serve->o.fuse->fuse_reply_err(req, failed);
        return;
    }
    serve_entry(serve, &node, &entry);
    serve->o.fuse->fuse_reply_entry(req, &entry);
}

/* Nothing is counted: see open_ranges.h. */
static void serve_forget(fuse_req_t req, fuse_ino_t inode, uint64_t lookups)
{
    (void)inode;
    (void)lookups;
    serve_self->o.fuse->fuse_reply_none(req);
}

static void serve_getattr(fuse_req_t req, fuse_ino_t inode, struct fuse_file_info *info)
{
    struct serve *serve = serve_self;
    struct serve_node node;
    struct stat attributes;

    (void)info;
    if (!serve_find(serve, inode, &node)) {
        serve->o.fuse->fuse_reply_err(req, ESTALE);
        return;
    }
    serve_stat(serve, &node, &attributes);
    serve->o.fuse->fuse_reply_attr(req, &attributes, SERVE_KEEP_SECONDS);
}

/* ---- files ---- */

static int serve_may_open(struct serve *serve, const struct serve_node *node)
{
    if (node->node.kind == TREE_DIR)
        return EISDIR;
    if (node->node.kind == TREE_RANGE)
        return open_ranges_hold(&serve->ranges, node->inode - TREE_FREE, 1) ? 0 : ESTALE;
    return node->node.kind == TREE_OBJECT ? content_check(serve->o.content, node->node.index) : 0;
}

static void serve_open(fuse_req_t req, fuse_ino_t inode, struct fuse_file_info *info)
{
    struct serve *serve = serve_self;
    struct serve_node node;
    int failed = ESTALE;

    if ((info->flags & O_ACCMODE) != O_RDONLY)
        failed = EROFS;
    else if (serve_find(serve, inode, &node))
        failed = serve_may_open(serve, &node);
    if (failed != 0) {
        atomic_fetch_add(&serve->failed, failed == EIO);
        serve->o.fuse->fuse_reply_err(req, failed);
        return;
    }
    atomic_fetch_add(&serve->opens, 1);
    const uint32_t lent = serve_lent(serve, &node);
    if (lent > 0) {
        const struct through_opened opened = through_opened(lent);

        atomic_fetch_add(&serve->through, 1);
        serve->o.fuse->fuse_reply_buf(req, (const char *)&opened, sizeof opened);
        return;
    }
    info->direct_io = serve->o.direct;
    info->keep_cache = !serve->o.direct;
    info->noflush = 1;
    serve->o.fuse->fuse_reply_open(req, info);
}

static void serve_release(fuse_req_t req, fuse_ino_t inode, struct fuse_file_info *info)
{
    struct serve *serve = serve_self;

    (void)info;
    if (inode >= TREE_FREE)
        (void)open_ranges_hold(&serve->ranges, inode - TREE_FREE, -1);
    serve->o.fuse->fuse_reply_err(req, 0);
}

char *serve_take(struct serve *serve)
{
    char *buffer = NULL;

    pthread_mutex_lock(&serve->lock);
    if (serve->buffer_count > 0)
        buffer = serve->buffers[--serve->buffer_count];
    pthread_mutex_unlock(&serve->lock);
    return buffer != NULL ? buffer : aligned_alloc(4096, SERVE_BUFFER);
}

void serve_give(struct serve *serve, char *buffer)
{
    if (buffer == NULL)
        return;
    pthread_mutex_lock(&serve->lock);
    serve->buffers[serve->buffer_count++] = buffer; /* no more than there are threads */
    pthread_mutex_unlock(&serve->lock);
}

static int serve_read_text(const char *text, uint64_t at, char *to, size_t size, size_t *done)
{
    const size_t len = strlen(text);

    *done = at >= len ? 0 : len - at < size ? len - (size_t)at : size;
    memcpy(to, text + (at < len ? at : len), *done);
    return 0;
}

static int serve_read_node(const struct serve *serve, const struct serve_node *node, uint64_t at,
                           char *to, size_t size, bool part, size_t *done)
{
    struct ranges_piece one;

    if (node->node.kind == TREE_HELP)
        return serve_read_text(serve->o.help, at, to, size, done);
    const struct content_file file = serve_file(serve, node, &one);
    return content_read(serve->o.content, &file, at, (uint8_t *)to, size, part, done);
}

/*
 * Answers with what lies in a file as it is, without a copy of it here. False: nothing was
 * answered. The pages stay those of the file: FUSE_BUF_SPLICE_MOVE would take them out of its
 * cache.
 */
static bool serve_read_stored(struct serve *serve, fuse_req_t req, const struct serve_node *node,
                              uint64_t at, size_t size)
{
    struct ranges_piece one;
    struct io_span span;

    if (node->node.kind == TREE_HELP)
        return false;
    const struct content_file file = serve_file(serve, node, &one);
    if (at < file.len && size > file.len - at)
        size = (size_t)(file.len - at);
    if (!content_stored(serve->o.content, &file, at, size, &span) ||
        !pass_take(&serve_pass, span.fd, span.fd_offset, size))
        return false;
    struct fuse_bufvec bytes = FUSE_BUFVEC_INIT(size);
    bytes.buf[0].flags = FUSE_BUF_IS_FD;
    bytes.buf[0].fd = serve_pass.ends[0];
    if (serve->o.fuse->fuse_reply_data(req, &bytes, 0) != 0)
        pass_renew(&serve_pass);
    atomic_fetch_add_explicit(&serve->bytes, size, memory_order_relaxed);
    return true;
}

static void serve_read_copy(struct serve *serve, fuse_req_t req, const struct serve_node *node,
                            uint64_t at, size_t size, bool part)
{
    char *buffer = serve_take(serve);
    size_t done = 0;
    const int failed =
        buffer == NULL ? ENOMEM : serve_read_node(serve, node, at, buffer, size, part, &done);

    if (failed == 0) {
        atomic_fetch_add_explicit(&serve->bytes, done, memory_order_relaxed);
        serve->o.fuse->fuse_reply_buf(req, buffer, done);
    } else {
        atomic_fetch_add(&serve->failed, failed == EIO);
        serve->o.fuse->fuse_reply_err(req, failed);
    }
    serve_give(serve, buffer);
}

static void serve_read(fuse_req_t req, fuse_ino_t inode, size_t size, off_t at,
                       struct fuse_file_info *info)
{
    struct serve *serve = serve_self;
    struct serve_node node;
    const int failed = size > SERVE_BUFFER || at < 0                                    ? EINVAL
                       : !serve_find(serve, inode, &node) || node.node.kind == TREE_DIR ? ESTALE
                                                                                        : 0;

    /* Of pages the kernel takes fewer bytes for the end of the file, and fills the rest with zeros.
     * It names no owner when it asks for those. */
    const bool part = info->lock_owner != 0;
    atomic_fetch_add_explicit(&serve->reads, 1, memory_order_relaxed);
    if (failed != 0)
        serve->o.fuse->fuse_reply_err(req, failed);
    else if (!serve_read_stored(serve, req, &node, (uint64_t)at, size))
        serve_read_copy(serve, req, &node, (uint64_t)at, size, part);
}

void serve_answers(struct fuse_lowlevel_ops *out, bool xattrs)
{
    *out = (struct fuse_lowlevel_ops){ .init = serve_init,
                                       .lookup = serve_lookup,
                                       .forget = serve_forget,
                                       .getattr = serve_getattr,
                                       .open = serve_open,
                                       .read = serve_read,
                                       .flush = serve_flush,
                                       .release = serve_release };
    serve_answers_folders(out, xattrs);
}
