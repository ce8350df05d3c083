package dev.runlane.conformance.model;

import dev.runlane.operator.queue.FinishResumedRuns;
import dev.runlane.operator.queue.ListPausedQueues;
import dev.runlane.operator.queue.PauseQueue;
import dev.runlane.operator.queue.PausedQueue;
import dev.runlane.operator.queue.ResumeQueue;
import dev.runlane.operator.queue.ResumedRuns;
import dev.runlane.operator.queue.TakeResumedRuns;
import dev.runlane.run.Environment;
import dev.runlane.run.Identifiers;
import dev.runlane.run.RunStatus;
import dev.runlane.storage.OperatorChecks;
import dev.runlane.storage.read.RunnableRunRef;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** What the model answers about paused queues, and about those that were resumed. */
public final class ModelPauses {
  private static final Comparator<RunnableRunRef> LONGEST_WAITING_FIRST = Comparator.comparing(
          RunnableRunRef::availableAt)
      .thenComparing(RunnableRunRef::runId, Identifiers.ORDER);

  private final StorageModel model;
  private final List<PauseQueue> pauses = new ArrayList<>();
  private final List<Walk> walks = new ArrayList<>();

  public ModelPauses(StorageModel model) {
    this.model = model;
  }

  public boolean pause(PauseQueue command) {
    OperatorChecks.check(command);
    boolean isPaused = isPaused(command.environment(), command.queue());
    if (!isPaused) {
      pauses.add(command);
    }
    return !isPaused;
  }

  public boolean resume(ResumeQueue command) {
    OperatorChecks.check(command);
    boolean resumed = pauses.removeIf(each ->
        each.environment().equals(command.environment()) && each.queue().equals(command.queue()));
    if (resumed) {
      walks.removeIf(each -> each.isOf(command.environment(), command.queue()));
      walks.add(new Walk(command.environment(), command.queue()));
    }
    return resumed;
  }

  public List<PausedQueue> list(ListPausedQueues query) {
    OperatorChecks.check(query);
    return pauses.stream()
        .filter(each -> each.environment().equals(query.environment()))
        .map(each -> new PausedQueue(each.queue(), each.actor(), each.reason(), each.now()))
        .sorted(Comparator.comparing(PausedQueue::queue, Identifiers.ORDER))
        .toList();
  }

  /**
   * Runs that became due since the queue was taken first have a wakeup that nobody ignored: how many of them are told
   * beside the others is the storage's, as is, at the very instant at which clocks have settled, whether these are all.
   */
  @SuppressWarnings("NullableOptional") // null where the storage failed
  public Optional<ResumedRuns> take(
      TakeResumedRuns command, @Nullable Optional<ResumedRuns> answer) {
    OperatorChecks.check(command);
    Instant now = command.now();
    Optional<Walk> next = walks.stream()
        .filter(walk -> walk.environment.equals(command.environment())
            && command.queues().contains(walk.queue)
            && !isPaused(walk.environment, walk.queue)
            && !walk.claimedUntil.isAfter(now))
        .min(Comparator.comparing((Walk walk) -> walk.takenAt)
            .thenComparing(walk -> walk.queue, Identifiers.ORDER));
    next.ifPresent(walk -> {
      walk.begunAt = walk.begunAt == null ? now : walk.begunAt;
      walk.takenAt = now;
      walk.token = command.token();
      walk.claimedUntil = now.plus(command.claimFor()).truncatedTo(ChronoUnit.MICROS);
    });
    return next.map(walk -> taken(walk, command, answer == null ? null : answer.orElse(null)));
  }

  private ResumedRuns taken(Walk walk, TakeResumedRuns command, @Nullable ResumedRuns answer) {
    Instant begun = Objects.requireNonNull(walk.begunAt);
    Instant settled = begun.plus(command.settleFor());
    List<RunnableRunRef> must = waiting(walk, begun);
    List<RunnableRunRef> may = waiting(walk, later(settled, command.now()));
    int told = answer == null ? must.size() : answer.runs().size();
    List<RunnableRunRef> all = may.subList(0, Math.max(must.size(), Math.min(told, may.size())));
    List<RunnableRunRef> runs = all.subList(0, Math.min(command.limit(), all.size()));
    boolean mayBeLast = !command.now().isBefore(settled) && runs.size() == all.size();
    boolean mustBeLast = command.now().isAfter(settled) && runs.size() < command.limit();
    return new ResumedRuns(
        walk.queue, runs, mustBeLast || (mayBeLast && answer != null && answer.isLast()));
  }

  private List<RunnableRunRef> waiting(Walk walk, Instant until) {
    return model
        .runs(walk.environment)
        .map(run -> run.record)
        .filter(run -> run.queue().equals(walk.queue) && run.status() == RunStatus.QUEUED)
        .map(ModelReads::refWhenDue)
        .filter(ref -> !ref.availableAt().isAfter(until))
        .filter(ref -> walk.behind == null || LONGEST_WAITING_FIRST.compare(ref, walk.behind) > 0)
        .sorted(LONGEST_WAITING_FIRST)
        .toList();
  }

  public boolean finish(FinishResumedRuns command) {
    OperatorChecks.check(command);
    Optional<Walk> held = walks.stream()
        .filter(walk -> walk.isOf(command.environment(), command.taken().queue())
            && command.token().equals(walk.token))
        .findFirst();
    held.ifPresent(walk -> {
      List<RunnableRunRef> runs = command.taken().runs();
      if (command.taken().isLast()) {
        walks.remove(walk);
      }
      walk.behind = runs.isEmpty() ? walk.behind : runs.get(runs.size() - 1);
      walk.token = null;
      walk.claimedUntil = Instant.MIN;
    });
    return held.isPresent();
  }

  /** When claims of resumed queues end. */
  public Stream<Instant> decisive() {
    return walks.stream().map(walk -> walk.claimedUntil).filter(end -> end.isAfter(Instant.MIN));
  }

  private boolean isPaused(Environment environment, String queue) {
    return pauses.stream()
        .anyMatch(each -> each.environment().equals(environment) && each.queue().equals(queue));
  }

  private static Instant later(Instant one, Instant other) {
    return one.isBefore(other) ? other : one;
  }

  /** How far a resumed queue has got. */
  private static final class Walk {
    final Environment environment;
    final String queue;
    Instant takenAt = Instant.MIN;
    Instant claimedUntil = Instant.MIN;

    @Nullable
    Instant begunAt;

    @Nullable
    String token;

    @Nullable
    RunnableRunRef behind;

    Walk(Environment environment, String queue) {
      this.environment = environment;
      this.queue = queue;
    }

    boolean isOf(Environment other, String otherQueue) {
      return environment.equals(other) && queue.equals(otherQueue);
    }
  }
}
