package dev.runlane.conformance.jobs.life;

import static dev.runlane.conformance.kit.Given.NOON;
import static dev.runlane.run.StorageConflictKind.JOB_STATE;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.conformance.jobs.JobStoreConformance;
import dev.runlane.conformance.kit.Outcomes;
import dev.runlane.conformance.kit.Race;
import dev.runlane.conformance.kit.Rule;
import dev.runlane.jobs.FlowNode;
import dev.runlane.jobs.JobData;
import dev.runlane.jobs.JobOutcome;
import dev.runlane.jobs.JobState;
import dev.runlane.jobs.RateLimit;
import dev.runlane.jobs.store.FetchOptions;
import dev.runlane.jobs.store.FinishJob;
import dev.runlane.jobs.store.FinishResult;
import dev.runlane.jobs.store.Obliterate;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Collectors;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** However many fetch at once, nothing is handed out twice and no limit is exceeded. */
@DisplayName("however many fetch at once, nothing is handed out twice and no limit is exceeded")
public abstract class JobRaceConformance extends JobStoreConformance {
  private static final int WORKERS = 8;
  private static final int ROUNDS = 5;

  @Test
  @Rule("J390")
  void competing_fetches_never_hand_one_job_out_twice() {
    for (int i = 0; i < 40; i++) {
      save(job("a"));
    }

    List<JobData> fetched = fetchedTogether(FetchOptions.ANY, 5);

    fetched.addAll(fetch(100, FetchOptions.ANY, NOON));
    assertThat(ids(fetched)).hasSize(40).doesNotHaveDuplicates();
  }

  @Test
  @Rule("J391")
  void competing_grouped_fetches_never_hand_one_job_out_twice() {
    for (int i = 0; i < 40; i++) {
      save(inGroup("a", "g" + i % 3));
    }
    FetchOptions grouped = FetchOptions.ANY.withGroupConcurrency(100);

    List<JobData> fetched = fetchedTogether(grouped, 5);

    fetched.addAll(fetch(100, grouped, NOON));
    assertThat(ids(fetched)).hasSize(40).doesNotHaveDuplicates();
  }

  @Test
  @Rule("J392")
  void competing_fetches_keep_the_limit_of_each_group() {
    for (int i = 0; i < 40; i++) {
      save(inGroup("a", "g" + i % 4));
    }
    FetchOptions two = FetchOptions.ANY.withGroupConcurrency(2);

    List<JobData> fetched = fetchedTogether(two, 5);

    fetched.addAll(fetch(100, two, NOON));
    Map<String, Long> active = fetched.stream()
        .collect(Collectors.groupingBy(
            job -> Objects.requireNonNull(job.groupId()), Collectors.counting()));
    assertThat(active).hasSize(4).allSatisfy((group, count) -> assertThat(count).isEqualTo(2));
    assertThat(ids(fetched)).doesNotHaveDuplicates();
  }

  @Test
  @Rule("J393")
  void competing_fetches_keep_the_limit_of_the_queue() {
    for (int i = 0; i < 40; i++) {
      save(job("a"));
    }
    FetchOptions three = FetchOptions.ANY.withGlobalConcurrency(3);

    List<JobData> fetched = fetchedTogether(three, 5);

    fetched.addAll(fetch(100, three, NOON));
    assertThat(fetched).hasSize(3);
    assertThat(Outcomes.done(store.getActiveCount(QUEUE))).isEqualTo(3);
  }

  @Test
  @Rule("J394")
  void competing_fetches_keep_the_rate() {
    for (int i = 0; i < 40; i++) {
      save(job("a"));
    }
    FetchOptions limited = FetchOptions.ANY.withRateLimit(new RateLimit(7, Duration.ofSeconds(60)));

    List<JobData> fetched = fetchedTogether(limited, 5);

    fetched.addAll(fetch(100, limited, NOON));
    assertThat(ids(fetched)).hasSize(7).doesNotHaveDuplicates();
  }

  @Test
  @Rule("J395")
  void fetches_and_ends_that_compete_let_every_job_end_once() {
    for (int i = 0; i < 24; i++) {
      save(inGroup("a", "g" + i % 5));
    }
    FetchOptions one = FetchOptions.ANY.withGroupConcurrency(1).withGlobalConcurrency(4);
    int ended = 0;
    for (int round = 0; round < 100 && ended < 24; round++) {
      List<JobData> fetched = fetchedTogether(one, 2);
      fetched.addAll(fetch(4, one, NOON));
      assertThat(Outcomes.done(store.getActiveCount(QUEUE))).isLessThanOrEqualTo(4);

      Race.Results<FinishResult> ends = race(
          fetched.size(),
          i -> () -> storeOf(i).finishJob(FinishJob.of(fetched.get(i).lock(), DONE, after(1))));

      assertThat(ends.failures()).isEmpty();
      assertThat(ends.results()).allMatch(FinishResult.Finished.class::isInstance);
      ended += ends.results().size();
    }

    assertThat(ended).isEqualTo(24);
    assertThat(Outcomes.done(store.countJobs(QUEUE, JobState.COMPLETED))).isEqualTo(24);
  }

  @Test
  @Rule("J396")
  void a_stall_and_an_end_that_compete_leave_one_winner() {
    JobData running = running(job("a"));

    Race.Results<FinishResult> race = race(
        WORKERS,
        i -> () -> storeOf(i)
            .finishJob(FinishJob.of(
                running.lock(),
                i % 2 == 0 ? DONE : new JobOutcome.Stalled(),
                NOON.plus(LOCK).plusMillis(1))));

    assertThat(race.failures()).isEmpty();
    assertThat(race.results().stream().filter(FinishResult.Finished.class::isInstance))
        .hasSize(1);
    assertThat(stateOf(running.id())).isIn(JobState.COMPLETED, JobState.WAITING);
  }

  @Test
  @Rule("J397")
  void flows_that_come_while_their_queue_is_obliterated_leave_no_parent_waiting() {
    for (int round = 0; round < ROUNDS; round++) {
      String flow = "flow " + round;
      Race.Results<Void> race = race(
          WORKERS,
          i -> () -> i % 2 == 0
              ? storeOf(i).saveFlow(flowOfOne(flow + " " + i), NOON).mapEmpty()
              : storeOf(i).obliterate(QUEUE, Obliterate.FORCED, NOON).mapEmpty());
      assertThat(race.failures()).isEmpty();
    }
    Outcomes.done(store.obliterate(QUEUE, Obliterate.FORCED, NOON));

    assertThat(Outcomes.done(store.countJobs(OTHER_QUEUE, JobState.WAITING_CHILDREN)))
        .isZero();
    assertThat(Outcomes.done(store.countJobs(OTHER_QUEUE, JobState.FAILED)))
        .isEqualTo(ROUNDS * WORKERS / 2);
  }

  /** A parent whose child is in another queue. */
  private static List<FlowNode> flowOfOne(String parent) {
    String child = "child of " + parent;
    return List.of(
        new FlowNode(QUEUE, job("child").withId(child).childOf(OTHER_QUEUE, parent)),
        new FlowNode(OTHER_QUEUE, job("parent").withId(parent).parentOf(List.of(child))));
  }

  @Test
  @Rule("J398")
  void a_queue_is_obliterated_as_idle_or_fetched_from_but_never_both() {
    for (int round = 0; round < ROUNDS; round++) {
      save(job("a"));
      assertThat(Outcomes.done(store.countJobs(QUEUE, JobState.WAITING))).isEqualTo(1);
      Race.Results<Boolean> race = race(
          WORKERS,
          i -> () -> i == WORKERS / 2
              ? storeOf(i).obliterate(QUEUE, Obliterate.IF_IDLE, NOON).map(false)
              : storeOf(i)
                  .fetchNextJobs(fetching(FetchOptions.ANY, NOON).upTo(1))
                  .map(fetched -> !fetched.isEmpty()));

      assertThat(race.failures())
          .allMatch(failure -> failure.conflictKind().equals(Optional.of(JOB_STATE)));
      assertThat(race.failures()).hasSize(race.results().contains(true) ? 1 : 0);
      Outcomes.done(store.obliterate(QUEUE, Obliterate.FORCED, NOON));
    }
  }

  private List<JobData> fetchedTogether(FetchOptions options, int each) {
    Race.Results<List<JobData>> race = race(
        WORKERS, i -> () -> storeOf(i).fetchNextJobs(fetching(options, NOON).upTo(each)));
    assertThat(race.failures()).isEmpty();
    assertThat(race.results()).allMatch(fetched -> fetched.size() <= each);
    return new ArrayList<>(race.results().stream().flatMap(List::stream).toList());
  }
}
