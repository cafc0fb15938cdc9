/* carver/scan/scan_options.h - the command line of `burin scan`. */
#ifndef BURIN_CARVER_SCAN_SCAN_OPTIONS_H
#define BURIN_CARVER_SCAN_SCAN_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "carver/case/casefile.h"
#include "carver/known/known_scan.h"
#include "carver/scan/scan_how.h"
#include "signatures/conf.h"

#define SCAN_OPTIONS_TEXT                                                                          \
    "Case file:\n"                                                                                 \
    "  --case FILE          write the case file here (default: IMAGE's name + .burin in the\n"     \
    "                       current directory; all images go into one case file)\n"                \
    "  --force              begin a new case file; one that is there gets another name beside "    \
    "it\n" CASEFILE_WAIT_TEXT "What to look for:\n"                                                \
    "  --types LIST         only these types, comma-separated (see burin info --types); \"all\"\n" \
    "                       adds those that are off by default\n"                                  \
    "  --dictionary FILE    use the header/footer rules of a scalpel or foremost configuration "   \
    "(-:\n"                                                                                        \
    "                       of standard input)\n"                                                  \
    "  --compat TOOL        with --dictionary: carve as scalpel or foremost does, quirks "         \
    "included\n"                                                                                   \
    "  --align BYTES        files begin at multiples of BYTES only (512, 4096, ...)\n"             \
    "  --range RANGE        only these bytes of the image: START:LENGTH, or START alone for all\n" \
    "                       from there\n"                                                          \
    "  --all-hits           record every footer, also those that can end nothing\n"                \
    "  --hits-only          record where headers and footers stand, and look for no files\n"       \
    "  --known SET          hash what is found, or the blocks of the image, and tell what SET "    \
    "knows\n"                                                                                      \
    "                       (see burin known; may be given several times)\n"                       \
    "  --known-step BYTES   blocks begin at multiples of BYTES (default: their length)\n"          \
    "How:\n" SCAN_HOW_TEXT "  -q, --quiet          no progress, no summary\n"                      \
    "  --json               the summary as JSON on standard output: an object, or for several\n"   \
    "                       images an array of them\n"                                             \
    "  --help               this text\n"                                                           \
    "\n"                                                                                           \
    "Sizes take K, M, G, T (powers of 1024).\n"

struct scan_options {
    struct scan_how how;
    bool force, all_hits, hits_only;
    const char *types;      /* NULL: those on by default */
    const char *dictionary; /* NULL: built-in signatures */
    enum sig_compat compat;
    uint32_t align; /* bytes */
    const char *known[KNOWN_SETS_MAX];
    uint32_t known_count, known_step; /* step 0: the length of the blocks */
};

/* argv[0] is the command's name. Strings point into argv. Errors: those of scan_how_complete. */
ERR_MUST_CHECK enum err_code scan_options_read(int argc, char **argv, struct scan_options *out,
                                               struct err *err);

#endif
