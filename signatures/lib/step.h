/* signatures/lib/step.h - what the parts of a checker tell each other: go on, wait for bytes, wrong. */
#ifndef BURIN_SIGNATURES_LIB_STEP_H
#define BURIN_SIGNATURES_LIB_STEP_H

enum step {
    STEP_DONE,
    STEP_WAIT, /* return what sig_short gives */
    STEP_BAD,
};

#endif
