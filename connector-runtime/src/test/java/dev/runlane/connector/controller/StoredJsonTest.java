package dev.runlane.connector.controller;

import static dev.runlane.connector.store.StoreCase.IDS;
import static dev.runlane.connector.store.StoreCase.NOON;
import static dev.runlane.connector.store.StoreCase.SHELF;
import static dev.runlane.connector.store.StoreCase.done;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.connector.store.history.HistoryQuery;
import dev.runlane.connector.store.history.RecordedRun;
import dev.runlane.connector.store.history.RunHistory;
import dev.runlane.connector.store.history.RunHistoryEntry;
import dev.runlane.connector.store.history.RunResultFacts;
import dev.runlane.connector.store.history.RunStats;
import dev.runlane.connector.store.history.RunStatus;
import dev.runlane.connector.store.key.RunIdentity;
import dev.runlane.connector.store.key.RunTrigger;
import dev.runlane.connector.store.timeline.RecordedEvent;
import dev.runlane.connector.store.timeline.TimelineEvent;
import dev.runlane.connector.store.timeline.TimelineEventType;
import dev.runlane.run.Json;
import dev.runlane.timing.ManualClock;
import io.vertx.core.Future;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

@DisplayNameGeneration(ReplaceUnderscores.class)
@DisplayName("stored JSON that is as large as connectors may send it")
class StoredJsonTest {
  /** As long as the readers take them: the number is written with a longer exponent than it came with. */
  private static final String LARGEST =
      "{\"" + "n".repeat(60_000) + "\":" + "7".repeat(9_998) + "e1,\"text\":1.50}";

  private static final RunIdentity RUN = new RunIdentity("run_1", "trc_1", SHELF);

  @Test
  void is_counted_when_its_run_was_lost() {
    RunTally tally = new RunTally();

    tally.add(staged("{\"state_streams_staged\":1,\"cursor\":" + LARGEST + "}"));

    assertThat(tally.checkpointSummary().text()).contains("\"state_streams_staged\":1");
  }

  @Test
  void keeps_no_run_from_being_asked_for() {
    SourceCooldown cooldown = new SourceCooldown(
        lastRun(
            "[{\"kind\":\"detail_gap\",\"reason\":\"http_429\",\"diagnostics\":" + LARGEST + "}]"),
        ManualClock.at(NOON),
        Duration.ofMinutes(5));

    assertThat(done(cooldown.of(RunRequest.now("shelf"))))
        .contains(NOON.plus(Duration.ofMinutes(5)));
  }

  private static RecordedEvent staged(String data) {
    TimelineEvent event = TimelineEvent.of(
            IDS, TimelineEventType.STATE_STAGED, "succeeded", NOON, Json.ofChecked(data))
        .onStream("books");
    return new RecordedEvent(1, RUN, event, NOON);
  }

  private static RunHistory lastRun(String gaps) {
    RunHistoryEntry entry = new RunHistoryEntry(
        RUN,
        RunTrigger.RUN_NOW,
        RunStatus.SUCCEEDED,
        NOON,
        NOON,
        null,
        null,
        null,
        null,
        new RunResultFacts(0, null, null, Json.ofChecked(gaps), null, null, false));
    return new RunHistory() {
      @Override
      public Future<List<RecordedRun>> list(HistoryQuery query) {
        return Future.succeededFuture(List.of());
      }

      @Override
      public Future<List<RecordedRun>> outcomes(
          String instanceId, Set<RunStatus> statuses, int limit) {
        return Future.succeededFuture(List.of());
      }

      @Override
      public Future<RunStats> stats(String instanceId) {
        return Future.succeededFuture(
            new RunStats(1, 1, 0, 0, NOON, NOON, NOON, Optional.of(new RecordedRun(1, entry))));
      }

      @Override
      public Future<Integer> pruneEntries(Instant olderThan, int limit) {
        return Future.succeededFuture(0);
      }
    };
  }
}
