/* SPDX-License-Identifier: Apache-2.0
 * carver/mount/serve_images.c - images whose file the kernel reads itself: see through.h. */
#include <errno.h>
#include <stdlib.h>

#include "carver/mount/serve_parts.h"

enum err_code serve_lend(struct serve *serve, struct err *err)
{
    const uint32_t count = serve->o.content->images->count;

    serve->lent = calloc((size_t)count + 1, sizeof *serve->lent);
    if (serve->lent == NULL)
        return ERR_NO_MEMORY(err, count * sizeof *serve->lent);
    for (uint32_t i = 0; serve->o.keeper != NULL && i < count; i++) {
        const int file = content_whole_file(serve->o.content, i + 1);

        if (file >= 0)
            serve->lent[i] = keeper_lend(serve->o.keeper, serve->o.fd, file);
    }
    return ERR_OK;
}

/* Of an image that is no more as long as it was all reads come here, and fail behind its end. */
uint32_t serve_lent(const struct serve *serve, const struct serve_node *node)
{
    const bool lent = node->node.kind == TREE_IMAGE && serve->lent[node->node.index - 1] > 0 &&
                      content_whole_file(serve->o.content, node->node.index) >= 0;

    return lent ? serve->lent[node->node.index - 1] : 0;
}

/* The kernel ends a file where it has become shorter: whoever read that learns of it here. */
void serve_flush(fuse_req_t req, fuse_ino_t inode, struct fuse_file_info *info)
{
    struct serve *serve = serve_self;
    struct serve_node node;
    const bool lent = serve_find(serve, inode, &node) && node.node.kind == TREE_IMAGE &&
                      serve->lent[node.node.index - 1] > 0;
    const bool shorter = lent && serve_lent(serve, &node) == 0;

    (void)info;
    atomic_fetch_add(&serve->failed, shorter);
    serve->o.fuse->fuse_reply_err(req, shorter ? EIO : 0);
}
