package dev.runlane.simulation.check;

import dev.runlane.run.ContractDefaults;
import dev.runlane.run.RunEvent;
import dev.runlane.simulation.fleet.Fleet;
import dev.runlane.simulation.fleet.HandlerCall;
import dev.runlane.simulation.history.RunHistory;
import dev.runlane.simulation.history.Violation;
import dev.runlane.simulation.history.Violation.Rule;
import dev.runlane.simulation.world.VirtualTime;
import dev.runlane.storage.read.RunEventRecord;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Where one process is alone, and all is well: a run of the unbounded queue that is due begins by its next poll, if it
 * has a slot free for so long.
 */
final class PromptRules {
  private static final Duration NEXT_POLL =
      ContractDefaults.POLL_WITH_WAKEUPS.plus(Duration.ofSeconds(5));

  private final Fleet fleet;
  private final long bound;
  private final List<HandlerCall> calls;
  private final List<Violation> found;

  /** @param slack how late a command may be */
  PromptRules(Fleet fleet, Duration slack, List<Violation> found) {
    this.fleet = fleet;
    bound = VirtualTime.micros(NEXT_POLL.plus(slack));
    calls = fleet.calls();
    this.found = found;
  }

  void check(RunHistory history) {
    if (!fleet.isPolledAlone() || !fleet.isUnbounded(history.stored().queue())) {
      return;
    }
    Instant due = null;
    for (RunEventRecord row : history.events()) {
      RunEvent event = row.event();
      if (event instanceof RunEvent.LeaseClaimed && due != null) {
        checkBegun(history, due, event.header().occurredAt());
      }
      if (!(event instanceof RunEvent.DeliveryRequested)) {
        due = dueAfter(event);
      }
    }
  }

  private static @Nullable Instant dueAfter(RunEvent event) {
    if (event instanceof RunEvent.Created created) {
      return created.runAt() == null ? created.header().occurredAt() : created.runAt();
    }
    if (event instanceof RunEvent.RetryScheduled retry) {
      return retry.retryAt();
    }
    return event instanceof RunEvent.Released released && released.awaiting() == null
        ? released.resumeAt()
        : null;
  }

  private void checkBegun(RunHistory history, Instant due, Instant begun) {
    long from = VirtualTime.micros(Duration.between(VirtualTime.START, due));
    long until = VirtualTime.micros(Duration.between(VirtualTime.START, begun));
    if (until - from > bound
        && fleet.isCalm(due)
        && fleet.isCalm(begun)
        && fleet.isWithoutFault(from, until)
        && fleet.upTimes().none().stream()
            .noneMatch(none -> none.fromMicros() < until && none.untilMicros() > from)
        && fleet.watch().queuePauses().stream()
            .noneMatch(pause ->
                pause.from().isBefore(begun) && pause.until().isAfter(due.minus(NEXT_POLL)))
        && isFree(from, until)) {
      found.add(new Violation(
          Rule.PROMPT,
          history.runId(),
          "it was due at " + due + " and begun at " + begun + ", with a slot free for longer than "
              + Duration.ofNanos(bound * 1_000)));
    }
  }

  /** Whether a slot was free without a break for longer than the bound. */
  private boolean isFree(long from, long until) {
    List<long[]> changes = new ArrayList<>(); // when, and by how many
    for (HandlerCall call : calls) {
      long end = call.result() == null ? Long.MAX_VALUE : call.returnedAt();
      if (call.beganAt() < until && end > from) {
        changes.add(new long[] {Math.max(from, call.beganAt()), 1});
        changes.add(new long[] {Math.min(until, end), -1});
      }
    }
    changes.sort(Comparator.<long[]>comparingLong(change -> change[0])
        .thenComparingLong(change -> -change[1]));
    long busy = 0;
    long freeSince = from;
    for (long[] change : changes) {
      boolean wasFree = busy < fleet.concurrency();
      busy += change[1];
      if (wasFree && busy >= fleet.concurrency() && change[0] - freeSince > bound) {
        return true;
      } else if (!wasFree && busy < fleet.concurrency()) {
        freeSince = change[0];
      }
    }
    return busy < fleet.concurrency() && until - freeSince > bound;
  }
}
