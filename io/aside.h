/*
 * io/aside.h - keeps one of two threads that work hand in hand on another processor than the other.
 *
 * Of two threads that wake each other often, each to work for some ten microseconds, the kernel puts the one where the other is, and
 * balances too seldom to notice that the next processor is idle: they take turns then for tens of milliseconds.
 */
#ifndef BURIN_IO_ASIDE_H
#define BURIN_IO_ASIDE_H

#include <stdatomic.h>
#include <stdint.h>

struct io_aside {
    _Atomic int other; /* the processor that the other thread was last seen on; -1: none */
    uint32_t turns;    /* calls of io_aside_step in turn that found this one on it */
};

void io_aside_init(struct io_aside *aside);
void io_aside_here(struct io_aside *aside); /* called by the other thread now and then */

/*
 * Called by the thread each time that it has done some work: when it was on the other's processor several times in turn it moves to another
 * one, if it may. The kernel may put it anywhere again afterwards.
 */
void io_aside_step(struct io_aside *aside);

#endif
