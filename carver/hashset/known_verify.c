/* SPDX-License-Identifier: Apache-2.0
 * carver/hashset/known_verify.c - see known_set.h: whether a set is whole.
 *
 * Before each scan all of a set is read. Its SHA-256 would take a second for 10^8 hashes, in one
 * thread; its CRC-64 tells damage as well, is ten times as fast, and that of the whole follows from
 * those of its parts, which threads take.
 */
#include <string.h>

#include "base/thread.h"
#include "carver/cli/cpus.h"
#include "carver/cli/interrupt.h"
#include "carver/hashset/known_hash.h"
#include "carver/hashset/known_set.h"
#include "signatures/crc64.h"

enum {
    VERIFY_STRIDE = 16 << 20, /* bytes between two looks for a signal */
    VERIFY_PART = 64 << 20,   /* bytes that are worth a thread */
    VERIFY_THREADS = 16,
};

/* Bytes of the set that one thread takes. */
struct verify_part {
    const uint8_t *bytes;
    uint64_t len, crc64;
    struct thread thread;
};

enum err_code known_set_sha256(const struct known_set *set, struct err *err)
{
    uint8_t digests[DIGEST_KINDS][DIGEST_MAX];
    struct known_hasher hasher;
    enum err_code rc = known_hasher_init(&hasher, 1u << DIGEST_SHA256, err);

    if (rc == ERR_OK)
        rc = known_hasher_begin(&hasher, err);
    for (uint64_t at = KNOWN_PAGE; rc == ERR_OK && at < set->about.size; at += VERIFY_STRIDE) {
        const uint64_t left = set->about.size - at;

        rc = interrupt_requested()
                 ? ERR_RAISE(err, ERR_INTERRUPTED, "interrupted")
                 : known_hasher_add(&hasher, set->bytes + at,
                                    (size_t)(left < VERIFY_STRIDE ? left : VERIFY_STRIDE), err);
    }
    if (rc == ERR_OK)
        rc = known_hasher_end(&hasher, digests, err);
    if (rc == ERR_OK && memcmp(digests[DIGEST_SHA256], set->about.body_sha256, KNOWN_SHA256) != 0)
        rc = ERR_RAISE(err, ERR_INPUT,
                       "%s: the hash set is damaged: its SHA-256 is wrong; build it again",
                       set->path);
    known_hasher_release(&hasher);
    return rc;
}

static void verify_run(void *arg)
{
    struct verify_part *part = arg;

    for (uint64_t at = 0; at < part->len && !interrupt_requested(); at += VERIFY_STRIDE) {
        const uint64_t left = part->len - at;

        part->crc64 = crc64_add(part->crc64, part->bytes + at,
                                (size_t)(left < VERIFY_STRIDE ? left : VERIFY_STRIDE));
    }
}

/* The CRC-64 of all behind the header. A part that gets no thread is done here. */
static uint64_t verify_crc64(const struct known_set *set)
{
    struct verify_part parts[VERIFY_THREADS] = { 0 };
    const uint64_t len = set->about.size - KNOWN_PAGE, wanted = len / VERIFY_PART + 1;
    const uint32_t cpus = cpus_count(), most = cpus < VERIFY_THREADS ? cpus : VERIFY_THREADS;
    const uint32_t count = wanted < most ? (uint32_t)wanted : most;
    uint64_t value = 0;

    for (uint32_t i = 0; i < count; i++) {
        const uint64_t from = len / count * i, to = i + 1 < count ? len / count * (i + 1) : len;

        parts[i] =
            (struct verify_part){ .bytes = set->bytes + KNOWN_PAGE + from, .len = to - from };
        if (i + 1 == count ||
            thread_start(&parts[i].thread, "known", verify_run, &parts[i], NULL) != ERR_OK)
            verify_run(&parts[i]);
    }
    for (uint32_t i = 0; i < count; i++) {
        thread_join(&parts[i].thread);
        value = crc64_join(value, parts[i].crc64, parts[i].len);
    }
    return value;
}

enum err_code known_set_verify(const struct known_set *set, struct err *err)
{
    if (!set->about.has_crc64)
        return known_set_sha256(set, err);
    const uint64_t value = verify_crc64(set);
    if (interrupt_requested())
        return ERR_RAISE(err, ERR_INTERRUPTED, "interrupted");
    return value == set->about.body_crc64
               ? ERR_OK
               : ERR_RAISE(err, ERR_INPUT,
                           "%s: the hash set is damaged: its CRC-64 is wrong; build it again",
                           set->path);
}
