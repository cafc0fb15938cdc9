/* SPDX-License-Identifier: Apache-2.0
 * match/device/device_list.c - the devices of this machine, for matcher.h. */
#include <string.h>

#include "match/device/device.h"
#include "match/matcher.h"

_Static_assert((int)MATCH_DEVICES_MAX == (int)DEVICE_MAX, "as many");
_Static_assert((int)MATCH_DEVICE_NAME_MAX == (int)DEVICE_NAME_MAX, "the same names");

const char *match_device_missing(void)
{
    return device_cuda_missing();
}

const char *match_device_absent(void)
{
    return device_cuda_absent();
}

uint32_t match_device_count(void)
{
    const struct device_provider cuda = device_cuda();
    uint32_t count = 0;

    return device_cuda_missing() == NULL && device_count(&cuda, &count, NULL) == ERR_OK ? count : 0;
}

enum err_code match_device_get(uint32_t index, struct match_device_info *out, struct err *err)
{
    const struct device_provider cuda = device_cuda();
    struct device *device = NULL;
    enum err_code rc = device_open(&cuda, index, &device, err);

    *out = (struct match_device_info){ 0 };
    if (rc == ERR_OK)
        rc = device_memory_free(device, &out->memory_free, err);
    if (rc == ERR_OK) {
        memcpy(out->name, device->info.name, sizeof out->name);
        out->memory = device->info.memory;
        out->processors = device->info.processors;
        out->version = device->info.version;
    }
    device_close(device);
    return rc;
}
