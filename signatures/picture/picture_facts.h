/* SPDX-License-Identifier: Apache-2.0
 * signatures/picture/picture_facts.h - the readers of facts of pictures, for their signatures. */
#ifndef BURIN_SIGNATURES_PICTURE_PICTURE_FACTS_H
#define BURIN_SIGNATURES_PICTURE_PICTURE_FACTS_H

#include "signatures/fact.h"

void jpeg_facts(struct sig_facts *facts);
void png_facts(struct sig_facts *facts);
void tiff_facts(struct sig_facts *facts);
void gif_facts(struct sig_facts *facts);
void bmp_facts(struct sig_facts *facts);
void jp2_facts(struct sig_facts *facts);
void ico_facts(struct sig_facts *facts);
void pcx_facts(struct sig_facts *facts);
void dds_facts(struct sig_facts *facts);
void tga_facts(struct sig_facts *facts);
void sgi_facts(struct sig_facts *facts);
void sun_facts(struct sig_facts *facts);
void qoi_facts(struct sig_facts *facts);
void dpx_facts(struct sig_facts *facts);
void pnm_facts(struct sig_facts *facts);
void bpg_facts(struct sig_facts *facts);
void hdr_facts(struct sig_facts *facts);
void mng_facts(struct sig_facts *facts);
void exr_facts(struct sig_facts *facts);

#endif
