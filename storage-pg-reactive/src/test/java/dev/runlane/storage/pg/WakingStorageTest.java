package dev.runlane.storage.pg;

import static dev.runlane.conformance.kit.Outcomes.done;
import static dev.runlane.conformance.kit.Outcomes.failure;
import static dev.runlane.storage.pg.Scene.DEFAULT_QUEUE;
import static dev.runlane.storage.pg.Scene.ENVIRONMENT;
import static dev.runlane.storage.pg.Scene.MINUTE;
import static dev.runlane.storage.pg.Scene.NOON;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.conformance.given.Events;
import dev.runlane.conformance.given.TestRun;
import dev.runlane.conformance.given.TestRuns;
import dev.runlane.run.IdempotencyTtl;
import dev.runlane.run.QueuePolicy;
import dev.runlane.run.RunRecord;
import dev.runlane.storage.StorageAdapter;
import dev.runlane.storage.pg.notify.CreationWakeups;
import dev.runlane.storage.pg.notify.NotificationTap;
import dev.runlane.storage.pg.row.PgSession;
import dev.runlane.storage.run.AppendRunEvents;
import dev.runlane.timing.Clock;
import dev.runlane.timing.Ids;
import dev.runlane.timing.ManualClock;
import dev.runlane.timing.ManualTimers;
import dev.runlane.timing.Randomness;
import dev.runlane.timing.Timers;
import dev.runlane.transport.DeliveryMessage;
import io.vertx.core.Future;
import io.vertx.pgclient.PgBuilder;
import io.vertx.sqlclient.Pool;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

/** Creations that send their wakeups themselves, where the transport is the storage's own. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class WakingStorageTest {
  private static final QueuePolicy BOUNDED = QueuePolicy.bounded("bounded", 2);

  private final Scene scene = Scene.open();
  private NotificationTap tap;
  private PgStorageAdapter storage;
  private StorageAdapter waking;

  @BeforeEach
  void start() {
    tap = new NotificationTap(scene.vertx(), scene.options());
    done(tap.open());
    storage = scene.start();
    waking = storage.withWakeups(storage.notifyTransport()).orElseThrow();
  }

  @AfterEach
  void close() {
    done(tap.close());
    scene.close();
  }

  @Test
  void a_run_that_is_due_wakes_without_an_outbox_message() {
    RunRecord run = scene.store(TestRuns.queued("run_1"), waking);

    assertThat(heard()).singleElement().satisfies(message -> {
      assertThat(message.runId()).isEqualTo("run_1");
      assertThat(message.queue()).isEqualTo(run.queue());
      assertThat(message.requestedAt()).isEqualTo(run.updatedAt());
    });
    assertThat(scene.rows("outbox_messages")).isZero();
    assertThat(Scene.find(storage, "run_1")).contains(run);
    assertThat(Scene.claim(storage, List.of(DEFAULT_QUEUE), "tok_1", 10).runs()).hasSize(1);
  }

  @Test
  void a_run_with_keys_wakes_too_and_one_that_lost_its_key_wakes_nobody() {
    scene.store(keyed("run_1"), waking);
    failure(keyed("run_2").storeIn(waking));

    assertThat(heard()).extracting(DeliveryMessage::runId).containsExactly("run_1");
  }

  @Test
  void a_run_of_a_bounded_queue_wakes_those_who_claim_or_dispatch_it() {
    done(waking.appendRunEvents(
        TestRuns.queued("run_1").queue(BOUNDED).creation().in(BOUNDED)));

    assertThat(heard()).extracting(DeliveryMessage::queue).containsExactly("bounded");
  }

  @Test
  void a_run_that_is_due_later_keeps_its_message_and_wakes_nobody() {
    scene.store(TestRuns.scheduled("run_1", NOON.plus(MINUTE)), waking);

    assertThat(heard()).isEmpty();
    assertThat(scene.rows("outbox_messages")).isEqualTo(1);
  }

  @Test
  void runs_that_are_created_together_share_wakeups() {
    List<AppendRunEvents> commands = IntStream.range(0, 100)
        .mapToObj(number -> TestRuns.queued("run_" + number)
            .queue(QueuePolicy.unbounded("queue_" + number % 2))
            .creation())
        .toList();

    done(waking.batch().orElseThrow().appendAll(commands));

    assertThat(heard())
        .as("of statements that went out while others were under way")
        .hasSizeLessThan(50)
        .extracting(DeliveryMessage::queue)
        .contains("queue_0", "queue_1");
    assertThat(scene.rows("outbox_messages")).isZero();
    assertThat(scene.rows("active_runs")).isEqualTo(100);
  }

  @Test
  void appends_to_a_run_that_exists_keep_their_messages() {
    RunRecord released = scene.store(TestRuns.released("run_1", NOON), storage);
    long before = scene.rows("outbox_messages");

    done(Scene.append(waking, released, Events.delivery(released, NOON, NOON)));

    assertThat(scene.rows("outbox_messages")).isEqualTo(before + 1);
    assertThat(heard()).isEmpty();
  }

  @Test
  void only_the_storages_own_transport_wakes_for_it_and_no_transaction_does() {
    PgStorageAdapter other = scene.start();

    assertThat(storage.withWakeups(other.notifyTransport())).isEmpty();
    assertThat(storage.on(scene.begin()).withWakeups(storage.notifyTransport())).isEmpty();
  }

  @Test
  void a_wakeup_that_cannot_be_sent_is_sent_once_postgres_can_be_reached() {
    CuttableLine line = new CuttableLine(scene.vertx(), scene.options().getConnectOptions());
    done(line.connect());
    Pool pool =
        PgBuilder.pool().connectingTo(line.options()).using(scene.vertx()).build();
    done(line.cut());
    CreationWakeups wakeups = new CreationWakeups(
        new PgSession(
            pool, PgParts.statements(scene.schema()), new Ids(Clock.system(), Randomness.system())),
        scene.vertx().getOrCreateContext(),
        Timers.of(scene.vertx()),
        scene.schema());

    wakeups.created(List.of(message("run_1", 1), message("run_3", 3)));
    done(wakeups.sent()); // which does not wait for an outage
    assertThat(done(tap.received())).isEmpty();
    wakeups.created(List.of(message("run_2", 2)));
    done(line.connect());

    Scene.until(() -> !done(tap.received()).isEmpty()); // once the pause after the failure is over
    assertThat(done(tap.received())).extracting(DeliveryMessage::runId).containsExactly("run_3");
    wakeups.close();
    done(pool.close());
    done(line.cut());
  }

  @Test
  void while_runs_come_faster_than_statements_the_next_wakeup_waits_for_more_of_them() {
    ManualTimers timers = new ManualTimers(ManualClock.at(NOON));
    Pool pool = PgBuilder.pool()
        .connectingTo(scene.options().getConnectOptions())
        .using(scene.vertx())
        .build();
    CreationWakeups wakeups = new CreationWakeups(
        new PgSession(
            pool, PgParts.statements(scene.schema()), new Ids(Clock.system(), Randomness.system())),
        scene.vertx().getOrCreateContext(),
        timers,
        scene.schema());
    wakeups.created(List.of(message("run_1", 1), message("run_2", 2)));
    done(wakeups.sent());
    assertThat(done(tap.received())).extracting(DeliveryMessage::runId).containsExactly("run_2");

    wakeups.created(List.of(message("run_3", 3)));
    wakeups.created(List.of(message("run_4", 4)));
    Future<Void> sent = wakeups.sent();
    assertThat(done(tap.received())).as("it waits for more").hasSize(1);
    timers.advance(Duration.ofMillis(2));
    done(sent);

    assertThat(done(tap.received()))
        .extracting(DeliveryMessage::runId)
        .containsExactly("run_2", "run_4");
    timers.advance(Duration.ofMillis(2));
    wakeups.created(List.of(message("run_5", 5)));
    done(wakeups.sent());
    wakeups.created(List.of(message("run_6", 6)));
    done(wakeups.sent());
    assertThat(done(tap.received()))
        .as("one after the other they wait for none")
        .extracting(DeliveryMessage::runId)
        .containsExactly("run_2", "run_4", "run_5", "run_6");
    wakeups.close();
    done(pool.close());
  }

  private static DeliveryMessage message(String runId, long second) {
    return new DeliveryMessage(
        ENVIRONMENT, runId, DEFAULT_QUEUE.queue(), NOON.plusSeconds(second), null);
  }

  private static TestRun keyed(String runId) {
    return TestRuns.queued(runId)
        .idempotencyKey("order_1", IdempotencyTtl.of(MINUTE))
        .singletonKey(runId);
  }

  /** All that was notified by now, once the view says that nothing is on its way. */
  private List<DeliveryMessage> heard() {
    Future<Void> sent = waking.close();
    done(sent);
    return done(tap.received());
  }
}
