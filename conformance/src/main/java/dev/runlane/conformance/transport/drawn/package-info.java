/** The transport contract as a model, and commands drawn for it. */
@NullMarked
package dev.runlane.conformance.transport.drawn;

import org.jspecify.annotations.NullMarked;
