/**
 * One call of a handler, from the claim to the stored outcome, and jobs whose worker stalled. Internal: not
 * for applications.
 */
@NullMarked
package dev.runlane.jobs.queue.attempt;

import org.jspecify.annotations.NullMarked;
