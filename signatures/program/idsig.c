/* SPDX-License-Identifier: Apache-2.0
 * signatures/program/idsig.c - signatures of Android's programs that lie beside them (APK Signature
 * Scheme v4, .idsig).
 *
 *   u32le 2 | sized: u32le 1 (SHA-256) | u8 12 (blocks of 4096 bytes) | sized salt | sized root of
 * the tree | sized: signatures | sized: tree
 *   sized: u32le bytes | as many
 *   signatures: sized digest of the program, certificate, more, key | u32le algorithm | sized
 * signature | version 4.1: blocks
 *   tree: pages of 4096 bytes, from the one that the root is the SHA-256 of down to those with a
 * hash of every block of the program
 */
#include "base/bytes.h"
#include "signatures/lib/step.h"
#include "signatures/sig.h"

enum {
    IDSIG_HASHING = 4,    /* place of the bytes of the part about hashes */
    IDSIG_SIGNATURE = 53, /* place of the signatures: behind 45 bytes, as there is no salt */
    IDSIG_SIGNATURE_MAX = 1 << 20,
    IDSIG_TEXTS = 4, /* sized ones before the algorithm */
    IDSIG_PAGE = 4096,
    IDSIG_HASHES = IDSIG_PAGE / 32, /* of a page */
    IDSIG_TREE_MAX = 1 << 30,
};

/* Moves *at behind what begins there with its size. */
static enum step idsig_sized(struct sig_input *in, uint64_t *at, uint64_t end)
{
    const uint8_t *p = sig_bytes(in, *at, 4);

    if (p == NULL)
        return STEP_WAIT;
    const uint32_t len = bytes_u32le(p);
    if (*at + 4 > end || len > end - *at - 4)
        return STEP_BAD;
    *at += 4 + (uint64_t)len;
    return STEP_DONE;
}

/* The signatures, from `at` up to `end`. */
static enum step idsig_signatures(struct sig_input *in, uint64_t at, uint64_t end)
{
    const uint8_t *p = sig_bytes(in, at, 4);
    enum step step = STEP_DONE;

    if (p == NULL)
        return STEP_WAIT;
    const uint32_t digest = bytes_u32le(p);
    if (digest != 32 && digest != 64)
        return STEP_BAD;
    for (uint32_t i = 0; i < IDSIG_TEXTS && step == STEP_DONE; i++)
        step = idsig_sized(in, &at, end);
    if (step != STEP_DONE)
        return step;
    p = sig_bytes(in, at, 4);
    if (p == NULL)
        return STEP_WAIT;
    const uint32_t algorithm = bytes_u32le(p);
    if (algorithm == 0 || algorithm > UINT16_MAX)
        return STEP_BAD;
    at += 4;
    step = idsig_sized(in, &at, end);
    while (step == STEP_DONE && at < end) { /* version 4.1: u32le kind | the same of it */
        at += 4;
        step = idsig_sized(in, &at, end);
    }
    return step;
}

/* Whether a tree can have so many pages: those of each level hold the hashes of the next. */
static bool idsig_tree(uint64_t pages)
{
    if (pages <= 1)
        return true;
    for (uint64_t low = pages; low > 0 && pages - low <= pages / 64 + 8; low--) {
        uint64_t sum = low;

        for (uint64_t level = low; level > 1 && sum <= pages;) {
            level = (level + IDSIG_HASHES - 1) / IDSIG_HASHES;
            sum += level;
        }
        if (sum == pages)
            return true;
    }
    return false;
}

static struct sig_result idsig_check(struct sig_input *in, void *memory)
{
    (void)memory;
    const uint8_t *p = sig_bytes(in, IDSIG_SIGNATURE, 4);
    if (p == NULL)
        return sig_short(in);
    const uint32_t len = bytes_u32le(p);
    if (len > IDSIG_SIGNATURE_MAX)
        return sig_reject("invalid size of the signatures");
    const uint64_t end = IDSIG_SIGNATURE + 4 + (uint64_t)len;
    const enum step step = idsig_signatures(in, IDSIG_SIGNATURE + 4, end);
    if (step == STEP_WAIT)
        return sig_short(in);
    if (step == STEP_BAD)
        return sig_reject("invalid signatures");
    sig_valid(in, end);
    p = sig_bytes(in, end, 4);
    if (p == NULL)
        return sig_short(in);
    const uint32_t tree = bytes_u32le(p);
    if (tree > IDSIG_TREE_MAX || tree % IDSIG_PAGE != 0 || !idsig_tree(tree / IDSIG_PAGE))
        return sig_breaks(in, "invalid size of the tree");
    return sig_believe(in, end + 4 + tree, "signatures and tree have their sizes");
}

const struct sig sig_idsig = {
    .name = "idsig",
    .what = "signature of a program of Android beside it (APK Signature Scheme v4)",
    .proves = "certificate, key and signature fill their part; a tree can have so many pages; "
              "nothing is verified",
    .source = "Android Open Source Project, APK Signature Scheme v4",
    .types = (const struct sig_type[]){ { "idsig", "idsig" }, { 0 } },
    .headers = { SIG_PATTERN("\2\0\0\0\x2d\0\0\0\1\0\0\0\x0c\0\0\0\0\x20\0\0\0") },
    .flags = SIG_SECTOR_ALIGNED,
    .size_min = IDSIG_SIGNATURE + 8,
    .size_max = UINT64_C(1) << 31,
    .check = idsig_check,
};
