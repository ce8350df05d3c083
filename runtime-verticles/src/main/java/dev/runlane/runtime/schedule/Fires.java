package dev.runlane.runtime.schedule;

import dev.runlane.run.RunRecord;
import dev.runlane.run.RunSource;
import dev.runlane.run.RunlaneException;
import dev.runlane.run.StorageConflictKind;
import dev.runlane.runtime.process.NewRun;
import dev.runlane.runtime.process.RuntimeContext;
import dev.runlane.runtime.task.CreatedRun;
import dev.runlane.runtime.task.TriggerOutcome;
import dev.runlane.storage.read.GetRun;
import dev.runlane.storage.schedule.ClaimScheduleOccurrence;
import dev.runlane.storage.schedule.ClaimedOccurrence;
import dev.runlane.storage.schedule.CompleteScheduleOccurrence;
import dev.runlane.storage.schedule.GetScheduleOccurrence;
import dev.runlane.storage.schedule.ScheduleOccurrence;
import dev.runlane.storage.schedule.ScheduleStorage;
import io.vertx.core.Future;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes the run of a fire: claim its occurrence, create the run, complete the occurrence. The ids of occurrence
 * and run follow from the fire, so whoever takes over after a crash finds the run that its predecessor may have
 * made:
 *
 * <pre>
 *   claim ┃ create ┃ complete      killed at the first ┃: the claim ends, the successor makes the run
 *                                  killed at the second ┃: it finds the run and completes the occurrence
 * </pre>
 *
 * <p>Schedules of two tasks may have one id, and releases before this one know ids without a task only. So the
 * shared occurrence is claimed first, which keeps processes of those releases out, and the task's own one only when
 * the shared one is another task's: it was completed for another task, or its run is another task's. Of the runs
 * the shared one is made first too, and the own one only where the shared one is another task's run, which it then
 * stays: whatever claims cross, a fire of a schedule makes one run.
 */
final class Fires {
  private static final Logger LOG = LoggerFactory.getLogger(Fires.class);

  private final RuntimeContext context;
  private final SchedulerOptions options;
  private final Optional<ScheduleStorage> occurrences;

  Fires(RuntimeContext context, SchedulerOptions options) {
    this.context = context;
    this.options = options;
    occurrences = context.storage().schedules();
  }

  /** Claims the fire and settles it. Never fails. */
  Future<FireOutcome> process(Fire fire) {
    return claim(fire, fire.sharedOccurrenceId())
        .compose(
            claimed -> claimed.isPresent() ? settle(fire, claimed.get()) : afterSharedRefused(fire))
        .otherwise(failure -> new FireOutcome.Broken(null, failure));
  }

  /** Creates and completes under a claim of this process. Never fails. */
  Future<FireOutcome> settle(Fire fire, ClaimedOccurrence claim) {
    if (!claim.claimExpiresAt().isAfter(context.clock().now())) {
      return Future.succeededFuture(FireOutcome.HELD); // paused so long that it is anybody's by now
    }
    boolean shared = claim.occurrenceId().equals(fire.sharedOccurrenceId());
    return Future.<Void>succeededFuture()
        .compose(start -> create(fire, fire.sharedRun()))
        .compose(made -> {
          if (made.taskId().equals(fire.taskId())) {
            return settled(fire, claim, made);
          }
          return shared
              ? complete(claim, made).compose(done -> processOwn(fire))
              : create(fire, fire.ownRun()).compose(own -> settled(fire, claim, own));
        })
        .otherwise(failure -> isConflict(failure, StorageConflictKind.SCHEDULE_OCCURRENCE)
            ? FireOutcome.HELD
            : new FireOutcome.Broken(claim, failure));
  }

  /** The shared occurrence was refused: whose is it? */
  private Future<FireOutcome> afterSharedRefused(Fire fire) {
    return find(fire.sharedOccurrenceId()).compose(found -> {
      String completedFor = found.map(ScheduleOccurrence::taskId).orElse(null);
      if (completedFor != null) {
        return completedFor.equals(fire.taskId())
            ? Future.succeededFuture(FireOutcome.OVER)
            : processOwn(fire);
      }
      String runId =
          found.flatMap(shared -> shared.runIds().stream().findFirst()).orElse(fire.sharedRunId());
      return run(runId)
          .map(run -> run.filter(Fires::isOfSchedule).map(RunRecord::taskId))
          .compose(
              taskId -> taskId.filter(other -> !other.equals(fire.taskId())).isPresent()
                  ? processOwn(fire)
                  : Future.succeededFuture(refused(found)));
    });
  }

  private Future<FireOutcome> processOwn(Fire fire) {
    String own = fire.ownOccurrenceId();
    return claim(fire, own)
        .compose(claimed ->
            claimed.isPresent() ? settle(fire, claimed.get()) : find(own).map(this::refused));
  }

  /**
   * A completion that names no task is one of a release before, for nobody else as far as anybody can tell. What was
   * refused and is not there was completed, and removed since.
   */
  private FireOutcome refused(Optional<ScheduleOccurrence> found) {
    return found
        .<FireOutcome>map(occurrence -> occurrence.completed()
            ? FireOutcome.OVER
            : new FireOutcome.Held(occurrence.claimExpiresAt()))
        .orElse(occurrences.isPresent() ? FireOutcome.OVER : FireOutcome.HELD);
  }

  private Future<Optional<ClaimedOccurrence>> claim(Fire fire, String occurrenceId) {
    return context
        .storage()
        .claimScheduleOccurrence(new ClaimScheduleOccurrence(
            context.environment(),
            fire.scheduleId(),
            occurrenceId,
            fire.fireAt(),
            context.clock().now(),
            options.getClaimDuration()));
  }

  /** Over for this task, with a run or without; without one because of somebody else's is told. */
  private Future<FireOutcome> settled(Fire fire, ClaimedOccurrence claim, CreatedRuns made) {
    return complete(claim, made)
        .onSuccess(done -> tellForeign(fire, made))
        .map(FireOutcome.SETTLED);
  }

  private static void tellForeign(Fire fire, CreatedRuns made) {
    if (made.foreignRunId() != null) {
      LOG.error(
          "schedule {} makes no run of its fire at {}: run {} of task {} has its id, and no schedule made that",
          fire.scheduleId(),
          fire.fireAt(),
          made.foreignRunId(),
          made.taskId());
    }
  }

  private Future<Void> complete(ClaimedOccurrence claim, CreatedRuns made) {
    return context
        .storage()
        .completeScheduleOccurrence(new CompleteScheduleOccurrence(
            context.environment(),
            claim.occurrenceId(),
            claim.claimToken(),
            made.runIds(),
            context.clock().now(),
            made.taskId()));
  }

  private Future<Optional<ScheduleOccurrence>> find(String occurrenceId) {
    return occurrences.isEmpty()
        ? Future.succeededFuture(Optional.empty())
        : occurrences
            .get()
            .getScheduleOccurrence(new GetScheduleOccurrence(context.environment(), occurrenceId));
  }

  private Future<Optional<RunRecord>> run(String runId) {
    return context.storage().getRun(new GetRun(context.environment(), runId));
  }

  /** A new run, the one a predecessor made, one that owns its idempotency key, or another task's. */
  private Future<CreatedRuns> create(Fire fire, NewRun wanted) {
    return context
        .creations()
        .create(wanted)
        .map(answer -> new CreatedRuns(fire.taskId(), runIds(fire, answer), null))
        .recover(failure -> isConflict(failure, StorageConflictKind.EVENT_SEQUENCE)
            ? run(wanted.runId()).map(found -> made(fire, wanted, found))
            : Future.failedFuture(failure));
  }

  /** Ids of fires can be computed by anybody: a run that no schedule made is not what the fire makes. */
  private static CreatedRuns made(Fire fire, NewRun wanted, Optional<RunRecord> found) {
    String taskId = found.map(RunRecord::taskId).orElse(fire.taskId());
    return found.isPresent() && !isOfSchedule(found.get())
        ? new CreatedRuns(taskId, List.of(), wanted.runId())
        : new CreatedRuns(taskId, List.of(wanted.runId()), null);
  }

  private static boolean isOfSchedule(RunRecord run) {
    return run.source().type() == RunSource.Type.SCHEDULE;
  }

  private static List<String> runIds(Fire fire, CreatedRun answer) {
    if (answer.outcome() == TriggerOutcome.SINGLETON_EXISTING) {
      LOG.info(
          "schedule {} makes no run of its fire at {}: run {} of task {} is still active",
          fire.scheduleId(),
          fire.fireAt(),
          answer.run().id(),
          answer.run().taskId());
      return List.of();
    }
    if (answer.outcome() == TriggerOutcome.IDEMPOTENT_EXISTING) {
      LOG.info(
          "schedule {} finds run {} for its fire at {}",
          fire.scheduleId(),
          answer.run().id(),
          fire.fireAt());
    }
    return List.of(answer.run().id());
  }

  private static boolean isConflict(Throwable failure, StorageConflictKind kind) {
    return failure instanceof RunlaneException conflict && conflict.isConflict(kind);
  }

  /**
   * What a fire made, or somebody made before.
   *
   * @param taskId whose run it is
   * @param foreignRunId a run that no schedule made and that has the id of the fire's; null: there is none
   */
  private record CreatedRuns(
      String taskId, List<String> runIds, @Nullable String foreignRunId) {}
}
