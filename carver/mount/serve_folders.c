/* SPDX-License-Identifier: Apache-2.0
 * carver/mount/serve_folders.c - answers about folders and extended attributes: see serve.h. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/statvfs.h>

#include "carver/mount/serve_parts.h"

enum {
    SERVE_SECTOR = 512,
    SERVE_SELF = 0, /* places of a folder: "." and "..", then what the tree lists */
    SERVE_FIRST = 2,
};

static void serve_opendir(fuse_req_t req, fuse_ino_t inode, struct fuse_file_info *info)
{
    struct serve *serve = serve_self;
    struct serve_node node;

    if (!serve_find(serve, inode, &node) || node.node.kind != TREE_DIR) {
        serve->o.fuse->fuse_reply_err(req, ENOTDIR);
        return;
    }
    info->keep_cache = 1;
    info->cache_readdir = 1;
    serve->o.fuse->fuse_reply_open(req, info);
}

/* What the folder has at this place, and its name. False: no more. */
static bool serve_list(const struct serve *serve, uint32_t dir, uint64_t place,
                       struct serve_node *out, char name[TREE_NAME_MAX])
{
    const struct tree *tree = serve->o.tree;

    if (place < SERVE_FIRST) {
        out->node =
            (struct tree_node){ TREE_DIR, place == SERVE_SELF ? dir : tree->dirs[dir].parent };
        snprintf(name, TREE_NAME_MAX, "%s", place == SERVE_SELF ? "." : "..");
    } else if (tree_list(tree, dir, place - SERVE_FIRST, &out->node)) {
        tree_name(tree, &out->node, name);
    } else {
        return false;
    }
    out->inode = tree_inode(tree, &out->node);
    return true;
}

/* The kernel's places are those behind an entry. plus: with what lookup would say of each. */
static void serve_read_folder(fuse_req_t req, fuse_ino_t inode, size_t size, off_t place, bool plus)
{
    struct serve *serve = serve_self;
    const struct lib_fuse *fuse = serve->o.fuse;
    struct serve_node folder, node;
    char name[TREE_NAME_MAX], *buffer = serve_take(serve);
    size_t done = 0;

    if (buffer == NULL || !serve_find(serve, inode, &folder) || folder.node.kind != TREE_DIR) {
        fuse->fuse_reply_err(req, buffer == NULL ? ENOMEM : ESTALE);
        serve_give(serve, buffer);
        return;
    }
    if (size > SERVE_BUFFER)
        size = SERVE_BUFFER;
    while (serve_list(serve, folder.node.index, (uint64_t)place, &node, name)) {
        struct fuse_entry_param entry;

        serve_entry(serve, &node, &entry);
        const size_t len = plus ? fuse->fuse_add_direntry_plus(req, buffer + done, size - done,
                                                               name, &entry, place + 1)
                                : fuse->fuse_add_direntry(req, buffer + done, size - done, name,
                                                          &entry.attr, place + 1);
        if (len > size - done)
            break;
        done += len;
        place++;
    }
    fuse->fuse_reply_buf(req, buffer, done);
    serve_give(serve, buffer);
}

static void serve_readdir(fuse_req_t req, fuse_ino_t inode, size_t size, off_t place,
                          struct fuse_file_info *info)
{
    (void)info;
    serve_read_folder(req, inode, size, place, false);
}

static void serve_readdirplus(fuse_req_t req, fuse_ino_t inode, size_t size, off_t place,
                              struct fuse_file_info *info)
{
    (void)info;
    serve_read_folder(req, inode, size, place, true);
}

static void serve_statfs(fuse_req_t req, fuse_ino_t inode)
{
    struct serve *serve = serve_self;
    const struct statvfs numbers = { .f_bsize = SERVE_SECTOR,
                                     .f_frsize = SERVE_SECTOR,
                                     .f_files = serve->o.tree->count,
                                     .f_flag = ST_RDONLY,
                                     .f_namemax = RANGES_NAME_MAX };

    (void)inode;
    serve->o.fuse->fuse_reply_statfs(req, &numbers);
}

/* size 0: how long the answer is. */
static void serve_reply_value(fuse_req_t req, const struct lib_fuse *fuse, int failed,
                              const char *value, size_t len, size_t size)
{
    if (failed == 0 && size != 0 && len > size)
        failed = ERANGE;
    if (failed != 0)
        fuse->fuse_reply_err(req, failed);
    else if (size == 0)
        fuse->fuse_reply_xattr(req, len);
    else
        fuse->fuse_reply_buf(req, value, len);
}

static void serve_getxattr(fuse_req_t req, fuse_ino_t inode, const char *name, size_t size)
{
    struct serve *serve = serve_self;
    struct serve_node node;
    char *value = serve_take(serve);
    size_t len = 0;
    int failed = value == NULL ? ENOMEM : ENODATA;

    if (failed == ENODATA && serve_find(serve, inode, &node) && node.node.kind == TREE_OBJECT)
        failed = case_facts_value(serve->o.facts, &serve->o.tree->objects[node.node.index], name,
                                  value, &len);
    serve_reply_value(req, serve->o.fuse, failed, value, len, size);
    serve_give(serve, value);
}

static void serve_listxattr(fuse_req_t req, fuse_ino_t inode, size_t size)
{
    struct serve *serve = serve_self;
    struct serve_node node;
    char *names = serve_take(serve);
    size_t len = 0;
    int failed = names == NULL ? ENOMEM : 0;

    if (failed == 0 && serve_find(serve, inode, &node) && node.node.kind == TREE_OBJECT)
        failed =
            case_facts_names(serve->o.facts, &serve->o.tree->objects[node.node.index], names, &len);
    serve_reply_value(req, serve->o.fuse, failed, names, len, size);
    serve_give(serve, names);
}

void serve_answers_folders(struct fuse_lowlevel_ops *out, bool xattrs)
{
    out->opendir = serve_opendir;
    out->readdir = serve_readdir;
    out->readdirplus = serve_readdirplus;
    out->statfs = serve_statfs;
    if (xattrs) { /* the kernel asks for none where there is no function */
        out->getxattr = serve_getxattr;
        out->listxattr = serve_listxattr;
    }
}
