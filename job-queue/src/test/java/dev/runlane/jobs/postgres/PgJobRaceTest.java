package dev.runlane.jobs.postgres;

import static dev.runlane.conformance.kit.Outcomes.done;
import static dev.runlane.jobs.postgres.JobScene.NOON;
import static dev.runlane.jobs.postgres.JobScene.QUEUE;
import static dev.runlane.jobs.postgres.JobScene.fetching;
import static dev.runlane.jobs.postgres.JobScene.job;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.jobs.ChildFailurePolicy;
import dev.runlane.jobs.FlowNode;
import dev.runlane.jobs.JobData;
import dev.runlane.jobs.JobDeduplication;
import dev.runlane.jobs.JobGroup;
import dev.runlane.jobs.JobOptions;
import dev.runlane.jobs.JobOutcome;
import dev.runlane.jobs.JobState;
import dev.runlane.jobs.NewJob;
import dev.runlane.jobs.postgres.row.SentStatement;
import dev.runlane.jobs.store.FetchOptions;
import dev.runlane.jobs.store.FinishAndFetch;
import dev.runlane.jobs.store.FinishJob;
import dev.runlane.jobs.store.SavedJob;
import io.vertx.core.Future;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

/** Several stores with pools of their own, as several processes have, on the same jobs. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class PgJobRaceTest {
  private final JobScene scene = JobScene.open();
  private List<PgJobStore> stores = List.of();

  @BeforeEach
  void connect() {
    stores = IntStream.range(0, 4).mapToObj(i -> scene.connected()).toList();
  }

  @AfterEach
  void close() {
    scene.close();
  }

  @Test
  void no_job_is_handed_out_twice_and_each_end_is_recorded_once() {
    done(stores.get(0).saveBulk(QUEUE, JobScene.jobs(2_000), NOON));
    ConcurrentLinkedQueue<String> handedOut = new ConcurrentLinkedQueue<>();

    drainOnAll(store -> store.fetchNextJobs(fetching(37, FetchOptions.ANY)).compose(running -> {
      running.forEach(each -> handedOut.add(each.id()));
      return store
          .finishJobs(running.stream().map(JobScene::completing).toList())
          .map(running.size());
    }));

    assertThat(handedOut).hasSize(2_000).doesNotHaveDuplicates();
    assertThat(done(stores.get(1).countJobs(QUEUE, JobState.COMPLETED))).isEqualTo(2_000);
  }

  @Test
  void no_group_has_more_active_jobs_than_its_limit_and_each_keeps_its_order() {
    List<NewJob> jobs = IntStream.range(0, 600)
        .mapToObj(i -> job(String.valueOf(i), inGroup("group_" + i % 15)))
        .toList();
    done(stores.get(0).saveBulk(QUEUE, jobs, NOON));
    Map<String, Integer> active = Collections.synchronizedMap(new HashMap<>());
    Map<String, Integer> last = Collections.synchronizedMap(new HashMap<>());
    ConcurrentLinkedQueue<String> broken = new ConcurrentLinkedQueue<>();

    drainOnAll(store -> store
        .fetchNextJobs(fetching(4, FetchOptions.ANY.withGroupConcurrency(1)))
        .compose(running -> {
          for (JobData each : running) {
            String group = String.valueOf(each.groupId());
            if (active.merge(group, 1, Integer::sum) > 1) {
              broken.add(group + " has two active jobs");
            }
            int number = Integer.parseInt(each.name());
            if (last.merge(group, number, Math::max) != number) {
              broken.add(group + " runs " + number + " too late");
            }
          }
          running.forEach(each -> active.merge(String.valueOf(each.groupId()), -1, Integer::sum));
          return store
              .finishJobs(running.stream().map(JobScene::completing).toList())
              .map(running.size());
        }));

    assertThat(broken).isEmpty();
    assertThat(done(stores.get(1).countJobs(QUEUE, JobState.COMPLETED))).isEqualTo(600);
  }

  @Test
  void the_limits_of_a_queue_hold_for_fetches_at_once() {
    done(stores.get(0).saveBulk(QUEUE, JobScene.jobs(200), NOON));
    List<Future<List<JobData>>> fetches = new ArrayList<>();
    for (int i = 0; i < 24; i++) {
      fetches.add(
          stores.get(i % 4).fetchNextJobs(fetching(3, FetchOptions.ANY.withGlobalConcurrency(10))));
    }
    done(Future.join(fetches));

    assertThat(fetches.stream().mapToInt(each -> each.result().size()).sum()).isEqualTo(10);
    assertThat(done(stores.get(0).getActiveCount(QUEUE))).isEqualTo(10);
  }

  @Test
  void of_twenty_jobs_with_one_key_one_is_stored() {
    NewJob keyed = job(
        "a", JobOptions.builder().deduplication(JobDeduplication.byKey("key")).build());
    for (int round = 0; round < 2; round++) {
      List<Future<List<SavedJob>>> saves = new ArrayList<>();
      for (int i = 0; i < 20; i++) {
        saves.add(stores.get(i % 4).saveJobs("round_" + round, List.of(keyed), NOON));
      }
      done(Future.join(saves));

      assertThat(saves.stream().map(each -> each.result().get(0).id()).distinct())
          .hasSize(1);
      assertThat(saves.stream()
              .filter(each -> each.result().get(0).outcome() == SavedJob.Outcome.STORED))
          .hasSize(1);
    }
  }

  @Test
  void flows_that_end_at_once_all_resolve_and_nobody_waits_for_ever() {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    for (int flow = 0; flow < 12; flow++) {
      done(stores.get(0).saveFlow(tree("flow_" + flow), NOON));
    }
    Instant now = NOON.plusSeconds(1);

    drainOnAll(store -> store.fetchNextJobs(fetching(9, FetchOptions.ANY)).compose(running -> {
      List<FinishJob> ends = running.stream()
          .map(each -> FinishJob.of(each.lock(), outcome(random), now))
          .toList();
      return store.finishJobs(ends).map(running.size());
    }));

    Map<JobState, Long> counts = done(stores.get(0).getJobCounts(QUEUE));
    assertThat(counts.get(JobState.WAITING_CHILDREN)).as("seed %d", seed).isZero();
    assertThat(counts.get(JobState.WAITING)).as("seed %d", seed).isZero();
    assertThat(counts.get(JobState.ACTIVE)).as("seed %d", seed).isZero();
  }

  private static JobOutcome outcome(Random random) {
    synchronized (random) {
      return random.nextInt(5) == 0 ? new JobOutcome.Failed("no luck", null) : JobScene.DONE;
    }
  }

  /** A root with three branches of four leaves, each with a policy of its own. */
  private static List<FlowNode> tree(String root) {
    List<FlowNode> nodes = new ArrayList<>();
    List<String> branches = new ArrayList<>();
    for (ChildFailurePolicy policy : ChildFailurePolicy.values()) {
      String branch = root + "_" + policy.value();
      branches.add(branch);
      List<String> leaves =
          IntStream.range(0, 4).mapToObj(i -> branch + "_" + i).toList();
      leaves.forEach(
          leaf -> nodes.add(new FlowNode(QUEUE, job("leaf").withId(leaf).childOf(QUEUE, branch))));
      JobOptions options = JobOptions.builder().failParentOnChildFailure(policy).build();
      nodes.add(new FlowNode(
          QUEUE, job("branch", options).withId(branch).childOf(QUEUE, root).parentOf(leaves)));
    }
    JobOptions options =
        JobOptions.builder().failParentOnChildFailure(ChildFailurePolicy.IGNORE).build();
    nodes.add(new FlowNode(QUEUE, job("root", options).withId(root).parentOf(branches)));
    return nodes;
  }

  @Test
  void hand_overs_of_all_stores_run_each_group_one_at_a_time_and_in_its_order() {
    List<NewJob> jobs = IntStream.range(0, 400)
        .mapToObj(
            i -> job("a", inGroup("g" + i % 20)).withId(String.format(Locale.ROOT, "%04d", i)))
        .toList();
    done(stores.get(0).saveBulk(QUEUE, jobs, NOON));
    Map<String, Queue<String>> order = new ConcurrentHashMap<>();
    Set<String> busy = ConcurrentHashMap.newKeySet();
    Queue<String> faults = new ConcurrentLinkedQueue<>();

    done(Future.all(stores.stream()
        .map(store -> handOver(
            store,
            List.of(),
            fetched -> fetched.forEach(job -> {
              order
                  .computeIfAbsent(group(job), each -> new ConcurrentLinkedQueue<>())
                  .add(job.id());
              if (!busy.add(group(job))) {
                faults.add("two of group " + group(job));
              }
            }),
            ending -> ending.forEach(job -> busy.remove(group(job)))))
        .toList()));

    assertThat(faults).isEmpty();
    assertThat(order).hasSize(20);
    assertThat(order.values())
        .allSatisfy(ids -> assertThat(List.copyOf(ids)).hasSize(20).isSorted());
    assertThat(done(stores.get(0).countJobs(QUEUE, JobState.COMPLETED))).isEqualTo(400);
  }

  /** Ends what runs and works on what comes with it, until nothing of the queue is open. */
  private static Future<Void> handOver(
      PgJobStore store,
      List<JobData> running,
      Consumer<List<JobData>> begins,
      Consumer<List<JobData>> ends) {
    ends.accept(running);
    FinishAndFetch command = new FinishAndFetch(
        running.stream().map(JobScene::completing).toList(),
        fetching(7, FetchOptions.ANY.withGroupConcurrency(1)));
    return store.finishAndFetch(command).compose(over -> {
      begins.accept(over.fetched());
      Future<Boolean> more = over.fetched().isEmpty()
          ? store.countJobs(QUEUE, JobState.COMPLETED).map(completed -> completed < 400)
          : Future.succeededFuture(true);
      return more.compose(goesOn ->
          goesOn ? handOver(store, over.fetched(), begins, ends) : Future.succeededFuture());
    });
  }

  private static String group(JobData job) {
    return Objects.requireNonNull(job.groupId());
  }

  @Test
  void a_fetch_with_limits_hands_out_nothing_without_the_lock_of_its_queue() {
    done(stores.get(0).saveBulk(QUEUE, JobScene.jobs(3), NOON));
    PgJobParts parts = done(PgJobParts.open(scene.vertx(), scene.options()));
    FetchOptions grouped = FetchOptions.ANY.withGroupConcurrency(1);
    FetchOptions limited = FetchOptions.ANY.withGlobalConcurrency(2);

    for (FetchOptions options : List.of(grouped, limited, limited.lastFirst())) {
      List<SentStatement> statements = parts.fetches().statements(fetching(1, options));
      SentStatement fetch = statements.get(statements.size() - 1);

      assertThat(done(fetch.send(parts.session().client()))).isEmpty();
      assertThat(done(parts.fetches().fetch(fetching(1, options.withGlobalConcurrency(9)))))
          .hasSize(1);
    }
    done(parts.close());
  }

  private static JobOptions inGroup(String group) {
    return JobOptions.builder().group(JobGroup.of(group)).build();
  }

  /** Has every store work, two calls at a time, until nothing of the queue is open. */
  private void drainOnAll(Function<PgJobStore, Future<Integer>> step) {
    List<Future<Void>> all = new ArrayList<>();
    for (PgJobStore store : stores) {
      all.add(drain(store, step));
      all.add(drain(store, step));
    }
    done(Future.all(all));
  }

  private static Future<Void> drain(PgJobStore store, Function<PgJobStore, Future<Integer>> step) {
    return step.apply(store)
        .compose(worked -> worked > 0
            ? Future.succeededFuture(true)
            : store.getJobCounts(QUEUE).map(counts -> counts.entrySet().stream()
                .anyMatch(each -> !each.getKey().isTerminal() && each.getValue() > 0)))
        .compose(more -> more ? drain(store, step) : Future.succeededFuture());
  }
}
