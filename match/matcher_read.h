/*
 * match/matcher_read.h - segments that are read by the threads that match them: an addition to the
 * interface of matcher.h.
 *
 * The bytes that a thread has just read lie in the cache of its own processor. Another processor
 * that fetches them from that cache can be half as fast as one that fetches them from memory. So
 * where one processor reads about as fast as it matches, each thread reads the segment that it then
 * matches. Only one thread reads at a time, and segments are read in their order.
 */
#ifndef BURIN_MATCH_MATCHER_READ_H
#define BURIN_MATCH_MATCHER_READ_H

#include "match/matcher.h"

/*
 * Fills the buffer of a lane and sets *segment to what the buffer holds. Called by any thread, for
 * one lane at a time, in the order in which the lanes were submitted. After an error the lane holds
 * no bytes, and match_collect reports the error.
 */
typedef enum err_code match_read(void *arg, uint32_t lane, struct match_segment *segment,
                                 struct err *err);

/*
 * From now on the caller submits with match_submit_read instead of match_submit. Returns false, and
 * changes nothing, for an engine that has a device or threads of its own. The matcher must have at
 * least two threads.
 */
bool match_share(struct match_matcher *matcher);

/*
 * Submits a lane whose buffer `read` fills, called with arg. The buffer belongs to the matcher
 * until match_collect.
 */
void match_submit_read(struct match_matcher *matcher, uint32_t lane, match_read *read, void *arg);

/*
 * Waits until the lane can be collected; the calling thread runs waiting jobs meanwhile. lane must
 * be the oldest that has not been collected. Errors: those of reading the lane and of matching it.
 */
ERR_MUST_CHECK enum err_code match_wait(struct match_matcher *matcher, uint32_t lane,
                                        struct err *err);

/* Waits for all lanes and drops their hits: they count as collected. */
void match_drain(struct match_matcher *matcher);

#endif
