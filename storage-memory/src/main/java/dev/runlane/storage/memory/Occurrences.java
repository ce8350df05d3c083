package dev.runlane.storage.memory;

import static dev.runlane.run.StorageConflictKind.SCHEDULE_OCCURRENCE;

import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunlaneException;
import dev.runlane.storage.ClaimScheduleOccurrence;
import dev.runlane.storage.ClaimedOccurrence;
import dev.runlane.storage.CompleteScheduleOccurrence;
import dev.runlane.timing.Ids;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
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
        command.now().plus(command.claimFor()));
    occurrences.put(command.occurrenceId(), new Occurrence(claim, null));
    return Optional.of(claim);
  }

  void complete(CompleteScheduleOccurrence command) {
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
    occurrences.put(command.occurrenceId(), new Occurrence(known.claim(), command.runIds()));
  }

  /**
   * A fire of a schedule.
   *
   * @param claim the latest claim
   * @param runIds what was made of it; null while it is not completed
   */
  private record Occurrence(
      ClaimedOccurrence claim, @Nullable List<String> runIds) {
    boolean isCompleted() {
      return runIds != null;
    }

    boolean isClaimableAt(Instant now) {
      return !isCompleted() && !claim.claimExpiresAt().isAfter(now);
    }
  }
}
