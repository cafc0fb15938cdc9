/* signatures/picture/picture_facts.h - the readers of facts of pictures, for their signatures. */
#ifndef BURIN_SIGNATURES_PICTURE_PICTURE_FACTS_H
#define BURIN_SIGNATURES_PICTURE_PICTURE_FACTS_H

#include "signatures/fact.h"

void jpeg_facts(struct sig_facts *facts);
void png_facts(struct sig_facts *facts);
void tiff_facts(struct sig_facts *facts);
void gif_facts(struct sig_facts *facts);
void bmp_facts(struct sig_facts *facts);

#endif
