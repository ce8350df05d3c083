package dev.runlane.runtime.observe;

import dev.runlane.run.FailureRecord;
import dev.runlane.run.RunRecord;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Is notified of what becomes of one attempt, on the runtime's own context unless a method says otherwise. What one
 * throws is logged and changes nothing.
 */
public interface AttemptObserver {
  /** Listens to nothing. */
  AttemptObserver NONE = new AttemptObserver() {};

  /**
   * A turn of the handler begins on this thread: its call, the work of a step, what follows a step. Any thread; turns
   * of one attempt may overlap where its work does.
   *
   * @return is notified when the turn ends, on the same thread; not null
   */
  default Turn turn() {
    return Turn.NONE;
  }

  /**
   * A step that is done in this process has a result, which is stored next.
   *
   * @param began its first try in this attempt
   * @param ended its last
   * @param tries how many there were
   * @param failure what it failed with; null: it succeeded
   */
  default void stepEnded(
      String name, Instant began, Instant ended, int tries, @Nullable FailureRecord failure) {}

  /** The handler only waits, for steps of workers elsewhere or for a time, and has given its slot to others. */
  default void waits() {}

  /** It has a slot again, and goes on. */
  default void goesOn() {}

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

  /** One turn of a handler, from when it began. */
  interface Turn {
    /** Nobody wants to know. */
    Turn NONE = () -> {};

    /** The turn is over. */
    void end();
  }
}
