package dev.runlane.jobs.queue;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.jobs.ChildFailurePolicy;
import dev.runlane.jobs.JobBackoff;
import dev.runlane.jobs.JobData;
import dev.runlane.jobs.JobDeduplication;
import dev.runlane.jobs.JobGroup;
import dev.runlane.jobs.JobOptions;
import dev.runlane.jobs.JobRemoval;
import dev.runlane.jobs.JobRepeat;
import dev.runlane.jobs.JobState;
import dev.runlane.jobs.JobUpdate;
import dev.runlane.jobs.NewJob;
import dev.runlane.jobs.RateLimit;
import dev.runlane.jobs.memory.MemoryJobStore;
import dev.runlane.jobs.queue.job.Job;
import dev.runlane.jobs.queue.job.JobProcessor;
import dev.runlane.jobs.queue.job.JobResult;
import dev.runlane.jobs.queue.options.JobWorkerOptions;
import dev.runlane.jobs.store.FetchJobs;
import dev.runlane.jobs.store.FetchOptions;
import dev.runlane.jobs.store.JobStore;
import dev.runlane.run.Json;
import io.vertx.core.Future;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

/** The examples of the guide for those who come from another queue: each stands here as it stands there. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class ComingFromTest {
  private static final Pattern BLOCK = Pattern.compile("```java\n(.*?)```", Pattern.DOTALL);

  private final JobTesting testing = JobTesting.create();
  private final Jobs jobs = testing.jobs();
  private final List<String> sent = new ArrayList<>();

  private Future<Void> send(String to) {
    sent.add(to);
    return Future.succeededFuture();
  }

  @Test
  void every_example_of_the_guide_is_compiled_here() throws IOException {
    String source = unindented(
        Files.readString(Path.of("src/test/java/dev/runlane/jobs/queue/ComingFromTest.java")));
    Matcher blocks = BLOCK.matcher(Files.readString(Path.of("COMING-FROM.md")));
    int found = 0;
    while (blocks.find()) {
      assertThat(source).contains(unindented(blocks.group(1)));
      found++;
    }
    assertThat(found).isEqualTo(8);
  }

  private static String unindented(String text) {
    return text.lines().map(String::strip).reduce("", (all, line) -> all + line + "\n");
  }

  @Test
  void from_bullmq_a_queue_and_a_worker() {
    JobQueue queue = jobs.queue("mail");
    queue.add(
        "welcome",
        Map.of("to", "ada"),
        JobOptions.builder()
            .attempts(3)
            .backoff(JobBackoff.exponential(Duration.ofSeconds(1)))
            .removeOnComplete(JobRemoval.keeping(1_000))
            .build());
    jobs.worker(
        "mail",
        JobProcessor.of((job, signal) ->
            send(job.dataAs(Map.class).get("to").toString()).map(JobResult.done())),
        new JobWorkerOptions()
            .setConcurrency(10)
            .setLimiter(new RateLimit(100, Duration.ofSeconds(1))));

    testing.runDue();
    assertThat(sent).containsExactly("ada");
  }

  @Test
  void a_job_that_is_pushed_on_again_and_again_runs_once_unless_its_key_ends_before() {
    JobQueue queue = jobs.queue("index");
    jobs.worker("index", (job, signal) -> send(job.data().text()).map(JobResult.done()));
    JobDeduplication asBullmq = JobDeduplication.byKey("page").as(JobDeduplication.Mode.DEBOUNCE);

    addEachSecond(queue, asBullmq);
    assertThat(sent).containsExactly("9");
    sent.clear();
    addEachSecond(queue, asBullmq.within(Duration.ofSeconds(5)));

    assertThat(sent).hasSizeGreaterThan(1);
  }

  private void addEachSecond(JobQueue queue, JobDeduplication how) {
    JobOptions options =
        JobOptions.builder().deduplication(how).delay(Duration.ofSeconds(5)).build();
    for (int i = 0; i < 10; i++) {
      queue.add("index", i, options);
      testing.advance(Duration.ofSeconds(1));
    }
    testing.advance(Duration.ofSeconds(10));
  }

  @Test
  void from_bullmq_a_job_scheduler() {
    JobQueue queue = jobs.queue("reports");
    jobs.worker("reports", (job, signal) -> send(job.name()).map(JobResult.done()));
    queue.upsertSchedule(
        "nightly",
        JobRepeat.cron("0 2 * * *", ZoneId.of("Europe/Berlin")),
        "report",
        null,
        JobOptions.builder().attempts(3).build());

    testing.advance(Duration.ofDays(3));
    assertThat(sent).hasSize(3);
  }

  @Test
  void from_bullmq_a_flow() {
    jobs.worker("build", (job, signal) -> send(job.name()).map(JobResult.done()));
    Future<FlowResult> flow = jobs.flows()
        .add(FlowJob.of("package", "build", null)
            .with(JobOptions.builder()
                .failParentOnChildFailure(ChildFailurePolicy.FAIL)
                .build())
            .after(FlowJob.of("compile", "build", null), FlowJob.of("test", "build", null)));

    testing.runDue();
    assertThat(sent).containsExactly("compile", "test", "package");
    assertThat(testing.result(flow).children()).hasSize(2);
  }

  @Test
  void from_pg_boss_send_with_retries_and_a_dead_letter_queue() {
    jobs.worker("charges", (job, signal) -> Future.failedFuture("card declined"));
    JobQueue queue = jobs.queue("charges");
    Future<Job> charge = queue.add(
        "charge",
        Map.of("order", 7),
        JobOptions.builder()
            .attempts(3) // retryLimit 2
            .backoff(JobBackoff.fixed(Duration.ofSeconds(30)))
            .timeout(Duration.ofMinutes(15)) // expireInSeconds 900
            .deduplication(JobDeduplication.byKey("order-7")) // singletonKey
            .deadLetterQueue("charges-failed")
            .build());

    testing.advance(Duration.ofMinutes(5));
    assertThat(testing.result(testing.result(charge).isFailed())).isTrue();
    assertThat(testing.result(jobs.queue("charges-failed").count(JobState.WAITING)))
        .isEqualTo(1);
  }

  @Test
  void from_pg_boss_work_in_batches() {
    jobs.queue("index").addBulk(List.of(JobEntry.of("a", 1), JobEntry.of("b", 2)));
    jobs.worker(
        "index",
        JobProcessor.batch((batch, signal) -> send("batch of " + batch.size())
            .map(done -> batch.stream().map(job -> JobResult.done()).toList())),
        new JobWorkerOptions().setBatchSize(50));

    testing.runDue();
    assertThat(sent).containsExactly("batch of 2");
  }

  @Test
  void from_graphile_worker_a_serial_queue_and_a_job_key() {
    jobs.worker(
        "tasks",
        JobProcessor.of((job, signal) -> send(job.data().text()).map(JobResult.done())),
        new JobWorkerOptions().setConcurrency(5).setGroupConcurrency(1)); // one of each queue_name
    JobQueue tasks = jobs.queue("tasks");
    tasks.add(
        "sync_user",
        42,
        JobOptions.builder()
            .attempts(25) // max_attempts
            .delay(Duration.ofMinutes(1)) // run_at
            .group(JobGroup.of("user-42")) // queue_name
            .deduplication(JobDeduplication.byKey("sync-42") // job_key
                .as(JobDeduplication.Mode.DEBOUNCE)) // job_key_mode replace
            .build());

    testing.advance(Duration.ofMinutes(2));
    assertThat(sent).containsExactly("42");
  }

  @Test
  void a_unit_test_of_your_own() {
    JobTesting time = JobTesting.create();
    time.jobs().worker("mail", (job, signal) -> send("ada").map(JobResult.done()));
    Future<Job> added = time.jobs().queue("mail").schedule("2 days", "x", 1, JobOptions.NONE);

    time.advance(Duration.ofDays(2));

    assertThat(time.result(time.result(added).isCompleted())).isTrue();
    assertThat(sent).containsExactly("ada");
  }

  @Test
  void from_a_store_interface() {
    Instant now = Instant.parse("2026-03-04T12:00:00Z");
    JobStore store = new MemoryJobStore();
    Json book = Json.ofChecked("{\"book\":7}");
    JobOptions options = JobOptions.builder().attempts(3).build();
    JobUpdate half = JobUpdate.NONE.attemptsMade(1).failedReason("no luck"); // what no new job has
    NewJob flowParent = NewJob.builder("publish", book, options, now) // fields as in their job
        .state(JobState.WAITING_CHILDREN)
        .pendingChildrenCount(2)
        .more(half)
        .build();
    Future<String> id = store.saveJob("books", flowParent, now);
    Future<Optional<JobData>> fetched =
        store.fetchNextJob(FetchJobs.one("books", "worker-1", Duration.ofMillis(30_000), now)
            .with(FetchOptions.ANY.lastFirst().withGroupConcurrency(1)));

    assertThat(fetched.result()).isEmpty();
    JobData parent = store.getJob("books", id.result()).result().orElseThrow();
    assertThat(parent.pendingChildrenCount()).isEqualTo(2);
    assertThat(parent.failedReason()).isEqualTo("no luck");
    store.notifyChildCompleted("books", id.result(), now);
    assertThat(store.notifyChildCompleted("books", id.result(), now).result())
        .isEqualTo(JobState.WAITING);
  }
}
