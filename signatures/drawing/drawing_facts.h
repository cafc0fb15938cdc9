/* SPDX-License-Identifier: Apache-2.0
 * signatures/drawing/drawing_facts.h - the readers of facts of drawings, for their signatures. */
#ifndef BURIN_SIGNATURES_DRAWING_DRAWING_FACTS_H
#define BURIN_SIGNATURES_DRAWING_DRAWING_FACTS_H

#include "signatures/fact.h"

void psd_facts(struct sig_facts *facts);
void djvu_facts(struct sig_facts *facts);
void xcf_facts(struct sig_facts *facts);

#endif
