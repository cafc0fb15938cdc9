/* match/cuda/filter_build.h - the filter of a dictionary's literals. */
#ifndef BURIN_MATCH_CUDA_FILTER_BUILD_H
#define BURIN_MATCH_CUDA_FILTER_BUILD_H

#include <stddef.h>

#include "base/err.h"
#include "match/cuda/filter.h"
#include "match/dictionary.h"

/* A filter of *size bytes with its entries and slots, the caller's to free. */
ERR_MUST_CHECK enum err_code filter_build(const struct match_dictionary *dictionary, struct filter **out, size_t *size,
                                          struct err *err);

#endif
