package dev.runlane.runtime.task;

import dev.runlane.options.OptionChecks;

/**
 * What becomes of the fires of a schedule that passed while no scheduler ran. A schedule counts from when a
 * scheduler first registered it in the storage, and with other fire times from when it registered those: a new or
 * edited one first fires at its next time. What a release before remembered none of counts from its earliest fire that
 * the storage knows. On a storage without {@link dev.runlane.storage.schedule.ScheduleStorage} nobody knows since
 * when a schedule exists, and it counts for ever.
 *
 * @param kind which of them make runs
 * @param most most runs made for missed fires at once, the latest ones; 1 unless {@code ALL}
 */
public record MissedFires(Kind kind, int most) {
  /** Throws {@code ConfigurationInvalid} below one run. */
  public MissedFires {
    OptionChecks.requireAtLeast(1, "the bound of missed fires", most);
  }

  /**
   * A fire that passed before a scheduler of this process began to look makes no run, unless it is younger than
   * {@link dev.runlane.runtime.schedule.SchedulerOptions#getSkipTolerance()}.
   */
  public static MissedFires skip() {
    return new MissedFires(Kind.SKIP, 1);
  }

  /** All missed fires collapse to the latest, which makes one run. */
  public static MissedFires latest() {
    return new MissedFires(Kind.LATEST, 1);
  }

  /** Each missed fire makes a run; of more than {@code most}, only the latest do. */
  public static MissedFires all(int most) {
    return new MissedFires(Kind.ALL, most);
  }

  /** Which missed fires make runs. */
  public enum Kind {
    /** None. */
    SKIP,
    /** The latest. */
    LATEST,
    /** Every one up to a bound. */
    ALL
  }
}
