package dev.runlane.storage.pg.jdbc;

import static dev.runlane.conformance.kit.Outcomes.done;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.lane.Lanes;
import dev.runlane.run.IdempotencyTtl;
import dev.runlane.run.QueuePolicy;
import dev.runlane.runtime.Runlane;
import dev.runlane.runtime.task.Task;
import dev.runlane.runtime.task.TaskDescription;
import dev.runlane.runtime.task.TaskQueue;
import dev.runlane.runtime.task.TriggerOptions;
import dev.runlane.storage.pg.PgStorageAdapter;
import dev.runlane.storage.pg.PgStorageOptions;
import io.vertx.core.Vertx;
import io.vertx.pgclient.PgBuilder;
import io.vertx.sqlclient.Pool;
import java.sql.Connection;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

/** Whoever triggers, the rows are the same: a Vert.x process, a blocking one over JDBC, or SQL alone. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class TriggerRowsTest {
  /** What the payload is, and as JSON. */
  record Order(int number, String note) {}

  private static final Order ORDER = new Order(7, "größer \"als\" 5 \\ 𝄞 €");
  private static final String PAYLOAD =
      "{\"number\":7,\"note\":\"größer \\\"als\\\" 5 \\\\ 𝄞 €\"}";
  private static final TaskQueue PLAIN = TaskQueue.of("default").asDefault();
  private static final TaskQueue BOUNDED = TaskQueue.of("payments").concurrencyLimit(2);
  private static final TaskDescription<Order> TASK =
      Task.define("orders.charge", Order.class).description();
  private static final Instant LATER = Instant.parse("2099-01-02T03:04:05.678900Z");
  private static final Instant EARLIER = Instant.parse("2020-01-02T03:04:05Z");

  /** Each table's rows without numbers of this database; the time a key is kept counts from its creation. */
  private static final Map<String, String> ROWS = new TreeMap<>(Map.of(
      "run_events",
      "SELECT to_jsonb(t) - 'env' - 'event_id' || jsonb_build_object('body', body::jsonb)"
          + " FROM runlane.run_events t ORDER BY sequence",
      "active_runs",
      "SELECT to_jsonb(t) - 'env' || jsonb_build_object('trace_carrier', trace_carrier::jsonb)"
          + " FROM runlane.active_runs t",
      "outbox_messages",
      "SELECT to_jsonb(t) - 'env' || jsonb_build_object('trace_carrier', trace_carrier::jsonb)"
          + " FROM runlane.outbox_messages t",
      "idempotency_owners",
      "SELECT to_jsonb(t) - 'env' || jsonb_build_object('expires_at', expires_at - created_at)"
          + " FROM runlane.idempotency_owners t",
      "singleton_owners",
      "SELECT to_jsonb(t) - 'env' FROM runlane.singleton_owners t",
      "run_tags",
      "SELECT to_jsonb(t) - 'env' FROM runlane.run_tags t ORDER BY name",
      "queue_capacity",
      "SELECT to_jsonb(t) - 'env' FROM runlane.queue_capacity t"));

  private static final JdbcDatabase DATABASE =
      JdbcDatabase.createForManyConnections("trigger_rows");
  private static final Vertx VERTX = Vertx.vertx();
  private static Pool pool;
  private static PgStorageAdapter storage;
  private static Runlane runlane;

  @BeforeAll
  static void start() {
    pool = PgBuilder.pool().connectingTo(DATABASE.reactive()).using(VERTX).build();
    storage = PgStorageAdapter.create(
        VERTX, new PgStorageOptions().setConnectOptions(DATABASE.reactive()));
    runlane = Runlane.builder(VERTX, Lanes.create(storage, storage.notifyTransport()))
        .queue(PLAIN)
        .queue(BOUNDED)
        .task(TASK)
        .build();
    done(runlane.start());
    for (TaskQueue queue : List.of(PLAIN, BOUNDED)) { // what each queue is gets known
      done(runlane.trigger(TASK, ORDER, new TriggerOptions().setQueue(queue)));
    }
    forget();
  }

  @AfterAll
  static void close() {
    done(runlane.close());
    done(VERTX.close());
  }

  @Test
  void a_run_that_is_due_at_once() {
    same(new TriggerOptions(), trigger(), "");
  }

  @Test
  void a_run_for_later() {
    same(
        new TriggerOptions().setRunAt(LATER),
        trigger().setRunAt(LATER),
        ", run_at => '2099-01-02T03:04:05.678900Z'");
  }

  @Test
  void a_run_whose_time_is_past() {
    same(
        new TriggerOptions().setRunAt(EARLIER),
        trigger().setRunAt(EARLIER),
        ", run_at => '2020-01-02T03:04:05Z'");
  }

  @Test
  void a_run_with_all_there_is() {
    Map<String, String> trace = Map.of("tracestate", "a=\"b\"", "traceparent", "00-ab-cd-01");
    Map<String, String> tags = Map.of("customer", "c:7", "region", "größer");
    Map<String, String> meta = Map.of("reason", "a \"reason\"");
    same(
        new TriggerOptions()
            .setIdempotencyKey("i-7")
            .setIdempotencyTtl(IdempotencyTtl.of(Duration.ofMinutes(90)))
            .setSingletonKey("s-7")
            .setConcurrencyKey("c-7")
            .setTags(tags)
            .setMeta(meta)
            .setTraceCarrier(trace),
        trigger()
            .setIdempotencyKey("i-7", IdempotencyTtl.of(Duration.ofMinutes(90)))
            .setSingletonKey("s-7")
            .setConcurrencyKey("c-7")
            .setTags(tags)
            .setMeta(meta)
            .setTraceCarrier(trace),
        """
        , idempotency_key => 'i-7', idempotency_ttl => interval '90 minutes', singleton_key => 's-7',
        concurrency_key => 'c-7', tags => '{"customer":"c:7","region":"größer"}',
        meta => '{"reason":"a \\"reason\\""}',
        trace_carrier => '{"tracestate":"a=\\"b\\"","traceparent":"00-ab-cd-01"}'
        """);
  }

  @Test
  void an_idempotency_key_that_is_kept_as_long_as_most() {
    same(
        new TriggerOptions().setIdempotencyKey("i"),
        trigger().setIdempotencyKey("i"),
        ", idempotency_key => 'i'");
  }

  @Test
  void a_singleton() {
    same(
        new TriggerOptions().setSingletonKey("s"),
        trigger().setSingletonKey("s"),
        ", singleton_key => 's'");
  }

  @Test
  void a_run_of_a_bounded_queue() {
    same(
        new TriggerOptions().setQueue(BOUNDED).setConcurrencyKey("customer-1"),
        trigger().setQueue(BOUNDED.policy()).setConcurrencyKey("customer-1"),
        ", queue => 'payments', concurrency_key => 'customer-1'");
  }

  @Test
  void a_run_for_later_of_a_bounded_queue() {
    same(
        new TriggerOptions().setQueue(BOUNDED).setRunAt(LATER),
        trigger().setQueue(QueuePolicy.bounded("payments", 2)).setRunAt(LATER),
        ", queue => 'payments', run_at => '2099-01-02T03:04:05.678900Z'");
  }

  private static JdbcTrigger trigger() {
    return JdbcTrigger.of("orders.charge", PAYLOAD);
  }

  private static void same(TriggerOptions options, JdbcTrigger jdbc, String sql) {
    done(pool.withTransaction(transaction ->
        runlane.inTransaction(storage.on(transaction)).trigger(TASK, ORDER, options)));
    Map<String, List<String>> ofJava = rows();
    assertThat(ofJava.get("active_runs")).hasSize(1);
    forget();
    try (Connection connection = DATABASE.connect()) {
      connection.setAutoCommit(false);
      JdbcTriggers.create().trigger(connection, jdbc);
      connection.commit();
    } catch (java.sql.SQLException failure) {
      throw new AssertionError(failure);
    }
    Map<String, List<String>> ofJdbc = rows();
    forget();
    DATABASE.execute(
        "SELECT * FROM runlane.trigger('orders.charge', '" + PAYLOAD + "'" + sql + ")");
    Map<String, List<String>> ofSql = rows();
    forget();

    assertThat(ofJdbc).isEqualTo(ofJava);
    assertThat(ofSql).isEqualTo(ofJava);
  }

  /** With names in the place of ids and of the moment of the trigger. */
  private static Map<String, List<String>> rows() {
    String id = DATABASE.column("SELECT run_id FROM runlane.active_runs").get(0);
    List<String> now = new ArrayList<>();
    now.addAll(DATABASE.column("SELECT to_jsonb(created_at) #>> '{}' FROM runlane.active_runs"));
    now.addAll(
        DATABASE.column(
            "SELECT body::jsonb #>> '{delivery,requestedAt}' FROM runlane.run_events WHERE sequence = 2"));
    assertThat(id).matches("run_[0-9a-z]{26}");
    Map<String, List<String>> rows = new TreeMap<>();
    ROWS.forEach((table, query) -> {
      List<String> of = new ArrayList<>();
      for (String row : DATABASE.column(query)) {
        String named = row.replace(id, "RUN").replaceAll("msg_[0-9a-z]{26}\"", "MSG\"");
        for (String instant : now) {
          named = named.replace(instant, "NOW");
        }
        of.add(named);
      }
      rows.put(table, of);
    });
    return rows;
  }

  private static void forget() {
    DATABASE.execute("TRUNCATE runlane." + String.join(", runlane.", ROWS.keySet()));
  }
}
