/* SPDX-License-Identifier: Apache-2.0
 * carver/report/html/shrink.c - see shrink.h.
 *
 * Source: libjpeg-turbo 2.1, turbojpeg.h: the decoder can leave out the higher frequencies and give
 * a picture of an eighth, a quarter or a half of each side in a fraction of the time. What is then
 * still too large is made smaller by means of squares of pixels.
 */
#include <assert.h>
#include <stdlib.h>

#include "carver/report/html/shrink.h"

enum { SHRINK_CHANNELS = 3, SHRINK_QUALITY = 70 };
_Static_assert(SHRINK_BYTES >= 4 * SHRINK_SIDE * SHRINK_SIDE * 3 + 2048,
               "tjBufSize: 3 bytes for each pixel of whole squares of 16, and 2048");

struct picture {
    uint8_t *pixels; /* malloc; RGB */
    int width, height;
};

/* By what the decoder divides the sides: as much as leaves SHRINK_SIDE. */
static int shrink_part(int side)
{
    int part = 8;

    while (part > 1 && (side + part - 1) / part < SHRINK_SIDE)
        part /= 2;
    return part;
}

static bool shrink_decode(const struct lib_turbojpeg *jpeg, const uint8_t *file, size_t len,
                          struct picture *out, bool *damaged)
{
    tjhandle decoder = jpeg->tjInitDecompress();
    int width = 0, height = 0, samples = 0, colors = 0;
    bool done = false;

    /* A header that warns is one whose sides are known. */
    if (decoder != NULL)
        (void)jpeg->tjDecompressHeader3(decoder, file, len, &width, &height, &samples, &colors);
    if (width > 0 && height > 0 && width <= SHRINK_PIXELS_SIDE && height <= SHRINK_PIXELS_SIDE &&
        (int64_t)width * height <= SHRINK_PIXELS) {
        const int part = shrink_part(width > height ? width : height);

        out->width = (width + part - 1) / part;
        out->height = (height + part - 1) / part;
        out->pixels = calloc((size_t)out->width * (size_t)out->height, SHRINK_CHANNELS);
        done = out->pixels != NULL &&
               jpeg->tjDecompress2(decoder, file, len, out->pixels, out->width, 0, out->height,
                                   TJPF_RGB, TJFLAG_FASTDCT) == 0;
        *damaged = !done;
        if (!done && out->pixels != NULL)
            done = jpeg->tjGetErrorCode(decoder) == TJERR_WARNING;
    }
    if (decoder != NULL)
        (void)jpeg->tjDestroy(decoder);
    return done;
}

/* Each pixel becomes the mean of a square of them; those at the right and lower edge of what is
 * left. In place: what is written lies before what is read. */
static void shrink_mean(struct picture *picture)
{
    const int longer = picture->width > picture->height ? picture->width : picture->height;
    const int step = longer < 2 * SHRINK_SIDE ? 1 : longer / SHRINK_SIDE;
    const int width = (picture->width + step - 1) / step,
              height = (picture->height + step - 1) / step;

    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) {
            uint32_t sums[SHRINK_CHANNELS] = { 0 }, count = 0;

            for (int v = y * step; v < (y + 1) * step && v < picture->height; v++)
                for (int u = x * step; u < (x + 1) * step && u < picture->width; u++, count++)
                    for (int c = 0; c < SHRINK_CHANNELS; c++)
                        sums[c] +=
                            picture->pixels[((size_t)v * (size_t)picture->width + (size_t)u) *
                                                SHRINK_CHANNELS +
                                            (size_t)c];
            assert(count > 0);
            for (int c = 0; c < SHRINK_CHANNELS; c++)
                picture->pixels[((size_t)y * (size_t)width + (size_t)x) * SHRINK_CHANNELS +
                                (size_t)c] = (uint8_t)(sums[c] / count);
        }
    picture->width = width;
    picture->height = height;
}

static uint32_t shrink_encode(const struct lib_turbojpeg *jpeg, const struct picture *picture,
                              uint8_t *out)
{
    tjhandle encoder = jpeg->tjInitCompress();
    unsigned long len = SHRINK_BYTES;
    unsigned char *to = out;

    if (encoder == NULL)
        return 0;
    if (jpeg->tjCompress2(encoder, picture->pixels, picture->width, 0, picture->height, TJPF_RGB,
                          &to, &len, TJSAMP_420, SHRINK_QUALITY, TJFLAG_NOREALLOC) != 0)
        len = 0;
    (void)jpeg->tjDestroy(encoder);
    return (uint32_t)len;
}

struct shrunk shrink_jpeg(const struct lib_turbojpeg *jpeg, const uint8_t *file, size_t len,
                          uint8_t out[SHRINK_BYTES])
{
    struct picture picture = { 0 };
    struct shrunk shrunk = { 0 };
    bool damaged = false;

    if (shrink_decode(jpeg, file, len, &picture, &damaged)) {
        shrink_mean(&picture);
        shrunk.len = shrink_encode(jpeg, &picture, out);
        shrunk.damaged = damaged;
    }
    free(picture.pixels);
    return shrunk;
}
