/**
 * What a lane promises: the order in which its parts start and close, and wakeups that arrive.
 */
@NullMarked
package dev.runlane.conformance.lane;

import org.jspecify.annotations.NullMarked;
