package dev.runlane.simulation.fleet;

import dev.runlane.simulation.fault.Fault;
import dev.runlane.simulation.fault.Fault.Kind;
import dev.runlane.simulation.world.VirtualTime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** When every process was up and no fault was active, and so which fires of the schedule must have made a run. */
final class Calm {
  private static final long BEFORE = VirtualTime.micros(Duration.ofMinutes(1));
  private static final long AFTER = VirtualTime.micros(Duration.ofMinutes(2));

  private final List<Fault> faults;
  private final List<Span> spans = new ArrayList<>();
  private long wholeSince = -1;

  Calm(List<Fault> faults) {
    this.faults = faults;
  }

  void note(boolean isWhole, long now) {
    if (isWhole && wholeSince < 0) {
      wholeSince = now;
    } else if (!isWhole && wholeSince >= 0) {
      spans.add(new Span(wholeSince, now));
      wholeSince = -1;
    }
  }

  /** The fires before and after which all was well for long enough. */
  List<Instant> fires(long now) {
    long interval = VirtualTime.micros(Catalogue.INTERVAL);
    long first = interval
        - Math.floorMod(
            VirtualTime.micros(Duration.between(Instant.EPOCH, VirtualTime.START)), interval);
    List<Instant> fires = new ArrayList<>();
    for (long at = first; at < now; at += interval) {
      if (isCalm(at - BEFORE, at + AFTER, now, Set.of())) {
        fires.add(VirtualTime.START.plusNanos(at * 1_000));
      }
    }
    return fires;
  }

  /** Whether all was well from a while before an instant until a while after it, but for faults of these kinds. */
  boolean isCalm(Instant instant, long now, Set<Kind> harmless) {
    long at = VirtualTime.micros(Duration.between(VirtualTime.START, instant));
    return isCalm(at - BEFORE, Math.min(at + AFTER, now), now, harmless);
  }

  private boolean isCalm(long from, long until, long now, Set<Kind> harmless) {
    boolean isWhole = (wholeSince >= 0 && wholeSince <= from && until <= now)
        || spans.stream().anyMatch(span -> span.from <= from && until <= span.until);
    return isWhole
        && faults.stream()
            .noneMatch(fault ->
                fault.from() <= until && from <= fault.until() && !harmless.contains(fault.kind()));
  }

  private record Span(long from, long until) {}
}
