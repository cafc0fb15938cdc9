/* SPDX-License-Identifier: Apache-2.0
 * carver/text/text_cut.h - where an image can be cut so that no text lies across (text_tasks.c
 * only).
 *
 * No text reaches into an object. And none goes on behind zeros: those are no characters, be they
 * of one byte or of two, and files end with some, as they seldom fill their last cluster.
 */
#ifndef BURIN_CARVER_TEXT_TEXT_CUT_H
#define BURIN_CARVER_TEXT_TEXT_CUT_H

#include <stdint.h>

#include "carver/text/text_walk.h"

#define TEXT_CUT_NONE UINT64_MAX

/*
 * The first image offset in [from, to) that an object has, or else one of the first places where a
 * text may begin, behind zeros. TEXT_CUT_NONE: there is none, or the image cannot be read any more
 * (lookback_view_error of walk->view).
 */
uint64_t text_cut(struct text_walk *walk, uint64_t from, uint64_t to);

#endif
