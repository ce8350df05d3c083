/** The processes with their real runtimes, their tasks, and the callers and operators who use them. */
@NullMarked
package dev.runlane.simulation.fleet;

import org.jspecify.annotations.NullMarked;
