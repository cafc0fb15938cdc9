/* SPDX-License-Identifier: Apache-2.0
 * signatures/facts/xmp.c - see xmp.h. */
#include <string.h>

#include "signatures/facts/markup.h"
#include "signatures/facts/media.h"
#include "signatures/facts/xmp.h"

enum { XMP_LOOK = 32 << 10 };

/* What drones of DJI say: which one it is, where it was and how far above its start. The Exif of
 * the picture, which was read before, has the place too, unless a program took it out. */
static void xmp_drone(struct sig_facts *facts, const struct markup *text)
{
    char lat[MARKUP_VALUE], lon[MARKUP_VALUE];

    if (memmem(text->text, text->len, "drone-dji:", 10) == NULL)
        return;
    if (!tell_has(facts, SIG_FACT_GPS_LAT)) {
        const size_t lat_len = markup_value(text, "drone-dji:GpsLatitude", lat);
        size_t lon_len = markup_value(text, "drone-dji:GpsLongitude", lon);

        if (lon_len == 0) /* as older ones write it */
            lon_len = markup_value(text, "drone-dji:GpsLongtitude", lon);
        media_coordinates(facts, lat, lat_len, lon, lon_len);
    }
    const size_t sea = markup_value(text, "drone-dji:AbsoluteAltitude", lat);
    if (tell_has(facts, SIG_FACT_GPS_LAT))
        media_decimal(facts, SIG_FACT_GPS_ALT, lat, sea, 3);
    const size_t start = markup_value(text, "drone-dji:RelativeAltitude", lat);
    media_decimal(facts, SIG_FACT_DRONE_HEIGHT, lat, start, 3);
    markup_text(facts, SIG_FACT_DRONE_MODEL, text, "drone-dji:DroneModel");
    markup_text(facts, SIG_FACT_DRONE_SERIAL, text, "drone-dji:DroneSerialNumber");
    markup_text(facts, SIG_FACT_SERIAL, text, "drone-dji:CameraSerialNumber");
}

/* A picture that has a second one with it, which says how much brighter each place may be shown:
 * Ultra HDR of Android. */
static void xmp_gain_map(struct sig_facts *facts, const struct markup *text)
{
    static const char name[] = "Ultra HDR ";
    char value[sizeof name - 1 + MARKUP_VALUE];
    const size_t len = markup_value(text, "hdrgm:Version", value + sizeof name - 1);

    memcpy(value, name, sizeof name - 1);
    if (len > 0)
        tell_text(facts, SIG_FACT_GAIN_MAP, value, sizeof name - 1 + len);
}

void xmp_tell(struct sig_facts *facts, uint64_t at, uint64_t len)
{
    const uint32_t want = len < XMP_LOOK ? (uint32_t)len : XMP_LOOK;
    const uint8_t *bytes = want > 0 ? tell_bytes(facts, at, want) : NULL;
    const struct markup text = { (const char *)bytes, want };

    if (bytes == NULL)
        return;
    if (!tell_has(facts, SIG_FACT_CREATED_LOCAL))
        markup_date(facts, SIG_FACT_CREATED, &text, "xmp:CreateDate");
    if (!tell_has(facts, SIG_FACT_MODIFIED_LOCAL))
        markup_date(facts, SIG_FACT_MODIFIED, &text, "xmp:ModifyDate");
    markup_text(facts, SIG_FACT_SOFTWARE, &text, "xmp:CreatorTool");
    markup_text(facts, SIG_FACT_TITLE, &text, "dc:title");
    markup_text(facts, SIG_FACT_AUTHOR, &text, "dc:creator");
    xmp_gain_map(facts, &text);
    xmp_drone(facts, &text);
}
