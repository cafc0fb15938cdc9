/* SPDX-License-Identifier: Apache-2.0
 * base/memory.h - how much memory the program may still take.
 *
 * Linux hands out more memory than there is, and ends a program that then uses it. So who is about
 * to take very much asks first. Sources: proc(5), proc_meminfo(5), "Control Group v2" of the
 * kernel's documentation.
 */
#ifndef BURIN_BASE_MEMORY_H
#define BURIN_BASE_MEMORY_H

#include <stddef.h>
#include <stdint.h>

/*
 * Bytes that the program can take without ending itself or others: the least of what the machine
 * has free (with what it would take from caches and can put into swap), what the limits of the
 * program's control groups leave, and what its own limit of address space leaves. UINT64_MAX where
 * nothing says.
 *
 * proc, groups: "/proc", "/sys/fs/cgroup".
 */
uint64_t memory_left(const char *proc, const char *groups);

/*
 * From now on the heap of each thread grows by large steps: else glibc asks the kernel for every
 * few pages, and while it does all other threads of the program wait that touch new memory. Memory
 * that is not touched takes none. Called once, before there are threads. Source: mallopt(3).
 */
void memory_in_large_steps(void);

/*
 * So many bytes of zeros, at an address fit for any type, for a large table of which little is used
 * as a rule: what is not touched takes no memory and no time, where calloc would write its zeros to
 * a heap that grows by large steps. Each touches pages for the first time: not for what is made
 * again and again. NULL when there is no memory. The caller gives it back with memory_sparse_free.
 */
void *memory_sparse(size_t size);

/* memory may be NULL; size: what memory_sparse was asked for. */
void memory_sparse_free(void *memory, size_t size);

#endif
