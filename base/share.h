/* SPDX-License-Identifier: Apache-2.0
 * base/share.h - work in pieces that do not depend on each other, shared out among threads.
 */
#ifndef BURIN_BASE_SHARE_H
#define BURIN_BASE_SHARE_H

#include <stddef.h>
#include <stdint.h>

#include "base/limits.h"

enum { SHARE_THREADS = LIMIT_THREADS /* at most */ };

/*
 * Does one piece. worker: 0 for the caller of share_out, and less than the threads; pieces that are
 * done at the same time have different ones.
 */
typedef void (*share_fn)(void *arg, size_t piece, uint32_t worker);

/*
 * Calls each(arg, piece, worker) once for every piece below count, and returns when all are done.
 * They are begun in their order. threads: how many may work, the caller's among them; where the
 * system has no more, those that there are do it all. name: see thread_start.
 */
void share_out(const char *name, size_t count, uint32_t threads, share_fn each, void *arg);

#endif
