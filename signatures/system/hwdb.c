/* SPDX-License-Identifier: Apache-2.0
 * signatures/system/hwdb.c - hwdb.bin: what systemd knows of devices.
 *
 *   "KSLPHHRH" | u64le version | bytes of all | of the head | of a node, of a child, of a value |
 * place of the root | bytes of the nodes | of the strings
 */
#include <string.h>

#include "base/bytes.h"
#include "signatures/sig.h"

enum { HWDB_HEAD = 80, HWDB_PART_MAX = 256 };

static struct sig_result hwdb_check(struct sig_input *in, void *memory)
{
    const uint8_t *p = sig_bytes(in, 0, HWDB_HEAD);

    (void)memory;
    if (p == NULL)
        return sig_short(in);
    const uint64_t end = bytes_u64le(p + 16), head = bytes_u64le(p + 24),
                   root = bytes_u64le(p + 56), nodes = bytes_u64le(p + 64),
                   strings = bytes_u64le(p + 72);
    if (head != HWDB_HEAD || bytes_u64le(p + 32) > HWDB_PART_MAX ||
        bytes_u64le(p + 40) > HWDB_PART_MAX || bytes_u64le(p + 48) > HWDB_PART_MAX ||
        nodes > UINT32_MAX || strings > UINT32_MAX || strings == 0)
        return sig_reject("invalid lengths in the head");
    if (end != head + nodes + strings || root < head || root >= head + nodes)
        return sig_reject("the parts do not make up the length");
    sig_valid(in, HWDB_HEAD);
    p = sig_bytes(in, end - 1, 1);
    if (p == NULL)
        return sig_short(in);
    if (p[0] != 0)
        return sig_breaks(in, "the strings have no end");
    return sig_believe(in, end, "nodes and strings make up the length");
}

const struct sig sig_hwdb = {
    .name = "hwdb",
    .what = "what systemd knows of devices (hwdb.bin)",
    .proves = "head, nodes and strings make up the length; nodes are not read",
    .source = "systemd 252, src/libsystemd/sd-hwdb/hwdb-internal.h",
    .types = (const struct sig_type[]){ { "hwdb", "bin" }, { 0 } },
    .headers = { SIG_PATTERN("KSLPHHRH") },
    .flags = SIG_SECTOR_ALIGNED,
    .size_min = HWDB_HEAD,
    .size_max = 1 << 30,
    .check = hwdb_check,
};
