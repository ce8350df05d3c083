package dev.runlane.storage;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Is notified of the statements that a storage gathers commands into, for metrics. Called on an event loop: it must
 * return at once. What it throws is logged, a few lines however often, and changes nothing.
 */
public interface StatementObserver {
  /** Listens to nothing. */
  StatementObserver NONE = new StatementObserver() {};

  /**
   * A statement may be sent, because one of the few that are under way at a time has ended or none was.
   *
   * @param operation what its commands ask for, such as {@code appendRunEvents}
   * @param waited for how long it was kept back
   */
  default void slotTaken(String operation, Duration waited) {}

  /**
   * A statement was answered, or given up.
   *
   * @param operation what its commands ask for
   * @param commands how many were gathered in it
   * @param took from when it was sent
   * @param failure why it failed as a whole; null where each command has an outcome of its own
   */
  default void statementEnded(
      String operation, int commands, Duration took, @Nullable Throwable failure) {}
}
