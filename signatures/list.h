/* signatures/list.h - which family file a built-in signature comes from. */
#ifndef BURIN_SIGNATURES_LIST_H
#define BURIN_SIGNATURES_LIST_H

#include "signatures/sig.h"

/* The file that defines the signature of this index in sig_builtin(), without ".c": static text. */
const char *sig_builtin_family(uint32_t index);

#endif
