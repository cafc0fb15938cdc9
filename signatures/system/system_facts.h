/* SPDX-License-Identifier: Apache-2.0
 * signatures/system/system_facts.h - the readers of facts of files of systems, for their
 * signatures. */
#ifndef BURIN_SIGNATURES_SYSTEM_SYSTEM_FACTS_H
#define BURIN_SIGNATURES_SYSTEM_SYSTEM_FACTS_H

#include "signatures/fact.h"

void lnk_facts(struct sig_facts *facts);
void prefetch_facts(struct sig_facts *facts);
void evtx_facts(struct sig_facts *facts);
void pcap_facts(struct sig_facts *facts);

#endif
