package dev.runlane.runtime;

import dev.runlane.run.RunlaneException;
import dev.runlane.run.StorageConflictKind;
import dev.runlane.storage.Capabilities;
import dev.runlane.storage.ClaimScheduleOccurrence;
import dev.runlane.storage.ClaimedOccurrence;
import dev.runlane.storage.CompleteScheduleOccurrence;
import dev.runlane.storage.StorageCapability;
import dev.runlane.timing.Ids;
import io.vertx.core.Future;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes a run of each fire of each enabled schedule: claim the occurrence, create the run, complete the
 * occurrence. The ids of occurrence and run follow from environment, schedule and fire, so whoever takes
 * over after a crash finds the run that its predecessor may have made:
 *
 * <pre>
 *   claim ┃ create ┃ complete      killed at the first ┃: the claim ends, the successor makes the run
 *                                  killed at the second ┃: it finds the run and completes the occurrence
 * </pre>
 */
final class Scheduler implements SweepRole {
  private static final Logger LOG = LoggerFactory.getLogger(Scheduler.class);

  private final RuntimeContext context;
  private final SchedulerOptions options;
  private final List<RegisteredSchedule> schedules;
  private final Map<String, FireBook> books = new LinkedHashMap<>(); // filled by the first sweep

  /** Throws {@code CapabilityUnsupported} when there are schedules and the storage claims no occurrences. */
  Scheduler(RuntimeContext context, SchedulerOptions options) {
    this.context = context;
    this.options = options;
    schedules = context.registry().schedules().stream()
        .filter(registered -> registered.schedule().isEnabled())
        .toList();
    if (!schedules.isEmpty()) {
      Capabilities.require(
          context.storage().capabilities(),
          StorageCapability.CLAIMS_SCHEDULE_OCCURRENCES,
          "a scheduler");
    }
  }

  /** Looks after due fires; true when there were more than one sweep takes. */
  @Override
  public Future<Boolean> sweepOnce() {
    return sweep().map(PhaseCount::moreWaiting);
  }

  /** The next fire, or the next time to look again at one that somebody else holds. */
  @Override
  public Optional<Instant> nextDue() {
    return books.values().stream()
        .flatMap(book -> book.nextLook().stream())
        .min(Comparator.naturalOrder());
  }

  /**
   * Looks after due fires, all at once. A fire whose run cannot be made does not keep the others back, but
   * fails the future in the end.
   *
   * @return how many fires this process settled
   */
  Future<PhaseCount> sweep() {
    Instant now = context.clock().now();
    List<DueFire> all = dueFires(now);
    List<DueFire> taken = all.subList(0, Math.min(all.size(), options.getSweepLimit()));
    boolean more =
        all.size() > taken.size() || books.values().stream().anyMatch(book -> book.isBehind(now));
    if (taken.isEmpty()) {
      return Future.succeededFuture(new PhaseCount(0, more));
    }
    return Future.join(taken.stream().map(this::outcome).toList())
        .map(results -> results.<FireOutcome>list())
        .compose(outcomes -> {
          int settled = 0;
          List<Throwable> failures = new ArrayList<>();
          for (int index = 0; index < taken.size(); index++) {
            FireOutcome outcome = outcomes.get(index);
            note(taken.get(index), outcome);
            settled += outcome instanceof FireOutcome.Settled ? 1 : 0;
            if (outcome instanceof FireOutcome.Broken broken) {
              failures.add(broken.failure());
            }
          }
          return failures.isEmpty()
              ? Future.succeededFuture(new PhaseCount(settled, more))
              : Future.failedFuture(Failures.first(failures));
        });
  }

  /** Reading the calendars is bounded like everything else, since it keeps the event loop from its work. */
  private List<DueFire> dueFires(Instant now) {
    List<DueFire> due = new ArrayList<>();
    int budget = options.getSweepLimit();
    for (RegisteredSchedule schedule : schedules) {
      FireBook book =
          books.computeIfAbsent(schedule.schedule().id(), id -> openBook(schedule.schedule(), now));
      budget -= book.read(now, budget);
      book.due(now).forEach(fire -> due.add(new DueFire(schedule, book, fire)));
    }
    due.sort(Comparator.comparing(each -> each.fire().lookAt()));
    return due;
  }

  /** Missed fires are those before this process began to look; what it sees pass is never missed. */
  private FireBook openBook(Schedule schedule, Instant now) {
    MissedFires missed = schedule.missedFires();
    return missed.kind() == MissedFires.Kind.SKIP
        ? new FireBook(schedule.fireTimes(), now.minus(options.getSkipTolerance()), 1)
        : new FireBook(schedule.fireTimes(), Instant.MIN, missed.most());
  }

  private void note(DueFire due, FireOutcome outcome) {
    Instant fireAt = due.fire().fireAt();
    Instant now = context.clock().now();
    if (outcome instanceof FireOutcome.Settled) {
      due.book().settled(fireAt);
    } else if (outcome instanceof FireOutcome.Broken broken && broken.mayGoAway()) {
      due.book().unsettled(fireAt, broken.claim());
    } else {
      due.book()
          .heldElsewhere(fireAt, now, options.getClaimDuration(), options.getLongestRecheck());
    }
  }

  /** Never fails. */
  private Future<FireOutcome> outcome(DueFire due) {
    Optional<ClaimedOccurrence> mine = due.fire().claimAt(context.clock().now());
    if (mine.isPresent()) {
      return settle(due, mine.get());
    }
    return claim(due)
        .compose(claimed -> claimed.isPresent()
            ? settle(due, claimed.get())
            : Future.succeededFuture(FireOutcome.HELD))
        .otherwise(failure -> new FireOutcome.Broken(null, failure));
  }

  private Future<Optional<ClaimedOccurrence>> claim(DueFire due) {
    return context
        .storage()
        .claimScheduleOccurrence(new ClaimScheduleOccurrence(
            context.environment(),
            due.scheduleId(),
            occurrenceId(due),
            due.fire().fireAt(),
            context.clock().now(),
            options.getClaimDuration()));
  }

  /** Creates and completes under a claim. Never fails. */
  private Future<FireOutcome> settle(DueFire due, ClaimedOccurrence claim) {
    if (!claim.claimExpiresAt().isAfter(context.clock().now())) {
      return Future.succeededFuture(FireOutcome.HELD); // paused so long that it is anybody's by now
    }
    return Future.<Void>succeededFuture()
        .compose(start -> runsOf(due))
        .compose(runIds -> context
            .storage()
            .completeScheduleOccurrence(new CompleteScheduleOccurrence(
                context.environment(),
                claim.occurrenceId(),
                claim.claimToken(),
                runIds,
                context.clock().now())))
        .map(completed -> FireOutcome.SETTLED)
        .otherwise(failure -> isConflict(failure, StorageConflictKind.SCHEDULE_OCCURRENCE)
            ? FireOutcome.HELD
            : new FireOutcome.Broken(claim, failure));
  }

  /** The runs of the fire: a new one, the one a predecessor made, or one that owns its idempotency key. */
  private Future<List<String>> runsOf(DueFire due) {
    String runId = Ids.scheduleRunId(
        context.environment().environmentKey(),
        due.scheduleId(),
        due.fire().fireAt().toString());
    return context
        .creations()
        .create(NewRun.ofSchedule(
            due.schedule(), runId, occurrenceId(due), due.fire().fireAt()))
        .map(answer -> runIds(due, answer))
        .recover(failure -> isConflict(failure, StorageConflictKind.EVENT_SEQUENCE)
            ? Future.succeededFuture(List.of(runId)) // it exists, if under another task than today
            : Future.failedFuture(failure));
  }

  private static List<String> runIds(DueFire due, CreatedRun answer) {
    if (answer.outcome() == TriggerOutcome.SINGLETON_EXISTING) {
      LOG.info(
          "schedule {} makes no run of its fire at {}: run {} of task {} is still active",
          due.scheduleId(),
          due.fire().fireAt(),
          answer.run().id(),
          answer.run().taskId());
      return List.of();
    }
    if (answer.outcome() == TriggerOutcome.IDEMPOTENT_EXISTING) {
      LOG.info(
          "schedule {} finds run {} for its fire at {}",
          due.scheduleId(),
          answer.run().id(),
          due.fire().fireAt());
    }
    return List.of(answer.run().id());
  }

  private String occurrenceId(DueFire due) {
    return Ids.occurrenceId(
        context.environment().environmentKey(),
        due.scheduleId(),
        due.fire().fireAt().toString());
  }

  private static boolean isConflict(Throwable failure, StorageConflictKind kind) {
    return failure instanceof RunlaneException conflict && conflict.isConflict(kind);
  }

  /** One fire and where it is written down. */
  private record DueFire(RegisteredSchedule schedule, FireBook book, FireBook.OpenFire fire) {
    String scheduleId() {
      return schedule.schedule().id();
    }
  }
}
