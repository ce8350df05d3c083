/**
 * Injected time, timers and randomness, and what is built on them alone: ids, back-off, public
 * duration strings, the sweep loop of periodic roles, the slots of workers, the ends of leases and the fire times of
 * schedules; and where blocking work is done.
 *
 * <p>No role reads the system clock, sets a timer or draws a random number except through these
 * interfaces, so that whole fleets can run in one thread and in virtual time.
 */
@NullMarked
package dev.runlane.timing;

import org.jspecify.annotations.NullMarked;
