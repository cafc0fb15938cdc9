/* SPDX-License-Identifier: Apache-2.0
 * carver/mount/greeting.h - what the kernel offers in its first request and libfuse3 does not take
 * up: libfuse3 3.14 knows nothing of it. The answer that libfuse3 makes is filled in.
 *
 * Source: include/uapi/linux/fuse.h of Linux: FUSE_INIT, flags2.
 *
 * Threads: any.
 */
#ifndef BURIN_CARVER_MOUNT_GREETING_H
#define BURIN_CARVER_MOUNT_GREETING_H

#include <stddef.h>
#include <stdint.h>

enum { GREETING_ANSWER_MAX = 256 /* bytes of the answer to the first request */ };

/* As the kernel numbers them in flags2. */
enum greeting_offer {
    /* Linux 6.6: files read past the page cache can be mapped as all others, shared, too
     * (FUSE_DIRECT_IO_ALLOW_MMAP). */
    GREETING_MAP_DIRECT = 1 << 4,
    GREETING_THROUGH = 1 << 5, /* Linux 6.9: through.h (FUSE_PASSTHROUGH) */
};

/*
 * asked[asked_len]: the first request, with its head. answer[len], with its head, takes those of
 * the wanted offers that the kernel makes; wanted: a sum of enum greeting_offer.
 */
void greeting_take(const uint8_t *asked, size_t asked_len, uint32_t wanted, uint8_t *answer,
                   size_t len);

#endif
