/* SPDX-License-Identifier: Apache-2.0
 * io/image/ewf_facts.h - what an E01 says of itself, through libewf (io/ only). */
#ifndef BURIN_IO_IMAGE_EWF_FACTS_H
#define BURIN_IO_IMAGE_EWF_FACTS_H

#include <stdbool.h>

#include "io/image/facts.h"
#include "io/system/lib_ewf.h"

/* Adds what there is, of an image that is open. false: there was no memory. */
bool io_ewf_facts(const struct io_ewf *lib, libewf_handle_t *handle, struct io_facts *facts);

#endif
