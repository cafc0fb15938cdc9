/* SPDX-License-Identifier: Apache-2.0
 * signatures/archive/archive_facts.h - the readers of facts of archives, and of documents that are
 * ZIP archives, for their signatures. */
#ifndef BURIN_SIGNATURES_ARCHIVE_ARCHIVE_FACTS_H
#define BURIN_SIGNATURES_ARCHIVE_ARCHIVE_FACTS_H

#include "signatures/fact.h"

void zip_facts(struct sig_facts *facts);
void sevenzip_facts(struct sig_facts *facts);
void rar_facts(struct sig_facts *facts);

#endif
