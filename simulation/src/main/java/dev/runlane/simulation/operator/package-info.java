/** What operators do in a world beside its runs, and what is watched of it: pauses, ends that are told. */
@NullMarked
package dev.runlane.simulation.operator;

import org.jspecify.annotations.NullMarked;
