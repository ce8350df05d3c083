package dev.runlane.storage.memory.operator;

import dev.runlane.operator.queue.FinishResumedRuns;
import dev.runlane.operator.queue.ResumedRuns;
import dev.runlane.operator.queue.TakeResumedRuns;
import dev.runlane.run.Identifiers;
import dev.runlane.run.RunDueTimes;
import dev.runlane.run.RunRecord;
import dev.runlane.run.RunStatus;
import dev.runlane.storage.memory.run.Position;
import dev.runlane.storage.memory.run.Runs;
import dev.runlane.storage.read.RunnableRunRef;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Comparator;
import java.util.List;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Queues that were resumed and whose waiting runs have not all got new wakeups. */
public final class ResumedQueues {
  private final Runs runs;
  private final NavigableMap<String, Walk> walks = new TreeMap<>(Identifiers.ORDER);

  public ResumedQueues(Runs runs) {
    this.runs = runs;
  }

  public void begin(String queue) {
    walks.put(queue, new Walk());
  }

  public Optional<ResumedRuns> take(TakeResumedRuns command, Predicate<String> isPaused) {
    return walks.keySet().stream()
        .filter(queue -> command.queues().contains(queue) && !isPaused.test(queue))
        .filter(queue -> !walk(queue).claimUntil.isAfter(command.now()))
        .min(Comparator.<String, Instant>comparing(queue -> walk(queue).takenAt)
            .thenComparing(Identifiers.ORDER))
        .map(queue -> take(queue, walk(queue), command));
  }

  public boolean finish(FinishResumedRuns command) {
    String queue = command.taken().queue();
    Walk walk = walks.get(queue);
    if (walk == null || !command.token().equals(walk.token)) {
      return false;
    }
    if (command.taken().isLast()) {
      walks.remove(queue);
      return true;
    }
    List<RunnableRunRef> done = command.taken().runs();
    if (!done.isEmpty()) {
      RunnableRunRef last = done.get(done.size() - 1);
      walk.behind = new Position(last.availableAt(), last.runId());
    }
    walk.token = null;
    walk.claimUntil = Instant.MIN;
    return true;
  }

  private Walk walk(String queue) {
    return walks.getOrDefault(queue, new Walk());
  }

  private ResumedRuns take(String queue, Walk walk, TakeResumedRuns command) {
    Instant now = command.now();
    Instant begun = walk.begunAt == null ? now : walk.begunAt;
    Instant settled = begun.plus(command.settleFor());
    boolean isSettled = now.isAfter(settled);
    walk.begunAt = begun;
    walk.takenAt = now;
    walk.token = command.token();
    walk.claimUntil = now.plus(command.claimFor()).truncatedTo(ChronoUnit.MICROS);
    List<RunnableRunRef> found =
        waiting(queue, walk.behind, isSettled ? settled : begun, command.limit());
    return new ResumedRuns(queue, found, isSettled && found.size() < command.limit());
  }

  private List<RunnableRunRef> waiting(
      String queue, @Nullable Position behind, Instant until, int limit) {
    return runs.byCreation().all().values().stream()
        .filter(run -> run.queue().equals(queue) && run.status() == RunStatus.QUEUED)
        .map(ResumedQueues::ref)
        .filter(ref -> !ref.availableAt().isAfter(until))
        .filter(ref -> behind == null || position(ref).compareTo(behind) > 0)
        .sorted(Comparator.comparing(ResumedQueues::position))
        .limit(limit)
        .toList();
  }

  private static Position position(RunnableRunRef ref) {
    return new Position(ref.availableAt(), ref.runId());
  }

  private static RunnableRunRef ref(RunRecord run) {
    return new RunnableRunRef(
        run.id(),
        run.taskId(),
        run.queue(),
        run.keys().concurrencyKey(),
        run.status(),
        run.eventSequence(),
        RunDueTimes.runnableAvailableAt(run).orElse(run.updatedAt()));
  }

  /** How far one queue has got. */
  private static final class Walk {
    private Instant takenAt = Instant.MIN;
    private Instant claimUntil = Instant.MIN;
    private @Nullable Instant begunAt;
    private @Nullable String token;
    private @Nullable Position behind;
  }
}
