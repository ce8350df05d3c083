/**
 * Engines and remote workers of steps that die.
 */
@NullMarked
package dev.runlane.drills.steps;

import org.jspecify.annotations.NullMarked;
