/* SPDX-License-Identifier: Apache-2.0
 * signatures/document/document_facts.h - the readers of facts of documents, for their signatures.
 */
#ifndef BURIN_SIGNATURES_DOCUMENT_DOCUMENT_FACTS_H
#define BURIN_SIGNATURES_DOCUMENT_DOCUMENT_FACTS_H

#include "signatures/fact.h"

void ole2_facts(struct sig_facts *facts);
void pdf_facts(struct sig_facts *facts);

#endif
