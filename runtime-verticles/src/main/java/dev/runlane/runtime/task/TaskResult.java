package dev.runlane.runtime.task;

import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** How an attempt ended that did not fail. */
public sealed interface TaskResult {
  /** The run succeeded, without output. */
  static TaskResult done() {
    return Done.WITHOUT_OUTPUT;
  }

  /**
   * The run succeeded with an output, which is stored as JSON; null is no output, as {@link #done()} says, so that
   * {@code future.map(TaskResult::done)} fits a future without a value too. An output that is too large, too deep
   * or no JSON fails the attempt with {@code ValidationFailed}, not retryable.
   */
  static TaskResult done(@Nullable Object output) {
    return output == null ? done() : new Done(output);
  }

  /**
   * The run succeeded.
   *
   * @param output the result, or null
   */
  record Done(@Nullable Object output) implements TaskResult {
    private static final Done WITHOUT_OUTPUT = new Done(null);
  }

  /**
   * The run continues later: business waiting, no failure. Made by {@link TaskContext#release}.
   *
   * @param delay how long it waits, not negative
   * @param reason why, or null
   * @param meta details for the history
   */
  record Release(Duration delay, @Nullable String reason, Map<String, String> meta)
      implements TaskResult {
    /** Copies the meta. */
    public Release {
      meta = Map.copyOf(meta);
    }
  }
}
