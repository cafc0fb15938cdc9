/* SPDX-License-Identifier: Apache-2.0
 * carver/scan/scan_options.h - the command line of `burin scan`. */
#ifndef BURIN_CARVER_SCAN_SCAN_OPTIONS_H
#define BURIN_CARVER_SCAN_SCAN_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "carver/case/casefile.h"
#include "carver/cli/progress.h"
#include "carver/known/known_scan.h"
#include "carver/scan/scan_how.h"
#include "carver/scan/scan_pick.h"
#include "signatures/conf.h"

#define SCAN_OPTIONS_TEXT                                                                          \
    "Case file:\n"                                                                                 \
    "  --case FILE          write this case file (default: name of the first IMAGE + .burin in "   \
    "the\n"                                                                                        \
    "                       current directory); all images go into one case file\n"                \
    "  --force              begin a new case file and rename the existing one\n"                   \
    "  --resume             go on with scans of this case file that were stopped, with the same "  \
    "options;\n"                                                                                   \
    "                       scan what it has no scan of\n"                                         \
    "  --image PATH         with --resume: an image of the case file is at PATH now, in the "      \
    "place "                                                                                       \
    "of\n"                                                                                         \
    "                       IMAGE (repeatable: one for each image, in their "                      \
    "order)\n" CASEFILE_WAIT_TEXT SEAL_TEXT "What to look for:\n"                                  \
    "  --types LIST         look for these types only, comma-separated: names, groups, "           \
    "extensions\n"                                                                                 \
    "                       or categories (see burin info --types); \"all\" adds those that "      \
    "are\n"                                                                                        \
    "                       off by default, and \"default,text\" plain text alone of them\n"       \
    "  --dictionary FILE    use the header/footer rules of a scalpel or foremost configuration "   \
    "file\n"                                                                                       \
    "                       (-: standard input)\n"                                                 \
    "  --compat TOOL        carve as scalpel or foremost does, faults included; needs "            \
    "--dictionary\n"                                                                               \
    "  --align BYTES        find only files that begin at multiples of BYTES (512, 4096, ...)\n"   \
    "  --range RANGE        scan these bytes of the image only: START:LENGTH, or START alone for " \
    "all\n"                                                                                        \
    "                       bytes from there on\n"                                                 \
    "  --partition N        scan this partition only, as burin info and mmls number it "           \
    "(repeatable)\n"                                                                               \
    "  --unallocated        leave out the bytes that file systems prove to be in use; what "       \
    "cannot\n"                                                                                     \
    "                       be told is scanned, and the log says why\n"                            \
    "  --slack              as --unallocated, and scan what lies behind the ends of files, too, "  \
    "and\n"                                                                                        \
    "                       what is in use by no file\n"                                           \
    "  --all-hits           record every footer, even where no header is open\n"                   \
    "  --no-file-systems    do not ask file systems in which files the objects lie, nor where "    \
    "their\n"                                                                                      \
    "                       pieces are\n"                                                          \
    "  --no-assemble        leave files in pieces as they are (see burin assemble)\n"              \
    "  --hits-only          record the places of headers and footers, and look for no files\n"     \
    "  --known SET          hash the objects, or the blocks of the image, and record what SET "    \
    "knows of\n"                                                                                   \
    "                       them (see burin known; repeatable)\n"                                  \
    "  --known-step BYTES   hash blocks at multiples of BYTES (default: the length of a block)\n"  \
    "  --hash KINDS         hash each image, whole, in the same pass: md5, sha1, sha256, "         \
    "comma-separated;\n"                                                                           \
    "                       tree: SHA-256 of each MiB, and of these, by several threads;\n"        \
    "                       stored: the kinds that its container has, sha256 where it has none\n"  \
    "  --part K/N           scan part K (from 0 on) of N of the image, and leave a shard in the "  \
    "folder\n"                                                                                     \
    "                       of --parts; burin merge makes a case file of all of them\n"            \
    "  --parts DIR          the folder of the shards\n"                                            \
    "  --keep-parts DIR     leave in the folder DIR what the next scan needs for --since\n"        \
    "  --since DIR          take over from an earlier scan, which left DIR by --keep-parts or "    \
    "--parts,\n"                                                                                   \
    "                       what no change can have touched, and read the rest alone\n"            \
    "  --changed MAPFILE    with --since: which bytes of the image were changed since then, as a " \
    "map in\n"                                                                                     \
    "                       the form of GNU ddrescue: + changed, ? not\n"                          \
    "How:\n" SCAN_HOW_TEXT PROGRESS_TEXT                                                           \
    "  -q, --quiet          print no progress and no summary\n"                                    \
    "  --json               print the summary as JSON on standard output: an object, or for "      \
    "several\n"                                                                                    \
    "                       images an array of objects\n"                                          \
    "  --help               print this text\n"                                                     \
    "\n"                                                                                           \
    "Sizes take K, M, G, T (powers of 1024).\n"

enum { SCAN_MOVED_MAX = 256, SCAN_PARTS_MAX = 1 << 16 };

struct scan_options {
    struct scan_how how;
    bool force, resume, all_hits, hits_only, no_file_systems, no_assemble;
    char *moved[SCAN_MOVED_MAX]; /* where the images of the case file are now */
    uint32_t moved_count;        /* 0: they are named as operands */
    const char *types;           /* NULL: those on by default */
    const char *dictionary;      /* NULL: built-in signatures */
    enum sig_compat compat;
    uint32_t align; /* bytes */
    const char *known[KNOWN_SETS_MAX];
    struct scan_pick_options pick;
    uint32_t known_count, known_step; /* step 0: the length of the blocks */
    uint32_t hash_kinds;              /* as image_hash_kinds gives them; 0: none */
    const char *keep_parts;           /* a folder that gets the parts of the scan; or NULL */
    const char *since, *changed;      /* parts of an earlier scan, and what changed; or NULL */
    const char *parts;                /* a folder of shards: one part is scanned; or NULL */
    uint32_t part_number, part_count; /* of that part, from 0 on; with parts */
};

/* argv[0] is the command's name. Strings point into argv. Errors: those of scan_how_complete. */
ERR_MUST_CHECK enum err_code scan_options_read(int argc, char **argv, struct scan_options *out,
                                               struct err *err);

/* ERR_ARG for what one part cannot have; before scan_how_complete. */
ERR_MUST_CHECK enum err_code scan_options_check_part(const struct scan_options *options,
                                                     struct err *err);

#endif
