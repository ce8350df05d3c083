package dev.runlane.storage.memory;

import static dev.runlane.run.StorageConflictKind.SCHEDULE_OCCURRENCE;

import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunlaneException;
import dev.runlane.storage.ClaimScheduleOccurrence;
import dev.runlane.storage.ClaimedOccurrence;
import dev.runlane.storage.CompleteScheduleOccurrence;
import dev.runlane.storage.ScheduleOccurrence;
import dev.runlane.timing.Ids;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The fires of schedules that somebody has claimed, in one environment. */
final class Occurrences {
  private final Map<String, Occurrence> occurrences = new HashMap<>();
  private final Ids ids;

  Occurrences(Ids ids) {
    this.ids = ids;
  }

  Optional<ClaimedOccurrence> claim(ClaimScheduleOccurrence command) {
    Occurrence known = occurrences.get(command.occurrenceId());
    if (known != null && !known.isClaimableAt(command.now())) {
      return Optional.empty();
    }
    ClaimedOccurrence claim = new ClaimedOccurrence(
        command.scheduleId(),
        command.occurrenceId(),
        command.fireAt(),
        ids.token(),
        command.now().plus(command.claimFor()).truncatedTo(ChronoUnit.MICROS));
    occurrences.put(command.occurrenceId(), new Occurrence(claim, null, null));
    return Optional.of(claim);
  }

  /** Answers the occurrence as it is now. */
  ScheduleOccurrence complete(CompleteScheduleOccurrence command) {
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
    Occurrence completed = new Occurrence(known.claim(), command.runIds(), command.taskId());
    occurrences.put(command.occurrenceId(), completed);
    return completed.shown();
  }

  Optional<ScheduleOccurrence> find(String occurrenceId) {
    return Optional.ofNullable(occurrences.get(occurrenceId)).map(Occurrence::shown);
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
   * @param runIds what was made of it; null while it is not completed
   * @param taskId for which task it was completed, or null
   */
  private record Occurrence(
      ClaimedOccurrence claim,
      @Nullable List<String> runIds,
      @Nullable String taskId) {
    ScheduleOccurrence shown() {
      return new ScheduleOccurrence(
          claim.occurrenceId(),
          claim.scheduleId(),
          claim.fireAt(),
          claim.claimExpiresAt(),
          isCompleted(),
          taskId,
          runIds == null ? List.of() : runIds);
    }

    boolean isCompleted() {
      return runIds != null;
    }

    boolean isClaimableAt(Instant now) {
      return !isCompleted() && !claim.claimExpiresAt().isAfter(now);
    }
  }
}
