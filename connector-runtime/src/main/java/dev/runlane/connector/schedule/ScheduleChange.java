package dev.runlane.connector.schedule;

/** What became of an owner's change of a schedule. */
public sealed interface ScheduleChange {
  /**
   * It is as the owner wants it.
   *
   * @param view the schedule now
   */
  record Changed(ScheduleView view) implements ScheduleChange {}

  /** There is no such schedule. */
  record NotFound() implements ScheduleChange {}

  /**
   * The manifest's policy allows no automatic runs, so the schedule cannot be enabled; nothing changed.
   *
   * @param reason why, for people
   */
  record AgainstPolicy(String reason) implements ScheduleChange {}
}
