package dev.runlane.simulation.jobs;

import dev.runlane.jobs.JobData;
import dev.runlane.jobs.queue.job.JobResult;
import dev.runlane.jobs.queue.job.JobSignal;
import dev.runlane.jobs.queue.job.JobSignalReason;
import dev.runlane.simulation.history.Violation;
import dev.runlane.simulation.history.Violation.Rule;
import dev.runlane.simulation.world.Lifetime;
import dev.runlane.simulation.world.Trace;
import dev.runlane.simulation.world.VirtualTime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** What handlers saw, and whether two of them were told that they hold one job at the same instant of true time. */
final class JobCallLog {
  private static final long AT_ONCE = 2_000; // microseconds: timers of a moment are not of one step

  private final VirtualTime time;
  private final Trace trace;
  private final long tolerated;
  private final Consumer<Violation> found;
  private final int slots;
  private final Map<String, List<Call>> calls = new HashMap<>();
  private final Map<String, Set<Call>> open = new HashMap<>(); // by queue

  /**
   * @param tolerated how long two may overlap since their clocks differ, in microseconds
   * @param slots how many handlers each worker calls at a time
   */
  JobCallLog(VirtualTime time, Trace trace, long tolerated, int slots, Consumer<Violation> found) {
    this.time = time;
    this.trace = trace;
    this.tolerated = tolerated;
    this.slots = slots;
    this.found = found;
  }

  /** A handler begins. */
  Call begins(Lifetime life, JobData job, JobSignal signal) {
    String key = StoredJobs.key(job);
    if (trace.isOn()) {
      trace.note(life, "works on " + key + ", hand-out " + job.startedAttempts());
    }
    List<Call> before = calls.computeIfAbsent(key, first -> new ArrayList<>());
    Call call = new Call(job, life, signal, time.now());
    queueHolds(job.queueName(), call);
    for (Call other : before) {
      if (other.handOut == call.handOut) {
        found.accept(
            new Violation(Rule.ONE_EFFECT, key, "was called twice in hand-out " + call.handOut));
      }
      if (other.holds()) {
        look(other, call);
      }
    }
    before.add(call);
    return call;
  }

  private void look(Call other, Call call) {
    long paused = Math.max(0, other.life.pausedUntil() - time.now());
    time.after(paused + tolerated + AT_ONCE, Lifetime.WORLD, () -> {
      if (!other.holds()) {
        return;
      }
      if (other.life.pausedUntil() > time.now()) {
        look(other, call);
      } else if (call.holds()) {
        found.accept(new Violation(
            Rule.ONE_HANDLER,
            call.key,
            "is with " + other.life + ", hand-out " + other.handOut + ", and " + call.life));
      }
    });
  }

  /** A handler ends. */
  void returns(Call call, JobResult result) {
    call.result = result;
    call.returnedAt = time.instant();
    timeout(call);
    if (trace.isOn()) {
      trace.note(call.life, "ends " + call.key + ": " + result.getClass().getSimpleName());
    }
  }

  /** Whoever works beyond the timeout of its job is told, unless its process was stopped meanwhile. */
  private void timeout(Call call) {
    Duration timeout = call.timeout;
    if (timeout != null
        && time.now() - call.begun > VirtualTime.micros(timeout) + AT_ONCE
        && call.life.pausedMicros() == call.pausedBefore
        && !call.life.isOver()
        && !call.isSignalled()) {
      found.accept(new Violation(
          Rule.ATTEMPTS, call.key, "was worked on beyond " + timeout + " and nobody was told"));
    }
  }

  /** A worker has no more handlers at a time than it has slots. One that was told may be waited for no longer. */
  private void queueHolds(String queue, Call begins) {
    Set<Call> held = open.computeIfAbsent(queue, first -> new LinkedHashSet<>());
    held.removeIf(call -> !call.holds());
    held.add(begins);
    long inLife = held.stream().filter(call -> call.life == begins.life).count();
    if (inLife > slots) {
      found.accept(new Violation(
          Rule.LIMIT, begins.life.toString(), inLife + " handlers work on the queue " + queue));
    }
  }

  /** A job is gone: its id is free, and one that is added again begins anew. */
  void forget(String key) {
    calls.remove(key);
  }

  /** The call for a hand-out. */
  Optional<Call> of(String key, int handOut) {
    return calls.getOrDefault(key, List.of()).stream()
        .filter(call -> call.handOut == handOut)
        .findFirst();
  }

  /** One call of a handler. */
  static final class Call {
    private final String key;
    private final int handOut;
    private final @Nullable String token;
    private final @Nullable Duration timeout;
    private final Lifetime life;
    private final JobSignal signal;
    private final long begun;
    private final long pausedBefore;
    private @Nullable JobResult result;
    private @Nullable Instant returnedAt;

    Call(JobData job, Lifetime life, JobSignal signal, long begun) {
      key = StoredJobs.key(job);
      handOut = job.startedAttempts();
      token = job.lockToken();
      timeout = job.options().timeout();
      this.life = life;
      this.signal = signal;
      this.begun = begun;
      pausedBefore = life.pausedMicros();
    }

    @Nullable
    String token() {
      return token;
    }

    @Nullable
    Instant returnedAt() {
      return returnedAt;
    }

    boolean isSignalled() {
      return signal.isFired();
    }

    /** What the signal says; null before it does. */
    @Nullable
    JobSignalReason reason() {
      return signal.fired().result();
    }

    @Nullable
    JobResult result() {
      return result;
    }

    private boolean holds() {
      return result == null && !life.isOver() && !signal.isFired();
    }
  }
}
