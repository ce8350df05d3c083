/**
 * The fleet under test: its tasks, its topics, the programs that trigger and work, and what a drill reads
 * when they are done.
 */
@NullMarked
package dev.runlane.drills.fleet;

import org.jspecify.annotations.NullMarked;
