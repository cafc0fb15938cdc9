/* SPDX-License-Identifier: Apache-2.0
 * signatures/system/lso.c - what Flash films keep on a computer (local shared objects).
 *
 *   0x00bf | u32be length of the rest | "TCSO" | 00 04 00 00 00 00 | u16be length of the name, name
 * | three zeros, version of AMF | variables
 */
#include <string.h>

#include "base/bytes.h"
#include "signatures/sig.h"

enum {
    LSO_HEAD = 18, /* with the length of the name */
    LSO_UNCOUNTED = 6,
    LSO_REST = 4, /* bytes between the name and the variables */
};

static struct sig_result lso_check(struct sig_input *in, void *memory)
{
    const uint8_t *p = sig_bytes(in, 0, LSO_HEAD);

    (void)memory;
    if (p == NULL)
        return sig_short(in);
    const uint64_t length = LSO_UNCOUNTED + (uint64_t)bytes_u32be(p + 2);
    const uint32_t name = bytes_u16be(p + 16);
    if (name == 0 || LSO_HEAD + name + LSO_REST > length)
        return sig_reject("the name does not fit into the file");
    p = sig_bytes(in, LSO_HEAD + name, LSO_REST);
    if (p == NULL)
        return sig_short(in);
    if (p[0] != 0 || p[1] != 0 || p[2] != 0 || (p[3] != 0 && p[3] != 3))
        return sig_reject("there is no valid version behind the name");
    if (LSO_HEAD + name + LSO_REST < length) { /* each variable ends with a zero */
        p = sig_bytes(in, length - 1, 1);
        if (p == NULL) {
            if (in->wanted > in->limit)
                sig_valid(in, LSO_HEAD + name);
            return sig_short(in);
        }
        sig_valid(in, LSO_HEAD + name);
        if (p[0] != 0)
            return sig_breaks(in, "the last variable does not end with the file");
    }
    return sig_believe(in, length, "length, name and the end of the last variable agree");
}

const struct sig sig_lso = {
    .name = "sol",
    .what = "local shared object of Flash",
    .proves = "length, name and version; the last variable ends with the file",
    .source = "Adobe, Action Message Format AMF 0, 2007, and AMF 3, 2013; the header as Flash "
              "Player writes it",
    .types = (const struct sig_type[]){ { "sol", "sol" }, { 0 } },
    .headers = { SIG_MASKED("\0\xbf\0\0\0\0TCSO\0\4\0\0\0\0",
                            "\xff\xff\0\0\0\0\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff") },
    .size_min = LSO_HEAD + 1 + LSO_REST,
    .size_max = 16 << 20,
    .check = lso_check,
};
