/* SPDX-License-Identifier: Apache-2.0
 * signatures/archive/wim.c - Windows imaging files (WIM, ESD).
 *
 *   header, 208 bytes: "MSWIM" 0 0 0 | 208 | version | flags | chunk size | GUID | part, parts |
 * images | places of: table of resources, XML, boot metadata | boot index | place of the integrity
 * table | zeros place: 7 bytes size | flags | offset | original size resources | table of them, 50
 * bytes each | XML, UTF-16 | integrity table
 *
 * The file ends with the last of these. Every resource of this part has to lie inside; the XML has
 * to begin and end as one does. The SHA-1 of the resources are of what they unpack to, and are not
 * computed.
 */
#include <string.h>

#include "base/bytes.h"
#include "signatures/lib/step.h"
#include "signatures/sig.h"

enum {
    WIM_HEAD = 208,
    WIM_ENTRY = 50,
    WIM_INTEGRITY_HEAD = 12,
    WIM_VERSION = 0x10d00,
    WIM_VERSION_SOLID = 0xe00,
    WIM_COMPRESSED = 4, /* of a place's flags */
    WIM_SOLID = 0x10,
    WIM_XML_MAX = 64 << 20,
};

struct wim_place {
    uint64_t size, offset, original;
    uint8_t flags;
};

struct wim_head {
    struct wim_place table, xml, integrity;
    uint64_t end;
    uint32_t part, parts;
};

struct wim_state {
    uint64_t entry; /* of the table: the next one */
};

static void wim_place(const uint8_t *bytes, struct wim_place *place)
{
    place->size = bytes_u64le(bytes) & UINT64_C(0xffffffffffffff);
    place->flags = bytes[7];
    place->offset = bytes_u64le(bytes + 8);
    place->original = bytes_u64le(bytes + 16);
}

static uint64_t wim_end(const struct wim_place *place)
{
    return sig_add(place->offset, place->size);
}

static bool wim_head(const uint8_t *bytes, struct wim_head *head)
{
    const uint32_t version = bytes_u32le(bytes + 12);

    head->part = bytes_u16le(bytes + 40);
    head->parts = bytes_u16le(bytes + 42);
    wim_place(bytes + 48, &head->table);
    wim_place(bytes + 72, &head->xml);
    wim_place(bytes + 124, &head->integrity);
    if (bytes_u32le(bytes + 8) != WIM_HEAD ||
        (version != WIM_VERSION && version != WIM_VERSION_SOLID) || head->part == 0 ||
        head->part > head->parts || head->table.size == 0 || head->xml.size < 4 ||
        head->xml.size > WIM_XML_MAX || head->table.offset < WIM_HEAD ||
        head->xml.offset < WIM_HEAD || head->table.size > UINT64_C(1) << 40)
        return false;
    for (uint32_t i = 148; i < WIM_HEAD; i++)
        if (bytes[i] != 0)
            return false;
    head->end = wim_end(&head->table);
    if (wim_end(&head->xml) > head->end)
        head->end = wim_end(&head->xml);
    if (head->integrity.size != 0 && wim_end(&head->integrity) > head->end)
        head->end = wim_end(&head->integrity);
    return (head->table.flags & WIM_COMPRESSED) != 0 || head->table.size % WIM_ENTRY == 0;
}

/* Every resource is used, and those in this part lie before the end. */
static enum step wim_table(struct sig_input *in, const struct wim_head *head,
                           struct wim_state *state)
{
    const uint64_t count = head->table.flags & WIM_COMPRESSED ? 0 : head->table.size / WIM_ENTRY;

    for (; state->entry < count; state->entry++) {
        const uint8_t *entry =
            sig_bytes(in, head->table.offset + state->entry * WIM_ENTRY, WIM_ENTRY);
        struct wim_place place;

        if (entry == NULL)
            return STEP_WAIT;
        wim_place(entry, &place);
        const uint32_t part = bytes_u16le(entry + 24);
        if (part == 0 || part > head->parts || bytes_u32le(entry + 26) == 0)
            return STEP_BAD;
        if (part == head->part && (place.flags & WIM_SOLID) == 0 &&
            (place.offset < WIM_HEAD || wim_end(&place) > head->end))
            return STEP_BAD;
    }
    return STEP_DONE;
}

static enum step wim_xml(struct sig_input *in, const struct wim_head *head)
{
    const uint8_t *bytes = sig_bytes(in, head->xml.offset, 4);

    if (bytes == NULL)
        return STEP_WAIT;
    if (head->xml.flags & WIM_COMPRESSED)
        return STEP_DONE;
    if (memcmp(bytes, "\xff\xfe<\0", 4) != 0)
        return STEP_BAD;
    bytes = sig_bytes(in, wim_end(&head->xml) - 4, 4);
    if (bytes == NULL)
        return STEP_WAIT;
    /* "</WIM>", and some writers a NUL or a line's end behind it */
    return memchr(bytes, '>', 4) != NULL || (bytes[0] == '\r' && bytes[2] == '\n') ? STEP_DONE
                                                                                   : STEP_BAD;
}

static enum step wim_integrity(struct sig_input *in, const struct wim_head *head)
{
    if (head->integrity.size == 0)
        return STEP_DONE;
    const uint8_t *bytes = sig_bytes(in, head->integrity.offset, WIM_INTEGRITY_HEAD);
    if (bytes == NULL)
        return STEP_WAIT;
    return bytes_u32le(bytes) == head->integrity.size &&
                   WIM_INTEGRITY_HEAD + UINT64_C(20) * bytes_u32le(bytes + 4) ==
                       head->integrity.size
               ? STEP_DONE
               : STEP_BAD;
}

static struct sig_result wim_check(struct sig_input *in, void *memory)
{
    struct wim_state *state = memory;
    struct wim_head head;
    const uint8_t *bytes = sig_bytes(in, 0, WIM_HEAD);

    if (bytes == NULL)
        return sig_short(in);
    if (!wim_head(bytes, &head) || head.end > in->sig->size_max)
        return sig_reject("invalid header");
    if (bytes_u32le(bytes + 12) == WIM_VERSION_SOLID)
        in->type = &in->sig->types[1];
    enum step step = wim_table(in, &head, state);
    if (step == STEP_DONE)
        step = wim_xml(in, &head);
    if (step == STEP_DONE)
        step = wim_integrity(in, &head);
    if (step == STEP_WAIT)
        return sig_short(in);
    return step == STEP_BAD
               ? sig_reject("a table is not where the header says")
               : sig_complete(in, head.end, "resources, their table and the XML are in place");
}

const struct sig sig_wim = {
    .name = "wim",
    .what = "Windows imaging file",
    .proves = "resources lie inside; the XML begins and ends where the header says; the "
              "integrity table has its size",
    .source = "Microsoft, Windows Imaging File Format (WIM), 2007; wimlib 1.13.6, "
              "include/wimlib/header.h",
    .types = (const struct sig_type[]){ { "wim", "wim" }, { "esd", "esd" }, { 0 } },
    .headers = { SIG_PATTERN("MSWIM\0\0\0\xd0\0\0\0") },
    .flags = SIG_CONTAINER,
    .size_min = WIM_HEAD + WIM_ENTRY,
    .size_max = UINT64_C(1) << 42,
    .seam = SIG_SEAM_PLACES,
    .state_size = sizeof(struct wim_state),
    .check = wim_check,
};
