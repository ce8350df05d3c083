package dev.runlane.transport.kafka;

import dev.runlane.timing.Timers;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Remembers that Kafka could not be reached, so that not every call has to find out for itself: for a pause
 * calls fail at once, then one of them tries again while the others keep failing. Used by callers on any
 * context and by the client's threads.
 */
final class Outage {
  private static final Duration PAUSE = Duration.ofSeconds(1);
  private static final State NONE = new State(Duration.ZERO, false);

  private final Timers timers;
  private final AtomicReference<State> state = new AtomicReference<>(NONE);

  /** An outage that has not begun. */
  Outage(Timers timers) {
    this.timers = timers;
  }

  /** Whether a call may try to reach Kafka; where it did, it must tell how that went. */
  boolean mayTry() {
    State now = Objects.requireNonNull(state.get());
    if (now.equals(NONE)) {
      return true;
    }
    return !now.trying()
        && timers.elapsed().compareTo(now.until()) >= 0
        && state.compareAndSet(now, new State(now.until(), true));
  }

  /** Kafka answered. */
  void ended() {
    state.set(NONE);
  }

  /** Kafka could not be reached. */
  void found() {
    state.set(new State(timers.elapsed().plus(PAUSE), false));
  }

  /**
   * @param until when the next call may try
   * @param trying whether one does
   */
  private record State(Duration until, boolean trying) {}
}
