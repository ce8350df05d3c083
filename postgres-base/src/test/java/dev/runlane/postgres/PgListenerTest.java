package dev.runlane.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.adapter.Subscription;
import dev.runlane.testinfra.process.CapturedErrors;
import io.vertx.core.DeploymentOptions;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.ThreadingModel;
import io.vertx.core.VerticleBase;
import io.vertx.pgclient.PgConnection;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

@DisplayNameGeneration(ReplaceUnderscores.class)
class PgListenerTest {
  private static final String LOSS = "possible loss";

  /** A connection that a busy machine makes slowly is not taken for a silent one. */
  private static final Duration PATIENCE = Duration.ofMinutes(1);

  private final Database database = new Database();
  private final PgListener listener =
      new PgListener(database.vertx(), database.options(), PATIENCE, PATIENCE);

  @AfterEach
  void close() {
    Database.done(listener.close());
    database.close();
  }

  @Test
  void all_listeners_of_a_channel_share_one_connection_and_hear_everything() {
    Ears one = new Ears();
    Ears other = new Ears();
    Ears elsewhere = new Ears();
    listen("here", one);
    listen("here", other);
    listen("there", elsewhere);

    notify("here", "a");
    notify("there", "b");

    Database.done(one.heard("a"));
    Database.done(other.heard("a"));
    Database.done(elsewhere.heard("b"));
    assertThat(elsewhere.all).containsExactly("b");
    assertThat(database
            .sql("SELECT 1 FROM pg_stat_activity WHERE datname = current_database()"
                + " AND application_name = 'runlane'")
            .size())
        .isEqualTo(1);
  }

  @Test
  void a_listener_that_has_left_hears_nothing_and_others_go_on() {
    Ears left = new Ears();
    Ears stays = new Ears();
    Subscription subscription = listen("here", left);
    listen("here", stays);

    Database.done(subscription.close());
    Database.done(subscription.close());
    notify("here", "a");

    Database.done(stays.heard("a"));
    assertThat(left.all).isEmpty();
  }

  @Test
  void a_channel_that_all_have_left_can_be_listened_to_again() {
    Database.done(listen("here", new Ears()).close());
    Ears ears = new Ears();
    listen("here", ears);

    notify("here", "a");

    Database.done(ears.heard("a"));
  }

  @Test
  void a_lost_connection_is_made_anew_and_every_listener_is_told() {
    Ears one = new Ears();
    Ears other = new Ears();
    listen("here", one);
    listen("there", other);

    database.sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
        + " WHERE datname = current_database() AND application_name = 'runlane'");

    Database.done(one.heard(LOSS));
    Database.done(other.heard(LOSS));
    notify("here", "a");
    Database.done(one.heard("a"));
  }

  @Test
  void a_listener_that_cannot_connect_fails_each_time_it_is_asked() {
    PgListener unreachable = new PgListener(database.vertx(), database.options().setPort(1));

    for (int times = 0; times < 3; times++) {
      assertThat(Database.failure(unreachable.listen("here", payload -> {}, () -> {})))
          .hasMessageContaining("listening");
    }
    Database.done(unreachable.close());
  }

  @Test
  void a_channel_in_force_outlives_a_reconnect_at_which_another_is_refused() {
    Ears ears = new Ears();
    listen("here", ears);
    PgConnection elsewhere = Database.done(
        PgConnection.connect(database.vertx(), database.options().setDatabase("postgres")));
    Future<Subscription> nameless;
    List<String> lines;
    try (CapturedErrors captured = CapturedErrors.begin()) {
      allowConnections(elsewhere, false);
      nameless = listener.listen("", payload -> {}, () -> {});
      allowConnections(elsewhere, true);

      assertThat(Database.failure(nameless)).hasMessageContaining("listening");
      Database.done(ears.heard(LOSS));
      lines = captured.lines();
    } finally {
      Database.done(elsewhere.close());
    }

    notify("here", "a");
    Database.done(ears.heard("a"));
    assertThat(lines)
        .anyMatch(line -> line.contains("WARN") && line.contains("the LISTEN connection"));
    assertThat(lines).anyMatch(line -> line.contains("zero-length delimited identifier"));
  }

  /** Whether the database of this test takes connections; when it no longer does, the listener's is ended. */
  private void allowConnections(PgConnection elsewhere, boolean allowed) {
    String name = database.options().getDatabase();
    Database.done(elsewhere
        .query("ALTER DATABASE " + name + " ALLOW_CONNECTIONS " + allowed)
        .execute());
    if (!allowed) {
      Database.done(elsewhere
          .query("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '" + name
              + "' AND application_name = 'runlane'")
          .execute());
    }
  }

  @Test
  void a_listener_whose_worker_pool_is_gone_keeps_nothing_from_others() {
    String verticle = Database.done(database
        .vertx()
        .deployVerticle(
            new VerticleBase() {
              @Override
              public Future<?> start() {
                return listener.listen("here", payload -> {}, () -> {});
              }
            },
            new DeploymentOptions()
                .setThreadingModel(ThreadingModel.WORKER)
                .setWorkerPoolName("gone-with-its-verticle")));
    Ears stays = new Ears();
    listen("here", stays);
    Database.done(database.vertx().undeploy(verticle));

    notify("here", "a");

    Database.done(stays.heard("a"));
  }

  private Subscription listen(String channel, Ears ears) {
    return Database.done(listener.listen(channel, ears::hear, () -> ears.hear(LOSS)));
  }

  private void notify(String channel, String payload) {
    database.sql("NOTIFY " + channel + ", '" + payload + "'");
  }

  private static final class Ears {
    private final List<String> all = new CopyOnWriteArrayList<>();
    private final Map<String, Promise<Void>> awaited = new ConcurrentHashMap<>();

    Future<Void> heard(String what) {
      return promised(what).future();
    }

    void hear(String what) {
      all.add(what);
      promised(what).tryComplete();
    }

    private Promise<Void> promised(String what) {
      return awaited.computeIfAbsent(what, any -> Promise.promise());
    }
  }
}
