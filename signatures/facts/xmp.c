/* SPDX-License-Identifier: Apache-2.0
 * signatures/facts/xmp.c - see xmp.h. */
#include "signatures/facts/xmp.h"
#include "signatures/facts/markup.h"

enum { XMP_LOOK = 32 << 10 };

void xmp_tell(struct sig_facts *facts, uint64_t at, uint64_t len)
{
    const uint32_t want = len < XMP_LOOK ? (uint32_t)len : XMP_LOOK;
    const uint8_t *bytes = want > 0 ? tell_bytes(facts, at, want) : NULL;
    const struct markup text = { (const char *)bytes, want };

    if (bytes == NULL)
        return;
    if (!tell_has(facts, SIG_FACT_CREATED_LOCAL))
        markup_date(facts, SIG_FACT_CREATED, &text, "xmp:CreateDate");
    if (!tell_has(facts, SIG_FACT_MODIFIED_LOCAL))
        markup_date(facts, SIG_FACT_MODIFIED, &text, "xmp:ModifyDate");
    markup_text(facts, SIG_FACT_SOFTWARE, &text, "xmp:CreatorTool");
    markup_text(facts, SIG_FACT_TITLE, &text, "dc:title");
    markup_text(facts, SIG_FACT_AUTHOR, &text, "dc:creator");
}
