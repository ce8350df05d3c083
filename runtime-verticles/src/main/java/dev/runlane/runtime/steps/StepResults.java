package dev.runlane.runtime.steps;

import com.fasterxml.jackson.databind.JsonNode;
import dev.runlane.json.JsonCodec;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.FailureRecord;
import dev.runlane.run.Json;
import dev.runlane.run.RunlaneException;
import dev.runlane.run.StorageConflictKind;
import dev.runlane.runtime.process.HandlerValues;
import dev.runlane.runtime.report.StackTraceLimiter;
import dev.runlane.runtime.task.Step;
import dev.runlane.timing.FailureLog;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Results of steps: Java on the handler's side, checked JSON and failure records in the history. */
public final class StepResults {
  private static final Logger LOG = LoggerFactory.getLogger(StepResults.class);
  private static final JsonCodec OWN = JsonCodec.standard(); // of what Runlane has written itself

  private final JsonCodec codec;
  private final HandlerValues values;
  private final StackTraceLimiter traceLimiter;

  public StepResults(JsonCodec codec, HandlerValues values, StackTraceLimiter traceLimiter) {
    this.codec = codec;
    this.traceLimiter = traceLimiter;
    this.values = values;
  }

  /** The result as JSON; null for null. Throws {@code ValidationFailed} when it cannot be recorded. */
  @Nullable
  Json encode(Step<?> step, @Nullable Object result) {
    return values.json("the result of step " + step.name(), result);
  }

  /** The input of a remote step as JSON; null for null. Throws {@code ValidationFailed}. */
  @Nullable
  Json input(Step<?> step, @Nullable Object input) {
    return values.json("the input of step " + step.name(), input);
  }

  /** The result as the handler gets it. Throws {@code ValidationFailed} when the type cannot hold it. */
  @SuppressWarnings("NullAway") // a step whose result was null answers null
  <T> T decode(Step<T> step, @Nullable Json output) {
    if (output == null) {
      return null;
    }
    return codec.decode("the recorded result of step " + step.name(), output, step.resultType());
  }

  /** A failure as it is recorded. What is not Runlane's own goes to the log only. */
  FailureRecord failure(String runId, Step<?> step, Throwable failure) {
    if (failure instanceof RunlaneException) {
      return values.failure(failure);
    }
    if (traceLimiter.shouldLog(step.name(), failure)) {
      LOG.warn("step {} of run {} failed", step.name(), runId, FailureLog.readable(failure));
    } else {
      LOG.warn("step {} of run {} failed: {}", step.name(), runId, FailureLog.text(failure));
    }
    return values.failure(failure);
  }

  /** A recorded failure as the handler gets it, the first time and every time after. */
  RunlaneException thrown(FailureRecord failure) {
    RunlaneException thrown = bare(failure);
    for (Map.Entry<String, String> entry : meta(failure).entrySet()) {
      thrown = thrown.withMeta(entry.getKey(), entry.getValue());
    }
    return failure.retryable() ? thrown.asRetryable() : thrown.asNotRetryable();
  }

  private RunlaneException bare(FailureRecord failure) {
    if (failure.code() != ErrorCode.STORAGE_CONFLICT) {
      return RunlaneException.of(failure.code(), "%s", failure.message());
    }
    String kind = meta(failure).get(RunlaneException.CONFLICT_KIND);
    return Arrays.stream(StorageConflictKind.values())
        .filter(each -> each.value().equals(kind))
        .findFirst()
        .map(each -> RunlaneException.conflict(each, "%s", failure.message()))
        .orElseGet(() -> RunlaneException.of(ErrorCode.INTERNAL_ERROR, "%s", failure.message()));
  }

  private Map<String, String> meta(FailureRecord failure) {
    if (failure.meta() == null) {
      return Map.of();
    }
    Map<String, String> texts = new LinkedHashMap<>();
    for (Map.Entry<String, JsonNode> entry :
        OWN.tree("the meta of a failure", failure.meta()).properties()) {
      if (!entry.getValue().isTextual()) {
        return Map.of(); // of a writer whose details are more than texts
      }
      texts.put(entry.getKey(), entry.getValue().textValue());
    }
    return texts;
  }
}
