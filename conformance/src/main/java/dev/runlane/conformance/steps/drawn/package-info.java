/** The step transport contract as a model, and commands drawn from seeds that hold transports to it. */
@NullMarked
package dev.runlane.conformance.steps.drawn;

import org.jspecify.annotations.NullMarked;
