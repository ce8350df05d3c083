package dev.runlane.runtime.process;

import dev.runlane.json.JsonCodec;
import dev.runlane.json.JsonLimits;
import dev.runlane.json.JsonValues;
import dev.runlane.json.StorableText;
import dev.runlane.run.ContractDefaults;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.FailureRecord;
import dev.runlane.run.Json;
import dev.runlane.run.RunlaneException;
import java.util.Map;
import java.util.concurrent.CancellationException;
import org.jspecify.annotations.Nullable;

/** What handlers and steps return and throw, in the form that is stored: checked and bounded. */
public final class HandlerValues {
  private static final FailureRecord UNKNOWN =
      new FailureRecord(ErrorCode.TASK_FAILED, "Task failed.", true, null);

  private final JsonCodec codec;
  private final JsonLimits outputLimits;
  private final JsonLimits metaLimits;

  public HandlerValues(JsonCodec codec, JsonLimits outputLimits, JsonLimits metaLimits) {
    this.codec = codec;
    this.outputLimits = outputLimits;
    this.metaLimits = metaLimits;
  }

  /** Whether a failure means that the work was given up, if there was a reason to. */
  public static boolean isGivingUp(Throwable failure) {
    return failure instanceof RunlaneException structured
        ? structured.code() == ErrorCode.OPERATION_CANCELLED
        : failure instanceof CancellationException || failure instanceof InterruptedException;
  }

  /** A failure as it is stored. What is not Runlane's own goes to the log only. */
  public FailureRecord failure(Throwable failure) {
    return failure instanceof RunlaneException structured ? record(structured) : UNKNOWN;
  }

  /** A value as checked JSON; null for null. Throws {@code ValidationFailed}. */
  @Nullable
  public Json json(String what, @Nullable Object value) {
    return value == null ? null : codec.encode(what, value, outputLimits);
  }

  /** The JSON object of {@code entries}, null where there are none. Throws {@code ValidationFailed}. */
  @Nullable
  public Json meta(String what, Map<String, String> entries) {
    return entries.isEmpty()
        ? null
        : JsonValues.parseObject(what, JsonValues.object(entries).text(), metaLimits);
  }

  private FailureRecord record(RunlaneException failure) {
    Json meta;
    try {
      meta = meta("meta of a failure", failure.meta());
    } catch (RunlaneException tooLarge) {
      meta = JsonValues.object(Map.of("omitted", tooLarge.code().value()));
    }
    return new FailureRecord(
        failure.code(),
        StorableText.cut(
            String.valueOf(failure.getMessage()), ContractDefaults.MAX_FAILURE_MESSAGE_CHARACTERS),
        failure.isRetryable(),
        meta);
  }
}
