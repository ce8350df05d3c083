package dev.runlane.runtime;

import dev.runlane.json.JsonCodec;
import dev.runlane.json.JsonLimits;
import dev.runlane.json.JsonValues;
import dev.runlane.json.StorableText;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.FailureRecord;
import dev.runlane.run.Json;
import dev.runlane.run.RunlaneException;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CancellationException;
import org.jspecify.annotations.Nullable;

/** Translates what a handler returned or threw, checking everything that would be stored. */
final class AttemptEnds {
  private static final int MOST_MESSAGE_CHARACTERS = 2_000;
  private static final int MOST_REASON_CHARACTERS = 500;

  private static final FailureRecord UNKNOWN =
      new FailureRecord(ErrorCode.TASK_FAILED, "Task failed.", true, null);

  private final JsonCodec codec;
  private final JsonLimits outputLimits;
  private final JsonLimits metaLimits;

  AttemptEnds(JsonCodec codec, JsonLimits outputLimits, JsonLimits metaLimits) {
    this.codec = codec;
    this.outputLimits = outputLimits;
    this.metaLimits = metaLimits;
  }

  /** The end of an attempt whose handler answered {@code result}; null is a failure. */
  AttemptEnd returned(String runId, @Nullable TaskResult result) {
    try {
      if (result instanceof TaskResult.Done done) {
        return new AttemptEnd.Done(json("output", done.output()));
      }
      if (result instanceof TaskResult.Release release) {
        return released(release);
      }
      return threw(
          runId, new NullPointerException("the handler answered null instead of a result"));
    } catch (RunlaneException invalid) {
      return new AttemptEnd.Failed(record(invalid));
    }
  }

  /** The end of an attempt whose handler failed. What is not Runlane's own goes to the log only. */
  AttemptEnd threw(String runId, Throwable failure) {
    if (!isGivingUp(failure)) {
      return new AttemptEnd.Failed(failure(failure), failure);
    }
    return new AttemptEnd.GaveUp(
        failure instanceof RunlaneException structured ? record(structured) : UNKNOWN);
  }

  /** Whether a failure means that the work was given up, if there was a reason to. */
  static boolean isGivingUp(Throwable failure) {
    return failure instanceof RunlaneException structured
        ? structured.code() == ErrorCode.OPERATION_CANCELLED
        : failure instanceof CancellationException || failure instanceof InterruptedException;
  }

  /** A failure as it is stored. What is not Runlane's own goes to the log only. */
  FailureRecord failure(Throwable failure) {
    return failure instanceof RunlaneException structured ? record(structured) : UNKNOWN;
  }

  /** A value of the handler as checked JSON; null for null. Throws {@code ValidationFailed}. */
  @Nullable
  Json json(String what, @Nullable Object output) {
    return output == null ? null : codec.encode(what, output, outputLimits);
  }

  private AttemptEnd released(TaskResult.Release release) {
    Duration delay = release.delay();
    if (delay.isNegative() || delay.compareTo(TriggerOptions.LONGEST_DELAY) > 0) {
      throw RunlaneException.validationFailed(
          "a release's delay must be between 0 and %s, but is %s",
          TriggerOptions.LONGEST_DELAY, delay);
    }
    String reason = release.reason();
    return new AttemptEnd.Released(
        delay,
        reason == null ? null : storable(reason, MOST_REASON_CHARACTERS),
        meta("meta of a release", new TreeMap<>(release.meta())));
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
        storable(String.valueOf(failure.getMessage()), MOST_MESSAGE_CHARACTERS),
        failure.isRetryable(),
        meta);
  }

  private @Nullable Json meta(String what, Map<String, String> entries) {
    return entries.isEmpty()
        ? null
        : JsonValues.parseObject(what, JsonValues.object(entries).text(), metaLimits);
  }

  /** Text that can be stored, cut to what a history should hold but never inside a surrogate pair. */
  static String storable(String text, int most) {
    String clean = StorableText.repaired(text);
    if (clean.length() <= most) {
      return clean;
    }
    int end = Character.isHighSurrogate(clean.charAt(most - 1)) ? most - 1 : most;
    return clean.substring(0, end);
  }
}
