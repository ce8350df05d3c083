package dev.runlane.runtime.attempt;

import dev.runlane.json.StorableText;
import dev.runlane.run.RunlaneException;
import dev.runlane.runtime.process.HandlerValues;
import dev.runlane.runtime.task.TaskResult;
import dev.runlane.runtime.task.TriggerOptions;
import java.time.Duration;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Translates what a handler returned or threw into the end of its attempt. */
public final class AttemptEnds {
  private static final int MOST_REASON_CHARACTERS = 500;

  private final HandlerValues values;

  public AttemptEnds(HandlerValues values) {
    this.values = values;
  }

  /** The end of an attempt whose handler answered {@code result}; null is a failure. */
  AttemptEnd returned(String runId, @Nullable TaskResult result) {
    try {
      if (result instanceof TaskResult.Done done) {
        return new AttemptEnd.Done(values.json("output", done.output()));
      }
      if (result instanceof TaskResult.Release release) {
        return released(release);
      }
      return threw(
          runId, new NullPointerException("the handler answered null instead of a result"));
    } catch (RunlaneException invalid) {
      return new AttemptEnd.Failed(values.failure(invalid));
    } catch (Throwable unreadable) { // of the application's own getters
      return threw(runId, unreadable);
    }
  }

  /** The end of an attempt whose handler failed. What is not Runlane's own goes to the log only. */
  AttemptEnd threw(String runId, Throwable failure) {
    return HandlerValues.isGivingUp(failure)
        ? new AttemptEnd.GaveUp(values.failure(failure))
        : new AttemptEnd.Failed(values.failure(failure), failure);
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
        reason == null ? null : StorableText.cut(reason, MOST_REASON_CHARACTERS),
        values.meta("meta of a release", new TreeMap<>(release.meta())));
  }
}
