/* SPDX-License-Identifier: Apache-2.0
 * carver/cli/devices.h - --devices LIST: the GPUs that a command works on. */
#ifndef BURIN_CARVER_CLI_DEVICES_H
#define BURIN_CARVER_CLI_DEVICES_H

#include <stdint.h>

#include "base/err.h"

/* "all", or numbers with commas between: 0,2; or as burin info names them: cuda0,cuda2. mask is as
 * in match_options. */
ERR_MUST_CHECK enum err_code devices_read(const char *text, uint32_t *mask, struct err *err);

/* ERR_ENV when one of them does not exist here. May start the devices' runtime. */
ERR_MUST_CHECK enum err_code devices_check(const char *text, uint32_t mask, struct err *err);

#endif
