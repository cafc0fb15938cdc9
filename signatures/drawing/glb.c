/* SPDX-License-Identifier: Apache-2.0
 * signatures/drawing/glb.c - binary glTF 2: a scene of models.
 *
 *   "glTF" | u32le 2 | u32le bytes of the file | chunks: u32le length | kind | data
 *
 * The first chunk is JSON and describes an asset; the second, if there is one, holds its buffers.
 * The last chunk ends where the header says that the file does.
 */
#include <string.h>

#include "base/bytes.h"
#include "signatures/sig.h"

enum { GLB_HEAD = 12, GLB_CHUNK = 8, GLB_JSON_AT = GLB_HEAD + GLB_CHUNK, GLB_CHUNKS_MAX = 64 };

/* Kinds that the format does not know belong to extensions; they are letters too. */
static bool glb_kind(const uint8_t *kind, uint32_t number)
{
    if (number == 1)
        return memcmp(kind, "BIN", 4) == 0;
    return kind[0] >= 'A' && kind[0] <= 'Z';
}

static struct sig_result glb_check(struct sig_input *in, void *memory)
{
    const uint8_t *p = sig_bytes(in, 0, GLB_JSON_AT + 1);
    uint64_t at = GLB_HEAD, asset;

    (void)memory;
    if (p == NULL)
        return sig_short(in);
    const uint64_t size = bytes_u32le(p + 8), json = bytes_u32le(p + GLB_HEAD);
    if (size % 4 != 0 || json % 4 != 0 || json == 0 || json > size - GLB_JSON_AT ||
        size < GLB_JSON_AT)
        return sig_reject("the lengths do not agree");
    if (p[GLB_JSON_AT] != '{' && p[GLB_JSON_AT] != ' ' && p[GLB_JSON_AT] != '\n')
        return sig_reject("the scene is not described in JSON");
    for (uint32_t i = 0; at < size; i++) {
        p = sig_bytes(in, at, GLB_CHUNK);
        if (p == NULL)
            return sig_short(in);
        const uint64_t length = bytes_u32le(p);
        if (i == GLB_CHUNKS_MAX || length % 4 != 0 || length > size - at - GLB_CHUNK ||
            (i > 0 && !glb_kind(p + 4, i)))
            return i == 0 ? sig_reject("invalid chunk") : sig_breaks(in, "invalid chunk");
        at += GLB_CHUNK + length;
        if (i == 0) {
            const enum sig_found found =
                sig_find(in, GLB_JSON_AT, at, "\"asset\"", sizeof "\"asset\"" - 1, &asset);

            if (found == SIG_FIND_WAIT)
                return sig_short(in);
            if (found == SIG_FIND_NONE)
                return sig_reject("the scene names no asset");
            sig_valid(in, asset);
            p = sig_bytes(in, at - 1, 1);
            if (p == NULL)
                return sig_short(in);
            if (*p != '}' && *p != ' ' && *p != '\n')
                return sig_breaks(in, "the description of the scene does not end");
        }
        sig_valid(in, at < in->limit ? at : in->limit);
    }
    return sig_believe(in, size, "the chunks end where the header says");
}

const struct sig sig_glb = {
    .name = "glb",
    .what = "binary glTF 2, a scene of models",
    .proves = "the description names an asset; chunks end with the file; buffers are not read",
    .source = "Khronos, glTF 2.0 Specification, 4 (GLB File Format)",
    .types = (const struct sig_type[]){ { "glb", "glb" }, { 0 } },
    .headers = { SIG_MASKED("glTF\2\0\0\0\0\0\0\0\0\0\0\0JSON",
                            "\xff\xff\xff\xff\xff\xff\xff\xff\3\0\0\0\3\0\0\0\xff\xff\xff\xff") },
    .flags = SIG_CONTAINER,
    .size_min = GLB_JSON_AT + 12,
    .size_max = UINT64_C(1) << 32,
    .check = glb_check,
};
