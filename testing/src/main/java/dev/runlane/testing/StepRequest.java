package dev.runlane.testing;

import dev.runlane.json.JsonCodec;
import dev.runlane.run.Json;
import org.jspecify.annotations.Nullable;

/**
 * What a worker of remote steps is asked for.
 *
 * @param stepId the step, the same for all of its attempts
 * @param name the step's name
 * @param attempt 1 for the first
 * @param input what the handler gave, or null
 * @param codec reads the input
 */
public record StepRequest(
    String stepId, String name, int attempt, @Nullable Json input, JsonCodec codec) {
  /** One whose input is read as without an object mapper of the application's own, for tests of functions. */
  public StepRequest(String stepId, String name, int attempt, @Nullable Json input) {
    this(stepId, name, attempt, input, JsonCodec.standard());
  }

  /** The input as this type. Throws {@code ValidationFailed} where there is none, or it does not fit. */
  public <T> T input(Class<T> type) {
    return codec.decode(
        "the input of step " + name, input == null ? Json.ofChecked("null") : input, type);
  }
}
