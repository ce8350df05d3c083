package dev.runlane.conformance.race;

import dev.runlane.conformance.drawn.Step;
import org.jspecify.annotations.Nullable;

/**
 * A command and what a storage answered to it.
 *
 * @param step the command, in the model's names
 * @param answer the answer, in the storage's names; a throwable where it failed
 */
record Played(Step step, @Nullable Object answer) {}
