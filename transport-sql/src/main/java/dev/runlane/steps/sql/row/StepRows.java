package dev.runlane.steps.sql.row;

import dev.runlane.run.RunlaneException;
import dev.runlane.steps.result.ClaimedStepResult;
import dev.runlane.steps.result.StepError;
import dev.runlane.steps.result.StepOutcome;
import dev.runlane.steps.result.StepResult;
import dev.runlane.steps.result.StepResultRef;
import dev.runlane.steps.task.ClaimedStepTask;
import dev.runlane.steps.task.DispatchOutcome;
import dev.runlane.steps.task.StepClaim;
import dev.runlane.steps.task.StepTask;
import dev.runlane.steps.task.StepTaskState;
import io.vertx.sqlclient.Row;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Rows of the tables as values, each on its own: what cannot be read in one becomes a failure of that step
 * and disturbs no other. Both dialects name the columns in the same order.
 */
public final class StepRows {
  /** What an input, output or error may have in the database's encoding; one with more never comes into memory. */
  public static final int MOST_BYTES = 16_000_000;

  static final String COMPLETED = "completed";
  static final String FAILED = "failed";

  private static final Instant EARLIEST = Instant.parse("0001-01-01T00:00:00Z");
  private static final Instant LATEST = Instant.parse("9999-12-31T23:59:59.999Z");

  private StepRows() {}

  /** An attempt that stands but is unknown yet says nothing: whoever asks again gets the answer. */
  public static DispatchOutcome dispatched(boolean stored, @Nullable Integer standing, int wanted) {
    if (stored) {
      return DispatchOutcome.DISPATCHED;
    }
    return standing == null || standing < wanted
        ? DispatchOutcome.BLOCKED
        : DispatchOutcome.PENDING;
  }

  /**
   * step_id, run_id, seq, name, grp, input, attempt, created_at, and how many bytes the input has: above
   * {@link #MOST_BYTES} it is null here, and unreadable.
   */
  public static ClaimedStepTask task(Row row, String token) {
    String input = row.getString(5);
    Optional<String> fault =
        tooLong(row.getLong(8)).or(() -> Optional.ofNullable(input).flatMap(StepJson::fault));
    boolean absent = input == null || fault.isPresent() || input.strip().equals(StepJson.NULL);
    StepTask task = new StepTask(
        row.getString(0),
        row.getString(1),
        row.getInteger(2),
        row.getString(3),
        row.getString(4),
        absent ? null : StepJson.value(input),
        row.getInteger(6));
    return new ClaimedStepTask(
        new StepClaim(task.stepId(), token),
        task,
        fault.map(what -> "the input of step " + task.stepId() + " " + what).orElse(null),
        Instant.ofEpochMilli(row.getLong(7)));
  }

  private static Optional<String> tooLong(@Nullable Long bytes) {
    return bytes != null && bytes > MOST_BYTES
        ? Optional.of("has " + bytes + " bytes, more than " + MOST_BYTES)
        : Optional.empty();
  }

  /** step_id, run_id, created_at. */
  public static StepResultRef ref(Row row) {
    return new StepResultRef(
        row.getString(0), row.getString(1), Instant.ofEpochMilli(row.getLong(2)));
  }

  /** step_id, attempt, claimed_at, claimed_by. */
  public static StepTaskState state(Row row) {
    Long claimedAt = row.getLong(2);
    return new StepTaskState(
        row.getString(0),
        row.getInteger(1),
        claimedAt == null ? null : Instant.ofEpochMilli(claimedAt));
  }

  /** The step, if one of these rows, which are read as by {@link #state}, is its task under this claim. */
  public static Set<String> leased(List<Row> tasks, StepClaim claim) {
    boolean leased = tasks.stream()
        .anyMatch(row -> row.getString(0).equals(claim.stepId())
            && row.getLong(2) != null
            && claim.token().equals(row.getString(3)));
    return leased ? Set.of(claim.stepId()) : Set.of();
  }

  /**
   * step_id, run_id, seq, status, output, error, started_at, created_at, and how many bytes the longer of output and
   * error has: above {@link #MOST_BYTES} it is null here, and the result is unreadable.
   */
  public static ClaimedStepResult result(Row row, String token) {
    StepResult result = new StepResult(
        row.getString(0),
        row.getString(1),
        row.getInteger(2),
        tooLong(row.getLong(8))
            .map(fault -> unreadable("it " + fault))
            .orElseGet(() -> outcome(row.getString(3), row.getString(4), row.getString(5))),
        startedAt(row.getLong(6)),
        createdAt(row.getLong(7)));
    return new ClaimedStepResult(new StepClaim(result.stepId(), token), result);
  }

  /** One that no engine can store counts as none: a result is not turned down for it. */
  private static @Nullable Instant startedAt(@Nullable Long millis) {
    Instant startedAt = millis == null ? null : Instant.ofEpochMilli(millis);
    return startedAt == null || isStorable(startedAt) ? startedAt : null;
  }

  /**
   * One that no engine can store is taken for a count of microseconds or nanoseconds: it is what tells a result from
   * the one before.
   */
  private static Instant createdAt(long written) {
    long millis = written;
    while (!isStorable(Instant.ofEpochMilli(millis))) {
      millis /= 1_000;
    }
    return Instant.ofEpochMilli(millis);
  }

  private static boolean isStorable(Instant instant) {
    return !instant.isBefore(EARLIEST) && !instant.isAfter(LATEST);
  }

  private static StepOutcome outcome(
      @Nullable String status, @Nullable String output, @Nullable String error) {
    if (COMPLETED.equals(status)) {
      return output == null
          ? new StepOutcome.Completed(null)
          : StepJson.fault(output)
              .<StepOutcome>map(fault -> unreadable("the output " + fault))
              .orElseGet(() -> new StepOutcome.Completed(StepJson.value(output)));
    }
    if (!FAILED.equals(status)) {
      return unreadable("its status is neither completed nor failed");
    }
    try {
      return new StepOutcome.Failed(StepJson.error(error));
    } catch (RunlaneException malformed) {
      return unreadable(String.valueOf(malformed.getMessage()));
    }
  }

  private static StepOutcome unreadable(String why) {
    return new StepOutcome.Failed(
        StepError.fatal(StepResult.UNREADABLE, "the result cannot be read: " + why));
  }
}
