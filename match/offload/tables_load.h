/* SPDX-License-Identifier: Apache-2.0
 * match/offload/tables_load.h - the tables of an automaton, made on the host and put on a device.
 */
#ifndef BURIN_MATCH_OFFLOAD_TABLES_LOAD_H
#define BURIN_MATCH_OFFLOAD_TABLES_LOAD_H

#include "match/ac/ac.h"
#include "match/device/device.h"
#include "match/kernel/tables.h"

struct tables_load {
    struct device *device;
    struct tables tables;
    void *memory; /* on the device: all of it */
    size_t size;
};

/* ac: NULL where rows is TABLES_WITHOUT. ERR_ENV: the device has not so much memory. */
ERR_MUST_CHECK enum err_code tables_load(struct tables_load *load, struct device *device,
                                         const struct match_dictionary *dictionary,
                                         const struct ac *ac, enum tables_rows rows,
                                         struct err *err);
void tables_unload(struct tables_load *load);

#endif
