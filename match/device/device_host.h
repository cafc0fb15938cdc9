/* SPDX-License-Identifier: Apache-2.0
 * match/device/device_host.h - devices that are not there: memory of the host, kernels as
 * functions, work done as late as possible.
 *
 * What is put into a stream runs only when somebody waits for it, in the order that streams and
 * events demand and in no other thread than the one that waits. So a buffer that is reused too
 * early, or a wait that is missing, shows every time. Calls can be made to fail one by one.
 */
#ifndef BURIN_MATCH_DEVICE_DEVICE_HOST_H
#define BURIN_MATCH_DEVICE_DEVICE_HOST_H

#include <pthread.h>

#include "match/device/device.h"

enum device_host_call {
    DEVICE_HOST_OPEN,
    DEVICE_HOST_ALLOC,
    DEVICE_HOST_PIN,
    DEVICE_HOST_STREAM,
    DEVICE_HOST_EVENT,
    DEVICE_HOST_COPY, /* fill as well */
    DEVICE_HOST_LAUNCH,
    DEVICE_HOST_WAIT,
    DEVICE_HOST_CALLS,
};

/* Owned by the test; outlives its devices. */
struct device_host {
    uint32_t devices; /* how many there are */
    uint64_t memory;  /* bytes of each */
    uint32_t open_ms; /* milliseconds that one takes to open */

    /* The fail_at[call]-th call of a kind fails, counted from 1; 0: none. */
    uint64_t fail_at[DEVICE_HOST_CALLS];
    bool rest; /* and so do all later ones of that kind */
    bool lost; /* and so do all later ones of that device */

    /* Seen so far. */
    uint64_t calls[DEVICE_HOST_CALLS];
    uint64_t in_use; /* bytes, of all devices */
    uint32_t open;   /* devices, streams, events and pinned ranges that have not been closed */
    bool failed;
    uint32_t failed_devices; /* 1 << n: a call of device n */

    pthread_mutex_t lock; /* device_host_init makes it */
};

void device_host_init(struct device_host *host, uint32_t devices, uint64_t memory);
void device_host_release(struct device_host *host);
struct device_provider device_host_provider(struct device_host *host);

#endif
