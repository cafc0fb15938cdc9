/* SPDX-License-Identifier: Apache-2.0
 * signatures/science/volume.c - bodies in voxels: NIfTI-1 of magnetic resonance, MRC and CCP4 of
 * electron microscopes.
 *
 *   NIfTI: i32 348 | ... | 40 i16 dimensions, their lengths | 70 i16 kind | 72 i16 bits of a voxel
 * | 108 float place of the voxels | ... | 344 "n+1\0"; of either byte order MRC: i32 columns, rows,
 * sections | i32 kind 0, 1, 2, 3, 4, 6, 12 | ... | 92 i32 bytes of a further head | ... | 208 "MAP
 * " | 212 44 44, 44 41, or 11 11 where it is big-endian | 1024 bytes in all
 */
#include <string.h>

#include "base/bytes.h"
#include "signatures/sig.h"

enum {
    NIFTI_HEAD = 348,
    NIFTI_DIMENSIONS = 7,
    MRC_HEAD = 1024,
    MRC_SIDE_MAX = 1 << 20,
    MRC_FURTHER_MAX = 1 << 28,
};

static uint32_t volume_u32(const uint8_t *p, bool big)
{
    return big ? bytes_u32be(p) : bytes_u32le(p);
}

static uint32_t volume_u16(const uint8_t *p, bool big)
{
    return big ? bytes_u16be(p) : bytes_u16le(p);
}

/* Bits of a voxel of this kind; 0: there is none. */
static uint32_t nifti_bits(uint32_t kind)
{
    static const struct {
        uint16_t kind, bits;
    } kinds[] = { { 2, 8 },     { 4, 16 },    { 8, 32 },     { 16, 32 },    { 32, 64 },
                  { 64, 64 },   { 128, 24 },  { 256, 8 },    { 512, 16 },   { 768, 32 },
                  { 1024, 64 }, { 1280, 64 }, { 1536, 128 }, { 1792, 128 }, { 2304, 32 } };

    for (uint32_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (kinds[i].kind == kind)
            return kinds[i].bits;
    return 0;
}

/* A float that is a whole number of bytes; 0: it is none. */
static uint64_t nifti_place(uint32_t bits)
{
    float value;

    memcpy(&value, &bits, sizeof value);
    return value >= NIFTI_HEAD + 4 && value < 1 << 24 ? (uint64_t)value : 0;
}

static struct sig_result nifti_check(struct sig_input *in, void *memory)
{
    const uint8_t *p = sig_bytes(in, 0, NIFTI_HEAD);
    uint64_t voxels = 1;

    (void)memory;
    if (p == NULL)
        return sig_short(in);
    const bool big = p[0] == 0;
    const uint32_t dimensions = volume_u16(p + 40, big), bits = volume_u16(p + 72, big);
    const uint64_t place = nifti_place(volume_u32(p + 108, big));
    if (volume_u32(p, big) != NIFTI_HEAD || dimensions < 1 || dimensions > NIFTI_DIMENSIONS ||
        bits == 0 || bits != nifti_bits(volume_u16(p + 70, big)) || place == 0)
        return sig_reject("invalid kind of voxels");
    for (uint32_t i = 1; i <= dimensions; i++) {
        const uint32_t side = volume_u16(p + 40 + 2 * i, big);

        if (side == 0 || side > INT16_MAX || voxels > (UINT64_C(1) << 40) / side)
            return sig_reject("invalid dimension");
        voxels *= side;
    }
    sig_valid(in, NIFTI_HEAD);
    const uint64_t end = place + voxels * bits / 8;
    if (sig_bytes(in, end - 1, 1) == NULL)
        return sig_short(in);
    return sig_believe(in, end, "dimensions and kind of voxels give the length");
}

/* Bits of a voxel of an MRC; 0: unknown. */
static uint32_t mrc_bits(uint32_t kind)
{
    static const uint8_t bits[] = { 8, 16, 32, 32, 64, 0, 16, 0, 0, 0, 0, 0, 16 };

    return kind < sizeof bits ? bits[kind] : 0;
}

static struct sig_result mrc_check(struct sig_input *in, void *memory)
{
    const uint8_t *p = sig_bytes(in, 0, MRC_HEAD);

    (void)memory;
    if (p == NULL)
        return sig_short(in);
    const bool big = p[212] == 0x11;
    const uint64_t columns = volume_u32(p, big), rows = volume_u32(p + 4, big),
                   sections = volume_u32(p + 8, big);
    const uint32_t bits = mrc_bits(volume_u32(p + 12, big)), further = volume_u32(p + 92, big),
                   labels = volume_u32(p + 220, big);
    if (p[212] != 0x11 && p[212] != 0x44)
        return sig_reject("unknown byte order");
    if (columns == 0 || columns > MRC_SIDE_MAX || rows == 0 || rows > MRC_SIDE_MAX ||
        sections == 0 || sections > MRC_SIDE_MAX || bits == 0 || further > MRC_FURTHER_MAX ||
        labels > 10)
        return sig_reject("invalid dimension or kind");
    sig_valid(in, MRC_HEAD);
    const uint64_t end = MRC_HEAD + further + (columns * rows * sections * bits + 7) / 8;
    if (sig_bytes(in, end - 1, 1) == NULL)
        return sig_short(in);
    return sig_believe(in, end, "dimensions and kind of voxels give the length");
}

const struct sig sig_nifti = {
    .name = "nii",
    .what = "body in voxels, of magnetic resonance (NIfTI-1)",
    .proves = "dimensions and kind of voxels give the length; voxels are not looked at",
    .source = "NIfTI Data Format Working Group, nifti1.h",
    .types = (const struct sig_type[]){ { "nii", "nii" }, { 0 } },
    .headers = { SIG_PATTERN_AT(344, "n+1\0") },
    .size_min = NIFTI_HEAD + 4,
    .size_max = UINT64_C(1) << 44,
    .check = nifti_check,
};

const struct sig sig_mrc_map = {
    .name = "mrc-map",
    .what = "body in voxels, of an electron microscope (MRC, CCP4)",
    .proves = "dimensions and kind of voxels give the length; voxels are not looked at",
    .source = "A. Cheng and others, MRC2014: Extending the MRC format header, 2015",
    .types = (const struct sig_type[]){ { "mrc-map", "map" }, { 0 } },
    .headers = { SIG_PATTERN_AT(208, "MAP D"), SIG_PATTERN_AT(208, "MAP \x11\x11") },
    .size_min = MRC_HEAD + 1,
    .size_max = UINT64_C(1) << 44,
    .check = mrc_check,
};
