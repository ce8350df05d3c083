package dev.runlane.connector.schedule;

import dev.runlane.connector.store.history.RecordedRun;
import dev.runlane.connector.store.history.RunHistoryEntry;
import dev.runlane.connector.store.key.RunSource;
import dev.runlane.connector.store.run.ActiveRun;
import dev.runlane.connector.store.schedule.ScheduleNotice;
import dev.runlane.connector.store.schedule.SettleSchedule.NoticeState;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What somebody outside is to learn of the runs of a schedule that nobody heard of yet. The schedule remembers up to
 * where it was notified, in the same transaction as the notices, so that each is written once:
 *
 * <pre>
 *   a run asks a person, or failed for want of one    schedule.attention_needed   once a run
 *   the third failure of a class in a row             schedule.back_off.started
 *   anything else after that                          schedule.back_off.cleared
 *   the seventh, or a scheduled one beyond it         schedule.gave_up
 * </pre>
 */
final class NoticePlan {
  /** A schedule needs a person. */
  static final String ATTENTION_NEEDED = "schedule.attention_needed";

  /** Failures of a class came in a row, so the schedule waits longer from now on. */
  static final String BACK_OFF_STARTED = "schedule.back_off.started";

  /** They came to an end. */
  static final String BACK_OFF_CLEARED = "schedule.back_off.cleared";

  /** A schedule starts nothing more. */
  static final String GAVE_UP = "schedule.gave_up";

  private static final String ASKED = "interaction_required";

  private final SchedulePlan plan;

  NoticePlan(SchedulePlan plan) {
    this.plan = plan;
  }

  /** An attempt that is followed by another says nothing: the last one of its occurrence speaks for it. */
  NoticeState due(ScheduleFacts facts) {
    NoticeBuilder telling = new NoticeBuilder(facts);
    List<RecordedRun> runs = facts.ended(); // the newest first
    long told = facts.schedule().notifiedNumber();
    FailureStreak before = FailureStreak.of(
        entries(runs.stream().filter(run -> run.number() <= told).toList()));
    for (int index = runs.size() - 1; index >= 0; index--) {
      RecordedRun run = runs.get(index);
      boolean asked = run.entry().result().needsAttention();
      if (run.number() > told && (asked || !plan.isTriedAgain(run.entry()))) {
        FailureStreak now = FailureStreak.of(entries(runs.subList(index, runs.size())));
        telling.ended(run, before, now);
        before = now;
      }
    }
    telling.waits(facts.active());
    return telling.build();
  }

  private static List<RunHistoryEntry> entries(List<RecordedRun> runs) {
    return runs.stream().map(RecordedRun::entry).toList();
  }

  /** A notice about a schedule. */
  static ScheduleNotice notice(
      ScheduleFacts facts, String kind, @Nullable String reason, @Nullable String runId) {
    return new ScheduleNotice(0, facts.schedule().connector(), kind, reason, runId, facts.now(), 0);
  }

  /** Collects what is reported of one schedule, in order. */
  private static final class NoticeBuilder {
    private final ScheduleFacts facts;
    private final List<ScheduleNotice> notices = new ArrayList<>();
    private @Nullable Long number;
    private @Nullable String attention;

    NoticeBuilder(ScheduleFacts facts) {
      this.facts = facts;
      this.attention = facts.schedule().notifiedAttention();
    }

    void ended(RecordedRun recorded, FailureStreak before, FailureStreak now) {
      RunHistoryEntry run = recorded.entry();
      boolean scheduled = run.trigger().source() == RunSource.SCHEDULED;
      number = recorded.number();
      if (scheduled
          && (run.result().needsAttention() || RetryRules.of(run) == RetryVerdict.NEEDS_PERSON)) {
        needsPerson(run.run().runId(), run.failureReason());
      }
      if (before.isBackedOff() && !now.isBackedOff()) {
        add(BACK_OFF_CLEARED, before.reason(), run);
      }
      if (now.isGivenUp()) {
        if (scheduled || !before.isGivenUp()) {
          add(GAVE_UP, now.reason(), run);
        }
      } else if (now.isBackedOff() && !before.isBackedOff()) {
        add(BACK_OFF_STARTED, now.reason(), run);
      }
    }

    void waits(@Nullable ActiveRun active) {
      if (active != null
          && active.pendingInteraction() != null
          && active.trigger().source() == RunSource.SCHEDULED) {
        needsPerson(active.run().runId(), ASKED);
      }
    }

    private void needsPerson(String runId, @Nullable String reason) {
      if (!runId.equals(attention)) {
        attention = runId;
        notices.add(notice(facts, ATTENTION_NEEDED, reason, runId));
      }
    }

    private void add(String kind, @Nullable String reason, RunHistoryEntry run) {
      notices.add(notice(facts, kind, reason, run.run().runId()));
    }

    NoticeState build() {
      return new NoticeState(notices, number, attention);
    }
  }
}
