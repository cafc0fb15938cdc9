/* signatures/jpeg_scan.c - entropy-coded data: from SOS to the marker behind it. */
#include <string.h>

#include "signatures/jpeg.h"

/* From marker to marker: ff 00 is a data byte, RSTn must come in their order. */
enum jpeg_step jpeg_scan(struct sig_input *in, struct jpeg_state *state, const char **why)
{
    for (;;) {
        uint32_t len;
        const uint8_t *span = sig_span(in, state->at, &len);

        if (span == NULL)
            return JPEG_WAIT;
        const uint8_t *found = memchr(span, 0xff, len);
        if (found == NULL) {
            state->at += len;
            continue;
        }
        state->at += (uint64_t)(found - span);
        const uint8_t *pair = sig_bytes(in, state->at, 2);
        if (pair == NULL)
            return JPEG_WAIT;
        if (pair[1] == 0) {
            state->at += 2;
        } else if (pair[1] == 0xff) {
            state->at++;
        } else if (pair[1] >= JPEG_RST0 && pair[1] <= JPEG_RST7) {
            if (state->restart_interval == 0 || pair[1] - JPEG_RST0 != state->scan.next_restart) {
                *why = "a restart marker out of order";
                return JPEG_BAD;
            }
            state->scan.next_restart = (state->scan.next_restart + 1) & 7;
            state->at += 2;
        } else {
            return JPEG_DONE;
        }
    }
}
