/**
 * Commands drawn from a seed, played to an adapter and to the model side by side; a sequence that is answered
 * wrongly is cut short and told.
 */
@NullMarked
package dev.runlane.conformance.drawn;

import org.jspecify.annotations.NullMarked;
