/* SPDX-License-Identifier: Apache-2.0
 * io/image/patience.c - see patience.h. */
#include "io/image/patience.h"

#include <errno.h>
#include <unistd.h>

bool io_patience_network(int cause)
{
    switch (cause) {
    case ETIMEDOUT:
    case EREMOTEIO:
    case EHOSTDOWN:
    case EHOSTUNREACH:
    case ENETDOWN:
    case ENETUNREACH:
    case ECONNRESET:
    case ECONNREFUSED:
    case ENOLINK:
        return true;
    default: /* what is gone for good is so on a single machine, too: io_file_result */
        return false;
    }
}

bool io_patience_wait(struct io_patience *patience, uint32_t number)
{
    static const uint32_t pauses[IO_PATIENCE_TRIES] = { 1, 5, 25 };

    if (!patience->on || number >= IO_PATIENCE_TRIES ||
        atomic_load(&patience->waited) >= IO_PATIENCE_SECONDS)
        return false;
    atomic_fetch_add(&patience->waited, pauses[number]);
    if (patience->sleep != NULL)
        patience->sleep(pauses[number]);
    else
        sleep(pauses[number]);
    return true;
}
