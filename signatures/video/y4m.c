/* SPDX-License-Identifier: Apache-2.0
 * signatures/video/y4m.c - YUV4MPEG2: frames as they are.
 *
 *   "YUV4MPEG2" (" " letter value)* "\n" | ("FRAME" (" " …)* "\n" | planes)*
 *
 * W, H and C say how long a frame is. Frames are walked; the file ends where none follows, since
 * nothing tells their number.
 */
#include <string.h>

#include "base/bytes.h"
#include "signatures/lib/plausible.h"
#include "signatures/sig.h"

enum {
    Y4M_LINE_MAX = 256,
    Y4M_FRAME_LINE_MAX = 64,
    Y4M_SIDE_MAX = 32768,
};

struct y4m_state {
    uint64_t at, frames;
    struct plausible plausible;
};

/* Bytes of a frame by the header's line; 0: it cannot be. */
static uint64_t y4m_frame(const uint8_t *line, uint32_t len)
{
    uint64_t width = 0, height = 0;
    char space[16] = "420";

    for (uint32_t i = 9; i + 1 < len; i++) {
        if (line[i] != ' ')
            continue;
        const uint8_t letter = line[++i];
        uint64_t number = 0;
        uint32_t k = 0;

        for (i++; i < len && line[i] > ' '; i++) {
            if (letter == 'C' && k + 1 < sizeof space) {
                space[k++] = (char)line[i];
                space[k] = '\0';
            }
            if (letter == 'W' || letter == 'H')
                number = line[i] >= '0' && line[i] <= '9' ? number * 10 + line[i] - '0'
                                                          : Y4M_SIDE_MAX + 1;
            if (number > Y4M_SIDE_MAX)
                return 0;
        }
        i--;
        width = letter == 'W' ? number : width;
        height = letter == 'H' ? number : height;
    }
    const bool wide = strstr(space, "p1") != NULL || strcmp(space, "mono10") == 0 ||
                      strcmp(space, "mono12") == 0 || strcmp(space, "mono16") == 0;
    const uint64_t plane = width * height, half = (width + 1) / 2;
    const uint64_t bytes = strncmp(space, "420", 3) == 0   ? plane + 2 * half * ((height + 1) / 2)
                           : strncmp(space, "422", 3) == 0 ? plane + 2 * half * height
                           : strncmp(space, "411", 3) == 0 ? plane + 2 * ((width + 3) / 4) * height
                           : strncmp(space, "444alpha", 8) == 0 ? plane * 4
                           : strncmp(space, "444", 3) == 0      ? plane * 3
                           : strncmp(space, "mono", 4) == 0     ? plane
                                                                : 0;
    return bytes * (wide ? 2 : 1);
}

static struct sig_result y4m_check(struct sig_input *in, void *memory)
{
    struct y4m_state *state = memory;
    const uint32_t want = in->limit < Y4M_LINE_MAX ? (uint32_t)in->limit : Y4M_LINE_MAX;
    const uint8_t *line = sig_bytes(in, 0, want > 0 ? want : 1);

    if (line == NULL)
        return sig_short(in);
    const uint8_t *end = memchr(line, '\n', want);
    const uint64_t frame = end == NULL ? 0 : y4m_frame(line, (uint32_t)(end - line));
    if (frame == 0)
        return sig_reject("invalid header");
    if (state->at == 0)
        state->at = (uint64_t)(end - line) + 1;
    for (;;) {
        const uint64_t left = in->limit - state->at;
        const uint32_t head = left < Y4M_FRAME_LINE_MAX ? (uint32_t)left : Y4M_FRAME_LINE_MAX;
        const uint8_t *mark = head < 6 ? NULL : sig_bytes(in, state->at, head);

        if (mark == NULL && head >= 6)
            return sig_short(in);
        const uint8_t *over =
            mark == NULL || memcmp(mark, "FRAME", 5) != 0 ? NULL : memchr(mark, '\n', head);
        if (over == NULL)
            break;
        const uint64_t data = state->at + (uint64_t)(over - mark) + 1;
        switch (plausible_check(in, &state->plausible, PLAUSIBLE_PIXELS, 1, data, data + frame)) {
        case STEP_WAIT:
            if (in->wanted > in->limit && state->frames > 0)
                sig_valid(in, in->limit);
            return sig_short(in);
        case STEP_BAD:
            return sig_breaks(in, "the data here do not look like a picture");
        default:
            break;
        }
        if (data + frame > in->limit)
            return sig_breaks(in, "the image ends before the file does");
        state->plausible = (struct plausible){ 0 };
        state->at = data + frame;
        state->frames++;
        sig_valid(in, state->at);
    }
    return state->frames == 0 ? sig_reject("there are no frames")
                              : sig_complete(in, state->at, "the frames follow one another");
}

const struct sig sig_y4m = {
    .name = "y4m",
    .what = "YUV4MPEG2 video",
    .proves = "every frame is as long as the header says and looks like pixels; nothing marks the "
              "last one",
    .source = "MJPEG Tools, yuv4mpeg(5)",
    .types = (const struct sig_type[]){ { "y4m", "y4m" }, { 0 } },
    .headers = { SIG_PATTERN("YUV4MPEG2 ") },
    .flags = SIG_SECTOR_ALIGNED,
    .size_min = 24,
    .size_max = UINT64_C(1) << 42,
    .state_size = sizeof(struct y4m_state),
    .check = y4m_check,
};
