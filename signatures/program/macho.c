/* SPDX-License-Identifier: Apache-2.0
 * signatures/program/macho.c - programs and libraries of macOS and iOS, for one processor or
 * several (fat).
 *
 *   magic (byte order, 32 or 64 bits) | processor, kind, number and size of load commands | load
 * commands: type, length, content fat: 0xcafebabe | u32be number | processor, place, size,
 * alignment of each | the files
 *
 * The length is the largest end of what the commands point to: segments, symbols, strings, the
 * signature. A signed file ends with its signature.
 */
#include <string.h>

#include "base/bytes.h"
#include "signatures/lib/step.h"
#include "signatures/sig.h"

enum {
    MACHO_COMMANDS_MAX = 4096,
    MACHO_COMMANDS_SIZE = 1 << 20,
    MACHO_FAT_MAX = 16,
    MACHO_FAT_HEAD = 8,
    MACHO_FAT_ENTRY = 20,
    MACHO_WIDE = 0x01000000, /* bit of the processor: 64 bits */
    MACHO_OBJECT = 1,
    MACHO_KINDS = 12,
    MACHO_REQUIRED = 0x7fffffff, /* mask of the bit that says: the loader must know the command */
    MACHO_COMMAND_LAST = 0x3a,
    MACHO_SYMBOLS_AT_ONCE = 2048,
};

/* Load commands that say where in the file something is. */
enum {
    MACHO_SEGMENT = 1,
    MACHO_SYMTAB = 2,
    MACHO_DYSYMTAB = 0xb,
    MACHO_SEGMENT_64 = 0x19,
    MACHO_SIGNATURE = 0x1d,
    MACHO_SPLIT_INFO = 0x1e,
    MACHO_DYLD_INFO = 0x22,
    MACHO_STARTS = 0x26,
    MACHO_DATA_IN_CODE = 0x29,
    MACHO_DYLIB_SIGN = 0x2b,
    MACHO_HINT = 0x2e,
    MACHO_TRIE = 0x33,
    MACHO_FIXUPS = 0x34,
};

struct macho {
    bool big_endian, wide;
    uint64_t base, end; /* of this file in the object; end relative to base */
    uint32_t count, size, head;
    uint64_t signature_at; /* relative to base, like the next two; 0: none */
    uint64_t strings_at, symbols_at;
    uint32_t strings_size, symbols;
};

struct macho_state {
    uint64_t base;    /* of the file whose symbols are being read */
    uint32_t symbol;  /* next one */
    uint32_t claimed; /* object offset of the last file inside that was claimed */
};

static uint32_t macho_u32(const struct macho *file, const uint8_t *p)
{
    return file->big_endian ? bytes_u32be(p) : bytes_u32le(p);
}

static uint64_t macho_u64(const struct macho *file, const uint8_t *p)
{
    return file->big_endian ? bytes_u64be(p) : bytes_u64le(p);
}

static void macho_raise(struct macho *file, uint64_t at, uint64_t size)
{
    if (size > 0 && sig_add(at, size) > file->end)
        file->end = sig_add(at, size);
}

static bool macho_processor_ok(uint32_t processor)
{
    const uint32_t plain = processor & ~(uint32_t)(MACHO_WIDE | 0x02000000);

    return plain == 1 || (plain >= 6 && plain <= 18);
}

static bool macho_head(struct macho *file, const uint8_t *p)
{
    file->big_endian = p[0] == 0xfe;
    const uint32_t magic = macho_u32(file, p), processor = macho_u32(file, p + 4),
                   kind = macho_u32(file, p + 12);
    file->wide = magic == 0xfeedfacf;
    file->head = file->wide ? 32 : 28;
    file->count = macho_u32(file, p + 16);
    file->size = macho_u32(file, p + 20);
    file->end = file->head + (uint64_t)file->size;
    return (magic == 0xfeedface || file->wide) && macho_processor_ok(processor) &&
           file->wide == ((processor & MACHO_WIDE) != 0) && kind >= MACHO_OBJECT &&
           kind <= MACHO_KINDS && file->count > 0 && file->count <= MACHO_COMMANDS_MAX &&
           file->size >= file->count * 8 && file->size <= MACHO_COMMANDS_SIZE;
}

/* The relocations of a segment's sections. p: the command, len bytes of it. */
static bool macho_sections(struct macho *file, const uint8_t *p, uint32_t len, bool wide)
{
    const uint32_t head = wide ? 72 : 56, size = wide ? 80 : 68;
    const uint32_t count = macho_u32(file, p + head - 8);

    if (count > (len - head) / size)
        return false;
    p += head + (wide ? 56 : 48);
    for (uint32_t i = 0; i < count; i++, p += size)
        macho_raise(file, macho_u32(file, p), (uint64_t)macho_u32(file, p + 4) * 8);
    return true;
}

/* False: a command that cannot be. p: all of it. */
static bool macho_command(struct macho *file, const uint8_t *p, uint32_t type, uint32_t len)
{
    const uint32_t symbol = file->wide ? 16 : 12;

    switch (type & MACHO_REQUIRED) {
    case MACHO_SEGMENT:
        if (len < 56)
            return false;
        macho_raise(file, macho_u32(file, p + 32), macho_u32(file, p + 36));
        return macho_sections(file, p, len, false);
    case MACHO_SEGMENT_64:
        if (len < 72)
            return false;
        macho_raise(file, macho_u64(file, p + 40), macho_u64(file, p + 48));
        return macho_sections(file, p, len, true);
    case MACHO_SYMTAB:
        if (len != 24)
            return false;
        macho_raise(file, macho_u32(file, p + 8), (uint64_t)macho_u32(file, p + 12) * symbol);
        macho_raise(file, macho_u32(file, p + 16), macho_u32(file, p + 20));
        file->symbols_at = macho_u32(file, p + 8);
        file->symbols = macho_u32(file, p + 12);
        file->strings_at = macho_u32(file, p + 20) > 0 ? macho_u32(file, p + 16) : 0;
        file->strings_size = macho_u32(file, p + 20);
        return true;
    case MACHO_DYSYMTAB:
        if (len != 80)
            return false;
        macho_raise(file, macho_u32(file, p + 56), (uint64_t)macho_u32(file, p + 60) * 4);
        macho_raise(file, macho_u32(file, p + 64), (uint64_t)macho_u32(file, p + 68) * 8);
        macho_raise(file, macho_u32(file, p + 72), (uint64_t)macho_u32(file, p + 76) * 8);
        return true;
    case MACHO_DYLD_INFO:
        for (uint32_t i = 8; len == 48 && i < 48; i += 8)
            macho_raise(file, macho_u32(file, p + i), macho_u32(file, p + i + 4));
        return len == 48;
    case MACHO_SIGNATURE:
        file->signature_at = len == 16 ? macho_u32(file, p + 8) : 0;
        /* fall through */
    case MACHO_SPLIT_INFO:
    case MACHO_STARTS:
    case MACHO_DATA_IN_CODE:
    case MACHO_DYLIB_SIGN:
    case MACHO_HINT:
    case MACHO_TRIE:
    case MACHO_FIXUPS:
        if (len == 16)
            macho_raise(file, macho_u32(file, p + 8), macho_u32(file, p + 12));
        return len == 16;
    default:
        return true;
    }
}

static enum step macho_commands(struct sig_input *in, struct macho *file)
{
    uint64_t at = file->base + file->head;
    const uint64_t end = at + file->size;

    for (uint32_t i = 0; i < file->count; i++) {
        const uint8_t *p = sig_bytes(in, at, 8);

        if (p == NULL)
            return STEP_WAIT;
        const uint32_t type = macho_u32(file, p), len = macho_u32(file, p + 4);
        if (type == 0 || (type & MACHO_REQUIRED) > MACHO_COMMAND_LAST || len < 8 || len % 4 != 0 ||
            len > end - at || len > SIG_BYTES_MAX)
            return STEP_BAD;
        p = sig_bytes(in, at, len);
        if (p == NULL)
            return STEP_WAIT;
        if (!macho_command(file, p, type, len))
            return STEP_BAD;
        at += len;
    }
    return at == end ? STEP_DONE : STEP_BAD;
}

/* Names lie in the strings. */
static enum step macho_symbols(struct sig_input *in, const struct macho *file,
                               struct macho_state *state)
{
    const uint32_t size = file->wide ? 16 : 12;

    if (state->base != file->base) {
        state->base = file->base;
        state->symbol = 0;
    }
    while (state->symbol < file->symbols) {
        const uint32_t left = file->symbols - state->symbol;
        const uint32_t count = left < MACHO_SYMBOLS_AT_ONCE ? left : MACHO_SYMBOLS_AT_ONCE;
        const uint8_t *p = sig_bytes(
            in, file->base + file->symbols_at + (uint64_t)state->symbol * size, count * size);

        if (p == NULL)
            return STEP_WAIT;
        for (uint32_t i = 0; i < count; i++, p += size)
            if (macho_u32(file, p) >= file->strings_size)
                return STEP_BAD;
        state->symbol += count;
    }
    return STEP_DONE;
}

/* What can be told of the end: symbols, the strings' first byte, the signature's own length. */
static enum step macho_content(struct sig_input *in, const struct macho *file,
                               struct macho_state *state)
{
    const enum step step = macho_symbols(in, file, state);

    if (step != STEP_DONE)
        return step;
    if (file->strings_at != 0) {
        const uint8_t *p = sig_bytes(in, file->base + file->strings_at, 1);

        if (p == NULL)
            return STEP_WAIT;
        if (p[0] != 0 && p[0] != ' ')
            return STEP_BAD;
    }
    if (file->signature_at != 0) {
        const uint8_t *p = sig_bytes(in, file->base + file->signature_at, 8);

        if (p == NULL)
            return STEP_WAIT;
        if (bytes_u32be(p) != 0xfade0cc0 || bytes_u32be(p + 4) > file->end - file->signature_at)
            return STEP_BAD;
    }
    return STEP_DONE;
}

/* One file for one processor at object offset base. */
static enum step macho_file(struct sig_input *in, struct macho_state *state, uint64_t base,
                            uint64_t *end)
{
    struct macho file = { .base = base };
    const uint8_t *p = sig_bytes(in, base, 28);

    if (p == NULL)
        return STEP_WAIT;
    if (!macho_head(&file, p))
        return STEP_BAD;
    enum step step = macho_commands(in, &file);
    if (step != STEP_DONE)
        return step;
    sig_valid(in, base + file.head + file.size);
    step = macho_content(in, &file, state);
    *end = file.end;
    return step;
}

static struct sig_result macho_fat(struct sig_input *in, struct macho_state *state)
{
    const uint8_t *p = sig_bytes(in, 0, MACHO_FAT_HEAD);
    uint64_t end = 0;

    if (p == NULL)
        return sig_short(in);
    const uint32_t count = bytes_u32be(p + 4);
    if (count == 0 || count > MACHO_FAT_MAX)
        return sig_reject("the number of processors is out of range");
    for (uint32_t i = 0; i < count; i++) {
        p = sig_bytes(in, MACHO_FAT_HEAD + i * MACHO_FAT_ENTRY, MACHO_FAT_ENTRY);
        if (p == NULL)
            return sig_short(in);
        const uint32_t at = bytes_u32be(p + 8), size = bytes_u32be(p + 12),
                       align = bytes_u32be(p + 16);
        if (!macho_processor_ok(bytes_u32be(p)) || align > 24 ||
            at < MACHO_FAT_HEAD + count * MACHO_FAT_ENTRY ||
            (at & ((UINT32_C(1) << align) - 1)) != 0 || at < end || size == 0)
            return sig_reject("invalid table of processors");
        end = (uint64_t)at + size;
    }
    sig_valid(in, MACHO_FAT_HEAD + count * MACHO_FAT_ENTRY);
    for (uint32_t i = 0; i < count; i++) {
        p = sig_bytes(in, MACHO_FAT_HEAD + i * MACHO_FAT_ENTRY, MACHO_FAT_ENTRY);
        if (p == NULL)
            return sig_short(in);
        const uint32_t at = bytes_u32be(p + 8), size = bytes_u32be(p + 12);
        uint64_t length = 0;
        p = sig_bytes(in, at, 8);
        if (p == NULL)
            return sig_short(in);
        if (memcmp(p, "!<arch>\n", 8) == 0)
            continue; /* a static library */
        if (at > state->claimed)
            sig_claim(in, at);
        state->claimed = at > state->claimed ? at : state->claimed;
        const enum step step = macho_file(in, state, at, &length);
        if (step == STEP_WAIT)
            return sig_short(in);
        if (step == STEP_BAD || length > size)
            return sig_breaks(in, "invalid file inside");
    }
    return sig_complete(in, end, "the commands of every processor are valid");
}

static struct sig_result macho_check(struct sig_input *in, void *memory)
{
    uint64_t end = 0;
    const uint8_t *p = sig_bytes(in, 0, 4);

    if (p == NULL)
        return sig_short(in);
    if (bytes_u32be(p) == 0xcafebabe)
        return macho_fat(in, memory);
    const enum step step = macho_file(in, memory, 0, &end);
    if (step == STEP_WAIT)
        return sig_short(in);
    if (step == STEP_BAD)
        return sig_breaks(in, "invalid load commands, strings or signature");
    return sig_complete(in, end, "the load commands are valid");
}

const struct sig sig_macho = {
    .name = "macho",
    .what = "macOS or iOS program, library, object",
    .proves = "load commands fill their room; symbols have names, strings and signature are "
              "where the commands say",
    .source = "Apple, mach-o/loader.h, mach-o/fat.h; OS X ABI Mach-O File Format Reference, 2009",
    .types = (const struct sig_type[]){ { "macho", "macho" }, { 0 } },
    .headers = { SIG_MASKED("\xce\xfa\xed\xfe\0\0\0\0", "\xff\xff\xff\xff\xe0\xff\xff\xff"),
                 SIG_MASKED("\xcf\xfa\xed\xfe\0\0\0\1", "\xff\xff\xff\xff\xe0\xff\xff\xff"),
                 SIG_MASKED("\xce\xfa\xed\xfe\0\0\0\2", "\xff\xff\xff\xff\xe0\xff\xff\xff"),
                 SIG_MASKED("\xfe\xed\xfa\xce\0\0\0\0", "\xff\xff\xff\xff\xff\xff\xff\xe0"),
                 SIG_MASKED("\xfe\xed\xfa\xcf\1\0\0\0", "\xff\xff\xff\xff\xff\xff\xff\xe0"),
                 SIG_MASKED("\xca\xfe\xba\xbe\0\0\0\0", "\xff\xff\xff\xff\xff\xff\xff\xe0") },
    .flags = SIG_SECTOR_ALIGNED | SIG_CLAIMS,
    .size_min = 36,
    .size_max = UINT64_C(1) << 36,
    .state_size = sizeof(struct macho_state),
    .check = macho_check,
};
