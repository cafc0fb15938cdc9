/* SPDX-License-Identifier: Apache-2.0
 * signatures/text/mail_facts.h - the reader of facts of mail, for its signature. */
#ifndef BURIN_SIGNATURES_TEXT_MAIL_FACTS_H
#define BURIN_SIGNATURES_TEXT_MAIL_FACTS_H

#include "signatures/fact.h"

void mail_facts(struct sig_facts *facts);

#endif
