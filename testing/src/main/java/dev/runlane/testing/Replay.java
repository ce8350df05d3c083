package dev.runlane.testing;

import dev.runlane.run.FailureRecord;
import dev.runlane.run.Lease;
import dev.runlane.run.QueuePolicy;
import dev.runlane.run.RunEvent;
import dev.runlane.run.RunRecord;
import dev.runlane.run.RunReducer;
import dev.runlane.runtime.RunlaneBuilder;
import dev.runlane.runtime.RunlaneRole;
import dev.runlane.runtime.host.RunlaneOptions;
import dev.runlane.runtime.task.Task;
import dev.runlane.runtime.task.TaskQueue;
import dev.runlane.storage.StorageAdapter;
import dev.runlane.storage.run.AppendRunEvents;
import dev.runlane.storage.run.ClaimRunLease;
import dev.runlane.testing.history.RunHistory;
import io.vertx.core.Future;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One more attempt of a recorded run by other code: the run is put into an empty storage as it was before its last
 * attempt ended, and the runtime takes it over, as that of a new deployment would.
 */
final class Replay {
  private static final Set<String> BREAKS = Set.of("non_deterministic", "undecodable_payload");
  private static final Duration MOMENT = Duration.ofSeconds(1);

  /** Longer than a worker takes to find the run, and a recorded result waits for the one before it. */
  private static final Duration WINDOW = Duration.ofMinutes(3);

  private final RunHistory history;
  private final Task<?> task;
  private final List<RunEvent> events;
  private final int positions;
  private final RunlaneTesting testing;
  private final List<ReplayedAttempt> attempts = new ArrayList<>();

  private Replay(RunHistory history, Task<?> task, Consumer<RunlaneBuilder> settings) {
    this.history = history;
    this.task = task;
    events = beforeTheLastEnd(history);
    positions = (int) history.events(RunEvent.StepRequested.class).stream()
        .map(RunEvent.StepRequested::stepId)
        .distinct()
        .count();
    testing = RunlaneTesting.at(last(events).header().occurredAt())
        .options(new RunlaneOptions()
            .setEnvironment(last(events).header().environment().name()))
        .roles(Set.of(RunlaneRole.WORKER, RunlaneRole.DISPATCHER))
        .settings(settings);
  }

  /** Throws an {@link AssertionError} where the task does not replay the history. */
  static void check(RunHistory history, Task<?> task, Consumer<RunlaneBuilder> settings) {
    new Replay(history, task, settings).check();
  }

  private void check() {
    RunRecord recorded = history.run();
    if (!recorded.taskId().equals(task.id())) {
      throw broken("it is a run of task " + recorded.taskId() + ", not of " + task.id());
    }
    addQueue(recorded.queue());
    put();
    int before = testing.history(run()).events().size();
    testing.deploy(WrappedTask.of(task, context -> {
      ReplayedAttempt attempt = new ReplayedAttempt(context, positions, testing.now());
      attempts.add(attempt);
      return attempt;
    }));
    testing.advance(untilDue().plus(WINDOW));
    List<RunEvent> written = testing.history(run()).events();
    judge(written.subList(before, written.size()));
  }

  private TestRun run() {
    return testing.run(history.runId());
  }

  private void addQueue(String name) {
    Optional<TaskQueue> own = task.queue();
    if (own.isEmpty()) {
      testing.queue(TaskQueue.of(name).asDefault());
    } else if (!own.get().name().equals(name)) {
      testing.queue(TaskQueue.of(name));
    }
  }

  private Duration untilDue() {
    Instant due = run().record().runAt();
    Duration left = due == null ? Duration.ZERO : Duration.between(testing.now(), due);
    return left.isNegative() ? Duration.ZERO : left;
  }

  /**
   * What says something to a handler, up to the end of the last attempt. A retry stays, since it forgets the step that
   * failed.
   */
  private static List<RunEvent> beforeTheLastEnd(RunHistory history) {
    List<RunEvent> kept = new ArrayList<>();
    for (RunEvent event : history.events()) {
      boolean isKept = !(event instanceof RunEvent.LeaseHeartbeat
          || event instanceof RunEvent.DeliveryRequested
          || event instanceof RunEvent.CancellationRequested
          || event instanceof RunEvent.Cancelled
          || event instanceof RunEvent.Succeeded
          || event instanceof RunEvent.Failed);
      if (isKept) {
        kept.add(event);
      }
    }
    if (last(kept) instanceof RunEvent.Released) {
      kept.remove(kept.size() - 1);
    }
    return kept;
  }

  private static RunEvent last(List<RunEvent> events) {
    return events.get(events.size() - 1);
  }

  /** Stores the events one after the other, as they were stored first. */
  private void put() {
    RunRecord run = null;
    int next = 0;
    while (next < events.size()) {
      List<RunEvent> command = commandAt(next);
      run = store(run, command);
      next += command.size();
    }
  }

  /** A claim and the begin of its attempt are one command. */
  private List<RunEvent> commandAt(int index) {
    RunEvent event = events.get(index);
    if (!(event instanceof RunEvent.LeaseClaimed claimed)) {
      return List.of(event);
    }
    RunEvent.LeaseClaimed again = new RunEvent.LeaseClaimed(
        claimed.header(),
        new Lease(
            "tok_" + index,
            claimed.lease().workerId(),
            leasedUntil(index, claimed.header().occurredAt())));
    return index + 1 < events.size() && events.get(index + 1) instanceof RunEvent.Started started
        ? List.of(again, started)
        : List.of(again);
  }

  /** A lease ends in time for the next one. */
  private Instant leasedUntil(int index, Instant claimedAt) {
    Instant until = events.subList(index + 1, events.size()).stream()
        .filter(RunEvent.LeaseClaimed.class::isInstance)
        .map(event -> event.header().occurredAt())
        .findFirst()
        .orElse(last(events).header().occurredAt().plus(MOMENT));
    Instant soonest = claimedAt.plus(Duration.ofNanos(1_000));
    return until.isAfter(soonest) ? until : soonest;
  }

  private RunRecord store(@Nullable RunRecord before, List<RunEvent> command) {
    StorageAdapter storage = testing.storage();
    long sequence = before == null ? 0 : before.eventSequence();
    RunRecord after = RunReducer.projectRunEvents(before, sequence, command);
    Instant now = command.get(0).header().occurredAt();
    Future<?> stored = command.get(0) instanceof RunEvent.LeaseClaimed
        ? storage.claimRunLease(new ClaimRunLease(
            after.environment(),
            after.id(),
            sequence,
            command,
            after,
            QueuePolicy.unbounded(after.queue()),
            now))
        : storage.appendRunEvents(AppendRunEvents.of(after, command, now));
    if (Optional.empty().equals(testing.result(stored))) {
      throw new IllegalStateException(
          "the storage refuses " + command + ", which its history says it has stored");
    }
    return after;
  }

  private void judge(List<RunEvent> written) {
    if (attempts.isEmpty() && written.isEmpty()) {
      throw broken("no attempt begins: " + run().explain());
    }
    for (RunEvent event : written) {
      if (event instanceof RunEvent.Released released) {
        judge(released);
        return;
      }
      if (event instanceof RunEvent.Failed failed) {
        judge(failed.failure());
        return;
      }
      if (event instanceof RunEvent.RetryScheduled retry) {
        judge(retry.failure());
        return;
      }
      if (event instanceof RunEvent.Succeeded) {
        judgeSuccess();
        return;
      }
    }
    if (!isAtEnd()) {
      throw broken("its handler waits for something that is no step, no sleep and never completes");
    }
  }

  private boolean isAtEnd() {
    return attempts.stream().anyMatch(ReplayedAttempt::isAtEnd);
  }

  private void judge(RunEvent.Released released) {
    if (released.reason() != null && BREAKS.contains(released.reason())) {
      throw broken("it would be released again and again because of " + released.reason() + " "
          + (released.header().meta() == null ? "" : released.header().meta().text()));
    }
  }

  /**
   * The recorded attempt may have failed alike, behind all that is recorded, and what follows the end of the history
   * says nothing.
   */
  private void judge(FailureRecord failure) {
    FailureRecord known = history.run().failure();
    boolean isKnown = known != null && known.code() == failure.code() && asked() >= positions;
    if (!isKnown && !isAtEnd()) {
      throw broken("its handler fails with " + failure.code().value() + ": " + failure.message()
          + (failure.meta() == null ? "" : " " + failure.meta().text()));
    }
  }

  private void judgeSuccess() {
    int asked = asked();
    if (asked < positions) {
      throw broken("it ends after " + asked + " of the " + positions
          + " steps and sleeps that are recorded");
    }
  }

  /** By the first attempt; what follows it is not judged. */
  private int asked() {
    return attempts.isEmpty() ? 0 : attempts.get(0).asked();
  }

  private AssertionError broken(String why) {
    return new AssertionError("run " + history.runId() + " would not go on with this deployment: "
        + why + "\n\n" + history.timeline());
  }
}
