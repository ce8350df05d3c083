package dev.runlane.storage.pg;

import static dev.runlane.conformance.kit.Outcomes.done;
import static dev.runlane.storage.pg.Scene.DEFAULT_QUEUE;
import static dev.runlane.storage.pg.Scene.ENVIRONMENT;
import static dev.runlane.storage.pg.Scene.MINUTE;
import static dev.runlane.storage.pg.Scene.NOON;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.conformance.given.TestRuns;
import dev.runlane.run.QueuePolicy;
import dev.runlane.run.RunRecord;
import dev.runlane.run.RunStatus;
import dev.runlane.storage.outbox.ClaimOutboxMessages;
import dev.runlane.storage.outbox.ClaimedOutboxMessage;
import dev.runlane.storage.outbox.MarkOutboxMessagesPublished;
import dev.runlane.storage.run.AppendedRun;
import dev.runlane.storage.run.ClaimedRuns;
import io.vertx.core.Future;
import io.vertx.pgclient.PgConnection;
import io.vertx.sqlclient.PoolOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

/** The forms of statements for servers before PostgreSQL 17, as right on a newer one that says it is older. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class OlderServerTest {
  private static final QueuePolicy BOUNDED = QueuePolicy.bounded("bounded", 5);

  private final Scene scene = Scene.direct();
  private final OlderServerLine line =
      new OlderServerLine(scene.vertx(), scene.options().getConnectOptions());
  private PgStorageAdapter storage;

  @BeforeEach
  void start() {
    done(line.listen());
    storage = scene.start(scene
        .options()
        .setConnectOptions(line.options())
        .setPoolOptions(new PoolOptions().setMaxSize(1))
        .setLockTimeout(Duration.ofSeconds(20)));
  }

  @AfterEach
  void close() {
    scene.close();
  }

  @Test
  void runs_are_claimed_and_ended_and_their_messages_published_by_the_keys_that_are_meant() {
    scene.store(TestRuns.queued("run_due"), storage);
    scene.store(TestRuns.queued("run_named"), storage);
    scene.store(TestRuns.queued("run_bounded").queue(BOUNDED).concurrencyKey("key"), storage);
    scene.store(TestRuns.queued("run_other").queue(QueuePolicy.unbounded("other")), storage);

    publishAll();
    List<ClaimedRuns.Claimed> claimed = new ArrayList<>();
    claimed.addAll(Scene.claimNamed(storage, List.of("run_named"), "tok_named").runs());
    claimed.addAll(Scene.claim(storage, List.of(DEFAULT_QUEUE), "tok_due", 10).runs());
    claimed.addAll(Scene.claim(storage, List.of(BOUNDED), "tok_bounded", 10).runs());
    claimed.forEach(each -> done(Scene.succeed(storage, each.run())));

    assertThat(claimed)
        .extracting(each -> each.run().id())
        .containsExactly("run_named", "run_due", "run_bounded");
    assertThat(scene.number("SELECT count(*) FROM {schema}.terminal_runs")).isEqualTo(3);
    assertThat(scene.number("SELECT count(*) FROM {schema}.outbox_messages")).isZero();
    RunRecord other = Scene.find(storage, "run_other").orElseThrow();
    assertThat(other.status()).isEqualTo(RunStatus.QUEUED);
    assertThat(line.asked()).contains("active_runs a USING (").doesNotContain("a.run_id = ANY (");
  }

  @Test
  void a_run_whose_row_changes_while_its_end_waits_for_it_ends_all_the_same() {
    RunRecord run = scene.store(TestRuns.running("run_1", NOON.plus(MINUTE)), storage);
    PgConnection holder = scene.begin();
    Scene.execute(
        holder, "UPDATE " + scene.schema() + ".active_runs SET trace_carrier = trace_carrier");

    Future<AppendedRun> end = Scene.succeed(storage, run);
    Scene.until(() -> scene.number("SELECT count(*) FROM pg_locks WHERE NOT granted"
            + " AND pid IN (SELECT pid FROM pg_stat_activity WHERE query LIKE '%{schema}%')")
        > 0);
    Scene.execute(holder, "COMMIT");

    assertThat(done(end).run().status()).isEqualTo(RunStatus.SUCCEEDED);
    assertThat(scene.rows("active_runs")).isZero();
    assertThat(scene.rows("terminal_runs")).isOne();
  }

  private void publishAll() {
    List<ClaimedOutboxMessage> messages = done(storage.claimOutboxMessages(
        new ClaimOutboxMessages(ENVIRONMENT, NOON.plus(MINUTE), MINUTE, 10, null)));
    assertThat(messages).hasSize(3);
    done(storage.markOutboxMessagesPublished(new MarkOutboxMessagesPublished(
        ENVIRONMENT,
        messages.stream()
            .map(each ->
                new MarkOutboxMessagesPublished.Published(each.id(), each.claimToken(), null))
            .toList(),
        NOON.plus(MINUTE))));
  }
}
