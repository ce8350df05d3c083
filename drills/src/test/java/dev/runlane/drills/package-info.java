/**
 * Fault drills on real processes: workers, callers and Postgres itself are killed, stopped and continued
 * while runs are under way, and what they left is held to the promises of the histories.
 */
@NullMarked
package dev.runlane.drills;

import org.jspecify.annotations.NullMarked;
