package dev.runlane.storage.schedule;

import io.vertx.core.Future;
import java.util.List;
import java.util.Optional;

/**
 * Remembers schedules and shows their occurrences: a capability beside
 * {@link dev.runlane.storage.StorageAdapter StorageAdapter} with the same rules, for schedulers that are not to
 * fire for the time before a schedule was there. All methods are guarded by
 * {@link dev.runlane.storage.StorageCapability#CLAIMS_SCHEDULE_OCCURRENCES}.
 */
public interface ScheduleStorage {
  /**
   * Registers which schedules a process has, and answers what is known of each, in the order given. A schedule is
   * a task and a schedule id; each of its definitions is remembered by itself:
   *
   * <ul>
   *   <li>The first definition of a schedule counts from {@code now}; where occurrences exist that were claimed,
   *       completed or not, which name no task and are not known to be another task's, or that name this one, it
   *       counts from before the earliest of them. Those of which nobody knows the task count for the first schedule
   *       of their id that is registered, the first of the list where one call registers several. Storages may look
   *       at the latest 1 000 of the schedule id only.
   *   <li>A further definition counts from {@code now}: it is an edit.
   *   <li>A definition that is known keeps counting from when it did, unless it is an edit back: it was not
   *       registered for {@code goneAfter} or longer, and another definition of the schedule was registered later than
   *       it. Then it counts from {@code now}.
   * </ul>
   *
   * <p>So processes with different definitions, registered in turn, do not reset one another. Fails with {@link
   * dev.runlane.run.ErrorCode#VALIDATION_FAILED} when one schedule is named twice.
   */
  Future<List<KnownSchedule>> registerSchedules(RegisterSchedules command);

  /** One occurrence as it is now; empty when nobody has claimed it yet, and when it was removed. Changes nothing. */
  Future<Optional<ScheduleOccurrence>> getScheduleOccurrence(GetScheduleOccurrence query);

  /**
   * Removes occurrences that nobody needs any more, of each schedule id the earliest fires first, and answers how
   * many: fewer than the limit when no more are left. One is removed when it was completed before {@code olderThan} and
   * its fire lies before that too, and before the latest completed one of every schedule of its id (before {@code
   * countsFrom}, of one that none was completed for). A schedule that nobody registered since {@code olderThan}, or
   * only as {@link RegisterSchedules.Definition#DISABLED}, and one that is paused hold nothing back while another one
   * of the id goes on; occurrences of ids that nobody ever registered stay.
   *
   * <p>What is removed stays over: {@link dev.runlane.storage.StorageAdapter#claimScheduleOccurrence} gives no fire
   * of the schedule id up to the latest one removed, unless its occurrence is still there. Of calls at once, each
   * removes what the others do not. Fails with {@link dev.runlane.run.ErrorCode#VALIDATION_FAILED} for a limit out
   * of range.
   */
  Future<Integer> pruneOccurrences(PruneOccurrences command);
}
