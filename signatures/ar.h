/* signatures/ar.h - what the files of the ar family share: the walk (ar.c), and what members have to end with (ar_content.c). */
#ifndef BURIN_SIGNATURES_AR_H
#define BURIN_SIGNATURES_AR_H

#include "base/bytes.h"
#include "signatures/sig.h"

enum ar_step { AR_DONE, AR_WAIT, AR_BAD };

/*
 * Is the member of size bytes at object offset data whole, as far as its end can tell? Object files end with their section headers or
 * their strings, xz data with a footer, a gzipped tar with its length. Bytes put in or taken out before move these.
 */
enum ar_step ar_content(struct sig_input *in, uint64_t data, uint64_t size, bool debian);

#endif
