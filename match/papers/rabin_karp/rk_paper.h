/* SPDX-License-Identifier: Apache-2.0
 * match/papers/rabin_karp/rk_paper.h - the forms of Rabin-Karp with the base of their paper, 2, for
 * its experiment: compile calls to put in the place of an engine's own.
 */
#ifndef BURIN_MATCH_PAPERS_RABIN_KARP_RK_PAPER_H
#define BURIN_MATCH_PAPERS_RABIN_KARP_RK_PAPER_H

#include "match/engine.h"
#include "match/papers/rabin_karp/rk_program.h"

enum { RK_PAPER_BASE = 2 };

typedef enum err_code rk_paper_compile(const struct match_dictionary *dictionary,
                                       const struct match_setup *setup, void **program,
                                       struct err *err);

rk_paper_compile rk_compile_paper;        /* of rk, rk:direct and their OpenMP forms */
rk_paper_compile rk_fused_compile_paper;  /* of rk:cuda-prime */
rk_paper_compile rk_direct_compile_paper; /* of rk:cuda-direct */
rk_paper_compile rk_scan_compile;         /* of rk:cuda-scan */
rk_paper_compile rk_scan_paper_compile;   /* the same with the paper's base */
rk_paper_compile rk_scan_paper_2_compile; /* steps 1 and 2 of it alone; nothing is found */
rk_paper_compile rk_scan_paper_3_compile; /* up to 3 */
rk_paper_compile rk_scan_paper_4_compile;

#endif
