/* SPDX-License-Identifier: Apache-2.0
 * signatures/text/transcript.c - what somebody did in PowerShell, as it writes it down itself.
 *
 *   22 asterisks | "Windows PowerShell transcript start" or "PowerShell transcript start" | "name:
 * value" | 22 asterisks | commands and what they gave | 22 asterisks | "... transcript end" | "End
 * time: ..." | 22 asterisks
 */
#include "signatures/lib/lines.h"

enum { TRANSCRIPT_BROKEN_MIN = 8 };

#define TRANSCRIPT_STARS "**********************"

struct transcript_state {
    struct lines lines;
    bool end; /* the line that says so was met */
};

static enum lines_word transcript_line(void *memory, const struct chars_line *line, uint64_t count,
                                       uint32_t *last)
{
    struct transcript_state *state = memory;

    if (count == 0)
        return lines_begins(line, TRANSCRIPT_STARS) && lines_ends(line, TRANSCRIPT_STARS)
                   ? LINES_ON
                   : LINES_WRONG;
    if (count == 1)
        return lines_ends(line, "PowerShell transcript start") ? LINES_ON : LINES_WRONG;
    if (lines_ends(line, "PowerShell transcript end"))
        state->end = true;
    else if (state->end && lines_mark(line, TRANSCRIPT_STARS, last))
        return LINES_LAST;
    return LINES_ON;
}

static struct sig_result transcript_check(struct sig_input *in, void *memory)
{
    static const struct lines_format format = { transcript_line, TRANSCRIPT_BROKEN_MIN,
                                                "the lines lead to the end of the transcript",
                                                "the transcript has no end" };
    struct transcript_state *state = memory;

    return lines_check(in, &state->lines, &format, state);
}

const struct sig sig_transcript = {
    .name = "ps-transcript",
    .what = "what somebody did in PowerShell (transcript)",
    .proves = "lines of text from the start of a transcript to its end (of an English Windows)",
    .source = "Microsoft, PowerShell 7.3: Start-Transcript; InternalHostUserInterface.cs",
    .types = (const struct sig_type[]){ { "ps-transcript", "txt" }, { 0 } },
    .headers = { SIG_PATTERN(TRANSCRIPT_STARS "\r\n"), SIG_PATTERN(TRANSCRIPT_STARS "\nWin"),
                 SIG_PATTERN(TRANSCRIPT_STARS "\nPow"),
                 SIG_PATTERN("\xef\xbb\xbf" TRANSCRIPT_STARS "\r\n"),
                 SIG_PATTERN("\xef\xbb\xbf" TRANSCRIPT_STARS "\n") },
    .flags = SIG_SECTOR_ALIGNED,
    .size_min = 128,
    .size_max = UINT64_C(1) << 30, /* policy */
    .state_size = sizeof(struct transcript_state),
    .check = transcript_check,
};
