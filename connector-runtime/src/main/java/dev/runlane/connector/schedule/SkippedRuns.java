package dev.runlane.connector.schedule;

import dev.runlane.connector.store.ConnectorSchedule;
import dev.runlane.connector.store.RunHistoryEntry;
import dev.runlane.connector.store.RunIdentity;
import dev.runlane.connector.store.RunResultFacts;
import dev.runlane.connector.store.RunStatus;
import dev.runlane.connector.store.RunTrigger;
import dev.runlane.connector.store.ScheduleNotice;
import dev.runlane.connector.store.SettleSchedule;
import dev.runlane.timing.Ids;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** What is written when a run that was due is not started: in the history, and to somebody outside. */
final class SkippedRuns {
  /** A schedule began to wait longer than its interval. */
  static final String BACK_OFF_STARTED = "schedule.back_off.started";

  /** A schedule starts nothing more. */
  static final String GAVE_UP = "schedule.gave_up";

  /** A schedule needs a person. */
  static final String ATTENTION_NEEDED = "schedule.attention_needed";

  private static final int MOST_ERROR = 500;
  private static final String WEDGED = "scheduler_dispatch_wedged";

  private final Ids ids;

  SkippedRuns(Ids ids) {
    this.ids = ids;
  }

  /** Told once as long as the condition stays the same. */
  SettleSchedule settle(ScheduleFacts facts, ScheduleDecision.Skip skip, String claim) {
    ConnectorSchedule schedule = facts.schedule();
    boolean told = skip.condition().equals(schedule.condition());
    RunTrigger trigger = RunTrigger.scheduled(ConnectorScheduler.automationMode(facts.policy()), 1);
    return new SettleSchedule(
        schedule.connector(),
        claim,
        skip.checkAt(),
        skip.condition(),
        skip.stops() ? skip.words() : null,
        told
            ? null
            : entry(
                schedule,
                trigger,
                RunStatus.SKIPPED,
                skip.reason().name().toLowerCase(Locale.ROOT),
                skip.words(),
                facts.now()),
        told ? List.of() : notices(facts, skip),
        facts.now());
  }

  /** What had to hold before the run never said so: the run counts as failed, though nothing was launched. */
  SettleSchedule wedged(ScheduleFacts facts, RunTrigger trigger, String claim, Instant now) {
    ConnectorSchedule schedule = facts.schedule();
    return new SettleSchedule(
        schedule.connector(),
        claim,
        now.plus(schedule.interval()),
        null,
        null,
        entry(schedule, trigger, RunStatus.FAILED, WEDGED, "readiness was not told in time", now),
        List.of(),
        now);
  }

  private RunHistoryEntry entry(
      ConnectorSchedule schedule,
      RunTrigger trigger,
      RunStatus status,
      String reason,
      String words,
      Instant now) {
    String runId = ids.runId();
    String error = words.length() <= MOST_ERROR ? words : words.substring(0, MOST_ERROR);
    return new RunHistoryEntry(
        new RunIdentity(runId, "trc_" + runId.substring("run_".length()), schedule.connector()),
        trigger,
        status,
        now,
        now,
        reason,
        reason,
        error,
        null,
        RunResultFacts.NOTHING);
  }

  private static List<ScheduleNotice> notices(ScheduleFacts facts, ScheduleDecision.Skip skip) {
    List<ScheduleNotice> notices = new ArrayList<>();
    int failures = facts.streak().length();
    switch (skip.reason()) {
      case ATTENTION_UNRESOLVED, NEEDS_HUMAN_ATTENTION ->
        notices.add(notice(facts, ATTENTION_NEEDED, skip.detail()));
      case BACK_OFF -> {
        if (failures >= FailureStreak.GIVEN_UP) {
          notices.add(notice(facts, GAVE_UP, facts.streak().reason()));
        } else if (failures == FailureStreak.FIRST_DELAYED + 1) {
          notices.add(notice(facts, BACK_OFF_STARTED, facts.streak().reason()));
        }
      }
      case GRANT_UNUSABLE -> notices.add(notice(facts, GAVE_UP, skip.detail()));
      case RUN_ALREADY_ACTIVE, AUTOMATION_POLICY_BLOCKED, NOT_READY, GRANT_CONSUMED -> {}
    }
    return notices;
  }

  private static ScheduleNotice notice(ScheduleFacts facts, String kind, @Nullable String reason) {
    String runId = facts.last().map(run -> run.run().runId()).orElse(null);
    return new ScheduleNotice(0, facts.schedule().connector(), kind, reason, runId, facts.now(), 0);
  }
}
