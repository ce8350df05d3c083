package dev.runlane.runtime.attempt;

import static dev.runlane.runtime.Fleet.NOON;
import static dev.runlane.runtime.Fleet.done;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.json.VertxJson;
import dev.runlane.lane.Lanes;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunCounters;
import dev.runlane.run.RunEvent;
import dev.runlane.run.RunRecord;
import dev.runlane.run.RunStatus;
import dev.runlane.runtime.Faults;
import dev.runlane.runtime.Fleet;
import dev.runlane.runtime.Runlane;
import dev.runlane.runtime.TurnedHost;
import dev.runlane.runtime.host.RunlaneOptions;
import dev.runlane.runtime.task.RetryPolicy;
import dev.runlane.runtime.task.RunActionOptions;
import dev.runlane.runtime.task.Task;
import dev.runlane.runtime.task.TaskQueue;
import dev.runlane.runtime.task.TaskResult;
import dev.runlane.runtime.worker.WorkerOptions;
import dev.runlane.storage.ForwardingStorageAdapter;
import dev.runlane.storage.StorageAdapter;
import dev.runlane.storage.StorageCapability;
import dev.runlane.storage.read.ListRunEvents;
import dev.runlane.storage.read.Page;
import dev.runlane.storage.read.RunEventRecord;
import io.vertx.core.Future;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

/** Runs whose payload was written for another deployment of their task. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class UndecodablePayloadTest {
  private static final List<TaskQueue> QUEUES = List.of(TaskQueue.of("default").asDefault());
  private static final int BACKLOG = 20;

  private final Fleet fleet = new Fleet();
  private final List<String> handled = new ArrayList<>();

  /** Version 1: the amount is text. */
  record TextOrder(String id, String amount) {}

  /** Version 2: the amount is a number of cents. */
  record CentsOrder(String id, long amount) {}

  private Task<TextOrder> texts() {
    return Task.define("orders", TextOrder.class)
        .payloadSchema("{\"properties\":{\"amount\":{\"type\":\"string\"}}}")
        .handler((order, context) -> note(order.id()));
  }

  private Task<CentsOrder> cents() {
    return Task.define("orders", CentsOrder.class).handler((order, context) -> note(order.id()));
  }

  private Future<TaskResult> note(String id) {
    handled.add(id);
    return Future.succeededFuture(TaskResult.done(id));
  }

  private String backlogOfOne(Runlane old, Task<TextOrder> task) {
    return done(old.trigger(task, new TextOrder("o1", "secret EUR"))).run().id();
  }

  private List<RunEvent.Released> releases(Runlane process, String runId) {
    return fleet.events(process, runId).stream()
        .filter(RunEvent.Released.class::isInstance)
        .map(RunEvent.Released.class::cast)
        .toList();
  }

  /** Without its history, which has more than a page. */
  private static RunRecord asItIs(Runlane process, String runId) {
    return done(process.runs().get(runId)).orElseThrow();
  }

  private static JsonObject meta(RunEvent.Released released) {
    return VertxJson.object(released.header().meta());
  }

  @Test
  void a_field_that_changes_its_type_under_a_backlog_in_a_rolling_deployment_loses_nothing() {
    Task<TextOrder> before = texts();
    Task<CentsOrder> after = cents();
    Runlane old = fleet.process(before);
    List<String> ids = new ArrayList<>();
    List<String> runs = new ArrayList<>();
    for (int i = 0; i < BACKLOG; i++) {
      ids.add("text" + i);
      runs.add(
          done(old.trigger(before, new TextOrder("text" + i, i + " EUR"))).run().id());
    }
    Runlane current = fleet.process(after);
    for (int i = 0; i < BACKLOG; i++) {
      ids.add("cents" + i);
      runs.add(
          done(current.trigger(after, new CentsOrder("cents" + i, i))).run().id());
    }

    done(current.worker(new WorkerOptions()));
    fleet.pass(Duration.ofMinutes(5));

    assertThat(handled)
        .as("what the new version can read")
        .hasSize(BACKLOG)
        .allMatch(id -> id.startsWith("cents"));
    done(old.worker(new WorkerOptions()));
    fleet.pass(Duration.ofHours(2));

    assertThat(handled).containsExactlyInAnyOrderElementsOf(ids);
    for (String runId : runs) {
      RunRecord run = fleet.run(current, runId);
      assertThat(run.status()).isEqualTo(RunStatus.SUCCEEDED);
      assertThat(run.counters().failures()).isZero();
      assertThat(run.counters().retries()).isZero();
      assertThat(releases(current, runId))
          .allMatch(released -> UndecodablePayloads.REASON.equals(released.reason()));
    }
  }

  @Test
  void a_payload_that_is_looked_at_after_a_takeover_only_keeps_no_slot() {
    Task<TextOrder> before = texts();
    Task<CentsOrder> after = cents();
    Runlane old = fleet.process(before);
    backlogOfOne(old, before);
    Faults faults = new Faults(fleet.storage);
    TurnedHost host = new TurnedHost(fleet.timers);
    Runlane current = Runlane.builder(host, Lanes.create(faults.storage(), fleet.transport))
        .clock(fleet.clock)
        .randomness(fleet.randomness)
        .queues(QUEUES)
        .task(after)
        .build();
    current.start();
    current.worker(new WorkerOptions().setConcurrency(1));
    host.takeTurns();
    fleet.settle();
    assertThat(faults.calls("claimRuns")).as("its handler's context is busy").isPositive();
    faults.failForEver("heartbeatRunLease");
    fleet.pass(RunlaneOptions.DEFAULT_LEASE_DURATION);
    done(old.executeNext());
    assertThat(handled).as("the old version took it over").containsExactly("o1");
    fleet.pass(RunlaneOptions.DEFAULT_LEASE_DURATION);

    host.callHandlers();
    host.takeTurns();

    done(current.trigger(after, new CentsOrder("o2", 2)));
    host.takeTurns();
    fleet.pass(Duration.ofMinutes(1));
    host.callHandlers();
    assertThat(handled).containsExactly("o1", "o2");
  }

  @Test
  void each_release_says_since_when_and_pauses_grow() {
    Task<TextOrder> before = texts();
    Runlane old = fleet.process(before);
    String runId = backlogOfOne(old, before);
    Runlane current = fleet.process(cents());
    done(current.worker(new WorkerOptions()));
    fleet.pass(Duration.ofMinutes(1));

    List<RunEvent.Released> releases = releases(current, runId);

    assertThat(releases).hasSizeGreaterThan(3);
    for (int i = 0; i < releases.size(); i++) {
      assertThat(releases.get(i).reason()).isEqualTo("undecodable_payload");
      assertThat(meta(releases.get(i)).getString("times")).isEqualTo(String.valueOf(i + 1));
      assertThat(meta(releases.get(i)).getInstant("since"))
          .isEqualTo(releases.get(0).header().occurredAt());
    }
    assertThat(Duration.between(
            releases.get(3).header().occurredAt(), releases.get(3).resumeAt()))
        .isGreaterThan(Duration.ofSeconds(6));
    RunCounters counters = fleet.run(current, runId).counters();
    assertThat(counters.failures()).isZero();
    assertThat(counters.lostAttempts(0)).isZero();
  }

  @Test
  void reads_refused_for_longer_than_a_lease_leave_the_first_release_the_first() {
    Task<TextOrder> before = texts();
    Runlane old = fleet.process(before);
    String runId = backlogOfOne(old, before);
    Runlane current = fleet.process(cents());
    done(current.worker(new WorkerOptions()));
    fleet.pass(Duration.ofSeconds(1));
    assertThat(releases(current, runId)).hasSize(1);
    fleet.faults.fail("listRunEvents", 60);

    fleet.pass(Duration.ofMinutes(6));

    List<RunEvent.Released> releases = releases(current, runId);
    assertThat(releases).hasSizeGreaterThan(1).allSatisfy(release -> assertThat(
            meta(release).getInstant("since"))
        .isEqualTo(releases.get(0).header().occurredAt()));
    assertThat(meta(releases.get(1)).getString("times")).isEqualTo("2");
  }

  @Test
  void a_run_whose_lease_is_lost_while_reads_are_refused_is_left_to_its_next_owner() {
    Task<TextOrder> before = texts();
    Runlane old = fleet.process(before);
    String runId = backlogOfOne(old, before);
    Runlane current = fleet.process(cents());
    done(current.worker(new WorkerOptions()));
    fleet.pass(Duration.ofSeconds(1));
    fleet.faults.fail("listRunEvents", 60);
    fleet.faults.fail("heartbeatRunLease", 60);

    fleet.pass(Duration.ofMinutes(10));

    assertThat(releases(current, runId).size()).isGreaterThan(1);
    assertThat(current.engine().leases().isEmpty()).isTrue();
  }

  @Test
  void pauses_grow_to_five_minutes() {
    Task<TextOrder> before = texts();
    Runlane old = fleet.process(before);
    String runId = backlogOfOne(old, before);
    Runlane current = fleet.process(cents());
    done(current.worker(new WorkerOptions()));
    fleet.pass(Duration.ofHours(2));

    List<RunEvent.Released> releases = releases(current, runId);
    RunEvent.Released last = releases.get(releases.size() - 1);

    assertThat(Duration.between(last.header().occurredAt(), last.resumeAt()))
        .as("five minutes, give or take a fifth")
        .isBetween(Duration.ofMinutes(4), Duration.ofMinutes(6));
  }

  @Test
  void past_the_time_since_the_first_release_the_run_fails_without_quoting_its_payload() {
    Task<TextOrder> before = texts();
    Runlane old = fleet.process(before);
    String runId = backlogOfOne(old, before);
    Runlane current = fleet.process(cents());
    done(current.worker(new WorkerOptions()));
    fleet.pass(Duration.ofHours(23).plusMinutes(50));
    assertThat(asItIs(current, runId).status().isActive()).isTrue();

    fleet.pass(Duration.ofMinutes(30));

    RunRecord run = asItIs(current, runId);
    assertThat(run.status()).isEqualTo(RunStatus.FAILED);
    assertThat(run.failure().code()).isEqualTo(ErrorCode.VALIDATION_FAILED);
    assertThat(run.failure().retryable()).isFalse();
    assertThat(run.failure().message()).contains("amount").doesNotContain("secret");
    assertThat(VertxJson.object(run.failure().meta()).getString("reason"))
        .isEqualTo("undecodable_payload");
    assertThat(run.counters().failures()).isEqualTo(1);
  }

  @Test
  void an_attempt_that_could_read_the_payload_begins_the_time_anew() {
    Task<TextOrder> waiting = Task.define("orders", TextOrder.class)
        .handler((order, context) -> Future.succeededFuture(context.release(Duration.ofHours(1))));
    Runlane old = fleet.process(waiting);
    String runId = backlogOfOne(old, waiting);
    RunlaneOptions options =
        new RunlaneOptions().setUndecodablePayloadTimeout(Duration.ofMinutes(30));
    Runlane current = fleet.process(options, QUEUES, cents());
    done(current.executeNext());
    fleet.pass(Duration.ofMinutes(20));
    done(old.executeNext());
    fleet.pass(Duration.ofHours(1));

    done(current.executeNext());

    RunEvent.Released last = releases(current, runId).get(2);
    assertThat(last.reason()).isEqualTo("undecodable_payload");
    assertThat(meta(last).getInstant("since")).isAfter(NOON.plus(Duration.ofHours(1)));
    fleet.pass(Duration.ofMinutes(31));
    done(current.executeNext());
    assertThat(fleet.run(current, runId).status()).isEqualTo(RunStatus.FAILED);
  }

  @Test
  void what_the_schema_of_today_refuses_waits_like_what_the_type_cannot_hold() {
    Task<CentsOrder> after = cents();
    Runlane current = fleet.process(after);
    String runId = done(current.trigger(after, new CentsOrder("o1", 5))).run().id();
    Runlane old = fleet.process(texts());

    done(old.executeNext());
    assertThat(releases(old, runId)).hasSize(1);
    fleet.pass(Duration.ofMinutes(1));
    done(current.executeNext());

    assertThat(fleet.run(current, runId).status()).isEqualTo(RunStatus.SUCCEEDED);
    assertThat(handled).containsExactly("o1");
  }

  @Test
  void without_a_time_to_wait_the_first_attempt_fails_whatever_the_retry_policy_says() {
    Task<TextOrder> before = texts();
    Runlane old = fleet.process(before);
    String runId = backlogOfOne(old, before);
    Runlane current = fleet.process(
        new RunlaneOptions().setUndecodablePayloadTimeout(Duration.ZERO),
        QUEUES,
        Task.define("orders", CentsOrder.class)
            .retry(RetryPolicy.attempts(5))
            .handler((order, context) -> note(order.id())));

    done(current.executeNext());

    assertThat(fleet.run(current, runId).status()).isEqualTo(RunStatus.FAILED);
    assertThat(handled).isEmpty();
  }

  @Test
  void a_run_whose_cancellation_is_requested_meanwhile_ends_cancelled() {
    Task<TextOrder> before = texts();
    Runlane old = fleet.process(before);
    String runId = backlogOfOne(old, before);
    Runlane current = fleet.process(cents());
    fleet.faults.before(
        "appendRunEvents", () -> done(old.runs().cancel(runId, new RunActionOptions())));

    done(current.executeNext());

    assertThat(fleet.run(current, runId).status()).isEqualTo(RunStatus.CANCELLED);
  }

  @Test
  void where_nobody_can_read_histories_the_run_is_released_again() {
    Task<TextOrder> before = texts();
    Runlane old = fleet.process(before);
    String runId = backlogOfOne(old, before);
    Runlane current =
        fleet.process(withoutHistory(fleet.storage), new RunlaneOptions(), QUEUES, cents());
    done(current.worker(new WorkerOptions()));

    fleet.pass(Duration.ofHours(30));

    assertThat(asItIs(old, runId).status().isActive()).isTrue();
    assertThat(asItIs(old, runId).counters().releases()).isGreaterThan(200);
  }

  private static StorageAdapter withoutHistory(StorageAdapter real) {
    Set<StorageCapability> reported = EnumSet.copyOf(real.capabilities());
    reported.remove(StorageCapability.READS_RUN_HISTORY);
    return new ForwardingStorageAdapter(real) {
      @Override
      public Set<StorageCapability> capabilities() {
        return reported;
      }

      @Override
      public Future<Page<RunEventRecord>> listRunEvents(ListRunEvents query) {
        throw new AssertionError("nobody can read histories");
      }
    };
  }
}
