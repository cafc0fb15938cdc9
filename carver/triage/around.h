/* SPDX-License-Identifier: Apache-2.0
 * carver/triage/around.h - what lies beside places in which known blocks were met: a block among
 * its neighbours is a file, a block alone may be a piece of another one. */
#ifndef BURIN_CARVER_TRIAGE_AROUND_H
#define BURIN_CARVER_TRIAGE_AROUND_H

#include "carver/triage/answer.h"
#include "io/image.h"

enum {
    AROUND_PLACES = 16, /* of an image beside which it is looked */
    AROUND_UNITS = 4,   /* before each, and behind it */
};

/*
 * Looks beside the finds from number `from` on, as far as answer->around has room. What cannot be
 * read is left out. deadline_ns: of CLOCK_MONOTONIC, 0: none. Errors: ERR_ENV.
 */
ERR_MUST_CHECK enum err_code around_look(struct io_image *image, const struct unit_aim *aim,
                                         struct answer *answer, uint32_t from, uint64_t deadline_ns,
                                         struct err *err);

#endif
