package dev.runlane.simulation.jobs;

import dev.runlane.jobs.ChildFailurePolicy;
import dev.runlane.jobs.DeadLetter;
import dev.runlane.jobs.JobData;
import dev.runlane.jobs.JobRemoval;
import dev.runlane.jobs.JobState;
import dev.runlane.jobs.queue.job.JobResult;
import dev.runlane.jobs.store.JobStore;
import dev.runlane.jobs.store.JobTransitions;
import dev.runlane.run.Json;
import dev.runlane.simulation.history.Violation;
import dev.runlane.simulation.history.Violation.Rule;
import dev.runlane.simulation.world.VirtualTime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Holds each change of a job's row, and the rows after each command, to the promises of the store and its workers. */
final class JobRowRules {
  private static final Duration ROUNDING = Duration.ofMillis(2); // instants are whole milliseconds

  private static final String REDRIVE = "redriveDeadLetters";

  private final JobSetup setup;
  private final VirtualTime time;
  private final JobCallLog calls;
  private final Operations operations;
  private final Duration clocksDiffer;
  private final Consumer<Violation> found;
  private final JobOutcomeRules outcomes;
  private final Set<String> completed = new HashSet<>(); // ids, so also those that are gone
  private final Set<String> keepers = new HashSet<>(); // queues of which some job keeps a number
  private final Set<String> ended = new HashSet<>();
  private final List<Instant> limitedHandOuts = new ArrayList<>();

  JobRowRules(
      JobSetup setup,
      VirtualTime time,
      JobCallLog calls,
      Operations operations,
      Duration clocksDiffer,
      Consumer<Violation> found) {
    this.setup = setup;
    this.time = time;
    this.calls = calls;
    this.operations = operations;
    this.clocksDiffer = clocksDiffer;
    this.found = found;
    outcomes = new JobOutcomeRules(time, calls, clocksDiffer, found);
  }

  /**
   * What one command did, and what there is afterwards.
   *
   * @param paused the paused names of a queue
   */
  void steps(
      String method,
      List<Step> steps,
      Collection<JobData> rows,
      Function<String, List<String>> paused) {
    steps.forEach(this::remember);
    if (method.startsWith(REDRIVE)) {
      redriven(steps);
    }
    for (Step step : steps) {
      JobData was = step.was;
      JobData now = step.now;
      if (now == null) {
        removed(step.key, Objects.requireNonNull(was), method);
        calls.forget(step.key);
        continue;
      }
      if (was != null && was.state() == JobState.ACTIVE && leavesHandOut(was, now)) {
        handOutEnds(step.key, was, now);
        outcomes.ends(step.key, was, now);
        if (now.state().isTerminal()) {
          outcomes.follows(step.key, was, now, steps);
        }
      }
      if (now.state() == JobState.ACTIVE && (was == null || leavesHandOut(was, now))) {
        handedOut(step.key, was, now);
        whilePaused(step.key, now, paused.apply(now.queueName()));
      }
      if (was == null || was.state() != now.state()) {
        entered(step.key, was, now, method);
        notEarly(step.key, was, now, method);
      }
    }
    limits(rows);
    keys(rows);
  }

  private void remember(Step step) {
    JobData was = step.was;
    JobData now = step.now;
    if (now != null && isByNumber(now)) {
      keepers.add(now.queueName());
    }
    if (now != null && now.state().isTerminal()) {
      ended.add(now.id());
      if (now.state() == JobState.COMPLETED) {
        completed.add(now.id());
      }
    } else if (now == null && was != null) {
      ended.add(was.id());
      if (was.state() == JobState.ACTIVE && isDone(step.key, was)) {
        completed.add(was.id());
      }
    }
  }

  private boolean isDone(String key, JobData handOut) {
    return calls
        .of(key, handOut.startedAttempts())
        .filter(call -> call.result() instanceof JobResult.Done)
        .isPresent();
  }

  /** Each letter that is taken away is a job of the queue that it came from, as it was added there. */
  private void redriven(List<Step> steps) {
    List<JobData> added = new ArrayList<>();
    steps.stream()
        .filter(step -> step.was == null)
        .forEach(step -> added.add(Objects.requireNonNull(step.now)));
    for (Step step : steps) {
      JobData taken = step.now == null ? step.was : null;
      DeadLetter letter = taken == null ? null : taken.deadLetter();
      if (taken == null || letter == null || letter.options().deduplication() != null) {
        continue;
      }
      Optional<JobData> again =
          added.stream().filter(job -> isAgain(job, taken, letter)).findFirst();
      again.ifPresent(added::remove);
      if (again.isEmpty()) {
        broken(Rule.DEAD_LETTERS, step.key, "is taken away and stands for no job anew");
      }
    }
  }

  private static boolean isAgain(JobData job, JobData of, DeadLetter letter) {
    return job.queueName().equals(letter.queueName())
        && job.name().equals(of.name())
        && job.data().equals(of.data())
        && job.attemptsMade() == 0
        && job.options().equals(letter.options().toBuilder().jobId(null).build());
  }

  private static boolean leavesHandOut(JobData was, JobData now) {
    return !Objects.equals(was.lockToken(), now.lockToken());
  }

  private void handedOut(String key, @Nullable JobData was, JobData now) {
    if (was != null && was.state().isTerminal()) {
      broken(Rule.END, key, "was handed out after its end");
    }
    int before = was == null ? 0 : was.startedAttempts();
    if (now.startedAttempts() != before + 1) {
      broken(Rule.ATTEMPTS, key, "hand-out %d follows %d", now.startedAttempts(), before);
    }
    if (now.queueName().equals(JobQueues.LIMITED)) {
      limitedHandOuts.add(Objects.requireNonNull(now.processedAt()));
    }
  }

  private void whilePaused(String key, JobData now, List<String> paused) {
    if (paused.contains(JobStore.ALL) || paused.contains(now.name())) {
      broken(Rule.PAUSED, key, "was handed out while %s were paused", paused);
    }
  }

  private void handOutEnds(String key, JobData was, JobData now) {
    int failures = now.attemptsMade() - was.attemptsMade();
    int losses = now.stalls() - was.stalls();
    boolean isCompleted = now.state() == JobState.COMPLETED;
    if (failures < 0 || losses < 0 || failures + losses + (isCompleted ? 1 : 0) > 1) {
      broken(
          Rule.ATTEMPTS,
          key,
          "hand-out %d counts %d failures, %d losses and is %s",
          was.startedAttempts(),
          failures,
          losses,
          now.state().value());
    }
    Instant locked = Objects.requireNonNull(was.lockUntil());
    Instant latest = time.instant().plus(clocksDiffer).plus(ROUNDING);
    if (losses > 0 && locked.isAfter(latest)) {
      broken(Rule.ONE_HANDLER, key, "is lost while it is locked until %s", locked);
    }
    if (failures > 0 && now.attemptsMade() > now.options().effectiveAttempts()) {
      broken(Rule.BUDGET, key, "has failed %d times", now.attemptsMade());
    }
    if (failures > 0
        && !now.state().isTerminal()
        && now.attemptsMade() >= now.options().effectiveAttempts()) {
      broken(Rule.BUDGET, key, "is tried again after %d failures", now.attemptsMade());
    }
  }

  private void entered(String key, @Nullable JobData was, JobData now, String method) {
    if (was != null && was.state().isTerminal() && !method.startsWith("retryJobs")) {
      broken(Rule.END, key, "became %s by %s after its end", now.state().value(), method);
    }
    if (was != null && was.state() == JobState.WAITING_CHILDREN && !now.state().isTerminal()) {
      childrenEnded(key, now);
    }
    if (now.state() == JobState.COMPLETED && (was == null || !isDone(key, was))) {
      broken(Rule.EFFECT_OF_SUCCESS, key, "completed without its handler");
    } else if (now.state() == JobState.COMPLETED && was != null) {
      Json returned = now.returnvalue();
      if (returned == null || !returned.text().equals(Integer.toString(was.startedAttempts()))) {
        broken(
            Rule.EFFECT_OF_SUCCESS,
            key,
            "returned %s in hand-out %d",
            returned,
            was.startedAttempts());
      }
    }
    if (now.state() == JobState.FAILED) {
      failed(key, was, now);
    }
  }

  /** A delayed job waits or works once it is due, by the clock of some process; operators may have it sooner. */
  private void notEarly(String key, @Nullable JobData was, JobData now, String method) {
    boolean goesOn = now.state() == JobState.WAITING || now.state() == JobState.ACTIVE;
    boolean isAsked = method.startsWith("promoteJobs") || method.startsWith("retryJobs");
    if (was == null || was.state() != JobState.DELAYED || !goesOn || isAsked) {
      return;
    }
    Instant due = Objects.requireNonNull(was.delayUntil());
    if (due.isAfter(time.instant().plus(clocksDiffer).plus(ROUNDING))) {
      broken(Rule.EARLY, key, "became %s by %s, due at %s", now.state().value(), method, due);
    }
  }

  private void childrenEnded(String key, JobData parent) {
    boolean mayFail = parent.options().effectiveChildFailurePolicy() == ChildFailurePolicy.IGNORE;
    for (String child : parent.childrenIds()) {
      if (!completed.contains(child) && !(mayFail && ended.contains(child))) {
        broken(Rule.ORDER, key, "goes on before its child %s", child);
      }
    }
  }

  private void failed(String key, @Nullable JobData was, JobData now) {
    String reason = Objects.requireNonNullElse(now.failedReason(), "");
    if (now.cancelledAt() != null) {
      if (!operations.hasCancelled(key)) {
        broken(Rule.CANCELLATION, key, "is cancelled and nobody asked");
      }
    } else if (reason.equals(JobTransitions.STALLED_REASON)) {
      if (now.stalls() != now.options().effectiveMaxStalls() + 1) {
        broken(Rule.BUDGET, key, "fails after %d losses", now.stalls());
      }
    } else if (!reason.startsWith(JobTransitions.CHILD_FAILED)) {
      boolean isCalled = was != null && calls.of(key, was.startedAttempts()).isPresent();
      if (!isCalled) {
        broken(Rule.EFFECT_OF_SUCCESS, key, "failed without its handler: %s", reason);
      }
      if (!reason.equals(JobHandlers.UNRECOVERABLE)
          && now.attemptsMade() < now.options().effectiveAttempts()) {
        broken(Rule.BUDGET, key, "fails after %d attempts: %s", now.attemptsMade(), reason);
      }
    }
  }

  private void removed(String key, JobData was, String method) {
    boolean isAtOnce = is(was.options().removeOnComplete()) || is(was.options().removeOnFail());
    boolean isByOption = was.state().isTerminal()
        ? was.options().removalAfter(was.state()) != null || keepers.contains(was.queueName())
        : (isAtOnce && !method.startsWith("fetch"))
            || (keepers.contains(was.queueName()) && isDone(key, was)); // beside one that keeps few
    boolean isParent = was.state() == JobState.WAITING_CHILDREN
        && was.options().effectiveChildFailurePolicy() == ChildFailurePolicy.REMOVE;
    boolean isRedriven = method.startsWith(REDRIVE) && was.deadLetter() != null;
    if (!isByOption && !isParent && !isRedriven && !operations.hasRemoved(key, was.queueName())) {
      broken(Rule.TERMINAL, key, "is lost by %s, was %s", method, was.state().value());
    }
  }

  private static boolean isByNumber(JobData job) {
    JobRemoval removal = job.options().removeOnComplete();
    return removal != null && removal.count() != null;
  }

  private static boolean is(@Nullable JobRemoval removal) {
    return removal != null;
  }

  private void limits(Collection<JobData> rows) {
    Map<String, Integer> active = new HashMap<>();
    for (JobData job : rows) {
      if (job.queueName().equals(JobQueues.GROUPED) && job.state() == JobState.ACTIVE) {
        active.merge("", 1, Integer::sum);
        active.merge(String.valueOf(job.groupId()), 1, Integer::sum);
      }
    }
    active.forEach((group, count) -> {
      int most = group.isEmpty()
          ? setup.globalConcurrency()
          : group.equals("null") ? Integer.MAX_VALUE : setup.groupConcurrency();
      if (count > most) {
        broken(Rule.LIMIT, "group '" + group + "'", "%d jobs are active", count);
      }
    });
  }

  private void keys(Collection<JobData> rows) {
    Set<String> standing = new HashSet<>();
    for (JobData job : rows) {
      String key = job.deduplicationKey();
      if (key != null && !job.state().isTerminal() && !standing.add(job.queueName() + key)) {
        broken(Rule.IDEMPOTENCY, key, "has two open jobs, one is %s", job.id());
      }
    }
  }

  /** Of any {@code max + 1} hand-outs the last is at least a window after the first. */
  void rates() {
    int max = setup.rate().max();
    List<Instant> sorted = limitedHandOuts.stream().sorted().toList();
    for (int last = max; last < sorted.size(); last++) {
      Duration span = Duration.between(sorted.get(last - max), sorted.get(last));
      if (span.compareTo(setup.rate().duration()) < 0) {
        broken(Rule.RATE, JobQueues.LIMITED, "%d hand-outs within %s", max + 1, span);
        return;
      }
    }
  }

  private void broken(Rule rule, String subject, String text, @Nullable Object... values) {
    found.accept(new Violation(rule, subject, String.format(Locale.ROOT, text, values)));
  }

  /** A row that one command changed: before, or null where it was added, and after, or null where it was removed. */
  record Step(String key, @Nullable JobData was, @Nullable JobData now) {}
}
