/** A fleet of real job workers on one store in memory: its processes, its callers, and what is checked meanwhile. */
@NullMarked
package dev.runlane.simulation.jobs;

import org.jspecify.annotations.NullMarked;
