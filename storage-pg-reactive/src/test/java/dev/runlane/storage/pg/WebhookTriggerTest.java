package dev.runlane.storage.pg;

import static dev.runlane.conformance.kit.Outcomes.done;
import static dev.runlane.storage.pg.Scene.ENVIRONMENT;
import static dev.runlane.storage.pg.Scene.NOON;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.conformance.given.TestRuns;
import dev.runlane.conformance.kit.Outcomes;
import dev.runlane.operator.webhook.EndFilter;
import dev.runlane.operator.webhook.RegisterWebhooks;
import io.vertx.core.Future;
import io.vertx.pgclient.PgConnection;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

/** An end costs something for webhooks only once there is one. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class WebhookTriggerTest {
  private final Scene scene = Scene.open();

  @AfterEach
  void close() {
    scene.close();
  }

  @Test
  void there_is_no_trigger_before_the_first_webhook_and_one_after_many() {
    PgStorageAdapter storage = scene.start();
    scene.store(TestRuns.cancelled("before"), storage);
    assertThat(triggers()).isZero();

    List<Future<Void>> registered =
        IntStream.range(0, 8).mapToObj(i -> register(storage)).toList();
    registered.forEach(Outcomes::done);

    assertThat(triggers()).isEqualTo(1);
    scene.store(TestRuns.cancelled("after"), storage);
    assertThat(scene.rows("webhook_deliveries")).isEqualTo(1);
  }

  @Test
  void a_trigger_that_an_operator_has_dropped_is_made_again_by_the_next_webhook() {
    PgStorageAdapter storage = scene.start();
    done(register(storage));
    PgConnection operator = scene.connect();
    done(operator
        .query("DROP TRIGGER IF EXISTS webhook_ends ON " + scene.schema() + ".terminal_runs")
        .execute());
    done(operator.close());
    scene.store(TestRuns.cancelled("meanwhile"), storage);
    assertThat(scene.rows("webhook_deliveries")).isZero();

    done(register(storage));

    scene.store(TestRuns.cancelled("after"), storage);
    assertThat(scene.rows("webhook_deliveries")).isEqualTo(1);
  }

  @Test
  void an_end_that_is_rolled_back_is_told_of_to_nobody() {
    PgStorageAdapter storage = scene.start();
    done(register(storage));
    PgConnection connection = scene.connect();

    done(connection
        .query("BEGIN")
        .execute()
        .compose(begun -> TestRuns.cancelled("never").storeIn(storage.on(connection)))
        .compose(ended -> connection.query("ROLLBACK").execute()));

    assertThat(scene.rows("terminal_runs")).isZero();
    assertThat(scene.rows("webhook_deliveries")).isZero();
    done(connection.close());
  }

  private static Future<Void> register(PgStorageAdapter storage) {
    return storage
        .operator()
        .orElseThrow()
        .registerWebhooks(new RegisterWebhooks(ENVIRONMENT, Map.of("hook", EndFilter.ALL), NOON));
  }

  private long triggers() {
    return scene.number(
        "SELECT count(*) FROM pg_trigger WHERE tgname = 'webhook_ends' AND tgrelid ="
            + " '{schema}.terminal_runs'::regclass");
  }
}
