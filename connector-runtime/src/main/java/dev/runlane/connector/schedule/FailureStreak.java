package dev.runlane.connector.schedule;

import dev.runlane.connector.store.history.RunHistoryEntry;
import dev.runlane.connector.store.history.RunStatus;
import dev.runlane.connector.store.key.TriggerKind;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The failures of one class that came last, one after another. Attempts of one occurrence count once, by the last of
 * them.
 *
 * @param length how many; 0 after anything but a failure
 * @param reason their class, or null when there are none
 */
public record FailureStreak(int length, @Nullable String reason) {
  /** From this many on the schedule backs off: its interval is multiplied by 2 for each one more = {@value}. */
  public static final int FIRST_DELAYED = 3;

  /** From this many on nothing is started any more = {@value}. */
  public static final int GIVEN_UP = 7;

  private static final int MOST_DOUBLINGS = 8;
  private static final Duration LONGEST = Duration.ofHours(24);

  /** The streak that these runs end with; the newest first, none of them skipped. */
  static FailureStreak of(List<RunHistoryEntry> runs) {
    String reason = null;
    int length = 0;
    boolean newerIsRetry = false;
    for (RunHistoryEntry run : runs) {
      if (newerIsRetry) {
        newerIsRetry = isRetry(run);
        continue; // an earlier attempt of the occurrence that was counted
      }
      if (run.status() != RunStatus.FAILED
          || (length > 0 && !Objects.equals(reason, reasonOf(run)))) {
        break;
      }
      reason = reasonOf(run);
      length++;
      newerIsRetry = isRetry(run);
    }
    return new FailureStreak(length, reason);
  }

  private static boolean isRetry(RunHistoryEntry run) {
    return run.trigger().kind() == TriggerKind.RETRY;
  }

  private static String reasonOf(RunHistoryEntry run) {
    String reason = run.failureReason();
    return reason == null ? "unknown" : reason;
  }

  /** For people; of a streak that is one. */
  String describe() {
    return length + " failures in a row: " + reason;
  }

  boolean isBackedOff() {
    return length >= FIRST_DELAYED;
  }

  boolean isGivenUp() {
    return length >= GIVEN_UP;
  }

  /**
   * How long after the last run the next one is due: the interval, doubled with each failure beyond the third, but no
   * longer than a day, or than the interval where that is longer.
   */
  Duration interval(Duration interval) {
    int doublings = Math.min(MOST_DOUBLINGS, Math.max(0, length - FIRST_DELAYED));
    Duration most = interval.compareTo(LONGEST) > 0 ? interval : LONGEST;
    Duration grown = interval.multipliedBy(1L << doublings);
    return grown.compareTo(most) > 0 ? most : grown;
  }
}
