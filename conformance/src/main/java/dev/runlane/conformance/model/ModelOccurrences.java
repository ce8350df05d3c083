package dev.runlane.conformance.model;

import dev.runlane.run.Environment;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunlaneException;
import dev.runlane.run.StorageConflictKind;
import dev.runlane.storage.CommandChecks;
import dev.runlane.storage.schedule.ClaimScheduleOccurrence;
import dev.runlane.storage.schedule.ClaimedOccurrence;
import dev.runlane.storage.schedule.CompleteScheduleOccurrence;
import dev.runlane.storage.schedule.GetScheduleOccurrence;
import dev.runlane.storage.schedule.ScheduleOccurrence;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** What the model answers about the fires of schedules. */
public final class ModelOccurrences {
  private final List<Occurrence> occurrences = new ArrayList<>();
  private final ModelSchedules schedules;
  private final Names names;

  public ModelOccurrences(ModelSchedules schedules, Names names) {
    this.schedules = schedules;
    this.names = names;
  }

  public Optional<ClaimedOccurrence> claim(ClaimScheduleOccurrence command) {
    CommandChecks.check(command);
    Occurrence known = find(command.environment(), command.occurrenceId()).orElse(null);
    if (known == null && schedules.isOver(command)) {
      return Optional.empty();
    }
    if (known != null
        && (known.completion != null || known.claim.claimExpiresAt().isAfter(command.now()))) {
      return Optional.empty();
    }
    ClaimedOccurrence claim = new ClaimedOccurrence(
        command.scheduleId(),
        command.occurrenceId(),
        command.fireAt(),
        names.make("token"),
        command.now().plus(command.claimFor()).truncatedTo(ChronoUnit.MICROS));
    occurrences.remove(known);
    occurrences.add(new Occurrence(command.environment(), claim));
    return Optional.of(claim);
  }

  public @Nullable Void complete(CompleteScheduleOccurrence command) {
    CommandChecks.check(command);
    Occurrence known = find(command.environment(), command.occurrenceId())
        .orElseThrow(() -> RunlaneException.of(ErrorCode.SCHEDULE_NOT_FOUND, "says the model"));
    if (known.completion != null || !known.claim.claimToken().equals(command.claimToken())) {
      throw RunlaneException.conflict(StorageConflictKind.SCHEDULE_OCCURRENCE, "says the model");
    }
    known.completion = command;
    schedules.completed(command, known.shown());
    return null;
  }

  public Optional<ScheduleOccurrence> get(GetScheduleOccurrence query) {
    CommandChecks.check(query);
    return find(query.environment(), query.occurrenceId()).map(Occurrence::shown);
  }

  /** Whether the id has meant no other fire so far. */
  public boolean isOneFire(ClaimScheduleOccurrence command) {
    return find(command.environment(), command.occurrenceId())
        .filter(known -> !known.claim.scheduleId().equals(command.scheduleId())
            || !known.claim.fireAt().equals(command.fireAt()))
        .isEmpty();
  }

  /** The occurrences of a schedule id that are over, with the time at which each was completed. */
  Map<ScheduleOccurrence, Instant> completed(Environment environment, String scheduleId) {
    return occurrences.stream()
        .filter(each -> each.environment.equals(environment)
            && each.claim.scheduleId().equals(scheduleId)
            && each.completion != null)
        .collect(Collectors.toMap(
            Occurrence::shown, each -> Objects.requireNonNull(each.completion).now()));
  }

  /** Every occurrence of a schedule id, whoever's. */
  Stream<ScheduleOccurrence> of(Environment environment, String scheduleId) {
    return occurrences.stream()
        .filter(each ->
            each.environment.equals(environment) && each.claim.scheduleId().equals(scheduleId))
        .map(Occurrence::shown);
  }

  void remove(Environment environment, String occurrenceId) {
    find(environment, occurrenceId).ifPresent(occurrences::remove);
  }

  private Optional<Occurrence> find(Environment environment, String id) {
    return occurrences.stream()
        .filter(each ->
            each.environment.equals(environment) && each.claim.occurrenceId().equals(id))
        .findFirst();
  }

  private static final class Occurrence {
    final Environment environment;
    final ClaimedOccurrence claim; // the latest

    @Nullable
    CompleteScheduleOccurrence completion;

    Occurrence(Environment environment, ClaimedOccurrence claim) {
      this.environment = environment;
      this.claim = claim;
    }

    ScheduleOccurrence shown() {
      return new ScheduleOccurrence(
          claim.occurrenceId(),
          claim.scheduleId(),
          claim.fireAt(),
          claim.claimExpiresAt(),
          completion != null,
          completion == null ? null : completion.taskId(),
          completion == null ? List.of() : completion.runIds());
    }
  }
}
