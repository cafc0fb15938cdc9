/* SPDX-License-Identifier: Apache-2.0
 * signatures/database/database_facts.h - the reader of facts of databases, for its signature. */
#ifndef BURIN_SIGNATURES_DATABASE_DATABASE_FACTS_H
#define BURIN_SIGNATURES_DATABASE_DATABASE_FACTS_H

#include "signatures/fact.h"

void sqlite_facts(struct sig_facts *facts);

#endif
