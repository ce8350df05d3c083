/**
 * Runs seeds: one world of processes for each, in one thread and in virtual time; shrinks what fails, and shows it.
 */
@NullMarked
package dev.runlane.simulation;

import org.jspecify.annotations.NullMarked;
