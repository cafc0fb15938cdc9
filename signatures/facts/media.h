/* SPDX-License-Identifier: Apache-2.0
 * signatures/facts/media.h - what pictures, sound and video of several kinds have in common. */
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

/* A place as two decimal numbers, degrees: "48.8584", "-2.2945". Others tell nothing. */
void media_coordinates(struct sig_facts *facts, const char *lat, size_t lat_len, const char *lon,
                       size_t lon_len);

/* A decimal number, whole, such as "-12.30", told with `digits` (0..9) digits behind the point.
 * Others tell nothing. */
void media_decimal(struct sig_facts *facts, enum sig_fact_key key, const char *text, size_t len,
                   uint32_t digits);

#endif
