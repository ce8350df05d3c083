package dev.runlane.simulation.jobs;

import dev.runlane.jobs.JobData;
import dev.runlane.jobs.queue.job.JobResult;
import dev.runlane.jobs.queue.job.JobSignal;
import dev.runlane.simulation.history.Violation;
import dev.runlane.simulation.history.Violation.Rule;
import dev.runlane.simulation.world.Lifetime;
import dev.runlane.simulation.world.Trace;
import dev.runlane.simulation.world.VirtualTime;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** What handlers saw, and whether two of them were told that they hold one job at the same instant of true time. */
final class JobCallLog {
  private static final long AT_ONCE = 2_000; // microseconds: timers of a moment are not of one step

  private final VirtualTime time;
  private final Trace trace;
  private final long tolerated;
  private final Consumer<Violation> found;
  private final Map<String, List<Call>> calls = new HashMap<>();

  /** @param tolerated how long two may overlap since their clocks differ, in microseconds */
  JobCallLog(VirtualTime time, Trace trace, long tolerated, Consumer<Violation> found) {
    this.time = time;
    this.trace = trace;
    this.tolerated = tolerated;
    this.found = found;
  }

  /** A handler begins. */
  Call begins(Lifetime life, JobData job, JobSignal signal) {
    String key = StoredJobs.key(job);
    if (trace.isOn()) {
      trace.note(life, "works on " + key + ", hand-out " + job.startedAttempts());
    }
    List<Call> before = calls.computeIfAbsent(key, first -> new ArrayList<>());
    Call call = new Call(key, job.startedAttempts(), life, signal);
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
    if (trace.isOn()) {
      trace.note(call.life, "ends " + call.key + ": " + result.getClass().getSimpleName());
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
    private final Lifetime life;
    private final JobSignal signal;
    private @Nullable JobResult result;

    Call(String key, int handOut, Lifetime life, JobSignal signal) {
      this.key = key;
      this.handOut = handOut;
      this.life = life;
      this.signal = signal;
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
