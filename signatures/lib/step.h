/* signatures/lib/step.h - the result of one part of a checker: go on, wait for bytes, or wrong. */
#ifndef BURIN_SIGNATURES_LIB_STEP_H
#define BURIN_SIGNATURES_LIB_STEP_H

enum step {
    STEP_DONE, /* the part is right: go on */
    STEP_WAIT, /* more bytes are needed: the checker returns sig_short(in) */
    STEP_BAD,  /* the part is wrong */
};

#endif
