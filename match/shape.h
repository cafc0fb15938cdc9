/* match/shape.h - how a kernel's work is cut into blocks of threads; read by C and by CUDA. */
#ifndef BURIN_MATCH_SHAPE_H
#define BURIN_MATCH_SHAPE_H

#include <stdint.h>

/* Zeros: as the kernel thinks best. Kernels are compiled for a few shapes alone; any other one is as zeros. */
struct match_shape {
    uint32_t threads; /* of a block */
    uint32_t words;   /* of four bytes, for each thread */
};

#endif
