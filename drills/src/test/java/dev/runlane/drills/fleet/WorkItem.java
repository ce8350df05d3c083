package dev.runlane.drills.fleet;

/**
 * The payload of a drill's run.
 *
 * @param number its place in the workload
 * @param behaviour what its handler does
 * @param millis how long that takes
 */
public record WorkItem(int number, Behaviour behaviour, int millis) {
  /** What handlers do. */
  public enum Behaviour {
    /** Ends well. */
    SUCCEED,
    /** Fails the first time, retryable. */
    FAIL_ONCE,
    /** Fails until no retry is left. */
    FAIL_ALWAYS,
    /** Fails for good. */
    FAIL_FOR_GOOD,
    /** Gives the run back in the first attempt. */
    RELEASE_ONCE,
    /** Takes its time and gives up when it is asked to. */
    GIVE_UP_WHEN_ASKED,
    /** Takes its time in the first attempt alone, and gives that up when it is asked to. */
    STAY_ONCE
  }
}
