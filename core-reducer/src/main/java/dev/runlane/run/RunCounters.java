package dev.runlane.run;

/**
 * What happened to a run how often.
 *
 * @param attempts attempts begun
 * @param failures attempts that failed
 * @param retries failures after which another attempt was scheduled
 * @param releases attempts that gave the run back to continue later
 */
public record RunCounters(int attempts, int failures, int retries, int releases) {
  /** Nothing happened yet. */
  public static final RunCounters ZERO = new RunCounters(0, 0, 0, 0);

  /**
   * Attempts that ended with their worker instead of an outcome.
   *
   * @param current 1 while an attempt is under way or has just ended in success, else 0
   */
  public int lostAttempts(int current) {
    return attempts - failures - releases - current;
  }

  RunCounters plusAttempt() {
    return new RunCounters(attempts + 1, failures, retries, releases);
  }

  RunCounters plusFailure() {
    return new RunCounters(attempts, failures + 1, retries, releases);
  }

  RunCounters plusRetry() {
    return new RunCounters(attempts, failures + 1, retries + 1, releases);
  }

  RunCounters plusRelease() {
    return new RunCounters(attempts, failures, retries, releases + 1);
  }
}
