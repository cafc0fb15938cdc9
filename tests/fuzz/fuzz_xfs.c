/* SPDX-License-Identifier: Apache-2.0
 * tests/fuzz/fuzz_xfs.c - an XFS of any bytes.
 *
 * Found: crashes, loops in its trees, free runs outside of the file system or out of order.
 */
#include <stdlib.h>
#include <string.h>

#include "io/filesystem/xfs.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Behind the bytes that are given, a volume has zeros. */
#define FUZZ_SIZE (UINT64_C(64) << 20)

struct fuzz_bytes {
    const uint8_t *bytes;
    size_t size;
};

static void must(bool right)
{
    if (!right)
        abort();
}

static bool fuzz_read(void *arg, uint64_t at, void *out, uint32_t len)
{
    const struct fuzz_bytes *from = arg;
    const size_t have = at < from->size ? from->size - (size_t)at : 0;

    must(at <= FUZZ_SIZE && len <= FUZZ_SIZE - at);
    memset(out, 0, len);
    if (have > 0 && len > 0)
        memcpy(out, from->bytes + at, have < len ? have : len);
    return true;
}

static bool tell(void *arg, uint64_t at, uint64_t len)
{
    (void)arg;
    must(len > 0 && at <= FUZZ_SIZE && len <= FUZZ_SIZE - at);
    return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz_bytes bytes = { data, size };
    const struct source source = { .read = fuzz_read, .arg = &bytes, .size = FUZZ_SIZE };

    struct xfs xfs;
    uint64_t next = 0;
    if (xfs_open(&source, &xfs)) {
        must(xfs.blocks <= source.size / xfs.block_size);
        (void)xfs_free(&source, &xfs, tell, &next);
    }

    return 0;
}
