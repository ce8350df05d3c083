/** Races of commands to step transports, explained by the model of step transports. */
@NullMarked
package dev.runlane.conformance.race.steps;

import org.jspecify.annotations.NullMarked;
