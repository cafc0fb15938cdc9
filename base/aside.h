/*
 * base/aside.h - keeps one of two threads that work hand in hand on another processor than the other.
 *
 * Of two threads that wake each other often, each to work for some ten microseconds, the kernel puts the one where the other is, and
 * balances too seldom to notice that the next processor is idle: they take turns then for tens of milliseconds.
 */
#ifndef BURIN_BASE_ASIDE_H
#define BURIN_BASE_ASIDE_H

#include <stdatomic.h>
#include <stdint.h>

struct aside {
    _Atomic int other; /* the processor that the other thread was last seen on; -1: none */
    _Atomic int own;   /* and the one that called aside_step */
    uint32_t turns;    /* calls of aside_step in turn that found this one on it */
};

void aside_init(struct aside *aside);
void aside_here(struct aside *aside); /* called by the other thread now and then */

/*
 * Called by the thread each time that it has done some work: when it was on the other's processor several times in turn it moves to another
 * one, if it may. The kernel may put it anywhere again afterwards.
 */
void aside_step(struct aside *aside);

/* Moves the thread that calls this to another processor, if it is on this one and may be elsewhere; -1: it stays. */
void aside_leave(int cpu);

#endif
