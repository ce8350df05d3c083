package dev.runlane.connector.store.pg;

import static dev.runlane.connector.store.StoreCase.ELSEWHERE;
import static dev.runlane.connector.store.StoreCase.IDS;
import static dev.runlane.connector.store.StoreCase.NOON;
import static dev.runlane.connector.store.StoreCase.completing;
import static dev.runlane.connector.store.StoreCase.done;
import static dev.runlane.connector.store.StoreCase.event;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.connector.store.RunStoreContract;
import dev.runlane.connector.store.StoreCase;
import dev.runlane.connector.store.history.HistoryQuery;
import dev.runlane.connector.store.history.RunStatus;
import dev.runlane.connector.store.key.AutomationMode;
import dev.runlane.connector.store.key.ConnectorRef;
import dev.runlane.connector.store.key.RunSource;
import dev.runlane.connector.store.key.TriggerKind;
import dev.runlane.connector.store.run.ActiveRun;
import dev.runlane.connector.store.run.EndOutcome;
import dev.runlane.connector.store.run.EndRun;
import dev.runlane.connector.store.run.TakeOverRun;
import dev.runlane.connector.store.timeline.ReadTimeline;
import dev.runlane.connector.store.timeline.RecordedEvent;
import dev.runlane.connector.store.timeline.RunTimeline;
import dev.runlane.connector.store.timeline.TimelineActor;
import dev.runlane.connector.store.timeline.TimelineEvent;
import dev.runlane.connector.store.timeline.TimelineEventType;
import dev.runlane.connector.store.timeline.TimelinePage;
import dev.runlane.run.Json;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

final class PgRunStoreTest extends RunStoreContract {
  private final PgScene postgres = new PgScene();

  @Override
  protected StoreCase scene() {
    return postgres.open();
  }

  @AfterEach
  void close() {
    postgres.close();
  }

  @Test
  void a_page_of_large_events_ends_before_it_has_8_MiB_of_data() {
    StoreCase scene = scene();
    ActiveRun run = scene.running("run_1");
    Json large = Json.ofChecked("{\"cursor\":\"" + "x".repeat(2_000_000) + "\"}");
    for (int i = 0; i < 6; i++) {
      scene.tell(
          run, TimelineEvent.of(IDS, TimelineEventType.STATE_STAGED, "succeeded", NOON, large));
    }

    TimelinePage first = done(scene.store.timeline().read(ReadTimeline.of("run_1")));
    long after = first.events().get(first.events().size() - 1).sequence();
    TimelinePage second = done(
        scene.store.timeline().read(new ReadTimeline("run_1", after, ReadTimeline.MOST_EVENTS)));

    assertThat(first.events()).hasSize(4);
    assertThat(first.more()).isTrue();
    assertThat(second.events()).hasSize(2);
    assertThat(second.more()).isFalse();
  }

  @Test
  void an_active_run_of_a_later_release_is_read_and_ended_like_any_other_and_keeps_its_names() {
    PgConnectorStoreOptions options = postgres.options();
    StoreCase scene = scene(options);
    ActiveRun other = scene.running("run_1", ConnectorRef.of("other"), null);
    scene.running("run_2");
    postgres.sql(
        options,
        "UPDATE {s}.controller_active_runs SET source = 'partner',"
            + " trigger_kind = 'nightly', automation_mode = 'supervised' WHERE run_id = 'run_2'");

    List<ActiveRun> active = done(scene.store.activeRuns().list());
    ActiveRun later = active.get(1);
    ActiveRun mine = done(scene
            .store
            .activeRuns()
            .takeOver(new TakeOverRun("run_2", later.generation(), ELSEWHERE, NOON)))
        .orElseThrow();
    EndRun end = StoreCase.ending(mine, TimelineEventType.ABANDONED, RunStatus.FAILED);

    assertThat(active).hasSize(2).contains(other);
    assertThat(later.trigger().source()).isEqualTo(RunSource.MANUAL);
    assertThat(later.trigger().kind()).isEqualTo(TriggerKind.MANUAL);
    assertThat(later.trigger().mode()).isEqualTo(AutomationMode.UNATTENDED);
    assertThat(scene.end(end)).isEqualTo(new EndOutcome.Ended());
    assertThat(done(scene.store.history().list(HistoryQuery.newest("shelf"))))
        .singleElement()
        .satisfies(recorded -> assertThat(recorded.entry()).isEqualTo(end.history()));
    assertThat(postgres.sql(
            options,
            "SELECT concat_ws(' ', source, trigger_kind, automation_mode) FROM {s}.run_history"))
        .singleElement()
        .satisfies(row -> assertThat(row.getString(0)).isEqualTo("partner nightly supervised"));
  }

  @Test
  void an_event_of_a_later_release_is_read_among_the_others_with_its_name_and_data() {
    PgConnectorStoreOptions options = postgres.options();
    StoreCase scene = scene(options);
    ActiveRun run = scene.running("run_1");
    TimelineEvent paused = event(TimelineEventType.ASSISTANCE_REQUESTED).onStream("books");
    scene.tell(
        run, event(TimelineEventType.STARTED), paused, event(TimelineEventType.STATE_STAGED));
    postgres.sql(
        options,
        "ALTER TABLE {s}.spine_events DROP CONSTRAINT spine_events_actor;"
            + " UPDATE {s}.spine_events SET event_type = 'run.paused', actor_type = 'partner'"
            + " WHERE event_type = 'run.assistance_requested'");

    TimelinePage page = done(scene.store.timeline().read(ReadTimeline.of("run_1")));

    assertThat(page.events())
        .extracting(RecordedEvent::typeName)
        .containsExactly("run.started", "run.paused", "run.state_staged");
    assertThat(page.events().get(1).event())
        .isEqualTo(new TimelineEvent(
            paused.eventId(),
            TimelineEventType.OTHER,
            paused.status(),
            paused.occurredAt(),
            TimelineActor.RUNTIME,
            "books",
            null,
            null,
            null,
            paused.data()));
  }

  @Test
  void an_end_of_a_later_release_is_an_end() {
    PgConnectorStoreOptions options = postgres.options();
    StoreCase scene = scene(options);
    ActiveRun run = scene.running("run_1");
    scene.tell(run, event(TimelineEventType.STARTED));
    scene.end(completing(run));
    postgres.sql(
        options,
        "ALTER TABLE {s}.run_history DROP CONSTRAINT run_history_status;"
            + " UPDATE {s}.run_history SET status = 'evicted';"
            + " UPDATE {s}.spine_events SET event_type = 'run.evicted' WHERE terminal");

    RunTimeline.RunBounds bounds = done(scene.store.timeline().bounds("run_1"));

    assertThat(bounds.started().orElseThrow().typeName()).isEqualTo("run.started");
    assertThat(bounds.terminal().orElseThrow().typeName()).isEqualTo("run.evicted");
    assertThat(done(scene.store.timeline().terminalEvents(List.of("run_1"))))
        .containsEntry("run_1", bounds.terminal().orElseThrow());
    assertThat(done(scene.store.history().list(HistoryQuery.newest("shelf"))))
        .singleElement()
        .satisfies(
            recorded -> assertThat(recorded.entry().status()).isEqualTo(RunStatus.CANCELLED));
  }

  private StoreCase scene(PgConnectorStoreOptions options) {
    PgConnectorStore store = postgres.connected(options);
    return new StoreCase(store, store.records());
  }
}
