/* SPDX-License-Identifier: Apache-2.0
 * signatures/facts/media.h - what sound and video files of several kinds have in common. */
#ifndef BURIN_SIGNATURES_FACTS_MEDIA_H
#define BURIN_SIGNATURES_FACTS_MEDIA_H

#include "signatures/facts/tell.h"

/* How long it plays: units, of which there are `rate` in a second. 0 of either tells nothing. */
void media_duration(struct sig_facts *facts, uint64_t units, uint64_t rate);

/*
 * A comment "NAME=value" of FLAC and Ogg files (https://xiph.org/vorbis/doc/v-comment.html).
 */
void media_comment(struct sig_facts *facts, const uint8_t *text, uint32_t len);

/*
 * Comments as Vorbis has them: u32le length and text of the program, u32le number of comments, and
 * each as length and text; at object offset at, of which len bytes belong to it.
 */
void media_comments(struct sig_facts *facts, uint64_t at, uint64_t len);

/*
 * A place as ISO 6709 writes it, in degrees with a point: "+48.8584+002.2945+035.000/". Others tell
 * nothing.
 */
void media_place(struct sig_facts *facts, const uint8_t *text, uint32_t len);

#endif
