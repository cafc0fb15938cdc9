/* SPDX-License-Identifier: Apache-2.0
 * tests/fuzz/fuzz_btrfs.c - a Btrfs of blocks of 4 KiB, each of which says where it lies, as nodes
 * and superblocks do. Their checksums are made right, or nothing would be read.
 *
 * Found: crashes, loops in its trees, runs outside of the device.
 */
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "io/filesystem/btrfs.h"
#include "io/filesystem/btrfs_tree.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define FUZZ_SIZE (UINT64_C(1) << 30)

enum { FUZZ_BLOCK = 4096, FUZZ_OWN = 48, FUZZ_RUNS = 1 << 16 };

struct fuzz_bytes {
    const uint8_t *bytes;
    size_t size;
    uint32_t runs;
};

static void must(bool right)
{
    if (!right)
        abort();
}

static bool fuzz_read(void *arg, uint64_t at, void *out, uint32_t len)
{
    const struct fuzz_bytes *from = arg;
    uint8_t *block = out;

    must(at <= FUZZ_SIZE && len <= FUZZ_SIZE - at && len >= FUZZ_BLOCK);
    memset(out, 0, len);
    for (size_t i = 0; i + FUZZ_BLOCK <= from->size; i += FUZZ_BLOCK)
        if (bytes_u64le(from->bytes + i + FUZZ_OWN) == at) {
            memcpy(out, from->bytes + i, len < from->size - i ? len : from->size - i);
            break;
        }
    const uint32_t sum = btrfs_sum(block, len);
    for (uint32_t i = 0; i < 4; i++)
        block[i] = (uint8_t)(sum >> 8 * i);
    return true;
}

static bool tell(void *arg, enum io_area_kind kind, uint64_t at, uint64_t len)
{
    struct fuzz_bytes *bytes = arg;

    must(kind == IO_AREA_ALLOCATED || kind == IO_AREA_META || kind == IO_AREA_UNALLOCATED);
    must(len > 0 && at <= FUZZ_SIZE && len <= FUZZ_SIZE - at);
    return bytes->runs++ < FUZZ_RUNS;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz_bytes bytes = { data, size, 0 };
    const struct source source = { .read = fuzz_read, .arg = &bytes, .size = FUZZ_SIZE };
    struct err err = { .text = "" };

    must(btrfs_use(&source, tell, &bytes, &err) == ERR_OK || strlen(err.text) > 0);
    return 0;
}
