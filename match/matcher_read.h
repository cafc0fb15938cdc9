/*
 * match/matcher_read.h - segments that are read by the threads that match them, beside the interface of matcher.h.
 *
 * What a thread has just read lies in the cache of its own processor. Another one would fetch it from there, at times half as fast as from
 * memory. So where one processor can read about as fast as it can match, the threads take turns at reading, one at a time and in
 * the order of the segments, and each matches what it has read.
 */
#ifndef BURIN_MATCH_MATCHER_READ_H
#define BURIN_MATCH_MATCHER_READ_H

#include "match/matcher.h"

/*
 * Fills the buffer of a lane and says what it holds. Called for one lane at a time, in the order in which they were submitted, by any
 * thread. After an error the lane holds nothing, and match_collect reports the error.
 */
typedef enum err_code match_read(void *arg, uint32_t lane, struct match_segment *segment, struct err *err);

/* From now on match_submit_read takes the place of match_submit. False where the engine must have it otherwise. At least two threads. */
bool match_share(struct match_matcher *matcher);

/* The lane's buffer is the matcher's until match_collect. */
void match_submit_read(struct match_matcher *matcher, uint32_t lane, match_read *read, void *arg);

/* Waits, and works meanwhile, until the lane, the first of those not yet collected, can be collected. Errors: of reading it or matching. */
ERR_MUST_CHECK enum err_code match_wait(struct match_matcher *matcher, uint32_t lane, struct err *err);

/* Waits for all lanes, which are then as if collected. */
void match_drain(struct match_matcher *matcher);

#endif
