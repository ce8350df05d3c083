package dev.runlane.testing;

import dev.runlane.run.RunStatus;
import dev.runlane.storage.read.RunSummary;
import dev.runlane.timing.ManualTime;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** How long there is something to wait for: decided by the runs that have not ended, and when one of them went on. */
final class Idleness {
  /** The statuses of runs that have not ended. */
  static final Set<RunStatus> OPEN = Arrays.stream(RunStatus.values())
      .filter(status -> !status.isTerminal())
      .collect(Collectors.toUnmodifiableSet());

  /** Longer than any timer. */
  private static final Duration FOR_EVER = Duration.ofDays(1_000_000);

  private static final Duration OVER = Duration.ofNanos(-1);

  private final ManualTime time;
  private final Map<String, Instant> changes = new HashMap<>(); // by run
  private final Map<String, Instant> pauses =
      new HashMap<>(); // ends of those between tries of steps, by run
  private Instant timersWaited = Instant.MIN;
  private boolean stale = true;
  private Optional<Instant> quietFrom = Optional.empty(); // empty: every run has ended

  Idleness(ManualTime time) {
    this.time = time;
  }

  /** Another wait begins: what is not waited for in one may be in the next. */
  void begin() {
    stale = true;
  }

  /** A run has gone on. */
  void changed(String runId) {
    stale = true;
    changes.put(runId, time.clock().now());
  }

  /** A run pauses for so long, without a word to the storage. */
  void goesOn(String runId, Duration pause) {
    stale = true;
    pauses.merge(
        runId, time.clock().now().plus(pause), (one, other) -> one.isAfter(other) ? one : other);
  }

  /**
   * How long to wait for the next thing that happens; negative: not at all.
   *
   * @param openRuns the runs that have not ended and are waited for
   * @param timersWait whether the code under test waits for a timer
   * @param attemptTimeout how long attempts of a run may take
   */
  Duration rest(
      Supplier<Collection<RunSummary>> openRuns,
      boolean timersWait,
      Function<RunSummary, Optional<Duration>> attemptTimeout) {
    if (timersWait) {
      stale = true; // what follows from the timer is waited for
      timersWaited = time.clock().now();
      return FOR_EVER;
    }
    if (stale) {
      stale = false;
      quietFrom = openRuns.get().stream()
          .map(run -> knownToWaitUntil(run, attemptTimeout))
          .max(Instant::compareTo);
    }
    return quietFrom
        .map(from -> Duration.between(time.clock().now(), from.plus(RunlaneTesting.QUIET)))
        .orElse(OVER);
  }

  private Instant knownToWaitUntil(
      RunSummary run, Function<RunSummary, Optional<Duration>> attemptTimeout) {
    Instant until = changes.getOrDefault(run.id(), run.createdAt());
    if (run.status().isLeased()) {
      if (run.startedAt() != null && attemptTimeout.apply(run).isPresent()) {
        until = run.startedAt().plus(attemptTimeout.apply(run).get());
      }
      Instant pausedUntil = pauses.getOrDefault(run.id(), Instant.MIN);
      return Stream.of(until, timersWaited, pausedUntil)
          .max(Comparator.naturalOrder())
          .orElseThrow();
    }
    return run.runAt() == null || run.runAt().isBefore(until) ? until : run.runAt();
  }
}
