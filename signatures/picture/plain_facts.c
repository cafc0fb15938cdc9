/* signatures/picture/plain_facts.c - the size of pictures that say little more of themselves: GIF,
 * BMP, TIFF. Sources: GIF89a; Microsoft, BITMAPINFOHEADER; TIFF 6.0. */
#include "base/bytes.h"
#include "signatures/facts/exif.h"
#include "signatures/picture/picture_facts.h"

void gif_facts(struct sig_facts *facts)
{
    const uint8_t *size = tell_bytes(facts, 6, 4);

    if (size != NULL)
        tell_size(facts, bytes_u16le(size), bytes_u16le(size + 2));
}

void bmp_facts(struct sig_facts *facts)
{
    const uint8_t *head = tell_bytes(facts, 14, 12);

    if (head == NULL)
        return;
    if (bytes_u32le(head) == 12) { /* the header of OS/2 */
        tell_size(facts, bytes_u16le(head + 4), bytes_u16le(head + 6));
        return;
    }
    const uint32_t width = bytes_u32le(head + 4), height = bytes_u32le(head + 8);
    tell_size(facts, width, height > INT32_MAX ? 0 - height : height); /* negative: from the top */
}

void tiff_facts(struct sig_facts *facts)
{
    exif_tell(facts, 0, tell_len(facts), true);
}
