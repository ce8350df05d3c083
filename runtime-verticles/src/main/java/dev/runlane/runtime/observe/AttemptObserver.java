package dev.runlane.runtime.observe;

import dev.runlane.run.RunRecord;
import org.jspecify.annotations.Nullable;

/**
 * Is told what becomes of one attempt, on the runtime's own context. Each method is called once at most; what one
 * throws is logged and changes nothing.
 */
public interface AttemptObserver {
  /** Listens to nothing. */
  AttemptObserver NONE = new AttemptObserver() {};

  /**
   * The handler is done, or is not waited for any more: its slot is free. The outcome is stored afterwards, unless the
   * attempt was released or lost first.
   */
  default void handled() {}

  /**
   * The attempt is over.
   *
   * @param outcome what it came to
   * @param run as the outcome left it; null where nothing was stored, which is {@link AttemptOutcome#LOST}
   */
  default void ended(AttemptOutcome outcome, @Nullable RunRecord run) {}
}
