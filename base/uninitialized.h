/* SPDX-License-Identifier: Apache-2.0
 * base/uninitialized.h - UNINITIALIZED marks a local array that the build must not set to zero.
 *
 * The build sets every local variable without an initializer to zero
 * (-ftrivial-auto-var-init=zero). UNINITIALIZED stands where this was measured to cost speed and
 * the code writes each element before it reads it.
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
