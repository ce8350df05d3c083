package dev.runlane.jobs.postgres;

import static dev.runlane.conformance.kit.Outcomes.done;
import static dev.runlane.jobs.postgres.JobScene.NOON;
import static dev.runlane.jobs.postgres.JobScene.QUEUE;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.jobs.StoreEvent;
import dev.runlane.jobs.StoreEventType;
import dev.runlane.run.Json;
import io.vertx.core.DeploymentOptions;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.ThreadingModel;
import io.vertx.core.VerticleBase;
import io.vertx.pgclient.PgConnection;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

/** What other processes learn of events when something goes wrong on the way. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class PgJobEventsTest {
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private final JobScene scene = JobScene.open();

  @AfterEach
  void close() {
    scene.close();
  }

  private static StoreEvent event(StoreEventType type, String jobId, int characters) {
    Json data = Json.ofChecked('"' + "x".repeat(characters) + '"');
    return new StoreEvent(type, QUEUE, jobId, data, NOON);
  }

  private Future<StoreEvent> heard(String jobId) {
    Promise<StoreEvent> heard = Promise.promise();
    done(scene.connected().subscribe(QUEUE, event -> {
      if (jobId.equals(event.jobId())) {
        heard.tryComplete(event);
      }
    }));
    return heard.future();
  }

  @Test
  void events_go_on_where_the_worker_pool_of_who_published_is_gone() {
    PgJobStore store = scene.create(scene.options().setLockTimeout(PATIENCE));
    done(store.connect());
    Future<StoreEvent> heard = heard("second");
    PgConnection holder = hold();
    String deployment = done(scene
        .vertx()
        .deployVerticle(
            new VerticleBase() {
              @Override
              public Future<?> start() {
                return store.publish(event(StoreEventType.JOB_COMPLETED, "first", 10_000));
              }
            },
            new DeploymentOptions()
                .setThreadingModel(ThreadingModel.WORKER)
                .setWorkerPoolName("its own")));
    untilOneWaits();
    done(scene.vertx().undeploy(deployment));

    done(store.publish(event(StoreEventType.JOB_COMPLETED, "second", 1)));
    done(holder.close());

    assertThat(done(heard).type()).isEqualTo(StoreEventType.JOB_COMPLETED);
  }

  @Test
  void events_of_others_reach_a_store_whose_first_listener_is_gone_with_its_worker_pool() {
    PgJobStore store = scene.connected();
    String deployment = done(scene
        .vertx()
        .deployVerticle(
            context -> store.subscribe(QUEUE, event -> {}),
            new DeploymentOptions()
                .setThreadingModel(ThreadingModel.WORKER)
                .setWorkerPoolName("its own")));
    done(scene.vertx().undeploy(deployment));
    Promise<StoreEvent> heard = Promise.promise();
    done(store.subscribe(QUEUE, heard::tryComplete));

    done(scene.connected().publish(event(StoreEventType.JOB_COMPLETED, "job", 1)));

    assertThat(done(heard.future()).jobId()).isEqualTo("job");
  }

  @Test
  void others_hear_of_data_as_deep_and_as_exact_as_it_may_be() {
    Future<StoreEvent> heard = heard("deep");
    Json data = Json.ofChecked("[".repeat(64) + "0.1234567890123456789" + "]".repeat(64));

    done(scene
        .connected()
        .publish(new StoreEvent(StoreEventType.JOB_COMPLETED, QUEUE, "deep", data, NOON)));

    assertThat(done(heard).data()).isEqualTo(data);
  }

  @Test
  void who_subscribes_while_the_last_other_listener_leaves_hears_what_follows() {
    PgJobStore store = scene.connected();
    Consumer<StoreEvent> leaving = event -> {};
    done(store.subscribe(QUEUE, leaving));
    Coming coming = new Coming(() -> store.unsubscribe(QUEUE, leaving));

    done(store.subscribe(QUEUE, coming));
    done(coming.leave.future());
    done(store.publish(event(StoreEventType.JOB_COMPLETED, "of this store", 1)));
    done(scene.connected().publish(event(StoreEventType.JOB_COMPLETED, "of others", 1)));

    done(coming.heard.future());
    assertThat(coming.jobs).containsExactly("of this store", "of others");
  }

  /** Has another one leave, as far as that gets, while it is added beside it. */
  private static final class Coming implements Consumer<StoreEvent> {
    private final List<String> jobs = new CopyOnWriteArrayList<>();
    private final Promise<Void> heard = Promise.promise();
    private final Promise<Void> leave = Promise.promise();
    private final Thread leaving;

    Coming(Supplier<Future<Void>> other) {
      leaving = new Thread(() -> other.get().onComplete(leave), "leaving");
    }

    @Override
    public void accept(StoreEvent event) {
      jobs.add(String.valueOf(event.jobId()));
      if ("of others".equals(event.jobId())) {
        heard.complete();
      }
    }

    @Override
    public boolean equals(@Nullable Object other) {
      if (other != this && leaving.getState() == Thread.State.NEW) {
        leaving.start();
        while (leaving.isAlive() && leaving.getState() != Thread.State.BLOCKED) {
          Thread.onSpinWait();
        }
      }
      return other == this;
    }

    @Override
    public int hashCode() {
      return System.identityHashCode(this);
    }
  }

  @Test
  void a_large_event_that_cannot_be_stored_is_all_that_others_miss() {
    PgJobStore store = scene.connected();
    Future<StoreEvent> heard = heard("small");
    PgConnection holder = hold();

    done(store.publishAll(List.of(
        event(StoreEventType.JOB_COMPLETED, "large", 10_000),
        event(StoreEventType.JOB_COMPLETED, "small", 1))));

    assertThat(done(heard).type()).isEqualTo(StoreEventType.JOB_COMPLETED);
    done(holder.close());
  }

  @Test
  void a_large_event_has_a_bounded_number_of_old_ones_forgotten() {
    PgJobStore store = scene.connected();
    Future<StoreEvent> heard = heard("large");
    scene.sql(
        "INSERT INTO {s}.job_events (id, body, created_at)"
            + " SELECT 'old ' || i, '{}', timestamptz '2026-03-04 12:00Z' FROM generate_series(1, 5000) i");

    done(store.publish(event(StoreEventType.JOB_COMPLETED, "large", 10_000)));

    assertThat(done(heard).data()).isNotNull();
    assertThat(scene.number("SELECT count(*) FROM {s}.job_events WHERE id LIKE 'old %'"))
        .isEqualTo(5_000 - 1_002);
  }

  /** Keeps large events from being stored, until the connection is closed. */
  private PgConnection hold() {
    PgConnection holder = done(scene.connect());
    done(holder.query("BEGIN").execute());
    done(holder
        .query("LOCK TABLE %s.job_events".formatted(scene.options().getSchema()))
        .execute());
    return holder;
  }

  private void untilOneWaits() {
    long end = System.nanoTime() + PATIENCE.toNanos();
    while (scene.number("""
        SELECT count(*) FROM pg_locks WHERE NOT granted AND relation = '{s}.job_events'::regclass
        """) == 0) {
      assertThat(System.nanoTime()).isLessThan(end);
      LockSupport.parkNanos(Duration.ofMillis(5).toNanos());
    }
  }
}
