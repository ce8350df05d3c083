/** Virtual time, chance from one seed, the lives of processes with their clocks and timers, and the trace. */
@NullMarked
package dev.runlane.simulation.world;

import org.jspecify.annotations.NullMarked;
