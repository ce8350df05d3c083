package dev.runlane.steps.sql.worker;

import dev.runlane.json.JsonCodec;
import dev.runlane.json.JsonLimits;
import dev.runlane.json.VertxJson;
import dev.runlane.run.Json;
import dev.runlane.run.RunlaneException;
import dev.runlane.steps.result.StepError;
import dev.runlane.steps.result.StepOutcome;
import dev.runlane.steps.task.StepTask;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.json.JsonObject;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** One call of a {@link StepHandler}: what it is asked, and the ways to answer. */
public final class StepCall {
  private static final JsonCodec CODEC = JsonCodec.standard();
  private static final JsonLimits UNLIMITED = new JsonLimits(Integer.MAX_VALUE, Integer.MAX_VALUE);

  private final StepTask task;
  private final Promise<Void> leaseLost = Promise.promise();

  StepCall(StepTask task) {
    this.task = task;
  }

  /** The step and its attempt. */
  public StepTask task() {
    return task;
  }

  /** The input, or empty when there is none; {@code null} as input counts as none. */
  public Optional<Json> input() {
    return Optional.ofNullable(task.input());
  }

  /**
   * The input as an object. Fails with a {@code ValidationFailed} that is not retryable when there is none or
   * it is something else, which fails the step for good where the handler lets it pass.
   */
  public JsonObject inputObject() {
    Json input = task.input();
    if (input == null || !input.text().startsWith("{")) {
      throw RunlaneException.validationFailed(
          "the input of step %s must be an object", task.stepId());
    }
    return VertxJson.object(input);
  }

  /**
   * Completes when the lease is lost, on the worker's context: another worker may run this step now, and the
   * answer of this call will not be recorded. Nothing stops the handler but itself.
   */
  public Future<Void> leaseLost() {
    return leaseLost.future();
  }

  /** Whether the lease is lost; see {@link #leaseLost()}. */
  public boolean isLeaseLost() {
    return leaseLost.future().isComplete();
  }

  /** The step is done, without a value. */
  public StepOutcome done() {
    return new StepOutcome.Completed(null);
  }

  /**
   * The step is done with this value, {@code null} being JSON's. {@link Json} is taken as it is, everything
   * else as {@link JsonCodec#standard()} encodes it. Fails with a {@code ValidationFailed} that is not retryable
   * when it cannot be encoded.
   */
  public StepOutcome done(@Nullable Object value) {
    if (value instanceof Json json) {
      return new StepOutcome.Completed(json);
    }
    return new StepOutcome.Completed(
        CODEC.encode("the output of step " + task.stepId(), value, UNLIMITED));
  }

  /** The step failed and may be tried again. */
  public StepOutcome failed(@Nullable String code, String message) {
    return new StepOutcome.Failed(StepError.of(code, message));
  }

  /** The step failed for good. */
  public StepOutcome failedForGood(@Nullable String code, String message) {
    return new StepOutcome.Failed(StepError.fatal(code, message));
  }

  void loseLease() {
    leaseLost.tryComplete();
  }
}
