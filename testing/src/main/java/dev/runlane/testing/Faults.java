package dev.runlane.testing;

import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunlaneException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Faults on demand: what is planned here happens the next time there is an occasion. Whatever is planned and never
 * happens fails a test of {@link RunlaneTestingExtension}, so that no test passes because its fault was misspelt.
 */
public final class Faults {
  private static final String UNKNOWN = "";

  private final Map<String, List<RunlaneException>> steps = new HashMap<>();
  private final Map<String, List<RunlaneException>> attempts = new HashMap<>();
  private final Map<String, List<Call>> calls = new HashMap<>();
  private final Map<String, String> lostLeases = new HashMap<>(); // by run, once known their tokens
  private final Set<String> callable;
  private boolean storageDown;

  Faults(Set<String> callable) {
    this.callable = callable;
  }

  /**
   * The next {@code times} tries of steps of this name, local or remote, fail with a {@code TaskFailed} that may be
   * tried again, without their work being begun.
   */
  public Faults failStep(String name, int times) {
    return failStep(name, times, onPurpose("step " + name).asRetryable());
  }

  /** The same with this failure. */
  public Faults failStep(String name, int times, RunlaneException failure) {
    plan(steps, name, times, failure);
    return this;
  }

  /**
   * The next {@code times} attempts of runs of this task fail with a {@code TaskFailed} that may be tried again; their
   * handler is not called.
   */
  public Faults failAttempts(String taskId, int times) {
    return failAttempts(taskId, times, onPurpose("task " + taskId).asRetryable());
  }

  /** The same with this failure. */
  public Faults failAttempts(String taskId, int times, RunlaneException failure) {
    plan(attempts, taskId, times, failure);
    return this;
  }

  /**
   * The next {@code times} calls of a method of the storage fail with {@code StorageUnavailable}, without effect.
   *
   * @param method as in {@link dev.runlane.storage.StorageAdapter} and its parts, such as {@code appendRunEvents} and
   *     {@code claimRuns}. Throws {@code ConfigurationInvalid} where the storage has none of this name
   */
  public Faults failCalls(String method, int times) {
    for (int call = 0; call < times; call++) {
      planCall(method, Call.FAILS);
    }
    return this;
  }

  /**
   * The next call of a method of the storage takes effect, but its caller hears {@code StorageUnavailable}. Takes the
   * names that {@link #failCalls} takes.
   */
  public Faults loseReply(String method) {
    return planCall(method, Call.LOSES_REPLY);
  }

  /** Every call of the storage fails from now on, until {@link #storageUp()}. */
  public void storageDown() {
    storageDown = true;
  }

  /** The storage answers again. */
  public void storageUp() {
    storageDown = false;
  }

  /**
   * The lease of a run that is under way cannot be renewed any more: once it ends, its handler is signalled and another
   * attempt is made. Later leases of the run are renewed as ever.
   */
  public Faults loseLease(TestRun run) {
    lostLeases.put(run.id(), UNKNOWN);
    run.testing().wakeWhenFree(run);
    return this;
  }

  /** What is planned and has not happened, in words; empty where all of it has. */
  public List<String> planned() {
    List<String> planned = new ArrayList<>();
    steps.forEach((name, left) -> planned.add(left.size() + " failures of step " + name));
    attempts.forEach((task, left) -> planned.add(left.size() + " failures of task " + task));
    calls.forEach((method, left) -> planned.add(left.size() + " faults of call " + method));
    lostLeases.forEach((run, token) -> {
      if (token.equals(UNKNOWN)) {
        planned.add("the loss of the lease of run " + run);
      }
    });
    return planned;
  }

  /** The failure of the next try of a step, or null. */
  @Nullable
  RunlaneException ofStep(String name) {
    return next(steps, name);
  }

  /** The failure of the next attempt of a task, or null. */
  @Nullable
  RunlaneException ofAttempt(String taskId) {
    return next(attempts, taskId);
  }

  /** The fault of the next call of a method, or null. */
  @Nullable
  Call ofCall(String method) {
    return storageDown ? Call.FAILS : next(calls, method);
  }

  /** Whether the heartbeats of a lease fail. */
  boolean losesLease(String runId, String token) {
    String lost =
        lostLeases.computeIfPresent(runId, (run, known) -> known.equals(UNKNOWN) ? token : known);
    return token.equals(lost);
  }

  static RunlaneException outage() {
    return RunlaneException.unavailable(
        ErrorCode.STORAGE_UNAVAILABLE, null, "the storage fails on purpose");
  }

  private static RunlaneException onPurpose(String what) {
    return RunlaneException.of(ErrorCode.TASK_FAILED, "%s fails on purpose", what);
  }

  private static void plan(
      Map<String, List<RunlaneException>> planned,
      String name,
      int times,
      RunlaneException failure) {
    for (int time = 0; time < times; time++) {
      planned.computeIfAbsent(name, any -> new ArrayList<>()).add(failure);
    }
  }

  private Faults planCall(String method, Call fault) {
    if (!callable.contains(method)) {
      throw RunlaneException.configurationInvalid(
          "the storage has no method %s, but %s", method, callable);
    }
    calls.computeIfAbsent(method, any -> new ArrayList<>()).add(fault);
    return this;
  }

  private static <T> @Nullable T next(Map<String, List<T>> planned, String name) {
    List<T> left = planned.get(name);
    if (left == null) {
      return null;
    }
    T next = left.remove(0);
    if (left.isEmpty()) {
      planned.remove(name);
    }
    return next;
  }

  /** What happens to a call. */
  enum Call {
    /** It has no effect. */
    FAILS,
    /** It has its effect. */
    LOSES_REPLY
  }
}
