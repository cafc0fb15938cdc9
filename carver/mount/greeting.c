/* SPDX-License-Identifier: Apache-2.0
 * carver/mount/greeting.c - see greeting.h. */
#include <linux/fuse.h>
#include <string.h>

#include "carver/mount/greeting.h"

/* How many file systems may lie over each other where the kernel reads files itself: the images lie
 * in no stack (overlayfs), as a mount of ours may be in one. */
enum { GREETING_DEPTH = 1 };

/* In the answer max_stack_depth stands behind flags2. */
struct greeting_answer {
    struct fuse_out_header head;
    struct fuse_init_out init;
};
enum {
    GREETING_DEPTH_AT = offsetof(struct greeting_answer, init.flags2) + sizeof(uint32_t),
};

void greeting_take(const uint8_t *asked, size_t asked_len, uint32_t wanted, uint8_t *answer,
                   size_t len)
{
    struct fuse_init_in kernel = { 0 };
    struct greeting_answer ours;
    const uint32_t depth = GREETING_DEPTH;

    if (asked_len < sizeof(struct fuse_in_header) + sizeof kernel || len < sizeof ours)
        return;
    memcpy(&kernel, asked + sizeof(struct fuse_in_header), sizeof kernel);
    const uint32_t taken = (kernel.flags & FUSE_INIT_EXT) != 0 ? kernel.flags2 & wanted : 0;
    if (taken == 0)
        return;
    memcpy(&ours, answer, sizeof ours);
    ours.init.flags |= FUSE_INIT_EXT;
    ours.init.flags2 |= taken;
    memcpy(answer, &ours, sizeof ours);
    if ((taken & GREETING_THROUGH) != 0)
        memcpy(answer + GREETING_DEPTH_AT, &depth, sizeof depth);
}
