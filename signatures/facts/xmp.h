/* SPDX-License-Identifier: Apache-2.0
 * signatures/facts/xmp.h - the facts in an XMP packet. Sources: ISO 16684-1; Adobe, XMP
 * specification part 2; Android Open Source Project, Ultra HDR image format 1.1; ExifTool, XMP tags
 * of DJI.
 */
#ifndef BURIN_SIGNATURES_FACTS_XMP_H
#define BURIN_SIGNATURES_FACTS_XMP_H

#include "signatures/facts/tell.h"

/* Tells those of the packet of len bytes at object offset at; the first 32 KiB are looked at. */
void xmp_tell(struct sig_facts *facts, uint64_t at, uint64_t len);

#endif
