/*
 * base/uninitialized.h - for large arrays of functions on the hot path.
 *
 * The build sets every variable to zero that its function does not set
 * (-ftrivial-auto-var-init=zero). Where that was measured to cost speed, and the code writes each
 * element before it reads it, the declaration says UNINITIALIZED.
 */
#ifndef BURIN_BASE_UNINITIALIZED_H
#define BURIN_BASE_UNINITIALIZED_H

#ifndef __has_attribute
#define __has_attribute(name) 0
#endif

#if __has_attribute(uninitialized)
#define UNINITIALIZED __attribute__((uninitialized))
#else
#define UNINITIALIZED
#endif

#endif
