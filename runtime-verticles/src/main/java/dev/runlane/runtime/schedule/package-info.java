/**
 * API: the scheduler: which fires are due, whose they are, and the runs made for them.
 */
@NullMarked
package dev.runlane.runtime.schedule;

import org.jspecify.annotations.NullMarked;
