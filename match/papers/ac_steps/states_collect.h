/* SPDX-License-Identifier: Apache-2.0
 * match/papers/ac_steps/states_collect.h - the host's part of the forms that leave a state for
 * every byte (states.h). */
#ifndef BURIN_MATCH_PAPERS_AC_STEPS_STATES_COLLECT_H
#define BURIN_MATCH_PAPERS_AC_STEPS_STATES_COLLECT_H

#include "match/ac/ac.h"
#include "match/engine.h"
#include "match/kernel/tables.h"

size_t states_scratch(uint32_t text_len); /* bytes that have room for the states of a text */
size_t states_output(const struct tables *tables, uint32_t text_len); /* bytes that they are */
bool states_collect(const struct ac *ac, const void *output, const struct match_text *text,
                    uint32_t from, uint32_t to, struct match_sink *sink);
void states_host(const void *args); /* the kernels on the stand-in */

#endif
