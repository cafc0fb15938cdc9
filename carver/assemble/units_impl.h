/* SPDX-License-Identifier: Apache-2.0
 * carver/assemble/units_impl.h - what the parts of units.h share; nobody else includes it.
 *
 *   units.c       what follows a unit, and its cuts where it says how long it is
 *   units_open.c  its cuts where it does not
 *   units_joint.c and where it does not either, but a number of 48 bits stands behind it
 *   units_flow.c  where packed bytes go on
 */
#ifndef BURIN_CARVER_ASSEMBLE_UNITS_IMPL_H
#define BURIN_CARVER_ASSEMBLE_UNITS_IMPL_H

#include "carver/assemble/units.h"

/*
 * Finds the cuts of a unit that does not say how long it is. ends[0..end_count): how far behind
 * its first byte that may stand in the image which follows it. Errors: ERR_ENV.
 */
ERR_MUST_CHECK enum err_code units_open(struct splice *splice, const struct units_job *job,
                                        const struct sig_unit *unit, const int64_t *ends,
                                        uint32_t end_count, struct units *units, struct err *err);

/* Finds the cuts of a unit that has a joint. Errors: ERR_ENV. */
ERR_MUST_CHECK enum err_code units_joint(struct splice *splice, const struct units_job *job,
                                         struct units *units, struct err *err);

/* Finds the cuts of a file that has a flow. Errors: ERR_ENV. */
ERR_MUST_CHECK enum err_code units_flow(struct splice *splice, const struct units_job *job,
                                        struct units *units, struct err *err);

#endif
