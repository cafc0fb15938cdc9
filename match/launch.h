/* SPDX-License-Identifier: Apache-2.0
 * match/launch.h - how a kernel's work is cut into blocks of threads; read by C and by CUDA. */
#ifndef BURIN_MATCH_LAUNCH_H
#define BURIN_MATCH_LAUNCH_H

#include <stdint.h>

/*
 * Zeros stand for the kernel's usual launch. A kernel is compiled for a few launches only; every
 * other launch is treated as zeros.
 */
struct match_launch {
    uint32_t threads; /* threads of a block */
    uint32_t words;   /* 4-byte words of text for each thread */
};

#endif
