/* SPDX-License-Identifier: Apache-2.0
 * match/kernel/stage.h - what a kernel needs to know of its device that goes through tiles of the
 * text (stage.cuh). */
#ifndef BURIN_MATCH_KERNEL_STAGE_H
#define BURIN_MATCH_KERNEL_STAGE_H

#include "match/device/device.h"

/* Asked for at the launch, it would take longer than the kernel does for some megabytes. */
struct stage_device {
    uint32_t processors, shared_max; /* as struct device_info */
};

static inline struct stage_device stage_device_of(const struct device_stream *stream)
{
    const struct device_info *info = &stream->device->info;
    const struct stage_device device = { info->processors, info->shared_max };

    return device;
}

#endif
