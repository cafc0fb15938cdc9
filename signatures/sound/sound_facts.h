/* SPDX-License-Identifier: Apache-2.0
 * signatures/sound/sound_facts.h - the readers of facts of sound files, for their signatures. */
#ifndef BURIN_SIGNATURES_SOUND_SOUND_FACTS_H
#define BURIN_SIGNATURES_SOUND_SOUND_FACTS_H

#include "signatures/fact.h"

void mp3_facts(struct sig_facts *facts);
void flac_facts(struct sig_facts *facts);

#endif
