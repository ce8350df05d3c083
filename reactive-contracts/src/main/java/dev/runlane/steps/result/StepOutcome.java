package dev.runlane.steps.result;

import dev.runlane.run.Json;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** How an attempt of a step ended. */
public sealed interface StepOutcome {
  /**
   * The handler returned.
   *
   * @param output what it returned, or null when it returned no value. JSON's {@code null} is a value; some
   *     implementations write no value instead
   */
  record Completed(@Nullable Json output) implements StepOutcome {}

  /**
   * The handler failed, or there was none.
   *
   * @param error why
   */
  record Failed(StepError error) implements StepOutcome {
    /** Refuses null. */
    public Failed {
      Objects.requireNonNull(error);
    }
  }
}
