/* SPDX-License-Identifier: Apache-2.0
 * tests/fuzz/fuzz_bigalloc.c - an ext4 with clusters, of any bytes.
 *
 * Found: crashes, free runs outside of the file system or out of order.
 */
#include <stdlib.h>
#include <string.h>

#include "io/filesystem/bigalloc.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Behind the bytes that are given, a volume has zeros. */
#define FUZZ_SIZE (UINT64_C(64) << 20)

struct fuzz_bytes {
    const uint8_t *bytes;
    size_t size;
    uint64_t next; /* byte behind the last free run */
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
    struct fuzz_bytes *bytes = arg;

    must(len > 0 && at >= bytes->next && at <= FUZZ_SIZE && len <= FUZZ_SIZE - at);
    bytes->next = at + len;
    return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz_bytes bytes = { data, size, 0 };
    const struct source source = { .read = fuzz_read, .arg = &bytes, .size = FUZZ_SIZE };
    struct bigalloc fs;

    if (bigalloc_open(&source, &fs)) {
        must(fs.blocks <= source.size / fs.block_size);
        (void)bigalloc_free(&source, &fs, tell, &bytes);
    }
    return 0;
}
