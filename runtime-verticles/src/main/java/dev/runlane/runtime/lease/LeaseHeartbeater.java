package dev.runlane.runtime.lease;

import dev.runlane.run.RunRecord;
import dev.runlane.runtime.host.RuntimeHost;
import dev.runlane.runtime.observe.RefusedOutcome;
import dev.runlane.runtime.process.ClockMonitor;
import dev.runlane.runtime.process.HeldLeases;
import dev.runlane.storage.run.AppendedRun;
import dev.runlane.timing.LeaseEnds;
import dev.runlane.timing.SweepLoop;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Every lease this process holds: renews them and notices their ends. Awake while it holds one or somebody wants it to
 * be, however its workers were deployed; asleep after the last attempt. Touched on the home context only.
 */
public final class LeaseHeartbeater implements HeldLeases {
  private static final int SWEEPS_PER_INTERVAL = 10; // what a heartbeat may be late by

  private final RuntimeHost host;
  private final ClockMonitor clockMonitor;
  private final Duration pause;
  private final Set<HeldRun> held = new LinkedHashSet<>();
  private final Map<String, Set<HeldRun>> byRun =
      new HashMap<>(); // an attempt that was lost may still be there
  private final LeaseEnds<HeldRun> ends;
  private int wanted;
  private @Nullable SweepLoop loop;

  public LeaseHeartbeater(RuntimeHost host, ClockMonitor clockMonitor, Duration leaseDuration) {
    this.host = host;
    this.clockMonitor = clockMonitor;
    pause = leaseDuration.dividedBy(3L * SWEEPS_PER_INTERVAL);
    ends = new LeaseEnds<>(host.timers(), HeldRun::leaseEnd, HeldRun::endLease);
  }

  /** Renews the lease of {@code run} from now on. */
  public void add(HeldRun run) {
    held.add(run);
    byRun.computeIfAbsent(run.id(), first -> new LinkedHashSet<>()).add(run);
    ends.add(run);
    wake();
  }

  public void remove(HeldRun run) {
    ends.remove(run);
    held.remove(run);
    byRun.computeIfPresent(run.id(), (id, attempts) -> {
      attempts.remove(run);
      return attempts.isEmpty() ? null : attempts;
    });
  }

  public boolean isEmpty() {
    return held.isEmpty();
  }

  @Override
  public Map<String, RunRecord> heldRuns(Set<String> runIds) {
    Map<String, RunRecord> found = new HashMap<>();
    for (String runId : runIds) {
      for (HeldRun attempt : attempts(runId)) {
        if (attempt.goesOn() && attempt.isAnswered()) {
          found.put(runId, attempt.run());
        }
      }
    }
    return found;
  }

  @Override
  public boolean changed(AppendedRun stored) {
    List<HeldRun> owners = attempts(stored.run().id());
    owners.forEach(owner -> owner.changed(stored));
    return !owners.isEmpty();
  }

  @Override
  public List<RefusedOutcome> refusedOutcomes() {
    return held.stream()
        .flatMap(each -> each.refused().stream())
        .sorted(Comparator.comparing(RefusedOutcome::since))
        .toList();
  }

  private List<HeldRun> attempts(String runId) {
    return List.copyOf(byRun.getOrDefault(runId, Set.of()));
  }

  /** Reads a run again that may have been asked to cancel. */
  public void refresh(String runId) {
    attempts(runId).forEach(HeldRun::refresh);
  }

  @Override
  public void retain() {
    wanted++;
    wake();
  }

  @Override
  public void release() {
    wanted--;
    sleepIfIdle();
  }

  /**
   * One pass: sends every heartbeat whose time has come, all in the same turn, so that storage can gather them.
   * Answers false, since nothing is ever left waiting.
   */
  private Future<Boolean> sweepOnce() {
    clockMonitor.mayClaim(); // notices a clock that jumps before heartbeats are written by it
    List.copyOf(held).forEach(HeldRun::maintain);
    if (wanted == 0 && isEmpty()) {
      host.defer(this::sleepIfIdle); // a loop cannot be stopped by its own sweep
    }
    return Future.succeededFuture(false);
  }

  private void wake() {
    if (loop == null) {
      loop = new SweepLoop(
          host.timers(), "lease heartbeater", this::sweepOnce, pause, this::pauseAfterSweep);
      loop.start();
    } else {
      loop.wakeIn(pause);
    }
  }

  /** A lease that is added ends it sooner. */
  private Duration pauseAfterSweep() {
    return isEmpty() ? host.pollPause(pause) : pause;
  }

  private void sleepIfIdle() {
    if (wanted == 0 && isEmpty() && loop != null) {
      loop.stop();
      loop = null;
    }
  }
}
