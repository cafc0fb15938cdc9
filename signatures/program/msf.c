/* SPDX-License-Identifier: Apache-2.0
 * signatures/program/msf.c - PDB: symbols of programs, as Microsoft's compilers write them.
 *
 *   "Microsoft C/C++ MSF 7.00\r\n" 1a "DS\0\0\0" | u32le bytes of a block | map of free ones, 1 or
 * 2 | blocks | bytes of the directory | 0 | block that lists the directory's blocks directory:
 * u32le streams | bytes of each | their blocks
 */
#include "base/bytes.h"
#include "signatures/sig.h"

enum {
    MSF_HEAD = 56,
    MSF_STREAMS_MAX = 65536,
};

static struct sig_result msf_check(struct sig_input *in, void *memory)
{
    const uint8_t *p = sig_bytes(in, 0, MSF_HEAD);

    (void)memory;
    if (p == NULL)
        return sig_short(in);
    const uint64_t size = bytes_u32le(p + 32), blocks = bytes_u32le(p + 40),
                   directory = bytes_u32le(p + 44), list = bytes_u32le(p + 52);
    if (size < 512 || size > 65536 || (size & (size - 1)) != 0 || bytes_u32le(p + 36) < 1 ||
        bytes_u32le(p + 36) > 2 || blocks < 4 || directory < 4 || directory > size * (size / 4) ||
        list == 0 || list >= blocks)
        return sig_reject("invalid head");
    const uint64_t end = size * blocks;
    p = sig_bytes(in, size * list, 4);
    if (p == NULL)
        return sig_short(in);
    const uint64_t first = bytes_u32le(p);
    if (first == 0 || first >= blocks)
        return sig_reject("the directory lies outside of the file");
    p = sig_bytes(in, size * first, 8);
    if (p == NULL)
        return sig_short(in);
    const uint64_t streams = bytes_u32le(p), bytes = bytes_u32le(p + 4);
    if (streams == 0 || streams > MSF_STREAMS_MAX || 4 + 4 * streams > directory ||
        (bytes > end && bytes != UINT32_MAX))
        return sig_reject("invalid directory");
    sig_valid(in, MSF_HEAD);
    if (sig_bytes(in, end - 1, 1) == NULL)
        return sig_short(in);
    return sig_believe(in, end, "the directory is where the head says, which counts the blocks");
}

const struct sig sig_msf = {
    .name = "msf",
    .what = "symbols of programs by Microsoft's compilers (PDB)",
    .proves = "the directory is where the head says, which counts the blocks; streams are not read",
    .source = "LLVM 14, docs/PDB/MsfFile.rst",
    .types = (const struct sig_type[]){ { "msf", "pdb" }, { 0 } },
    .headers = { SIG_PATTERN("Microsoft C/C++ MSF 7.00\r\n\x1a\x44S\0\0\0") },
    .flags = SIG_SECTOR_ALIGNED,
    .size_min = 4 * 512,
    .size_max = UINT64_C(1) << 40,
    .check = msf_check,
};
