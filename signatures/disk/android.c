/* SPDX-License-Identifier: Apache-2.0
 * signatures/disk/android.c - images of Android: sparse file systems, boot, vendor_boot.
 *
 *   sparse: 0xed26ff3a, version 1.0, lengths of headers, block, blocks, chunks, checksum | chunks:
 * kind, blocks, length in all boot: "ANDROID!" | lengths of kernel, RAM disk … each filled up to
 * pages | from version 3 on pages of 4096
 *   vendor_boot: "VNDRBOOT" | version 3, 4 | page | ... | length of the RAM disk | command line |
 * lengths of header, device trees, and from version 4 on of the table of RAM disks and of the boot
 * configuration
 */
#include <string.h>

#include "base/bytes.h"
#include "signatures/sig.h"

enum {
    ANDROID_SPARSE = 28,
    ANDROID_CHUNK = 12,
    ANDROID_RAW = 0xcac1,
    ANDROID_NOTHING = 0xcac3,
    ANDROID_CRC = 0xcac4,
    ANDROID_BOOT = 1660, /* bytes of the largest header looked at */
    ANDROID_VENDOR_3 = 2112,
    ANDROID_VENDOR_4 = 2128,
    ANDROID_VENDOR_ENTRY = 108, /* bytes of an entry of the table of RAM disks */
    ANDROID_PAGE = 4096,
    ANDROID_PART_MAX = 1 << 29,
};

struct android_state {
    uint64_t at;     /* next chunk; 0: the first */
    uint32_t chunks; /* done */
    uint64_t blocks;
};

static struct sig_result android_sparse(struct sig_input *in, struct android_state *state)
{
    const uint8_t *p = sig_bytes(in, 0, ANDROID_SPARSE);

    if (p == NULL)
        return sig_short(in);
    const uint32_t block = bytes_u32le(p + 12), blocks = bytes_u32le(p + 16),
                   chunks = bytes_u32le(p + 20);
    if (block == 0 || block % 4 != 0 || block > 1 << 20 || chunks == 0)
        return sig_reject("invalid header");
    if (state->at == 0)
        state->at = ANDROID_SPARSE;
    for (; state->chunks < chunks; state->chunks++) {
        p = sig_bytes(in, state->at, ANDROID_CHUNK);
        if (p == NULL)
            return sig_short(in);
        const uint32_t kind = bytes_u16le(p), count = bytes_u32le(p + 4), len = bytes_u32le(p + 8);
        const uint64_t content = kind == ANDROID_RAW       ? (uint64_t)count * block
                                 : kind == ANDROID_NOTHING ? 0
                                                           : 4;
        if (kind < ANDROID_RAW || kind > ANDROID_CRC || bytes_u16le(p + 2) != 0 ||
            len != ANDROID_CHUNK + content || state->blocks + count > blocks)
            return sig_breaks(in, "invalid chunk");
        state->blocks += count;
        state->at += len;
        sig_valid(in, state->at);
    }
    if (state->blocks != blocks)
        return sig_breaks(in, "the number of blocks in the chunks differs from the header");
    return sig_complete(in, state->at, "the chunks have as many blocks as the header says");
}

static uint64_t android_pages(uint32_t size, uint32_t page)
{
    return ((uint64_t)size + page - 1) / page * page;
}

static struct sig_result android_boot(struct sig_input *in)
{
    const uint8_t *p = sig_bytes(in, 0, ANDROID_BOOT);

    if (p == NULL)
        return sig_short(in);
    const uint32_t kernel = bytes_u32le(p + 8), version = bytes_u32le(p + 40);
    uint64_t end;
    if (kernel == 0 || kernel > ANDROID_PART_MAX)
        return sig_reject("invalid length of the kernel");
    if (version == 3 || version == 4) {
        const uint32_t head = bytes_u32le(p + 20), ramdisk = bytes_u32le(p + 12);

        if (head != (version == 3 ? 1580 : 1584) || ramdisk > ANDROID_PART_MAX)
            return sig_reject("invalid header");
        end = ANDROID_PAGE + android_pages(kernel, ANDROID_PAGE) +
              android_pages(ramdisk, ANDROID_PAGE);
        if (version == 4)
            end += android_pages(bytes_u32le(p + 1580), ANDROID_PAGE);
        return sig_believe(in, end, "the header gives the lengths of kernel and RAM disk");
    }
    const uint32_t ramdisk = bytes_u32le(p + 16), second = bytes_u32le(p + 24),
                   page = bytes_u32le(p + 36);
    if (page < 2048 || page > 16384 || (page & (page - 1)) != 0 || ramdisk > ANDROID_PART_MAX ||
        second > ANDROID_PART_MAX || version > ANDROID_PART_MAX)
        return sig_reject("invalid header");
    end = page + android_pages(kernel, page) + android_pages(ramdisk, page) +
          android_pages(second, page);
    if (version > 4) /* makers of chips put the length of the device trees here */
        end += android_pages(version, page);
    else if (version > 0)
        end += android_pages(bytes_u32le(p + 1632), page);
    if (version == 2)
        end += android_pages(bytes_u32le(p + 1648), page);
    return sig_believe(in, end, "the header gives the lengths of kernel, RAM disk and more");
}

static struct sig_result android_vendor(struct sig_input *in)
{
    const uint8_t *p = sig_bytes(in, 0, ANDROID_VENDOR_4);

    if (p == NULL)
        return sig_short(in);
    const uint32_t version = bytes_u32le(p + 8), page = bytes_u32le(p + 12),
                   ramdisk = bytes_u32le(p + 24), head = bytes_u32le(p + 2096),
                   trees = bytes_u32le(p + 2100);
    if (version < 3 || version > 4 || page < 2048 || page > 65536 || (page & (page - 1)) != 0 ||
        head != (version == 3 ? ANDROID_VENDOR_3 : ANDROID_VENDOR_4) || ramdisk == 0 ||
        ramdisk > ANDROID_PART_MAX || trees > ANDROID_PART_MAX)
        return sig_reject("invalid header");
    uint64_t end =
        android_pages(head, page) + android_pages(ramdisk, page) + android_pages(trees, page);
    if (version == 4) {
        const uint32_t table = bytes_u32le(p + 2112), entries = bytes_u32le(p + 2116),
                       entry = bytes_u32le(p + 2120), settings = bytes_u32le(p + 2124);

        if (entry != ANDROID_VENDOR_ENTRY || entries > ANDROID_PAGE || table != entries * entry ||
            settings > ANDROID_PART_MAX)
            return sig_reject("invalid table of RAM disks");
        end += android_pages(table, page) + android_pages(settings, page);
    }
    return sig_believe(in, end, "the header gives the lengths of RAM disks, device trees and more");
}

static struct sig_result android_check(struct sig_input *in, void *memory)
{
    const uint8_t *p = sig_bytes(in, 0, 4);

    if (p == NULL)
        return sig_short(in);
    if (p[0] == 'V') {
        in->type = &in->sig->types[1];
        return android_vendor(in);
    }
    return p[0] == 'A' ? android_boot(in) : android_sparse(in, memory);
}

const struct sig sig_android = {
    .name = "android",
    .what = "Android image: sparse file system, boot, vendor_boot",
    .proves = "chunks make as many blocks as announced; boot: lengths of the parts",
    .source = "Android Open Source Project: libsparse/sparse_format.h, mkbootimg/bootimg.h, "
              "vendor_boot image header",
    .types = (const struct sig_type[]){ { "img", "img" }, { "vendor_boot", "img" }, { 0 } },
    .headers = { SIG_PATTERN("\x3a\xff\x26\xed\1\0\0\0\x1c\0\x0c\0"), SIG_PATTERN("ANDROID!"),
                 SIG_MASKED("VNDRBOOT\3\0\0\0",
                            "\xff\xff\xff\xff\xff\xff\xff\xff\xf8\xff\xff\xff") },
    .flags = SIG_CONTAINER,
    .size_min = ANDROID_SPARSE + ANDROID_CHUNK,
    .size_max = UINT64_C(1) << 40,
    .seam = SIG_SEAM_PLACES,
    .state_size = sizeof(struct android_state),
    .check = android_check,
};
