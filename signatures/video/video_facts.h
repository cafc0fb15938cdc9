/* SPDX-License-Identifier: Apache-2.0
 * signatures/video/video_facts.h - the readers of facts of video files and what is built like them,
 * for their signatures. */
#ifndef BURIN_SIGNATURES_VIDEO_VIDEO_FACTS_H
#define BURIN_SIGNATURES_VIDEO_VIDEO_FACTS_H

#include "signatures/fact.h"

void isobmff_facts(struct sig_facts *facts);
void riff_facts(struct sig_facts *facts);
void matroska_facts(struct sig_facts *facts);
void ogg_facts(struct sig_facts *facts);

/* The camera, of a box GPMF whose content is at object offsets [at, end). */
void gopro_facts(struct sig_facts *facts, uint64_t at, uint64_t end);

#endif
