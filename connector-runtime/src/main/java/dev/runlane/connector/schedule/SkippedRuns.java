package dev.runlane.connector.schedule;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.runlane.connector.run.request.TerminalReason;
import dev.runlane.connector.store.history.RunHistoryEntry;
import dev.runlane.connector.store.history.RunResultFacts;
import dev.runlane.connector.store.history.RunStatus;
import dev.runlane.connector.store.key.RunIdentity;
import dev.runlane.connector.store.key.RunTrigger;
import dev.runlane.connector.store.schedule.ConnectorSchedule;
import dev.runlane.connector.store.schedule.ScheduleNotice;
import dev.runlane.connector.store.schedule.SettleSchedule;
import dev.runlane.connector.store.schedule.SettleSchedule.NoticeState;
import dev.runlane.connector.store.schedule.SettleSchedule.Unstarted;
import dev.runlane.connector.store.timeline.TimelineEvent;
import dev.runlane.connector.store.timeline.TimelineEventType;
import dev.runlane.run.Json;
import dev.runlane.run.RunlaneException;
import dev.runlane.timing.Ids;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** What is written of a schedule that starts no run now. */
final class SkippedRuns {
  private static final int MOST_ERROR = 500;
  private static final String WEDGED = "scheduler_dispatch_wedged";

  private final Ids ids;
  private final NoticePlan notices;

  SkippedRuns(Ids ids, NoticePlan notices) {
    this.ids = ids;
    this.notices = notices;
  }

  /** Nothing but time keeps it, or it is looked at again at once. */
  SettleSchedule later(ScheduleFacts facts, Instant checkAt, String claim) {
    ConnectorSchedule schedule = facts.schedule();
    return new SettleSchedule(
        schedule.connector(),
        claim,
        checkAt,
        schedule.condition(),
        schedule.stopReason(),
        null,
        notices.due(facts),
        facts.now());
  }

  /** Told once as long as the condition stays the same. */
  SettleSchedule skip(ScheduleFacts facts, ScheduleDecision.Skip skip, String claim) {
    ConnectorSchedule schedule = facts.schedule();
    boolean known = skip.condition().equals(schedule.condition());
    return new SettleSchedule(
        schedule.connector(),
        claim,
        skip.checkAt(),
        skip.condition(),
        skip.stops() ? skip.describe() : null,
        known ? null : skipped(facts, skip),
        known || !skip.stops() ? notices.due(facts) : withEnd(facts, skip),
        facts.now());
  }

  private Unstarted skipped(ScheduleFacts facts, ScheduleDecision.Skip skip) {
    return new Unstarted(
        entry(
            facts,
            trigger(facts, skip.attempt()),
            RunStatus.SKIPPED,
            skip.reason().name().toLowerCase(Locale.ROOT),
            skip.describe(),
            facts.now()),
        null);
  }

  private NoticeState withEnd(ScheduleFacts facts, ScheduleDecision.Skip skip) {
    NoticeState told = notices.due(facts);
    List<ScheduleNotice> all = new ArrayList<>(told.notices());
    String lastRun = facts.last().map(run -> run.run().runId()).orElse(null);
    all.add(NoticePlan.notice(facts, NoticePlan.GAVE_UP, skip.detail(), lastRun));
    return new NoticeState(all, told.number(), told.attention());
  }

  /** What had to hold before the run never said so: the run counts as failed, though nothing was launched. */
  SettleSchedule stuck(ScheduleFacts facts, int attempt, String claim) {
    return failed(facts, attempt, claim, WEDGED, WEDGED, "readiness was not told in time");
  }

  /** The connector cannot be used, which no further attempt changes: a run that failed, and counts as one. */
  SettleSchedule invalid(ScheduleFacts facts, int attempt, String claim, RunlaneException failure) {
    String words = failure.getMessage() == null ? "" : failure.getMessage();
    return failed(
        facts,
        attempt,
        claim,
        TerminalReason.LAUNCH_FAILED,
        failure.code().value(),
        words.length() <= MOST_ERROR ? words : words.substring(0, MOST_ERROR));
  }

  private SettleSchedule failed(
      ScheduleFacts facts,
      int attempt,
      String claim,
      String terminalReason,
      String failureReason,
      String words) {
    Instant now = facts.now();
    RunHistoryEntry entry = entry(
            facts, trigger(facts, attempt), RunStatus.FAILED, terminalReason, words, now)
        .because(failureReason);
    TimelineEvent terminal = TimelineEvent.of(
            ids, TimelineEventType.FAILED, "failed", now, terminalData(terminalReason, words))
        .underGrant(facts.schedule().grantId());
    return new SettleSchedule(
        facts.schedule().connector(),
        claim,
        now,
        null,
        null,
        new Unstarted(entry, terminal),
        NoticeState.NOTHING,
        now);
  }

  private static Json terminalData(String reason, String words) {
    ObjectNode data = JsonNodeFactory.instance.objectNode();
    data.put("reason", reason);
    data.put("failure_message", words);
    data.put("failure_origin", "runtime");
    data.put("records_emitted", 0);
    data.put("checkpoint_commit_status", "not_committed");
    data.put("state_streams_staged", 0);
    data.put("state_streams_committed", 0);
    return Json.ofChecked(data.toString());
  }

  private static RunTrigger trigger(ScheduleFacts facts, int attempt) {
    return RunTrigger.scheduled(ConnectorScheduler.automationMode(facts.policy()), attempt);
  }

  private RunHistoryEntry entry(
      ScheduleFacts facts,
      RunTrigger trigger,
      RunStatus status,
      String reason,
      String words,
      Instant now) {
    String runId = ids.runId();
    String error = words.length() <= MOST_ERROR ? words : words.substring(0, MOST_ERROR);
    return new RunHistoryEntry(
        new RunIdentity(
            runId, "trc_" + runId.substring("run_".length()), facts.schedule().connector()),
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
}
