/**
 * Results of steps: recorded by workers, claimed and settled by engines.
 */
@NullMarked
package dev.runlane.steps.result;

import org.jspecify.annotations.NullMarked;
