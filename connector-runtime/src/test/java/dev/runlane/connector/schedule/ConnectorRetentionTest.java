package dev.runlane.connector.schedule;

import static dev.runlane.connector.store.StoreCase.NOON;
import static dev.runlane.connector.store.StoreCase.completing;
import static dev.runlane.connector.store.StoreCase.done;
import static dev.runlane.connector.store.StoreCase.event;
import static dev.runlane.connector.store.StoreCase.record;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.runlane.connector.store.StoreCase;
import dev.runlane.connector.store.pg.PgConnectorStore;
import dev.runlane.connector.store.pg.PgScene;
import dev.runlane.connector.store.run.ActiveRun;
import dev.runlane.connector.store.timeline.TimelineEvent;
import dev.runlane.connector.store.timeline.TimelineEventType;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunlaneException;
import dev.runlane.timing.ManualClock;
import java.time.Duration;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayNameGeneration(ReplaceUnderscores.class)
class ConnectorRetentionTest {
  private final PgScene postgres = new PgScene();
  private final PgConnectorStore store = postgres.connected(postgres.options());
  private final StoreCase scene = new StoreCase(store, store.records());
  private final ManualClock clock = ManualClock.at(NOON.plusSeconds(100));

  @AfterEach
  void close() {
    postgres.close();
  }

  private ConnectorRetention retention(ConnectorRetentionOptions options) {
    return new ConnectorRetention(store, store.schedules(), clock, options.setBatchSize(10));
  }

  private ActiveRun talkativeRun(String runId) {
    ActiveRun run = scene.running(runId);
    scene.tell(run, event(TimelineEventType.STARTED));
    scene.tell(
        run,
        Stream.generate(() -> event(TimelineEventType.PROGRESS_REPORTED))
            .limit(25)
            .toArray(TimelineEvent[]::new));
    return run;
  }

  @Test
  void nothing_is_deleted_unless_the_options_say_how_old_it_must_be() {
    ActiveRun run = talkativeRun("run_1");
    scene.ingest(run, record("a", "{}"), record("b", "{}"));
    scene.end(completing(run));
    clock.advance(Duration.ofDays(10_000));

    assertThat(done(retention(new ConnectorRetentionOptions()).sweepOnce())).isFalse();

    assertThat(scene.told("run_1")).hasSize(27);
    assertThat(scene.changes()).hasSize(2);
  }

  @Test
  void old_events_go_batch_by_batch_until_only_how_runs_began_and_ended_is_left() {
    scene.end(completing(talkativeRun("run_1")));
    talkativeRun("run_2");
    ConnectorRetention retention =
        retention(new ConnectorRetentionOptions().setEventsOlderThan(Duration.ofSeconds(60)));

    assertThat(done(retention.sweepOnce())).isTrue();
    assertThat(scene.told("run_1")).hasSize(17);
    assertThat(done(retention.sweepOnce())).isTrue();
    assertThat(done(retention.sweepOnce())).isFalse();

    assertThat(scene.told("run_1")).containsExactly("run.started", "run.completed");
    assertThat(scene.told("run_2")).hasSize(26);
  }

  @Test
  void old_changes_of_records_go_batch_by_batch_until_the_newest_of_a_stream_is_left() {
    ActiveRun run = scene.running("run_1");
    for (int each = 0; each < 25; each++) {
      scene.ingest(run, record("a", "{\"v\":" + each + "}"));
    }
    ConnectorRetention retention =
        retention(new ConnectorRetentionOptions().setChangesOlderThan(Duration.ofSeconds(60)));

    assertThat(done(retention.sweepOnce())).isTrue();
    assertThat(scene.changes()).hasSize(15);
    assertThat(done(retention.sweepOnce())).isTrue();
    assertThat(done(retention.sweepOnce())).isFalse();

    assertThat(scene.changes()).containsExactly("a@25={\"v\":24}");
    assertThat(scene.stored()).containsExactly("a@25={\"v\":24}");
  }

  @Test
  void what_is_not_old_enough_stays() {
    ActiveRun run = talkativeRun("run_1");
    scene.ingest(run, record("a", "{}"), record("b", "{}"));
    scene.end(completing(run));

    assertThat(done(retention(new ConnectorRetentionOptions()
                .setEventsOlderThan(Duration.ofSeconds(101))
                .setEntriesOlderThan(Duration.ofSeconds(1))
                .setChangesOlderThan(Duration.ofSeconds(101)))
            .sweepOnce()))
        .isFalse();

    assertThat(scene.told("run_1")).hasSize(27);
    assertThat(scene.changes()).hasSize(2);
    assertThat(done(scene.store.history().stats("shelf")).lastRun()).isPresent();
  }

  @ParameterizedTest
  @ValueSource(ints = {0, -1, 10_001})
  void a_batch_out_of_range_is_refused(int batchSize) {
    assertThatThrownBy(() -> new ConnectorRetentionOptions().setBatchSize(batchSize))
        .isInstanceOfSatisfying(RunlaneException.class, refused -> assertThat(refused.code())
            .isEqualTo(ErrorCode.CONFIGURATION_INVALID));
  }
}
