package dev.runlane.storage;

import dev.runlane.run.RunlaneException;
import java.util.Objects;

/**
 * What became of one command of a batch.
 *
 * @param <T> the result of a command that succeeded
 */
public sealed interface CommandOutcome<T> {
  /**
   * The command did what it should.
   *
   * @param result its result
   */
  record Succeeded<T>(T result) implements CommandOutcome<T> {
    /** Refuses null. */
    public Succeeded {
      Objects.requireNonNull(result);
    }
  }

  /**
   * The command changed nothing.
   *
   * @param failure as its future would have failed on its own
   */
  record Failed<T>(RunlaneException failure) implements CommandOutcome<T> {
    /** Refuses null. */
    public Failed {
      Objects.requireNonNull(failure);
    }
  }
}
