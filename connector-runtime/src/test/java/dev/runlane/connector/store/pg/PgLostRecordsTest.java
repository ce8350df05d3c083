package dev.runlane.connector.store.pg;

import static dev.runlane.connector.store.StoreCase.completing;
import static dev.runlane.connector.store.StoreCase.cursor;
import static dev.runlane.connector.store.StoreCase.ending;
import static dev.runlane.connector.store.StoreCase.having;
import static dev.runlane.connector.store.StoreCase.record;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.connector.store.StoreCase;
import dev.runlane.connector.store.history.RunStatus;
import dev.runlane.connector.store.record.IngestOutcome;
import dev.runlane.connector.store.record.LastBatch;
import dev.runlane.connector.store.record.SinkFailure;
import dev.runlane.connector.store.run.ActiveRun;
import dev.runlane.connector.store.run.EndOutcome;
import dev.runlane.connector.store.timeline.TimelineEventType;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

@DisplayNameGeneration(ReplaceUnderscores.class)
@DisplayName("a run whose database went over to a standby that was behind")
class PgLostRecordsTest {
  private final PgScene postgres = new PgScene();
  private final PgConnectorStoreOptions options = postgres.options();
  private final PgConnectorStore store = postgres.connected(options);
  private final StoreCase scene = new StoreCase(store, store.records());

  @AfterEach
  void close() {
    postgres.close();
  }

  /** A run that was answered two batches as stored, of which the first is left. */
  private ActiveRun halfLost() {
    ActiveRun run = scene.running("run_1");
    scene.ingest(run, record("a", "{}"));
    scene.ingest(run, record("b", "{}"));
    lose("b", 1);
    return run;
  }

  private void lose(String key, int left) {
    postgres.sql(options, "DELETE FROM {s}.records WHERE record_key = '" + key + "'");
    postgres.sql(options, "DELETE FROM {s}.record_changes WHERE record_key = '" + key + "'");
    postgres.sql(options, "UPDATE {s}.record_streams SET batch = " + left);
  }

  @Test
  void stores_no_further_batch_of_the_stream() {
    ActiveRun run = halfLost();

    assertThat(scene.ingest(run, record("c", "{}")))
        .isEqualTo(new IngestOutcome.Refused(SinkFailure.ofLostRecords(SinkFailure.Phase.INGEST)));

    assertThat(scene.stored()).containsExactly("a@1={}");
    assertThat(scene.changes()).containsExactly("a@1={}");
  }

  @Test
  void commits_no_cursor_at_its_end_and_ends_as_failed() {
    ActiveRun run = halfLost();

    assertThat(scene.end(having(completing(run, cursor("books", 5)), new LastBatch("books", 2))))
        .isEqualTo(new EndOutcome.CursorsRefused(
            SinkFailure.ofLostRecords(SinkFailure.Phase.STATE_COMMIT)));

    assertThat(scene.cursors(null)).isEmpty();
    assertThat(scene.told("run_1")).isEmpty();
    assertThat(scene.end(ending(run, TimelineEventType.FAILED, RunStatus.FAILED)))
        .isEqualTo(new EndOutcome.Ended());
  }

  @Test
  void commits_no_cursor_where_its_only_batch_is_lost_with_its_stream() {
    ActiveRun run = scene.running("run_1");
    scene.ingest(run, record("a", "{}"));
    postgres.sql(options, "DELETE FROM {s}.record_streams");

    assertThat(scene.end(having(completing(run, cursor("books", 5)), new LastBatch("books", 1))))
        .isInstanceOf(EndOutcome.CursorsRefused.class);

    assertThat(scene.cursors(null)).isEmpty();
  }

  @Test
  void is_followed_by_one_that_stores_all_of_it_again() {
    ActiveRun run = halfLost();
    scene.end(ending(run, TimelineEventType.FAILED, RunStatus.FAILED));
    ActiveRun next = scene.running("run_2");

    scene.ingest(next, record("a", "{}"), record("b", "{}"));
    scene.ingest(next, record("c", "{}"));

    assertThat(scene.end(having(completing(next, cursor("books", 5)), new LastBatch("books", 2))))
        .isEqualTo(new EndOutcome.Ended());
    assertThat(scene.stored()).containsExactly("a@1={}", "b@1={}", "c@1={}");
    assertThat(scene.cursors(null)).containsExactly("books={\"page\":5}");
  }
}
