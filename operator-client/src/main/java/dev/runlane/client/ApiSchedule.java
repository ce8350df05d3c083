package dev.runlane.client;

import dev.runlane.run.RunStatus;
import dev.runlane.runtime.operate.ListedSchedule;
import org.jspecify.annotations.Nullable;

/**
 * A schedule, and what became of its latest fire.
 *
 * @param listed what is known of the schedule
 * @param lastRun the run that its latest fire made; null: it never fired, the run was pruned, or it is hidden from who
 *     asks
 */
public record ApiSchedule(ListedSchedule listed, @Nullable LastRun lastRun) {
  /**
   * A run of a fire.
   *
   * @param id the run
   * @param status where it is
   */
  public record LastRun(String id, RunStatus status) {}
}
