package dev.runlane.transport;

import dev.runlane.run.RunRecord;
import java.util.Objects;

/** What became of a wakeup that was dealt with. */
public sealed interface DeliveryResult {
  /**
   * One attempt was made and its outcome stored.
   *
   * @param run the run after the attempt
   */
  record Executed(RunRecord run) implements DeliveryResult {
    /** Refuses null. */
    public Executed {
      Objects.requireNonNull(run);
    }
  }

  /**
   * There was nothing to do for this process.
   *
   * @param reason why
   */
  record Ignored(IgnoredReason reason) implements DeliveryResult {
    /** Refuses null. */
    public Ignored {
      Objects.requireNonNull(reason);
    }
  }
}
