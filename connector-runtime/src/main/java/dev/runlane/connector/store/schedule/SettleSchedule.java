package dev.runlane.connector.store.schedule;

import dev.runlane.connector.store.history.RunHistoryEntry;
import dev.runlane.connector.store.key.ConnectorRef;
import dev.runlane.connector.store.timeline.TimelineEvent;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Gives a claimed schedule back without having started a run.
 *
 * @param connector whose schedule
 * @param claim the claim it was given under
 * @param checkAt when it is looked at next
 * @param condition what kept it from starting a run, or null for nothing but time
 * @param stopReason why it starts none any more, or null
 * @param unstarted what the history records of it, or null for nothing
 * @param noticeState the notices to send, and how far they go
 * @param now the caller's time
 */
public record SettleSchedule(
    ConnectorRef connector,
    String claim,
    Instant checkAt,
    @Nullable String condition,
    @Nullable String stopReason,
    @Nullable Unstarted unstarted,
    NoticeState noticeState,
    Instant now) {
  /** Refuses null where the components say nothing else. */
  public SettleSchedule {
    Objects.requireNonNull(connector);
    Objects.requireNonNull(claim);
    Objects.requireNonNull(checkAt);
    Objects.requireNonNull(noticeState);
    Objects.requireNonNull(now);
  }

  /**
   * A run that was due and not started.
   *
   * @param entry for the history; one that failed counts in the statistics, one that was skipped does not
   * @param terminal how it ended, for its timeline, or null for one that was skipped: no handle resolves it
   */
  public record Unstarted(RunHistoryEntry entry, @Nullable TimelineEvent terminal) {
    /** Refuses null but for the event. */
    public Unstarted {
      Objects.requireNonNull(entry);
    }
  }

  /**
   * Notices, and what they are about, so that it is not notified again.
   *
   * @param notices to be sent
   * @param number the latest entry of the history that they speak for, or null: as before
   * @param attention the run that needs a person, or null: as before
   */
  public record NoticeState(
      List<ScheduleNotice> notices,
      @Nullable Long number,
      @Nullable String attention) {
    /** Nothing. */
    public static final NoticeState NOTHING = new NoticeState(List.of(), null, null);

    /** Copies the notices. */
    public NoticeState {
      notices = List.copyOf(notices);
    }
  }
}
