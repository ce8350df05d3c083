/**
 * Steps of runs: their history, and pending steps claimed, moved, retried and forgotten.
 */
@NullMarked
package dev.runlane.conformance.storage.step;

import org.jspecify.annotations.NullMarked;
