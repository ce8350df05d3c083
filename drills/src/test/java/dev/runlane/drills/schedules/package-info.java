/**
 * Schedulers that die between any two statements.
 */
@NullMarked
package dev.runlane.drills.schedules;

import org.jspecify.annotations.NullMarked;
