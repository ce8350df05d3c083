package dev.runlane.storage.run;

import dev.runlane.run.RunRecord;
import dev.runlane.storage.read.RunEventRecord;
import java.util.List;
import java.util.Objects;

/**
 * What a {@link ClaimRuns} claimed.
 *
 * @param runs the claimed runs
 * @param mayHaveMore whether due work was passed over, because of the limit or because a competing claim
 *     held it, so that asking again soon is worthwhile; a storage that claimed as many as were wanted may say so
 *     without looking
 */
public record ClaimedRuns(List<Claimed> runs, boolean mayHaveMore) {
  /** Copies the list. */
  public ClaimedRuns {
    runs = List.copyOf(runs);
  }

  /**
   * One claimed run. Projecting the events onto {@code before} with the reducer gives {@code run}.
   *
   * @param before the run as it was
   * @param run the run as it is now, running with its attempt started
   * @param events the rows of the history that were written
   */
  public record Claimed(RunRecord before, RunRecord run, List<RunEventRecord> events) {
    /** Copies the events and refuses null. */
    public Claimed {
      Objects.requireNonNull(before);
      Objects.requireNonNull(run);
      events = List.copyOf(events);
    }
  }
}
