/* SPDX-License-Identifier: Apache-2.0
 * carver/cli/advice.c - see advice.h. */
#include <stdio.h>
#include <string.h>

#include "carver/cli/advice.h"

static const struct advice {
    enum err_lack lack;
    const char *option; /* as a line of a --help text begins */
    const char *text;
} advices[] = {
    { ERR_LACK_MEMORY, "\n  --segment ", "; a smaller --segment needs less memory" },
    { ERR_LACK_THREADS, "\n  --threads ", "; use fewer --threads" },
};

void advice_append(struct err *err, const char *options)
{
    for (size_t i = 0; options != NULL && i < sizeof advices / sizeof advices[0]; i++) {
        const size_t used = strlen(err->text);

        if (advices[i].lack == err->lack && strstr(options, advices[i].option) != NULL)
            snprintf(err->text + used, sizeof err->text - used, "%s", advices[i].text);
    }
}
