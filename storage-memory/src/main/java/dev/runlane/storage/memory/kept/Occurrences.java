package dev.runlane.storage.memory.kept;

import static dev.runlane.run.StorageConflictKind.SCHEDULE_OCCURRENCE;

import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunlaneException;
import dev.runlane.storage.schedule.ClaimScheduleOccurrence;
import dev.runlane.storage.schedule.ClaimedOccurrence;
import dev.runlane.storage.schedule.CompleteScheduleOccurrence;
import dev.runlane.storage.schedule.PruneOccurrences;
import dev.runlane.storage.schedule.ScheduleOccurrence;
import dev.runlane.timing.Ids;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The fires of schedules that somebody has claimed, in one environment. */
public final class Occurrences {
  private final Map<String, Occurrence> occurrences = new HashMap<>();
  private final Map<String, Instant> removedThrough =
      new HashMap<>(); // latest fire, by schedule id
  private final Ids ids;

  public Occurrences(Ids ids) {
    this.ids = ids;
  }

  public Optional<ClaimedOccurrence> claim(ClaimScheduleOccurrence command) {
    Occurrence known = occurrences.get(command.occurrenceId());
    if (known == null ? wasRemoved(command) : !known.isClaimableAt(command.now())) {
      return Optional.empty();
    }
    ClaimedOccurrence claim = new ClaimedOccurrence(
        command.scheduleId(),
        command.occurrenceId(),
        command.fireAt(),
        ids.token(),
        command.now().plus(command.claimFor()).truncatedTo(ChronoUnit.MICROS));
    occurrences.put(command.occurrenceId(), new Occurrence(claim, null));
    return Optional.of(claim);
  }

  /** Answers the occurrence as it is now. */
  public ScheduleOccurrence complete(CompleteScheduleOccurrence command) {
    Occurrence known = occurrences.get(command.occurrenceId());
    if (known == null) {
      throw RunlaneException.of(
          ErrorCode.SCHEDULE_NOT_FOUND,
          "schedule occurrence %s does not exist",
          command.occurrenceId());
    }
    if (known.isCompleted() || !known.claim().claimToken().equals(command.claimToken())) {
      throw RunlaneException.conflict(
          SCHEDULE_OCCURRENCE,
          "schedule occurrence %s is %s",
          command.occurrenceId(),
          known.isCompleted() ? "completed" : "claimed with another token");
    }
    Occurrence completed = new Occurrence(
        known.claim(), new Completion(command.runIds(), command.taskId(), command.now()));
    occurrences.put(command.occurrenceId(), completed);
    return completed.shown();
  }

  public Optional<ScheduleOccurrence> find(String occurrenceId) {
    return Optional.ofNullable(occurrences.get(occurrenceId)).map(Occurrence::shown);
  }

  private boolean wasRemoved(ClaimScheduleOccurrence command) {
    Instant through = removedThrough.get(command.scheduleId());
    return through != null && !command.fireAt().isAfter(through);
  }

  /**
   * Removes occurrences that are old enough, the earliest fires first.
   *
   * @param latest the fire of a schedule id from which on occurrences stay; empty: all do
   */
  public int prune(PruneOccurrences command, Function<String, Optional<Instant>> latest) {
    List<Occurrence> old = occurrences.values().stream()
        .filter(each -> each.isCompletedBefore(command.olderThan())
            && each.claim().fireAt().isBefore(command.olderThan())
            && latest
                .apply(each.claim().scheduleId())
                .filter(each.claim().fireAt()::isBefore)
                .isPresent())
        .sorted(Comparator.comparing(each -> each.claim().fireAt()))
        .limit(command.limit())
        .toList();
    for (Occurrence each : old) {
      occurrences.remove(each.claim().occurrenceId());
      removedThrough.merge(
          each.claim().scheduleId(),
          each.claim().fireAt(),
          (one, other) -> one.isBefore(other) ? other : one);
    }
    return old.size();
  }

  /** Every occurrence of a schedule id, whoever's. */
  Stream<ScheduleOccurrence> of(String scheduleId) {
    return occurrences.values().stream()
        .filter(each -> each.claim().scheduleId().equals(scheduleId))
        .map(Occurrence::shown);
  }

  /**
   * A fire of a schedule.
   *
   * @param claim the latest claim
   * @param completion what was made of it; null while it is not completed
   */
  private record Occurrence(
      ClaimedOccurrence claim, @Nullable Completion completion) {
    ScheduleOccurrence shown() {
      return new ScheduleOccurrence(
          claim.occurrenceId(),
          claim.scheduleId(),
          claim.fireAt(),
          claim.claimExpiresAt(),
          isCompleted(),
          completion == null ? null : completion.taskId(),
          completion == null ? List.of() : completion.runIds());
    }

    boolean isCompleted() {
      return completion != null;
    }

    boolean isCompletedBefore(Instant then) {
      return completion != null && completion.at().isBefore(then);
    }

    boolean isClaimableAt(Instant now) {
      return !isCompleted() && !claim.claimExpiresAt().isAfter(now);
    }
  }

  /**
   * The end of a fire.
   *
   * @param taskId for which task, or null
   */
  private record Completion(List<String> runIds, @Nullable String taskId, Instant at) {}
}
