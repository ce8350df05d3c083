package dev.runlane.transport.kafka;

import dev.runlane.timing.Timers;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Remembers that Kafka could not be reached, so that not every call has to find out for itself: for a pause
 * calls fail at once, then one of them tries again while the others keep failing. Used by callers on any
 * context and by the client's threads.
 */
final class Outage {
  private static final Duration PAUSE = Duration.ofSeconds(1);

  private final Timers timers;
  private final AtomicReference<State> state = new AtomicReference<>(new State(null, false, null));

  /** An outage that has not begun. */
  Outage(Timers timers) {
    this.timers = timers;
  }

  /** Whether a call may try to reach Kafka; where it did, it must tell how that went. */
  boolean mayTry() {
    State now = Objects.requireNonNull(state.get());
    Duration until = now.until();
    if (until == null) {
      return true;
    }
    return !now.trying()
        && timers.elapsed().compareTo(until) >= 0
        && state.compareAndSet(now, new State(until, true, now.answered()));
  }

  /** Kafka answered. */
  void ended() {
    state.set(new State(null, false, timers.elapsed()));
  }

  /**
   * Nobody took a record in time. Says nothing of Kafka where that has answered others since: a partition without a
   * leader, or with too few replicas in sync, takes its records much longer to fail than others take to be written.
   *
   * @param handedOver when the client got the record, on the timers' own time
   */
  void found(Duration handedOver) {
    state.updateAndGet(now -> now.hasAnsweredSince(handedOver)
        ? now
        : new State(timers.elapsed().plus(PAUSE), false, now.answered()));
  }

  /** The call that might have tried had nothing to try it with. */
  void notTried() {
    state.updateAndGet(now -> new State(now.until(), false, now.answered()));
  }

  /**
   * @param until when the next call may try; null: there is no outage
   * @param trying whether one does
   * @param answered when Kafka answered last; null: never
   */
  private record State(
      @Nullable Duration until, boolean trying, @Nullable Duration answered) {
    boolean hasAnsweredSince(Duration handedOver) {
      return answered != null && answered.compareTo(handedOver) > 0;
    }
  }
}
