/* SPDX-License-Identifier: Apache-2.0
 * signatures/archive/packed_facts.c - whether 7z and RAR archives are encrypted.
 *
 * Sources: 7-Zip, 7zFormat.txt and Methods.txt (06 f1 07 01: AES); RARLAB, technote.txt (RAR 5);
 * unrar, the headers of RAR 4.
 */
#include <string.h>

#include "base/bytes.h"
#include "signatures/archive/archive_facts.h"
#include "signatures/facts/tell.h"

enum {
    SEVENZIP_FACTS_HEAD = 32,
    SEVENZIP_FACTS_LOOK = 4096, /* bytes of the header that are looked through */
    RAR_FACTS_BLOCKS = 64,      /* that are looked at, at most */
    RAR_FACTS_MAGIC = 7,
};

/* The header names its methods; one that is packed and encrypted is described by a plain one. */
void sevenzip_facts(struct sig_facts *facts)
{
    static const uint8_t aes[] = { 0x06, 0xf1, 0x07, 0x01 };
    const uint8_t *head = tell_bytes(facts, 0, SEVENZIP_FACTS_HEAD);

    if (head == NULL)
        return;
    const uint64_t at = sig_add(bytes_u64le(head + 12), SEVENZIP_FACTS_HEAD),
                   len = bytes_u64le(head + 20);
    const uint32_t want = len < SEVENZIP_FACTS_LOOK ? (uint32_t)len : SEVENZIP_FACTS_LOOK;
    const uint8_t *bytes = want > 0 ? tell_bytes(facts, at, want) : NULL;
    if (bytes != NULL && memmem(bytes, want, aes, sizeof aes) != NULL)
        tell_count(facts, SIG_FACT_ENCRYPTED, 1);
}

/* CRC | type | flags | size [| size of the data]: flag 0x80 of the main block: headers are
 * encrypted; 4 of a file's: that file is. */
static void rar_facts_four(struct sig_facts *facts)
{
    uint64_t at = RAR_FACTS_MAGIC;

    for (uint32_t i = 0; i < RAR_FACTS_BLOCKS; i++) {
        const uint8_t *block = tell_bytes(facts, at, 11);

        if (block == NULL)
            return;
        const uint8_t type = block[2];
        const uint32_t flags = bytes_u16le(block + 3), size = bytes_u16le(block + 5);
        const bool data = type == 0x74 || (flags & 0x8000) != 0;
        const uint64_t len = data ? bytes_u32le(block + 7) : 0;
        if ((type == 0x73 && (flags & 0x80) != 0) || (type == 0x74 && (flags & 4) != 0)) {
            tell_count(facts, SIG_FACT_ENCRYPTED, 1);
            return;
        }
        if (size < 7)
            return;
        at += size + len;
    }
}

/* A number of 7 bits a byte. */
static uint64_t rar_facts_number(const uint8_t **at, const uint8_t *end)
{
    uint64_t value = 0;

    for (uint32_t shift = 0; *at < end && shift < 63; shift += 7) {
        const uint8_t byte = *(*at)++;

        value |= (uint64_t)(byte & 0x7f) << shift;
        if ((byte & 0x80) == 0)
            break;
    }
    return value;
}

/* CRC | size | type | flags [| size of the extra area] [| size of the data] ...: type 4: headers
 * are encrypted; record 1 in the extra area of a file: that file is. */
static void rar_facts_five(struct sig_facts *facts)
{
    uint64_t at = RAR_FACTS_MAGIC + 1;

    for (uint32_t i = 0; i < RAR_FACTS_BLOCKS; i++) {
        const uint64_t left = at < tell_len(facts) ? tell_len(facts) - at : 0;
        const uint32_t want = left < 48 ? (uint32_t)left : 48;
        const uint8_t *block = want > 8 ? tell_bytes(facts, at, want) : NULL;

        if (block == NULL)
            return;
        const uint8_t *next = block + 4, *end = block + want;
        const uint64_t size = rar_facts_number(&next, end);
        const uint64_t body = at + (uint64_t)(next - block);
        const uint64_t type = rar_facts_number(&next, end), flags = rar_facts_number(&next, end);
        const uint64_t extra = (flags & 1) != 0 ? rar_facts_number(&next, end) : 0;
        const uint64_t data = (flags & 2) != 0 ? rar_facts_number(&next, end) : 0;
        const uint64_t after = sig_add(body, size);
        if (type == 4) {
            tell_count(facts, SIG_FACT_ENCRYPTED, 1);
            return;
        }
        if (type == 2 && extra >= 3 && extra <= size) {
            const uint8_t *record = tell_bytes(facts, after - extra, 3);
            const uint8_t *from = record;

            if (record != NULL && rar_facts_number(&from, record + 3) > 0 && from < record + 3 &&
                *from == 1) {
                tell_count(facts, SIG_FACT_ENCRYPTED, 1);
                return;
            }
        }
        if (size == 0 || type == 5)
            return;
        at = sig_add(after, data);
    }
}

void rar_facts(struct sig_facts *facts)
{
    const uint8_t *magic = tell_bytes(facts, 0, RAR_FACTS_MAGIC);

    if (magic != NULL && magic[6] == 1)
        rar_facts_five(facts);
    else if (magic != NULL)
        rar_facts_four(facts);
}
