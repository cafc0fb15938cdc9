/* SPDX-License-Identifier: Apache-2.0
 * signatures/disk/iso_files.c - see iso_files.h. */
#include <string.h>

#include "signatures/disk/iso_files.h"

static const struct iso_kind {
    const char *extension, *magic;
    uint32_t len;
} iso_kinds[] = {
#define ISO_KIND(extension, magic)                                                                 \
    {                                                                                              \
        extension, magic, sizeof(magic) - 1                                                        \
    }
    ISO_KIND("JPG", "\xff\xd8\xff"),
    ISO_KIND("JPE", "\xff\xd8\xff"),
    ISO_KIND("PNG", "\x89PNG"),
    ISO_KIND("GIF", "GIF8"),
    ISO_KIND("PDF", "%PDF"),
    ISO_KIND("ZIP", "PK"),
    ISO_KIND("JAR", "PK"),
    ISO_KIND("DOC", "\xd0\xcf\x11"),
    ISO_KIND("XLS", "\xd0\xcf\x11"),
    ISO_KIND("PPT", "\xd0\xcf\x11"),
    ISO_KIND("MSI", "\xd0\xcf\x11"),
    ISO_KIND("EXE", "MZ"),
    ISO_KIND("DLL", "MZ"),
    ISO_KIND("SYS", "MZ"),
    ISO_KIND("GZ", "\x1f\x8b"),
    ISO_KIND("TGZ", "\x1f\x8b"),
    ISO_KIND("BZ2", "BZh"),
    ISO_KIND("XZ", "\xfd"
                   "7zXZ"),
    ISO_KIND("7Z", "7z\xbc\xaf"),
    ISO_KIND("RAR", "Rar!"),
    ISO_KIND("CAB", "MSCF"),
    ISO_KIND("RPM", "\xed\xab\xee\xdb"),
    ISO_KIND("DEB", "!<arch>"),
    ISO_KIND("WAV", "RIFF"),
    ISO_KIND("AVI", "RIFF"),
    ISO_KIND("OGG", "OggS"),
    ISO_KIND("FLA", "fLaC"),
    ISO_KIND("MID", "MThd"),
    ISO_KIND("BMP", "BM"),
    ISO_KIND("MKV", "\x1a\x45\xdf\xa3"),
#undef ISO_KIND
};
enum { ISO_KINDS = sizeof iso_kinds / sizeof iso_kinds[0] };

/* The kind that the name's extension stands for; ISO_KINDS when it is not known. */
static uint32_t iso_files_kind(const uint8_t *name, uint32_t len)
{
    const uint8_t *version = memchr(name, ';', len);
    const uint8_t *end = version != NULL ? version : name + len;
    const uint8_t *dot = memrchr(name, '.', (size_t)(end - name));
    uint32_t kind = dot == NULL ? ISO_KINDS : 0;

    while (kind < ISO_KINDS &&
           (strlen(iso_kinds[kind].extension) != (size_t)(end - dot - 1) ||
            memcmp(iso_kinds[kind].extension, dot + 1, (size_t)(end - dot - 1)) != 0))
        kind++;
    return kind;
}

void iso_files_note(struct iso_files *files, const uint8_t *name, uint32_t name_len, uint64_t at)
{
    const uint32_t kind = iso_files_kind(name, name_len);
    uint32_t place = files->count;

    if (kind == ISO_KINDS || files->count == ISO_FILES_MAX)
        return;
    while (place > 0 && files->files[place - 1].at > at)
        place--;
    memmove(&files->files[place + 1], &files->files[place],
            (files->count - place) * sizeof files->files[0]);
    files->files[place].at = at;
    files->files[place].kind = kind;
    files->count++;
}

enum step iso_files_check(struct sig_input *in, struct iso_files *files)
{
    for (; files->next < files->count; files->next++) {
        const struct iso_kind *kind = &iso_kinds[files->files[files->next].kind];
        const uint8_t *p = sig_bytes(in, files->files[files->next].at, kind->len);

        if (p == NULL)
            return STEP_WAIT;
        files->known++;
        files->wrong += memcmp(p, kind->magic, kind->len) != 0;
    }
    /* A name may lie; most names do not. */
    return files->wrong * 4 > files->known ? STEP_BAD : STEP_DONE;
}
