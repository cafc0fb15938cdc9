/* SPDX-License-Identifier: Apache-2.0
 * carver/assemble/starts_impl.h - what starts.c and starts_seen.c share; nobody else includes it.
 */
#ifndef BURIN_CARVER_ASSEMBLE_STARTS_IMPL_H
#define BURIN_CARVER_ASSEMBLE_STARTS_IMPL_H

#include "carver/assemble/starts.h"

/* What is known of a signature. */
struct starts_kind {
    const struct sig *sig; /* NULL: it is not built in, or has no validator */
    bool weak;
    uint32_t at_count;
    uint32_t ats[SIG_HEADERS_MAX]; /* [at_count]: where its headers stand in a file, each once */
};

/* The built-in signature of this name; NULL: there is none. */
const struct sig *starts_sig(const char *name);

/* sig: built in; or NULL. */
struct starts_kind starts_kind_of(const struct sig *sig);

/*
 * What one header may begin: the signature's other headers may stand elsewhere in the file.
 * strong: weak headers do not count. Returns how many are in out.
 */
uint32_t starts_of(const struct starts_kind *kind, bool strong, const struct start *header,
                   struct start out[SIG_HEADERS_MAX]);

/*
 * Takes all that the headers in memory begin, the first STARTS_MAX of them, in the order of their
 * hits. out: empty, or to be emptied. strong: see starts_of. Errors: ERR_ENV.
 */
ERR_MUST_CHECK enum err_code starts_take_seen(struct starts *out, const struct starts_seen *seen,
                                              bool strong, uint32_t threads, struct err *err);

#endif
