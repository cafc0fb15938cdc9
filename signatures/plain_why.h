/* SPDX-License-Identifier: Apache-2.0
 * signatures/plain_why.h - the reasons that the validator of plain text gives, for those who keep
 * its verdicts as a number. */
#ifndef BURIN_SIGNATURES_PLAIN_WHY_H
#define BURIN_SIGNATURES_PLAIN_WHY_H

#define PLAIN_WHY_ZEROS "text, and zeros behind it; nothing proves that it is all of the file"
#define PLAIN_WHY_CUT "text to the end of a sector, and then something else"
#define PLAIN_WHY_PART "text, and then something else in the same sector"

#endif
