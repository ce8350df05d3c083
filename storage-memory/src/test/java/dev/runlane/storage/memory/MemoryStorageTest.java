package dev.runlane.storage.memory;

import static dev.runlane.storage.memory.Flow.ENVIRONMENT;
import static dev.runlane.storage.memory.Flow.NOON;
import static dev.runlane.storage.memory.Flow.TASK;
import static dev.runlane.storage.memory.Flow.done;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.runlane.run.ErrorCode;
import dev.runlane.run.FailureRecord;
import dev.runlane.run.QueuePolicy;
import dev.runlane.run.RunEvent;
import dev.runlane.run.RunKeys;
import dev.runlane.run.RunRecord;
import dev.runlane.run.RunReducer;
import dev.runlane.run.RunlaneException;
import dev.runlane.storage.StorageCapability;
import dev.runlane.storage.outbox.ClaimOutboxMessages;
import dev.runlane.storage.outbox.ClaimedOutboxMessage;
import dev.runlane.storage.outbox.MarkOutboxMessagesDeadLettered;
import dev.runlane.storage.outbox.OutboxMessageState;
import dev.runlane.storage.outbox.OutboxMessageStatus;
import dev.runlane.storage.read.GetRun;
import dev.runlane.storage.read.ListRunnableRuns;
import dev.runlane.storage.read.ListRuns;
import dev.runlane.storage.read.Page;
import dev.runlane.storage.read.RunFilter;
import dev.runlane.storage.read.RunSort;
import dev.runlane.storage.read.RunSummary;
import dev.runlane.storage.read.RunnableRunRef;
import dev.runlane.storage.run.ClaimRuns;
import dev.runlane.storage.run.ClaimedRuns;
import dev.runlane.storage.run.PruneRuns;
import dev.runlane.storage.run.ReleaseRunLease;
import dev.runlane.timing.Ids;
import dev.runlane.timing.Randomness;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

/** What the conformance suites do not ask of every storage. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class MemoryStorageTest {
  private static final int MANY = 20_000;
  private static final QueuePolicy ONE_AT_A_TIME = QueuePolicy.bounded("one", 1);

  private final MemoryStorage storage = new MemoryStorage();
  private final Flow flow = new Flow(storage);

  @Test
  void it_offers_everything_but_durable_state() {
    assertThat(storage.capabilities())
        .isEqualTo(EnumSet.complementOf(EnumSet.of(StorageCapability.DURABLE_STATE)));
  }

  @Test
  void a_storage_reporting_less_sees_the_same_data() {
    MemoryStorage reduced = storage.reporting(Set.of(StorageCapability.PRUNES_RUNS));
    flow.create("run_1", "default", RunKeys.NONE);

    assertThat(done(reduced.getRun(new GetRun(ENVIRONMENT, "run_1")))).isPresent();
    assertThat(reduced.capabilities()).containsExactly(StorageCapability.PRUNES_RUNS);
  }

  @Test
  void it_cannot_report_what_it_does_not_have() {
    assertThatThrownBy(() -> storage.reporting(Set.of(StorageCapability.DURABLE_STATE)))
        .isInstanceOfSatisfying(RunlaneException.class, failure -> assertThat(failure.code())
            .isEqualTo(ErrorCode.CONFIGURATION_INVALID));
  }

  @Test
  void what_became_of_a_wakeup_can_be_seen() {
    FailureRecord refused =
        new FailureRecord(ErrorCode.TRANSPORT_PUBLISH_FAILED, "refused", true, null);
    flow.create("run_1", "default", RunKeys.NONE);
    flow.create("run_2", "default", RunKeys.NONE);
    List<OutboxMessageState> pending = wakeupsOf("run_1");
    ClaimedOutboxMessage claimed = claimOutbox(1).get(0);
    List<OutboxMessageState> held = wakeupsOf("run_1");
    done(storage.markOutboxMessagesDeadLettered(new MarkOutboxMessagesDeadLettered(
        ENVIRONMENT,
        List.of(new MarkOutboxMessagesDeadLettered.DeadLettered(
            claimed.id(), claimed.claimToken(), refused)),
        NOON)));

    assertThat(pending)
        .containsExactly(
            new OutboxMessageState(claimed.id(), OutboxMessageStatus.PENDING, NOON, null, 0, null));
    assertThat(held)
        .containsExactly(new OutboxMessageState(
            claimed.id(), OutboxMessageStatus.CLAIMED, NOON, NOON.plusSeconds(1), 0, null));
    assertThat(wakeupsOf("run_1"))
        .containsExactly(new OutboxMessageState(
            claimed.id(), OutboxMessageStatus.DEAD_LETTERED, NOON, null, 1, refused));
    assertThat(wakeupsOf("run_3")).isEmpty();
  }

  @Test
  void a_release_clears_the_lease_that_a_projection_kept_past_its_attempt() {
    flow.create("run_1", "default", RunKeys.NONE);
    RunRecord running =
        flow.claim("run_1", QueuePolicy.unbounded("default")).orElseThrow().run();
    RunEvent end =
        new RunEvent.Succeeded(Flow.header("run_1"), running.counters().attempts(), null);
    RunRecord succeeded =
        RunReducer.projectRunEvents(running, running.eventSequence(), List.of(end));
    flow.append(succeeded.toBuilder().lease(running.lease()).build(), List.of(end));

    done(storage.releaseRunLease(
        new ReleaseRunLease(ENVIRONMENT, "run_1", "tok_other", "worker_1")));
    RunRecord kept = done(storage.getRun(new GetRun(ENVIRONMENT, "run_1"))).orElseThrow();
    done(storage.releaseRunLease(
        new ReleaseRunLease(ENVIRONMENT, "run_1", "tok_run_1", "worker_1")));

    assertThat(kept.lease()).isEqualTo(running.lease());
    assertThat(done(storage.getRun(new GetRun(ENVIRONMENT, "run_1")))).contains(succeeded);
  }

  @Test
  void the_same_commands_and_ids_give_the_same_results() {
    assertThat(story()).isEqualTo(story());
  }

  @Test
  void a_run_id_may_hold_a_line_feed_and_still_end_a_page() {
    List<String> ids = List.of("run\n1", "run\n2", "run %");
    ids.forEach(id -> flow.create(id, "default", RunKeys.NONE));

    List<String> found = new ArrayList<>();
    String cursor = null;
    do {
      Page<RunSummary> page = done(storage.listRuns(
          new ListRuns(ENVIRONMENT, RunFilter.ALL, RunSort.NEWEST_FIRST, 1, cursor)));
      page.data().forEach(run -> found.add(run.id()));
      cursor = page.nextCursor();
    } while (cursor != null);

    assertThat(found).containsExactlyInAnyOrderElementsOf(ids);
  }

  @Test
  void a_scan_offers_no_more_runs_of_a_partition_than_it_has_slots_for() {
    QueuePolicy two = QueuePolicy.bounded("two", 2);
    for (String key : List.of("a", "b")) {
      for (int i = 0; i < 5; i++) {
        flow.create("run_" + key + i, "two", RunKeys.NONE.withConcurrencyKey(key));
      }
    }
    flow.claim("run_a0", two).orElseThrow();

    assertThat(runnable(two, 10))
        .extracting(RunnableRunRef::runId)
        .containsExactly("run_a1", "run_b0", "run_b1");
  }

  @Test
  void many_runs_blocked_in_one_partition_cost_each_scan_a_step_not_a_walk() {
    createMany("one", RunKeys.NONE.withConcurrencyKey("full"));
    createMany("two", RunKeys.NONE);
    flow.claim("one_0", ONE_AT_A_TIME).orElseThrow();

    for (int i = 0; i < MANY; i++) {
      assertThat(runnable(ONE_AT_A_TIME, 10)).isEmpty();
      RunnableRunRef next = runnable(QueuePolicy.unbounded("two"), 1).get(0);
      flow.succeed(
          flow.claim(next.runId(), QueuePolicy.unbounded("two")).orElseThrow().run());
    }

    assertThat(runnable(QueuePolicy.unbounded("two"), 1)).isEmpty();
  }

  @Test
  void many_partitions_of_an_unbounded_queue_are_opened_only_as_they_are_reached() {
    for (int i = 0; i < MANY; i++) {
      flow.create("run_" + i, "wide", RunKeys.NONE.withConcurrencyKey("key_" + i));
    }
    int claimed = 0;
    boolean more = true;
    while (more) {
      ClaimedRuns batch = done(storage.batch().orElseThrow().claimRuns(claimRuns("wide", 10)));
      claimed += batch.runs().size();
      more = batch.mayHaveMore();
    }

    assertThat(claimed).isEqualTo(MANY);
  }

  @Test
  void pruning_everything_leaves_nothing_to_find() {
    createMany("default", RunKeys.NONE);
    for (int i = 0; i < MANY; i++) {
      flow.succeed(flow.claim("default_" + i, QueuePolicy.unbounded("default"))
          .orElseThrow()
          .run());
    }

    int pruned = 0;
    String cursor = null;
    do {
      var step = done(storage.pruneRuns(new PruneRuns(
          ENVIRONMENT, Set.of(), NOON.plusSeconds(1), NOON.plusSeconds(1), null, cursor)));
      pruned += step.prunedRuns();
      cursor = step.nextCursor();
    } while (cursor != null);

    assertThat(pruned).isEqualTo(MANY);
    assertThat(claimOutbox(MANY)).isEmpty();
  }

  private List<Object> story() {
    MemoryStorage fresh = new MemoryStorage(new Ids(() -> NOON, Randomness.seeded(7)));
    Flow life = new Flow(fresh);
    List<Object> seen = new ArrayList<>();
    for (int i = 0; i < 50; i++) {
      seen.add(life.create("run_" + i, "q" + i % 3, RunKeys.NONE.withConcurrencyKey("k" + i % 7)));
    }
    seen.add(done(fresh.claimOutboxMessages(
        new ClaimOutboxMessages(ENVIRONMENT, NOON, Duration.ofSeconds(1), 30, null))));
    seen.add(done(fresh.batch().orElseThrow().claimRuns(claimRuns("q1", 9))));
    return seen;
  }

  private void createMany(String queue, RunKeys keys) {
    IntStream.range(0, MANY).forEach(i -> flow.create(queue + "_" + i, queue, keys));
  }

  private List<RunnableRunRef> runnable(QueuePolicy policy, int limit) {
    return done(storage.listRunnableRuns(
        new ListRunnableRuns(ENVIRONMENT, List.of(policy), List.of(TASK), NOON, limit)));
  }

  private List<ClaimedOutboxMessage> claimOutbox(int limit) {
    return done(storage.claimOutboxMessages(
        new ClaimOutboxMessages(ENVIRONMENT, NOON, Duration.ofSeconds(1), limit, null)));
  }

  private List<OutboxMessageState> wakeupsOf(String runId) {
    return done(storage.outbox().orElseThrow().outboxMessagesOf(new GetRun(ENVIRONMENT, runId)));
  }

  private static ClaimRuns claimRuns(String queue, int limit) {
    return new ClaimRuns(
        ENVIRONMENT,
        List.of(QueuePolicy.unbounded(queue)),
        List.of(TASK),
        "worker_1",
        "tok_1",
        Duration.ofMinutes(1),
        NOON,
        limit);
  }
}
