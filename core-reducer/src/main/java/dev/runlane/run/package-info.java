/**
 * Run events, the run record and the pure reducer that turns the one into the other.
 *
 * <p>Everything here is a value or a pure function: no clock, no I/O, no logging and no dependency
 * besides the JSpecify annotations. A rule about a run's life belongs here and nowhere else.
 */
@NullMarked
package dev.runlane.run;

import org.jspecify.annotations.NullMarked;
