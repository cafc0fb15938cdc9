/* SPDX-License-Identifier: Apache-2.0
 * io/image/patience.h - reads that fail while a network or a server hiccups (io/ only).
 *
 * A dying disk fails at a place, and is best left alone there. A server that is started again, or a
 * path to it that is lost for a moment, fails everywhere, and a while later nowhere. Who reads an
 * image through a network asks again after a pause before bytes count as bad, and takes what only a
 * network says for no word about the medium.
 *
 * Any thread may call all of this.
 */
#ifndef BURIN_IO_IMAGE_PATIENCE_H
#define BURIN_IO_IMAGE_PATIENCE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum {
    IO_PATIENCE_TRIES = 3,     /* pauses before bytes count as bad: 1, 5 and 25 seconds */
    IO_PATIENCE_SECONDS = 600, /* of all pauses of an image, those of all threads added up */
};

/* Zeroed is none. */
struct io_patience {
    bool on;
    atomic_uint waited;              /* seconds */
    void (*sleep)(uint32_t seconds); /* for tests; NULL: sleep(3) */
};

/* Whether an errno is one of the network or of a server, and not of the medium. */
bool io_patience_network(int cause);

/* Waits before try `number`, from 0 on. False: it was tried and waited for often enough. */
bool io_patience_wait(struct io_patience *patience, uint32_t number);

#endif
