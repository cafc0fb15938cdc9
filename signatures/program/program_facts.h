/* SPDX-License-Identifier: Apache-2.0
 * signatures/program/program_facts.h - the readers of facts of programs, for their signatures. */
#ifndef BURIN_SIGNATURES_PROGRAM_PROGRAM_FACTS_H
#define BURIN_SIGNATURES_PROGRAM_PROGRAM_FACTS_H

#include "signatures/fact.h"

void pe_facts(struct sig_facts *facts);

#endif
