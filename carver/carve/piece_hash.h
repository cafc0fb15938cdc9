/* SPDX-License-Identifier: Apache-2.0
 * carver/carve/piece_hash.h - SHA-256 of bytes that come in pieces; for many pieces in a thread of
 * its own, so that one object is hashed while it is read and written.
 *
 * One thread calls all of these. A piece that was handed in stays unchanged until its place is free
 * again.
 */
#ifndef BURIN_CARVER_CARVE_PIECE_HASH_H
#define BURIN_CARVER_CARVE_PIECE_HASH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "db/case.h"

enum { PIECE_HASH_PLACES = 4 }; /* pieces that may be in hand at a time */

struct piece_hash; /* owned by the caller of piece_hash_open */

ERR_MUST_CHECK enum err_code piece_hash_open(struct piece_hash **out, struct err *err);
void piece_hash_close(struct piece_hash *hash); /* NULL is a no-op */

/* Begins a hash. apart: in a thread of its own, where the system has one more. */
ERR_MUST_CHECK enum err_code piece_hash_begin(struct piece_hash *hash, bool apart, struct err *err);
/* Waits until the piece that was handed in PIECE_HASH_PLACES pieces ago is hashed. */
void piece_hash_wait(struct piece_hash *hash);
/* The next piece. Called after piece_hash_wait. */
void piece_hash_add(struct piece_hash *hash, const uint8_t *bytes, size_t len);
/*
 * Ends what piece_hash_begin began, also when nobody wants the hash any more. sha256 becomes the
 * hash as hex digits. Errors: ERR_ENV libcrypto fails.
 */
ERR_MUST_CHECK enum err_code piece_hash_end(struct piece_hash *hash, char sha256[DB_SHA256_HEX + 1],
                                            struct err *err);

#endif
