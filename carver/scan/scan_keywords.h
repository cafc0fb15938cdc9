/* SPDX-License-Identifier: Apache-2.0
 * carver/scan/scan_keywords.h - keywords as what a scan looks for: their hits alone are recorded,
 * and each keyword is a signature of the case file.
 */
#ifndef BURIN_CARVER_SCAN_SCAN_KEYWORDS_H
#define BURIN_CARVER_SCAN_SCAN_KEYWORDS_H

#include "carver/keyword/keyword.h"
#include "carver/scan/scan_job.h"

/* A job's plan that looks for the patterns of keyword_patterns; both must outlive it. */
struct plan_options scan_keywords_plan(const struct keyword_set *keywords,
                                       const struct patterns *patterns);

/* What the case file calls a keyword. */
void scan_keywords_name(const struct keyword_set *keywords, uint32_t number, struct scan_name *out);

/* A line on standard error, of the image whose search is done. */
void scan_keywords_tell(const struct scan_how *how, const struct scan_done *done, uint64_t hits);

#endif
