/* SPDX-License-Identifier: Apache-2.0
 * signatures/list.h - the source file of each built-in signature. */
#ifndef BURIN_SIGNATURES_LIST_H
#define BURIN_SIGNATURES_LIST_H

#include "signatures/sig.h"

/*
 * The name, without ".c", of the file that defines signature number index of sig_builtin(). Static
 * text.
 */
const char *sig_builtin_family(uint32_t index);

#endif
