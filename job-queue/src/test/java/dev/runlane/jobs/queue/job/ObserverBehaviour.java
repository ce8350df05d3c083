package dev.runlane.jobs.queue.job;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.jobs.JobData;
import dev.runlane.jobs.JobOptions;
import dev.runlane.jobs.JobRepeat;
import dev.runlane.jobs.JobState;
import dev.runlane.jobs.queue.FlowJob;
import dev.runlane.jobs.queue.FlowResult;
import dev.runlane.jobs.queue.JobEntry;
import dev.runlane.jobs.queue.Jobs;
import dev.runlane.jobs.queue.QueueBehaviour;
import dev.runlane.jobs.queue.observe.JobAttemptObserver;
import dev.runlane.jobs.queue.observe.JobAttemptOutcome;
import dev.runlane.jobs.queue.observe.JobsObserver;
import dev.runlane.jobs.store.JobChecks;
import dev.runlane.jobs.store.JobStore;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunlaneException;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What observers are notified of, and what jobs carry for them. */
public abstract class ObserverBehaviour extends QueueBehaviour {
  private final List<String> heard = new CopyOnWriteArrayList<>();
  private final ThreadLocal<String> current = new ThreadLocal<>();
  private final AtomicInteger ended = new AtomicInteger(); // turns
  private @Nullable Jobs observed;

  public ObserverBehaviour(Function<Vertx, Future<JobStore>> stores) {
    super(stores);
  }

  @AfterEach
  void closeObserved() {
    if (observed != null) {
      await(observed.close());
    }
  }

  private Jobs observedBy(JobsObserver... observers) {
    var builder = Jobs.builder(vertx, store);
    List.of(observers).forEach(builder::observer);
    observed = builder.build();
    return observed;
  }

  /** Adds the job's name to what it carries, and writes down what it hears. */
  private final class Listener implements JobsObserver {
    @Override
    public Map<String, String> jobAdded(
        String queueName, String jobName, @Nullable Map<String, String> carrier) {
      Map<String, String> carried = new HashMap<>(carrier == null ? Map.of() : carrier);
      carried.merge("path", jobName, (before, name) -> before + "/" + name);
      return carried;
    }

    @Override
    public JobAttemptObserver attemptStarted(List<JobData> jobs) {
      jobs.forEach(
          job -> heard.add("started " + job.name() + " " + job.options().traceCarrier()));
      return new Attempt();
    }
  }

  private final class Attempt implements JobAttemptObserver {
    @Override
    public Runnable turn() {
      current.set("in its turn");
      return () -> {
        current.remove();
        ended.incrementAndGet();
      };
    }

    @Override
    public void ended(JobData job, JobAttemptOutcome outcome, @Nullable ErrorCode error) {
      heard.add(job.name() + " " + outcome.value() + " " + (error == null ? null : error.value()));
    }
  }

  /** Outcomes are told after those who wait for the job have heard. */
  private void untilHeard(int count) {
    until(() -> Future.succeededFuture(heard.size() >= count));
  }

  @Test
  void what_an_observer_adds_to_a_job_is_stored_with_it_and_told_of_each_attempt() {
    Jobs here = observedBy(new Listener());
    here.worker(
        "mail",
        JobProcessor.of((job, signal) -> job.startedAttempts() == 1
            ? Future.failedFuture(RunlaneException.configurationInvalid("no server"))
            : done()),
        options());

    Job job = await(here.queue("mail")
        .add(
            "x",
            1,
            JobOptions.builder()
                .attempts(2)
                .traceCarrier(Map.of("tenant", "acme"))
                .build()));
    await(job.waitUntilFinished());
    untilHeard(4);

    Map<String, String> carried = Map.of("tenant", "acme", "path", "x");
    assertThat(fresh(job).options().traceCarrier()).isEqualTo(carried);
    assertThat(heard)
        .hasSize(4)
        .first()
        .asString()
        .startsWith("started x {")
        .contains("tenant=acme", "path=x");
    assertThat(heard).containsSubsequence("x waiting configuration_invalid", "x completed null");
  }

  @Test
  void a_handler_runs_in_turns_of_its_attempt_on_a_blocking_thread_too() {
    Jobs here = observedBy(new Listener());
    List<String> seen = new CopyOnWriteArrayList<>();
    here.worker(
        "mail",
        JobProcessor.of((job, signal) -> {
          seen.add(String.valueOf(current.get()));
          Promise<Object> later = Promise.promise();
          vertx.runOnContext(turn -> {
            seen.add(String.valueOf(current.get()));
            later.complete();
          });
          return later.future().compose(over -> done());
        }),
        options());
    here.worker(
        "blocking",
        JobProcessor.blocking((job, signal) -> {
          seen.add(String.valueOf(current.get()));
          return JobResult.done();
        }),
        options());

    await(await(here.queue("mail").add("x", 1)).waitUntilFinished());
    await(await(here.queue("blocking").add("y", 1)).waitUntilFinished());

    assertThat(seen).containsExactly("in its turn", "null", "in its turn");
    assertThat(ended).hasValue(2);
  }

  @Test
  void each_job_of_a_batch_is_told_of_once() {
    Jobs here = observedBy(new Listener());
    List<Job> added =
        await(here.queue("mail").addBulk(List.of(JobEntry.of("a", 1), JobEntry.of("b", 1))));
    here.worker(
        "mail",
        JobProcessor.batch((batch, signal) -> Future.succeededFuture(
            List.of(JobResult.done(), JobResult.unrecoverable("no such address")))),
        options().setBatchSize(2));
    added.forEach(job -> await(job.waitUntilFinished().otherwiseEmpty()));
    untilHeard(4);

    assertThat(heard)
        .containsExactly(
            "started a {path=a}", "started b {path=b}", "a completed null", "b failed task_failed");
  }

  @Test
  void jobs_of_a_flow_carry_on_what_their_parent_carries_unless_they_were_given_their_own() {
    Jobs here = observedBy(new Listener());
    JobOptions own = JobOptions.builder().traceCarrier(Map.of("path", "own")).build();

    FlowResult flow = await(here.flows()
        .add(FlowJob.of("parent", "mail", 1)
            .after(
                FlowJob.of("child", "mail", 1).after(FlowJob.of("grandchild", "mail", 1)),
                FlowJob.of("other", "mail", 1).with(own))));

    assertThat(path(flow)).isEqualTo("parent");
    assertThat(path(flow.children().get(0))).isEqualTo("parent/child");
    assertThat(path(flow.children().get(0).children().get(0))).isEqualTo("parent/child/grandchild");
    assertThat(path(flow.children().get(1))).isEqualTo("own/other");
  }

  private @Nullable String path(FlowResult added) {
    Map<String, String> carried = fresh(added.job()).options().traceCarrier();
    return carried == null ? null : carried.get("path");
  }

  @Test
  void later_jobs_of_a_series_carry_nothing() {
    Jobs here = observedBy(new Listener());
    here.worker("mail", JobProcessor.of((job, signal) -> done()), options());

    await(here.queue("mail")
        .add(
            "x",
            1,
            JobOptions.builder()
                .repeat(JobRepeat.every(Duration.ofMillis(1)).withLimit(1))
                .build()));
    untilHeard(4);

    assertThat(heard)
        .filteredOn(line -> line.startsWith("started"))
        .containsExactly("started x {path=x}", "started x null");
  }

  @Test
  void jobs_of_a_schedule_carry_nothing() {
    Jobs here = observedBy(new Listener());
    here.worker("mail", JobProcessor.of((job, signal) -> done()), options());

    await(here.queue("mail")
        .upsertSchedule(
            "nightly",
            JobRepeat.every(Duration.ofMillis(1)),
            "x",
            1,
            JobOptions.builder().traceCarrier(Map.of("tenant", "acme")).build()));
    untilHeard(2);

    assertThat(heard)
        .filteredOn(line -> line.startsWith("started"))
        .isNotEmpty()
        .containsOnly("started x null");
  }

  @Test
  void what_is_told_of_a_failed_attempt_is_what_is_stored_of_it() {
    Jobs here = observedBy(new Listener());
    here.worker(
        "mail",
        JobProcessor.of((job, signal) -> job.name().equals("late")
            ? signal
                .fired()
                .compose(reason -> Future.failedFuture(
                    RunlaneException.of(ErrorCode.OPERATION_CANCELLED, "%s", reason)))
            : Future.succeededFuture(JobResult.done("half a pair \ud800 ".repeat(100_000)))),
        options());

    Job late = await(here.queue("mail")
        .add("late", 1, JobOptions.builder().timeout(Duration.ofMillis(10)).build()));
    await(late.waitUntilFinished().otherwiseEmpty());
    untilHeard(2);
    Job huge = await(here.queue("mail").add("huge", 1));
    await(huge.waitUntilFinished().otherwiseEmpty());
    untilHeard(4);

    assertThat(fresh(late).failedReason().orElseThrow()).startsWith("Job timed out");
    assertThat(fresh(huge).failedReason().orElseThrow())
        .startsWith("the return value of job " + huge.id());
    assertThat(heard)
        .containsSubsequence("late failed task_failed", "huge failed validation_failed");
  }

  @Test
  void a_full_carrier_has_room_for_what_an_observer_adds() {
    Jobs here = observedBy(new Listener());
    Map<String, String> full = new HashMap<>();
    for (int i = 0; i < JobChecks.MOST_CARRIER_ENTRIES; i++) {
      full.put("entry" + i, "x");
    }

    Job job = await(
        here.queue("mail").add("x", 1, JobOptions.builder().traceCarrier(full).build()));

    assertThat(fresh(job).options().traceCarrier()).containsAllEntriesOf(full).hasSize(33);
    full.put("another", "x");
    assertFails(
        ErrorCode.VALIDATION_FAILED,
        here.queue("mail").add("x", 1, JobOptions.builder().traceCarrier(full).build()));
  }

  @Test
  void an_observer_that_throws_or_answers_nonsense_harms_no_job() {
    Jobs here = observedBy(new Broken(), new Listener());
    here.worker("mail", JobProcessor.of((job, signal) -> done()), options());
    Job thrown = await(here.queue("mail").add("x", 1));
    await(thrown.waitUntilFinished());
    untilHeard(2);
    assertThat(heard).containsExactly("started x {path=x}", "x completed null");

    for (Map<String, String> nonsense :
        List.of(Map.of("path", "\0"), Collections.<String, String>singletonMap("path", null))) {
      Jobs other = Jobs.builder(vertx, store).observer(new Unfit(nonsense)).build();
      Job unfit = await(other
          .queue("other")
          .add(
              "y",
              1,
              JobOptions.builder().traceCarrier(Map.of("tenant", "acme")).build()));
      await(other.close());

      assertThat(fresh(unfit).options().traceCarrier()).isEqualTo(Map.of("tenant", "acme"));
      assertThat(fresh(unfit).state()).isEqualTo(JobState.WAITING);
    }
  }

  /** Fails at everything. */
  private static final class Broken implements JobsObserver {
    @Override
    public Map<String, String> jobAdded(
        String queueName, String jobName, @Nullable Map<String, String> carrier) {
      throw new IllegalStateException("broken");
    }

    @Override
    public JobAttemptObserver attemptStarted(List<JobData> jobs) {
      return new JobAttemptObserver() {
        @Override
        public Runnable turn() {
          throw new IllegalStateException("broken");
        }

        @Override
        public void ended(JobData job, JobAttemptOutcome outcome, @Nullable ErrorCode error) {
          throw new AssertionError("broken");
        }
      };
    }
  }

  /** Adds what no store can hold. */
  private record Unfit(Map<String, String> added) implements JobsObserver {
    @Override
    public Map<String, String> jobAdded(
        String queueName, String jobName, @Nullable Map<String, String> carrier) {
      return added;
    }
  }

  @Test
  void a_carrier_that_cannot_be_stored_is_refused() {
    assertFails(
        ErrorCode.VALIDATION_FAILED,
        queue.add(
            "x", 1, JobOptions.builder().traceCarrier(Map.of("path", "\0")).build()));
  }
}
