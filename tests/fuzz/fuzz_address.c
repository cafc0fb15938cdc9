/* SPDX-License-Identifier: Apache-2.0
 * tests/fuzz/fuzz_address.c - addresses of servers of any bytes.
 *
 * Found: crashes, texts without an end, a socket and a host at once, ports that are none.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "io/image.h"
#include "io/image/address.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool right)
{
    if (!right)
        abort();
}

static void check(const char *text)
{
    struct io_address address;
    struct err err = { 0 };

    if (io_address_parse(text, &address, &err) != ERR_OK) {
        must(err.text[0] != '\0');
        return;
    }
    must(io_image_is_address(text));
    must(memchr(address.export_name, '\0', sizeof address.export_name) != NULL);
    must(address.local ? address.socket[0] == '/' && address.host[0] == '\0'
                       : address.host[0] != '\0' && address.socket[0] == '\0');
    must(address.local || (atoi(address.port) > 0 && atoi(address.port) <= 65535));
}

/* As they are, and behind each scheme, which a fuzzer would take long to find. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const starts[] = { "", "nbd://", "nbd+unix:///?socket=/", "nbd+unix:///" };

    for (size_t i = 0; i < sizeof starts / sizeof starts[0]; i++) {
        const size_t len = strlen(starts[i]);
        char *text = malloc(len + size + 1);

        if (text == NULL)
            return 0;
        memcpy(text, starts[i], len);
        if (size > 0)
            memcpy(text + len, data, size);
        text[len + size] = '\0';
        check(text);
        free(text);
    }
    return 0;
}
