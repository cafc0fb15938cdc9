/* SPDX-License-Identifier: Apache-2.0
 * base/host_device.h - HOST_DEVICE marks a function that runs on the CPU and on a device: it is
 * written once and compiled by C and by CUDA.
 */
#ifndef BURIN_BASE_HOST_DEVICE_H
#define BURIN_BASE_HOST_DEVICE_H

#ifdef __CUDACC__
#define HOST_DEVICE static __host__ __device__ __forceinline__
#else
#define HOST_DEVICE static inline
#endif

#endif
