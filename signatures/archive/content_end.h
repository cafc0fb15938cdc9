/* SPDX-License-Identifier: Apache-2.0
 * signatures/archive/content_end.h - does a member or a payload of known size end as data of its
 * kind do? For containers that have no checksums: bytes put in or taken out before, or a file that
 * is another one from some sector on, are noticed by it.
 */
#ifndef BURIN_SIGNATURES_ARCHIVE_CONTENT_END_H
#define BURIN_SIGNATURES_ARCHIVE_CONTENT_END_H

#include "base/bytes.h"
#include "signatures/lib/step.h"
#include "signatures/sig.h"

/*
 * Looks at size bytes at object offset data. ELF and COFF objects end with their section headers or
 * their strings, xz data with a footer; gzip data end with the length they unpack to, which is a
 * multiple of 512 for a tar: is_tar. STEP_DONE: they end so, or nothing can be told.
 */
enum step content_end(struct sig_input *in, uint64_t data, uint64_t size, bool is_tar);

#endif
