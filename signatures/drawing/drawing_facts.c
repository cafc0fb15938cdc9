/* SPDX-License-Identifier: Apache-2.0
 * signatures/drawing/drawing_facts.c - the size of pictures of Photoshop and GIMP, and of scanned
 * pages. Sources: Adobe, Photoshop File Formats Specification; GIMP, xcf.txt; Lizardtech, DjVu 3.
 */
#include <string.h>

#include "base/bytes.h"
#include "signatures/drawing/drawing_facts.h"
#include "signatures/facts/tell.h"

/* The height stands first. */
void psd_facts(struct sig_facts *facts)
{
    const uint8_t *size = tell_bytes(facts, 14, 8);

    if (size != NULL)
        tell_size(facts, bytes_u32be(size + 4), bytes_u32be(size));
}

void xcf_facts(struct sig_facts *facts)
{
    const uint8_t *size = tell_bytes(facts, 14, 8);

    if (size != NULL)
        tell_size(facts, bytes_u32be(size), bytes_u32be(size + 4));
}

/* The first INFO chunk, which is that of the first page: u16be width | u16be height. */
void djvu_facts(struct sig_facts *facts)
{
    const uint64_t len = tell_len(facts);
    const uint32_t want = len < 8192 ? (uint32_t)len : 8192;
    const uint8_t *text = tell_bytes(facts, 0, want);
    const uint8_t *info = text != NULL && want > 12 ? memmem(text, want - 12, "INFO", 4) : NULL;

    if (info != NULL)
        tell_size(facts, bytes_u16be(info + 8), bytes_u16be(info + 10));
}
