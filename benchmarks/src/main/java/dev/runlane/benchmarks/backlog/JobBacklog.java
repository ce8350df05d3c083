package dev.runlane.benchmarks.backlog;

import dev.runlane.benchmarks.measure.Bursts;
import dev.runlane.benchmarks.measure.TimedCalls;
import dev.runlane.benchmarks.subject.Payload;
import dev.runlane.jobs.JobGroup;
import dev.runlane.jobs.JobLock;
import dev.runlane.jobs.JobOptions;
import dev.runlane.jobs.JobOutcome;
import dev.runlane.jobs.JobState;
import dev.runlane.jobs.NewJob;
import dev.runlane.jobs.postgres.PgJobStore;
import dev.runlane.jobs.store.FetchJobs;
import dev.runlane.jobs.store.FetchOptions;
import dev.runlane.jobs.store.FinishJob;
import dev.runlane.run.Json;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/** What single calls of a job store cost while very many jobs wait in it. */
public final class JobBacklog {
  private static final int GROUPS = 10_000;
  private static final int A_CALL = 1_000;
  private static final int CALLS = 200;
  private static final int SEARCHES = 20;
  private static final Duration LOCK = Duration.ofHours(1);
  private static final FetchOptions ONE_OF_A_GROUP = FetchOptions.ANY.withGroupConcurrency(1);
  private static final String GROUPED = "grouped";
  private static final String FAILING = "failing";

  private final PgJobStore store;
  private final Context context;
  private final TimedCalls calls;

  /** Of a store that is connected, on an empty database. */
  public JobBacklog(PgJobStore store, Context context, TimedCalls calls) {
    this.store = store;
    this.context = context;
    this.calls = calls;
  }

  /** Fills a queue with {@code count} jobs in 10 000 groups, and measures what is asked of it. */
  public List<JsonObject> measure(int count, Runnable vacuum) {
    fill(count, vacuum);
    JsonObject afterAdding =
        calls.measure("jobs-fetch-group-after-adding", CALLS, this::fetchAndFinish);
    TimedCalls.await(store.removeExpiredJobs(
        GROUPED, Instant.now(), 1)); // sees to what adding has left to fetches
    List<JsonObject> measured = new ArrayList<>();
    measured.add(afterAdding);
    measured.add(calls.measure("jobs-fetch-group", CALLS, this::fetchAndFinish));
    measured.add(calls.measure("jobs-fetch-group-alone", CALLS, this::fetch));
    measured.addAll(searches());
    return measured;
  }

  /** Fills a queue with {@code count} jobs, and measures what is looked for in it. */
  public List<JsonObject> measureSearches(int count, Runnable vacuum) {
    fill(count, vacuum);
    return searches();
  }

  private void fill(int count, Runnable vacuum) {
    TimedCalls.await(Bursts.run(
        context,
        2,
        0,
        count / A_CALL,
        call -> store.saveJobs(GROUPED, jobs(call * A_CALL), Instant.now())));
    vacuum.run();
  }

  private List<JsonObject> searches() {
    return List.of(
        calls.measure("jobs-list-queues", SEARCHES, store::listQueues),
        calls.measure("jobs-counts", SEARCHES, () -> store.getJobCounts(GROUPED)),
        calls.measure(
            "jobs-search-name",
            SEARCHES,
            () -> store.searchByName("nobody", Optional.of(GROUPED), 50)),
        calls.measure(
            "jobs-search-payload", SEARCHES, () -> store.searchByPayload(GROUPED, "nothing", 50)));
  }

  /** Fails {@code count} jobs, and measures the one call that retries them all. */
  public JsonObject measureRetry(int count, Runnable vacuum) {
    for (int from = 0; from < count; from += A_CALL) {
      Instant now = Instant.now();
      TimedCalls.await(store
          .saveJobs(FAILING, jobs(from), now)
          .compose(saved ->
              store.fetchNextJobs(FetchJobs.one(FAILING, "bench", LOCK, now).upTo(A_CALL)))
          .compose(fetched -> store.finishJobs(fetched.stream()
              .map(job -> FinishJob.of(job.lock(), new JobOutcome.Failed("out of luck", null), now))
              .toList())));
    }
    vacuum.run();
    JsonObject result =
        calls.measure("jobs-retry-all", 1, () -> store.retryJobs(FAILING, JobState.FAILED));
    long waiting = TimedCalls.await(store.countJobs(FAILING, JobState.WAITING));
    if (waiting != count) {
      throw new IllegalStateException(waiting + " jobs wait again, not " + count);
    }
    return result.put("jobs", count);
  }

  /** One grouped fetch, and the end of what it handed out. */
  private Future<?> fetchAndFinish() {
    return fetch()
        .compose(lock -> store.finishJobs(
            List.of(FinishJob.of(lock, new JobOutcome.Completed(null), Instant.now()))));
  }

  /** One grouped fetch. */
  private Future<JobLock> fetch() {
    return store
        .fetchNextJobs(FetchJobs.one(GROUPED, "bench", LOCK, Instant.now()).with(ONE_OF_A_GROUP))
        .map(fetched -> {
          if (fetched.size() != 1) {
            throw new IllegalStateException("no job was handed out");
          }
          return fetched.get(0).lock();
        });
  }

  private static List<NewJob> jobs(int from) {
    Instant now = Instant.now();
    return IntStream.range(from, from + A_CALL)
        .mapToObj(number -> NewJob.of(
            "job",
            Json.ofChecked(new JsonObject()
                .put("number", number)
                .put("text", Payload.FILLER)
                .encode()),
            JobOptions.builder().group(JobGroup.of("group-" + number % GROUPS)).build(),
            now))
        .toList();
  }
}
