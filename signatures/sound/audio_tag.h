/* SPDX-License-Identifier: Apache-2.0
 * signatures/sound/audio_tag.h - tags before and behind sound of any format: ID3v2 in front; APE,
 * Lyrics3 and ID3v1 behind.
 *
 * Sources: id3.org, ID3v2.2.0, ID3v2.3.0, ID3v2.4.0 (structure), ID3v1, Lyrics3 v1 and v2.00;
 * wiki.hydrogenaud.io, APE tags.
 */
#ifndef BURIN_SIGNATURES_SOUND_AUDIO_TAG_H
#define BURIN_SIGNATURES_SOUND_AUDIO_TAG_H

#include "signatures/lib/step.h"
#include "signatures/sig.h"

enum { AUDIO_TAG_ID3_HEAD = 10 };

/* The header of an ID3v2 tag as patterns: three versions, flags, and a size of four times seven
 * bits. */
#define AUDIO_TAG_ID3_PATTERN(version)                                                             \
    SIG_MASKED("ID3" version "\0\0\0\0\0\0", "\xff\xff\xff\xff\xff\x0f\x80\x80\x80\x80")

/* Bytes of the whole ID3v2 tag that begins with these ten; 0 when none does. */
uint64_t audio_tag_id3_len(const uint8_t head[AUDIO_TAG_ID3_HEAD]);

/* Moves *end, which is where the sound ends, behind the tags that stand there. Never STEP_BAD. */
enum step audio_tag_behind(struct sig_input *in, uint64_t *end);

#endif
