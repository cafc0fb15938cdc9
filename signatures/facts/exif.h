/* SPDX-License-Identifier: Apache-2.0
 * signatures/facts/exif.h - the facts in a TIFF directory: Exif of photos, and TIFF files.
 *
 * Source: CIPA DC-008 (Exif 2.32), TIFF 6.0.
 */
#ifndef BURIN_SIGNATURES_FACTS_EXIF_H
#define BURIN_SIGNATURES_FACTS_EXIF_H

#include "signatures/facts/tell.h"

/*
 * Tells the facts of the TIFF structure at object offset `base`, of which all offsets inside count,
 * and of which len bytes belong to it. size: width and height of the first directory are those of
 * the picture.
 */
void exif_tell(struct sig_facts *facts, uint64_t base, uint64_t len, bool size);

#endif
