/* SPDX-License-Identifier: Apache-2.0
 * signatures/document/chm.c - compiled HTML help: chm.
 *
 *   "ITSF" | 3 | u32le length of the header, 96 | 1 | time, language | two class ids | section 0:
 * place, length; section 1: place, length | content section 0: FE 01 00 00 | 0 | u64le size of the
 * file section 1: "ITSP" | 1 | 84 | 10 | chunk size | ... | 44 chunks; then the chunks: "PMGL"
 * lists entries, "PMGI" is their index entry: length and name, section, offset, length: numbers of
 * seven bits a byte content: section 0's entries as they are, the compressed pages (LZX) among them
 *
 * Every chunk of the directory is read; its entries must lie in the file and reach its end. The
 * compressed pages carry no checksum: of them only is known that they look like compressed data.
 */
#include <string.h>

#include "base/bytes.h"
#include "signatures/lib/plausible.h"
#include "signatures/sig.h"

enum {
    CHM_HEADER = 96,
    CHM_SECTION_0 = 24,
    CHM_DIRECTORY = 84,
    CHM_CHUNK_MAX = 65536,
    CHM_LIST_HEAD = 20,
    CHM_NAME_MAX = 4096,
};

struct chm_state {
    uint64_t size, directory_at, content_at;
    uint64_t last;                /* end of the entry that lies furthest back */
    uint64_t pages_at, pages_len; /* the compressed pages */
    uint32_t chunk_size, chunks, next;
    bool begun;
    struct plausible plausible;
};

/* A number of seven bits a byte at *at; false: it does not end before `end`. */
static bool chm_number(const uint8_t *chunk, uint32_t *at, uint32_t end, uint64_t *value)
{
    *value = 0;
    for (uint32_t i = 0; i < 9 && *at < end; i++) {
        const uint8_t byte = chunk[(*at)++];

        *value = *value << 7 | (byte & 0x7f);
        if ((byte & 0x80) == 0)
            return true;
    }
    return false;
}

static bool chm_entries(struct chm_state *state, const uint8_t *chunk)
{
    static const char pages[] = "MSCompressed/Content";
    const uint32_t free_bytes = bytes_u32le(chunk + 4), name_len = sizeof pages - 1;
    uint32_t at = CHM_LIST_HEAD;

    if (free_bytes > state->chunk_size - CHM_LIST_HEAD)
        return false;
    const uint32_t end = state->chunk_size - free_bytes;
    while (at < end) {
        uint64_t len, section, offset, size;

        if (!chm_number(chunk, &at, end, &len) || len > CHM_NAME_MAX || len > end - at)
            return false;
        const uint8_t *name = chunk + at;
        at += (uint32_t)len;
        if (!chm_number(chunk, &at, end, &section) || !chm_number(chunk, &at, end, &offset) ||
            !chm_number(chunk, &at, end, &size))
            return false;
        if (section != 0)
            continue;
        const uint64_t entry_end = sig_add(sig_add(state->content_at, offset), size);
        if (entry_end > state->size)
            return false;
        if (entry_end > state->last)
            state->last = entry_end;
        if (len >= name_len && memcmp(name + len - name_len, pages, name_len) == 0) {
            state->pages_at = state->content_at + offset;
            state->pages_len = size;
        }
    }
    return true;
}

/* Reads the two headers; NULL in *why when they are right. False: bytes are missing. */
static bool chm_head(struct sig_input *in, struct chm_state *state, const char **why)
{
    const uint8_t *head = sig_bytes(in, 0, CHM_HEADER);

    if (head == NULL)
        return false;
    const uint64_t section_0 = bytes_u64le(head + 0x38), directory_len = bytes_u64le(head + 0x50);
    state->directory_at = bytes_u64le(head + 0x48);
    state->content_at = bytes_u64le(head + 0x58);
    *why = "the sections are not in their places";
    if (bytes_u64le(head + 0x40) != CHM_SECTION_0 || section_0 != CHM_HEADER ||
        state->directory_at < section_0 + CHM_SECTION_0 ||
        sig_add(state->directory_at, directory_len) != state->content_at ||
        memcmp(head + 24, "\x10\xfd\x01\x7c\xaa\x7b\xd0\x11\x9e\x0c\0\xa0\xc9\x22\xe6\xec", 16) !=
            0)
        return true;
    head = sig_bytes(in, section_0, CHM_SECTION_0);
    if (head == NULL)
        return false;
    const uint32_t mark = bytes_u32le(head);
    state->size = bytes_u64le(head + 8);
    head = sig_bytes(in, state->directory_at, CHM_DIRECTORY);
    if (head == NULL)
        return false;
    state->chunk_size = bytes_u32le(head + 16);
    state->chunks = bytes_u32le(head + 44);
    if (mark != 0x1fe || state->size < state->content_at)
        return true;
    if (memcmp(head, "ITSP", 4) != 0 || bytes_u32le(head + 8) != CHM_DIRECTORY ||
        state->chunk_size < 512 || state->chunk_size > CHM_CHUNK_MAX ||
        CHM_DIRECTORY + (uint64_t)state->chunks * state->chunk_size != directory_len)
        return true;
    *why = NULL;
    state->begun = true;
    return true;
}

static struct sig_result chm_check(struct sig_input *in, void *memory)
{
    struct chm_state *state = memory;

    if (!state->begun) {
        const char *why;

        if (!chm_head(in, state, &why))
            return sig_short(in);
        if (why != NULL)
            return sig_reject(why);
    }
    for (; state->next < state->chunks; state->next++) {
        const uint64_t at =
            state->directory_at + CHM_DIRECTORY + (uint64_t)state->next * state->chunk_size;
        const uint8_t *chunk = sig_bytes(in, at, state->chunk_size);

        if (chunk == NULL)
            return sig_short(in);
        const bool list = memcmp(chunk, "PMGL", 4) == 0;
        if ((!list && memcmp(chunk, "PMGI", 4) != 0) || (list && !chm_entries(state, chunk)))
            return sig_breaks(in, "invalid chunk of the directory");
        sig_valid(in, at + state->chunk_size);
    }
    if (state->last == 0)
        return sig_breaks(in, "the directory has no entries");
    const enum step step = plausible_check(in, &state->plausible, PLAUSIBLE_COMPRESSED, 1,
                                           state->pages_at, state->pages_at + state->pages_len);
    if (step == STEP_WAIT) {
        if (in->wanted > in->limit)
            sig_valid(in, in->limit);
        return sig_short(in);
    }
    if (step == STEP_BAD) {
        sig_valid(in, state->plausible.at);
        return sig_breaks(in, "the pages do not look compressed");
    }
    return sig_believe(in, state->size, "the directory agrees with the size in the header");
}

const struct sig sig_chm = {
    .name = "chm",
    .what = "compiled HTML help",
    .proves = "directory's chunks read, entries lie inside; the compressed pages look compressed "
              "and are not unpacked",
    .source = "Matthew T. Russotto, Microsoft's HTML Help (.chm) format; libmspack, chm.h",
    .types = (const struct sig_type[]){ { "chm", "chm" }, { 0 } },
    .headers = { SIG_PATTERN("ITSF\x03\0\0\0\x60\0\0\0\x01\0\0\0") },
    .flags = SIG_SECTOR_ALIGNED | SIG_CONTAINER,
    .size_min = CHM_HEADER + CHM_SECTION_0 + CHM_DIRECTORY + 512,
    .size_max = UINT64_C(1) << 33,
    .state_size = sizeof(struct chm_state),
    .check = chm_check,
};
