package dev.runlane.simulation.fleet;

import dev.runlane.run.RunRecord;
import dev.runlane.simulation.fault.Fault;
import dev.runlane.simulation.fault.Fault.Kind;
import dev.runlane.simulation.fault.Faults;
import dev.runlane.simulation.history.Violation;
import dev.runlane.simulation.history.Violation.Rule;
import dev.runlane.simulation.network.OutboxWatch;
import dev.runlane.simulation.network.StandbyStorage;
import dev.runlane.simulation.network.StorageLine;
import dev.runlane.simulation.watch.StoredRuns;
import dev.runlane.simulation.world.Lifetime;
import dev.runlane.simulation.world.Trace;
import dev.runlane.simulation.world.VirtualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * The takeovers by a standby that has lost the last commits, and what they excuse: what was said of a run before that
 * is not so any more, and what its handlers did. Its history is held to its rules all the same.
 */
final class Failovers {
  /** Of histories, and of what must come to rest. */
  private static final Set<Rule> HELD = EnumSet.of(
      Rule.TERMINAL,
      Rule.SEQUENCE,
      Rule.EVENT_IDS,
      Rule.REPLAY,
      Rule.LIFECYCLE,
      Rule.FIELDS,
      Rule.END,
      Rule.COUNTERS,
      Rule.LIMIT,
      Rule.HOLDER,
      Rule.MISTAKE);

  /** Of what was said, whose run may be gone. */
  private static final Set<Rule> OF_ANSWERS = EnumSet.of(Rule.ANSWER, Rule.REQUEST, Rule.LOG);

  private static final Duration SOON = Duration.ofMillis(1);

  private final Faults faults;
  private final VirtualTime time;
  private final Trace trace;
  private final StandbyStorage standby;
  private final StoredRuns stored;
  private final OutboxWatch outbox;
  private final List<StorageLine> lines = new ArrayList<>();
  private final Set<String> touched = new HashSet<>();

  Failovers(
      Faults faults,
      VirtualTime time,
      Trace trace,
      StandbyStorage standby,
      StoredRuns stored,
      OutboxWatch outbox) {
    this.faults = faults;
    this.time = time;
    this.trace = trace;
    this.standby = standby;
    this.stored = stored;
    this.outbox = outbox;
  }

  void start() {
    for (Fault fault : faults.of(Kind.STORAGE_FAILOVER)) {
      AtomicBoolean isDone = new AtomicBoolean();
      time.after(
          fault.from() - time.now(),
          Lifetime.WORLD,
          () -> standby.onNextClaim(() -> {
            Duration later = Duration.ofNanos(fault.micros() * 1_000);
            long soon = faults.chance(Kind.STORAGE_FAILOVER).micros(SOON, later.plus(SOON));
            time.after(
                Math.min(soon, fault.micros()), Lifetime.WORLD, () -> failOver(fault, isDone));
          }));
      time.after(fault.until() - time.now(), Lifetime.WORLD, () -> failOver(fault, isDone));
    }
  }

  /** A connection to the storage, which breaks when another takes its place. */
  void connects(StorageLine line) {
    lines.add(line);
  }

  private void failOver(Fault fault, AtomicBoolean isDone) {
    if (isDone.getAndSet(true)) {
      return;
    }
    faults.happened(Kind.STORAGE_FAILOVER);
    Duration lost = Duration.ofNanos(fault.micros() * 1_000);
    trace.note(Lifetime.WORLD, "the standby takes over, without the last " + lost);
    List<RunRecord> before = stored.records();
    standby.failOver(lost);
    lines.forEach(StorageLine::losesStorage);
    outbox.forget();
    for (RunRecord run : before) {
      if (!Objects.equals(stored.run(run.id()), run)) {
        trace.note(
            Lifetime.WORLD,
            "lost of " + run.id() + " what made it " + run.status().value());
        touched.add(run.id());
      }
    }
  }

  /** Whether it is for what was lost that a promise seems to be broken. */
  boolean excuse(Violation violation) {
    return OF_ANSWERS.contains(violation.rule())
        || (touched.contains(violation.subject()) && !HELD.contains(violation.rule()));
  }
}
