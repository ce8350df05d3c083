package dev.runlane.jobs.postgres;

import static dev.runlane.conformance.kit.Outcomes.done;
import static dev.runlane.jobs.postgres.JobScene.NOON;
import static dev.runlane.jobs.postgres.JobScene.QUEUE;
import static dev.runlane.jobs.postgres.JobScene.fetching;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.conformance.kit.LongTexts;
import dev.runlane.jobs.FlowNode;
import dev.runlane.jobs.JobData;
import dev.runlane.jobs.JobDeduplication;
import dev.runlane.jobs.JobGroup;
import dev.runlane.jobs.JobOptions;
import dev.runlane.jobs.JobOutcome;
import dev.runlane.jobs.JobRemoval;
import dev.runlane.jobs.JobRepeat;
import dev.runlane.jobs.JobState;
import dev.runlane.jobs.NewJob;
import dev.runlane.jobs.store.FetchJobs;
import dev.runlane.jobs.store.FetchOptions;
import dev.runlane.jobs.store.FinishAndFetch;
import dev.runlane.jobs.store.FinishJob;
import dev.runlane.jobs.store.FinishResult;
import dev.runlane.jobs.store.FireSchedule;
import dev.runlane.jobs.store.JobChecks;
import dev.runlane.jobs.store.UpsertSchedule;
import dev.runlane.json.JsonLimits;
import dev.runlane.run.Json;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

/** Jobs with everything at its limit at once, and calls of many jobs as large as they may be. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class PgJobLimitsTest {
  private static final Duration LONGEST = Duration.ofDays(36_500);
  private static final int MEBIBYTE = 1 << 20;
  private static final int MOST_OF_A_STATEMENT = 16;
  private static final Json LARGE = Json.ofChecked('"' + "x".repeat(MEBIBYTE - 2) + '"');

  private final JobScene scene = JobScene.open();
  private final String queue = name(1);
  private PgJobStore store;

  @BeforeEach
  void connect() {
    store = scene.connected();
  }

  @AfterEach
  void close() {
    scene.close();
  }

  private static String name(int seed) {
    return LongTexts.of(JobChecks.MOST_CHARACTERS, seed);
  }

  private static Json data(int seed) {
    return Json.ofChecked('"' + LongTexts.of((JsonLimits.PAYLOAD.maxBytes() - 2) / 4, seed) + '"');
  }

  private static JobOptions.Builder most() {
    Map<String, String> carrier = new HashMap<>();
    for (int entry = 0; entry < JobChecks.MOST_CARRIED_ENTRIES; entry++) {
      carrier.put(
          LongTexts.of(20, entry), LongTexts.of(JobChecks.MOST_CARRIER_CHARACTERS / 2, entry));
    }
    JobRemoval latest = new JobRemoval(false, LONGEST, Integer.MAX_VALUE);
    return JobOptions.builder()
        .attempts(Integer.MAX_VALUE)
        .priority(Double.MAX_VALUE)
        .timeout(LONGEST)
        .maxStalls(Integer.MAX_VALUE)
        .deadLetterQueue(name(2))
        .removeOnComplete(latest)
        .removeOnFail(latest)
        .traceCarrier(carrier);
  }

  private List<JobData> running(String of) {
    FetchOptions options = FetchOptions.ANY
        .withGroupConcurrency(Integer.MAX_VALUE)
        .withGlobalConcurrency(Integer.MAX_VALUE);
    return done(store.fetchNextJobs(
        new FetchJobs(of, name(3), LONGEST, options, JobChecks.MOST_ENTRIES, NOON)));
  }

  @Test
  void a_job_that_is_tried_again_and_completes() {
    NewJob job = NewJob.of(
            name(4),
            data(5),
            most()
                .group(new JobGroup(name(6), Integer.MAX_VALUE))
                .deduplication(
                    JobDeduplication.byKey(LongTexts.of(JobChecks.MOST_KEY_CHARACTERS, 7)))
                .build(),
            NOON)
        .withId(name(8));
    done(store.saveJobs(queue, List.of(job), NOON));
    JobData first = running(queue).get(0);
    done(store.finishJob(FinishJob.of(
        first.lock(),
        new JobOutcome.Retry(NOON, LongTexts.of(10_000, 9), LongTexts.of(10_000, 10)),
        NOON)));

    JobData second = running(queue).get(0);
    done(store.finishJob(
        FinishJob.of(second.lock(), new JobOutcome.Completed(data(11)), NOON.plusSeconds(1))));

    JobData ended = done(store.getJob(queue, second.id())).orElseThrow();
    assertThat(ended.state()).isEqualTo(JobState.COMPLETED);
    assertThat(ended.data()).isEqualTo(job.data());
    assertThat(ended.returnvalue()).isEqualTo(data(11));
    assertThat(ended.options()).isEqualTo(job.options());
    assertThat(done(store.listJobs(queue, JobState.COMPLETED, 0, 9))).hasSize(1);
  }

  @Test
  void a_flow_in_two_queues() {
    NewJob parent = NewJob.of(name(4), data(5), most().build(), NOON).withId(name(6));
    NewJob child = NewJob.of(name(7), data(8), most().build(), NOON)
        .withId(name(9))
        .childOf(name(10), name(6));
    done(store.saveFlow(
        List.of(
            new FlowNode(name(10), parent.parentOf(List.of(name(9)))), new FlowNode(queue, child)),
        NOON));
    JobData running = running(queue).get(0);

    done(store.finishJob(
        FinishJob.of(running.lock(), new JobOutcome.Completed(data(11)), NOON.plusSeconds(1))));

    assertThat(running(name(10))).extracting(JobData::id).containsExactly(parent.id());
    assertThat(done(store.getChildrenJobs(name(10), parent.id())))
        .extracting(JobData::returnvalue)
        .containsExactly(data(11));
  }

  @Test
  void a_schedule_until_the_last_instant() {
    Instant last = Instant.parse("9999-12-31T23:59:59.999Z");
    JobRepeat repeat =
        JobRepeat.every(LONGEST).withLimit(Integer.MAX_VALUE).between(Instant.EPOCH, last);
    JobOptions options = most().build();
    done(store.upsertSchedule(
        new UpsertSchedule(queue, name(4), name(5), data(6), options, repeat, NOON, NOON)));

    done(store.fireSchedule(new FireSchedule(
        queue,
        name(4),
        NOON,
        repeat,
        NewJob.of(name(5), data(6), options, NOON).withId(name(7)),
        last,
        NOON)));

    assertThat(done(store.getNextScheduleTimestamp(queue))).contains(last);
    assertThat(running(queue)).extracting(JobData::id).containsExactly(name(7));
  }

  @Test
  void no_statement_carries_more_than_a_part_of_what_a_call_stores() {
    scene.sql("""
        CREATE TABLE {s}.carried (bytes bigint);
        CREATE FUNCTION {s}.carry() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
          INSERT INTO {s}.carried
            SELECT sum(octet_length(data) + coalesce(octet_length(returnvalue), 0)) FROM rows;
          RETURN NULL;
        END $$;
        CREATE TRIGGER carry AFTER INSERT ON {s}.jobs REFERENCING NEW TABLE AS rows
          FOR EACH STATEMENT EXECUTE FUNCTION {s}.carry()
        """);
    List<NewJob> plain = jobs("plain", JobOptions.NONE);
    List<NewJob> keyed = IntStream.range(0, plain.size())
        .mapToObj(i -> NewJob.of(
            "keyed",
            LARGE,
            JobOptions.builder()
                .deduplication(JobDeduplication.byKey("key " + i))
                .build(),
            NOON))
        .toList();

    assertThat(done(store.saveJobs(QUEUE, plain, NOON))).hasSize(plain.size());
    assertThat(done(store.saveJobs(QUEUE, keyed, NOON))).hasSize(plain.size());
    assertThat(done(
            store.saveFlow(plain.stream().map(job -> new FlowNode("flows", job)).toList(), NOON)))
        .hasSize(plain.size());

    assertThat(scene.number("SELECT max(bytes) FROM " + scene.options().getSchema() + ".carried"))
        .isLessThanOrEqualTo((long) MOST_OF_A_STATEMENT * MEBIBYTE);
    assertThat(done(store.countJobs(QUEUE, JobState.WAITING))).isEqualTo(2L * plain.size());
  }

  @Test
  void results_that_hold_more_together_than_may_wait_are_stored_by_one_call() {
    PgJobStore small = scene.create(scene.options().setMaxPendingBytes(MEBIBYTE));
    done(small.connect());
    Json result = Json.ofChecked('"' + "x".repeat(MEBIBYTE / 16) + '"');
    done(small.saveJobs(QUEUE, many(JobOptions.NONE), NOON));
    done(small.saveJobs(
        QUEUE,
        many(JobOptions.builder().removeOnComplete(JobRemoval.keeping(1_000)).build()),
        NOON));
    List<FinishJob> ends = done(small.fetchNextJobs(fetching(200, FetchOptions.ANY))).stream()
        .map(each ->
            FinishJob.of(each.lock(), new JobOutcome.Completed(result), NOON.plusSeconds(1)))
        .toList();
    List<FinishResult> results = new ArrayList<>();

    results.addAll(done(small.finishJobs(ends.subList(0, 60))));
    results.addAll(done(small.finishAndFetch(
            new FinishAndFetch(ends.subList(60, 80), fetching(1, FetchOptions.ANY))))
        .results());

    assertThat(results).hasSize(80).allSatisfy(each -> assertThat(each)
        .isInstanceOf(FinishResult.Finished.class));
    assertThat(done(small.countJobs(QUEUE, JobState.COMPLETED))).isEqualTo(80);
  }

  private static List<NewJob> many(JobOptions options) {
    return IntStream.range(0, 40)
        .mapToObj(i -> NewJob.of("job", Json.ofChecked("1"), options, NOON))
        .toList();
  }

  private static List<NewJob> jobs(String name, JobOptions options) {
    return IntStream.range(0, MOST_OF_A_STATEMENT + 4)
        .mapToObj(i -> NewJob.of(name, LARGE, options, NOON))
        .toList();
  }
}
