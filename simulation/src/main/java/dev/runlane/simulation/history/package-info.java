/**
 * The rules that every stored history must obey, whatever was broken: of simulated fleets and of the drills' real
 * processes.
 */
@NullMarked
package dev.runlane.simulation.history;

import org.jspecify.annotations.NullMarked;
