/* SPDX-License-Identifier: Apache-2.0
 * io/filesystem/walk_blank.c - whether libtsk can find anything in an image: only words at fixed
 * places are compared, none is followed, so that a process may do it before it is confined.
 *
 * Loading libtsk and the thirty libraries behind it takes longer than all else that is done for a
 * small image without partitions and file systems.
 *
 * Sources: what libtsk 4.11 looks for (tsk/vs, tsk/fs, the *_open functions), in both byte orders.
 */
#include <string.h>

#include "io/filesystem/walk.h"
#include "io/image/container.h"

/* Fewer bytes in a row than those from which on a scan takes for granted that the page cache has
 * more (reader_aio.c): it would have the kernel read ahead what it then reads past the cache. */
enum {
    BLANK_HEAD = 56 << 10,
    BLANK_TAIL = 8 << 10, /* the second table of a GPT lies in the last sector */
    BLANK_FAR_LEN = 2 << 10,
    /* FAT keeps a second boot sector in sector 6 or 12, of up to 4096 bytes */
    BLANK_SECTORS = BLANK_HEAD / 512,
    BLANK_TABLES = 16, /* tables of partitions begin in sector 0 or 1, of up to 4096 bytes */
};

/* Where UFS2 may have its superblock, too. */
static const uint32_t blank_far[] = { 64 << 10, 256 << 10 };

/* A word that lies at `at`, or `step` bytes behind that, and so on, at `count` places. */
static const struct blank_word {
    uint32_t at, step, count, len;
    char word[5];
} blank_words[] = {
    { 510, 512, BLANK_SECTORS, 2, "\x55\xaa" }, /* MBR, FAT, NTFS */
    { 510, 512, BLANK_SECTORS, 2, "\xaa\x55" },
    { 508, 512, BLANK_TABLES, 2, "\xda\xbe" }, /* Sun */
    { 508, 512, BLANK_TABLES, 2, "\xbe\xda" },
    { 512, 512, BLANK_TABLES, 2, "PM" }, /* Macintosh */
    { 512, 512, BLANK_TABLES, 2, "MP" },
    { 512, 512, BLANK_TABLES, 4, "\x57\x45\x56\x82" }, /* BSD */
    { 512, 512, BLANK_TABLES, 4, "\x82\x56\x45\x57" },
    { 1080, 0, 1, 2, "\x53\xef" }, /* ext */
    { 1080, 0, 1, 2, "\xef\x53" },
    { 1024, 0, 1, 2, "H+" }, /* HFS+ */
    { 1024, 0, 1, 2, "+H" },
    { 1024, 0, 1, 2, "HX" },
    { 1024, 0, 1, 2, "XH" },
    { 1024, 0, 1, 2, "BD" },
    { 1024, 0, 1, 2, "DB" },
    { 1372, 8192, 7, 4, "\x54\x19\x01\x00" }, /* UFS1 */
    { 1372, 8192, 7, 4, "\x00\x01\x19\x54" },
    { 1372, 8192, 7, 4, "\x19\x01\x54\x19" }, /* UFS2 */
    { 1372, 8192, 7, 4, "\x19\x54\x01\x19" },
};

static bool blank_has_words(const uint8_t *bytes, uint32_t len)
{
    for (size_t i = 0; i < sizeof blank_words / sizeof blank_words[0]; i++) {
        const struct blank_word *word = &blank_words[i];

        for (uint32_t k = 0; k < word->count; k++) {
            const uint32_t at = word->at + k * word->step;

            if (at + word->len <= len && memcmp(bytes + at, word->word, word->len) == 0)
                return true;
        }
    }
    return false;
}

/* Reads what there is of [at, at + len) and looks. */
static bool blank_look(const struct volume *whole, uint8_t *bytes, uint64_t at, uint32_t len,
                       bool words)
{
    const uint64_t left = whole->size > at ? whole->size - at : 0;

    if (left < len)
        len = (uint32_t)left;
    if (len > 0 && !volume_read(whole, at, bytes, len))
        return false;
    return memmem(bytes, len, "EFI PART", 8) == NULL && memmem(bytes, len, "CD001", 5) == NULL &&
           !(words && blank_has_words(bytes, len));
}

static bool blank_image(struct io_image *image)
{
    struct volume whole = walk_stretch(image, 0, io_image_size(image));
    const struct source source = volume_source(&whole);
    const uint64_t size = whole.size, tail = size > BLANK_TAIL ? size - BLANK_TAIL : 0;
    uint8_t bytes[BLANK_HEAD];
    bool blank = size == io_image_size(image) && blank_look(&whole, bytes, 0, BLANK_HEAD, true) &&
                 blank_look(&whole, bytes, tail, BLANK_TAIL, false);

    for (size_t i = 0; blank && i < sizeof blank_far / sizeof blank_far[0]; i++)
        blank = blank_look(&whole, bytes, blank_far[i], BLANK_FAR_LEN, true);
    blank = blank && content_look(&source).reader == CONTENT_UNKNOWN;
    volume_release(&whole);
    return blank;
}

bool fsmap_is_blank(const char *path, const char *type, uint64_t max_read)
{
    struct io_image *image = NULL;

    if (io_image_open_here(path, type, &image, NULL) != ERR_OK)
        return false;
    io_image_max_read(image, max_read, NULL);
    const bool blank = blank_image(image);
    io_image_close(image);
    return blank;
}
