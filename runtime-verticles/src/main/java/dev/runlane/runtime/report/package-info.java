/**
 * Internal: what a process tells of itself: lines of its log and of its handlers, its row among the processes, and how
 * many runs it brought how far.
 */
@NullMarked
package dev.runlane.runtime.report;

import org.jspecify.annotations.NullMarked;
