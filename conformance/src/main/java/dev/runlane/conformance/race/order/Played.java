package dev.runlane.conformance.race.order;

import dev.runlane.conformance.drawn.Step;
import org.jspecify.annotations.Nullable;

/**
 * A command and what an adapter answered to it.
 *
 * @param step the command, in the model's names
 * @param answer the answer, in the adapter's names; a throwable where it failed
 */
public record Played(Step step, @Nullable Object answer) {}
