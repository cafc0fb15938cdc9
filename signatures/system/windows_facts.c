/* SPDX-License-Identifier: Apache-2.0
 * signatures/system/windows_facts.c - facts of files of Windows: shortcuts, prefetch files, event
 * logs.
 *
 * Sources: [MS-SHLLINK]; https://github.com/libyal/libscca, "Windows Prefetch File (PF) format";
 * https://github.com/libyal/libevtx, "Windows XML Event Log (EVTX) format".
 */
#include <string.h>

#include "base/bytes.h"
#include "signatures/facts/tell.h"
#include "signatures/system/system_facts.h"

#define WINDOWS_EPOCH INT64_C(11644473600) /* seconds from 1601 to 1970 */

enum {
    LNK_FACTS_HEAD = 76,
    LNK_FACTS_LIST = 1, /* flags: a list of identifiers, a place, strings in UTF-16 */
    LNK_FACTS_INFO = 2,
    LNK_FACTS_TRACKER = 0x60, /* bytes of the block with the machine's name */
    LNK_FACTS_BLOCKS = 16,
    EVTX_FACTS_HEAD = 4096,
    EVTX_FACTS_CHUNK = 65536,
    EVTX_FACTS_CHUNK_HEAD = 512,
};

/* 100 nanoseconds since 1601. */
static void windows_moment(struct sig_facts *facts, enum sig_fact_key key, uint64_t filetime)
{
    const uint64_t seconds = filetime / 10000000;

    if (seconds > 0 && seconds < UINT64_C(1) << 40)
        tell_moment(facts, key, (int64_t)seconds - WINDOWS_EPOCH);
}

/* The place of the target: sizes and offsets, and the local path as text of the system's code page,
 * or, where the header is longer, as UTF-16. Its suffix is empty for local paths. */
static void lnk_facts_info(struct sig_facts *facts, uint64_t at)
{
    const uint8_t *head = tell_bytes(facts, at, 36);

    if (head == NULL || (bytes_u32le(head + 8) & 1) == 0)
        return;
    const uint32_t size = bytes_u32le(head);
    const bool wide = bytes_u32le(head + 4) >= 0x24;
    const uint32_t path = bytes_u32le(head + (wide ? 28 : 16));
    if (path >= size)
        return;
    const uint32_t room = size - path, most = (wide ? 2 : 1) * SIG_FACT_LEN;
    const uint32_t want = room < most ? room : most;
    const uint8_t *bytes = tell_bytes(facts, at + path, want);
    if (bytes != NULL && wide)
        tell_utf16(facts, SIG_FACT_TARGET_PATH, bytes, want, false);
    else if (bytes != NULL)
        tell_latin1(facts, SIG_FACT_TARGET_PATH, bytes, want);
}

/* Behind the strings stand blocks; that of the distributed link tracker names the machine. */
static void lnk_facts_blocks(struct sig_facts *facts, uint64_t at)
{
    for (uint32_t i = 0; i < LNK_FACTS_BLOCKS; i++) {
        const uint8_t *block = tell_bytes(facts, at, 8);

        if (block == NULL || bytes_u32le(block) < 8)
            return;
        const uint32_t size = bytes_u32le(block);
        if (bytes_u32le(block + 4) == 0xa0000003 && size >= LNK_FACTS_TRACKER) {
            const uint8_t *name = tell_bytes(facts, at + 16, 16);

            if (name != NULL)
                tell_latin1(facts, SIG_FACT_MACHINE, name, 16);
            return;
        }
        at += size;
    }
}

void lnk_facts(struct sig_facts *facts)
{
    const uint8_t *head = tell_bytes(facts, 0, LNK_FACTS_HEAD);
    uint64_t at = LNK_FACTS_HEAD;

    if (head == NULL)
        return;
    const uint32_t flags = bytes_u32le(head + 20);
    windows_moment(facts, SIG_FACT_TARGET_CREATED, bytes_u64le(head + 28));
    head = tell_bytes(facts, 0, LNK_FACTS_HEAD);
    if (head != NULL)
        windows_moment(facts, SIG_FACT_TARGET_MODIFIED, bytes_u64le(head + 44));
    if ((flags & LNK_FACTS_LIST) != 0) {
        const uint8_t *size = tell_bytes(facts, at, 2);

        if (size == NULL)
            return;
        at += 2 + (uint64_t)bytes_u16le(size);
    }
    if ((flags & LNK_FACTS_INFO) != 0) {
        const uint8_t *size = tell_bytes(facts, at, 4);

        if (size == NULL)
            return;
        const uint32_t len = bytes_u32le(size);
        lnk_facts_info(facts, at);
        at += len;
    }
    for (uint32_t flag = 4; flag <= 64; flag <<= 1) { /* name, path, folder, arguments, icon */
        const uint8_t *size = (flags & flag) != 0 ? tell_bytes(facts, at, 2) : NULL;

        if (size != NULL)
            at += 2 + (uint64_t)bytes_u16le(size) * ((flags & 128) != 0 ? 2 : 1);
        else if ((flags & flag) != 0)
            return;
    }
    lnk_facts_blocks(facts, at);
}

/* The name of the program stands in the header, in UTF-16; the last run and the count of runs where
 * the version has them. */
void prefetch_facts(struct sig_facts *facts)
{
    const uint8_t *head = tell_bytes(facts, 0, 84);

    if (head == NULL)
        return;
    const uint32_t version = bytes_u32le(head);
    tell_utf16(facts, SIG_FACT_TITLE, head + 16, 60, false);
    /* Where version 30 and 31 have a shorter head of sections, the places are 8 bytes before. */
    const uint8_t *sections = tell_bytes(facts, 84, 4);
    const bool late = version >= 30 && sections != NULL && bytes_u32le(sections) < 0x130;
    const uint32_t run = version == 17 ? 120 : 128;
    const uint32_t count = version == 17 ? 144 : version == 23 ? 152 : late ? 200 : 208;
    const uint8_t *bytes = tell_bytes(facts, run, 8);
    if (bytes != NULL)
        windows_moment(facts, SIG_FACT_LAST_RUN, bytes_u64le(bytes));
    bytes = tell_bytes(facts, count, 4);
    if (bytes != NULL)
        tell_count(facts, SIG_FACT_RUN_COUNT, bytes_u32le(bytes));
}

/* The times of the first record, and of the last one of the last chunk: a log that was full goes on
 * in its first chunk again, so the chunk is the one that the header calls the current one. */
void evtx_facts(struct sig_facts *facts)
{
    const uint8_t *head = tell_bytes(facts, 0, 48);

    if (head == NULL)
        return;
    const uint64_t first = bytes_u64le(head + 8), last = bytes_u64le(head + 16);
    if (first < UINT32_MAX) {
        const uint8_t *record = tell_bytes(
            facts, EVTX_FACTS_HEAD + first * EVTX_FACTS_CHUNK + EVTX_FACTS_CHUNK_HEAD, 24);

        if (record != NULL && memcmp(record, "**\0\0", 4) == 0)
            windows_moment(facts, SIG_FACT_CREATED, bytes_u64le(record + 16));
    }
    const uint64_t chunk = EVTX_FACTS_HEAD + last * EVTX_FACTS_CHUNK;
    head = last < UINT32_MAX ? tell_bytes(facts, chunk, 48) : NULL;
    const uint32_t at = head != NULL ? bytes_u32le(head + 44) : 0;
    if (at >= EVTX_FACTS_CHUNK_HEAD && at <= EVTX_FACTS_CHUNK - 24) {
        const uint8_t *record = tell_bytes(facts, chunk + at, 24);

        if (record != NULL && memcmp(record, "**\0\0", 4) == 0)
            windows_moment(facts, SIG_FACT_MODIFIED, bytes_u64le(record + 16));
    }
}
