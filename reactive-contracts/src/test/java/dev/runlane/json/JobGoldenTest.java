package dev.runlane.json;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.runlane.jobs.AttemptRecord;
import dev.runlane.jobs.ChildFailurePolicy;
import dev.runlane.jobs.DeadLetter;
import dev.runlane.jobs.JobBackoff;
import dev.runlane.jobs.JobData;
import dev.runlane.jobs.JobDeduplication;
import dev.runlane.jobs.JobGroup;
import dev.runlane.jobs.JobOptions;
import dev.runlane.jobs.JobRemoval;
import dev.runlane.jobs.JobRepeat;
import dev.runlane.jobs.JobState;
import dev.runlane.jobs.StoreEvent;
import dev.runlane.jobs.StoreEventType;
import dev.runlane.json.record.JobJson;
import dev.runlane.json.record.JobOptionsJson;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.Json;
import dev.runlane.run.RunlaneException;
import dev.runlane.samples.Samples;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.ZoneId;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

/**
 * The JSON forms of jobs that are stored, told and shown, byte for byte. A change of a golden file is a change
 * that data of earlier versions must survive.
 */
@DisplayNameGeneration(ReplaceUnderscores.class)
class JobGoldenTest {
  private static final JobRepeat REPEAT = JobRepeat.cron("*/5 * * * *", ZoneId.of("Europe/Berlin"))
      .withLimit(9)
      .between(Samples.NOON, Samples.NOON.plusSeconds(60));
  private static final JobOptions FULL = JobOptions.builder()
      .attempts(5)
      .backoff(JobBackoff.custom("slowly"))
      .delay(Duration.ofMillis(1_500))
      .priority(1.5)
      .lifo(true)
      .repeat(REPEAT)
      .deduplication(JobDeduplication.byKey("key")
          .within(Duration.ofMinutes(1))
          .as(JobDeduplication.Mode.DEBOUNCE))
      .removeOnComplete(JobRemoval.after(Duration.ofHours(1)).atMost(100))
      .removeOnFail(JobRemoval.never())
      .timeout(Duration.ofSeconds(30))
      .jobId("job-1")
      .failParentOnChildFailure(ChildFailurePolicy.IGNORE)
      .group(new JobGroup("tenant", 50))
      .maxStalls(2)
      .deadLetterQueue("dead")
      .traceCarrier(Map.of("traceparent", "00-1-2-01", "tenant", "acme"))
      .build();
  private static final AttemptRecord ATTEMPT = new AttemptRecord(
      1,
      Samples.NOON,
      Samples.NOON.plusMillis(250),
      AttemptRecord.Status.FAILED,
      "no luck",
      "at Luck",
      List.of("one", "two"));
  private static final AttemptRecord RUNNING =
      new AttemptRecord(2, Samples.NOON, null, AttemptRecord.Status.FAILED, null, null, List.of());
  private static final DeadLetter DEAD =
      new DeadLetter("orders", "job-1", "no luck", Samples.NOON, FULL);

  @Test
  void options_are_written_and_read_as_they_always_were() throws Exception {
    assertThat(JobOptionsJson.write(FULL)).isEqualTo(golden("options-full"));
    assertThat(JobOptionsJson.read(golden("options-full"))).isEqualTo(FULL);
    assertThat(JobOptionsJson.parse(golden("options-full"))).isEqualTo(FULL);
    assertThat(JobOptionsJson.write(JobOptions.NONE)).isEqualTo(golden("options"));
    assertThat(JobOptionsJson.read(golden("options"))).isEqualTo(JobOptions.NONE);
  }

  @Test
  void each_way_to_repeat_to_deduplicate_and_to_be_removed_is_read_as_it_was_written() {
    for (JobOptions options : List.of(
        JobOptions.builder().repeat(JobRepeat.every(Duration.ofSeconds(3))).build(),
        JobOptions.builder().deduplication(JobDeduplication.byPayload()).build(),
        JobOptions.builder().removeOnFail(JobRemoval.atOnce()).build(),
        JobOptions.builder().removeOnFail(JobRemoval.keeping(3)).build(),
        JobOptions.builder()
            .priority(-3)
            .backoff(JobBackoff.exponential(Duration.ZERO))
            .build())) {
      assertThat(JobOptionsJson.read(JobOptionsJson.write(options))).isEqualTo(options);
    }
    assertThat(JobOptionsJson.readRepeat(JobOptionsJson.write(REPEAT))).isEqualTo(REPEAT);
  }

  @Test
  void a_job_is_written_with_all_that_is_known_of_it() throws Exception {
    JobData job = JobData.builder(
            "job-1",
            "orders",
            "charge",
            Json.ofChecked("{ \"n\": 1.0 }"),
            JobState.ACTIVE,
            FULL,
            Samples.NOON)
        .attemptsMade(1)
        .startedAttempts(2)
        .stalls(1)
        .progress(33.5)
        .returnvalue(Json.ofChecked("null"))
        .failedReason("no luck")
        .deduplicationKey("key")
        .logs(List.of("one", "two"))
        .stacktrace(List.of("at Luck"))
        .attemptLogs(List.of(ATTEMPT, RUNNING))
        .processedAt(Samples.NOON.plusMillis(1))
        .completedAt(Samples.NOON.plusMillis(2))
        .failedAt(Samples.NOON.plusMillis(3))
        .delayUntil(Samples.NOON.plusMillis(4))
        .cancelledAt(Samples.NOON.plusMillis(5))
        .lockUntil(Samples.NOON.plusMillis(6))
        .lockedBy("worker-1")
        .lockToken("secret")
        .parentId("p")
        .parentQueueName("parents")
        .pendingChildrenCount(2)
        .childrenIds(List.of("c1", "c2"))
        .groupId("tenant")
        .discarded(true)
        .scheduleKey("daily")
        .deadLetter(DEAD)
        .build();

    assertThat(JobJson.write(job)).isEqualTo(golden("job-full"));
    assertThat(JobJson.write(job).text()).as("a token proves a hand-out").doesNotContain("secret");
  }

  @Test
  void hand_outs_are_written_and_read_as_they_always_were() throws Exception {
    List<AttemptRecord> attempts = List.of(ATTEMPT, RUNNING);

    assertThat(JobJson.write(attempts)).isEqualTo(golden("attempts"));
    assertThat(JobJson.readAttempts(golden("attempts"))).isEqualTo(attempts);
    assertThat(JobJson.readAttempts(JobJson.write(List.of()))).isEmpty();
  }

  @Test
  void a_dead_letter_is_written_and_read_as_it_always_was() throws Exception {
    assertThat(JobJson.write(DEAD)).isEqualTo(golden("dead-letter"));
    assertThat(JobJson.readDeadLetter(golden("dead-letter"))).isEqualTo(DEAD);
  }

  @Test
  void an_event_is_written_and_read_as_it_always_was() throws Exception {
    StoreEvent event = new StoreEvent(
        StoreEventType.JOB_PROGRESS, "orders", "job-1", Json.ofChecked("33.5"), Samples.NOON);
    StoreEvent bare =
        new StoreEvent(StoreEventType.QUEUE_DRAINED, "orders", null, null, Samples.NOON);

    assertThat(JobJson.write(event)).isEqualTo(golden("event"));
    assertThat(JobJson.readEvent(golden("event"))).isEqualTo(event);
    assertThat(JobJson.readEvent(JobJson.write(bare))).isEqualTo(bare);
  }

  @Test
  void options_of_users_may_say_durations_as_text() {
    JobOptions options = JobOptionsJson.parse(Json.ofChecked(
        "{\"delay\":\"30s\",\"backoff\":{\"type\":\"fixed\",\"delay\":200},\"removeOnFail\":true,"
            + "\"removeOnComplete\":\"1h\"}"));

    assertThat(options)
        .isEqualTo(JobOptions.builder()
            .delay(Duration.ofSeconds(30))
            .backoff(JobBackoff.fixed(Duration.ofMillis(200)))
            .removeOnFail(JobRemoval.atOnce())
            .removeOnComplete(JobRemoval.after(Duration.ofHours(1)))
            .build());
  }

  @Test
  void options_of_users_that_nobody_knows_are_refused() {
    for (String malformed : List.of(
        "{\"atempts\":3}",
        "{\"attempts\":\"3\"}",
        "{\"attempts\":-1}",
        "{\"lifo\":1}",
        "{\"priority\":\"high\"}",
        "{\"delay\":\"soon\"}",
        "{\"backoff\":{\"type\":\"linear\",\"delay\":1}}",
        "{\"backoff\":{\"type\":\"fixed\",\"delay\":1,\"max\":2}}",
        "{\"deduplication\":{}}",
        "{\"deduplication\":{\"key\":\"k\",\"mode\":\"later\"}}",
        "{\"failParentOnChildFailure\":\"later\"}",
        "{\"repeat\":{\"pattern\":\"* * * * *\"}}",
        "{\"removeOnFail\":{\"days\":1}}",
        "{\"traceCarrier\":\"00-1-2-01\"}",
        "{\"traceCarrier\":{\"traceparent\":1}}",
        "[]")) {
      assertThatThrownBy(() -> JobOptionsJson.parse(Json.ofChecked(malformed)))
          .as(malformed)
          .isInstanceOfSatisfying(RunlaneException.class, failure -> assertThat(failure.code())
              .isEqualTo(ErrorCode.CONFIGURATION_INVALID));
    }
  }

  @Test
  void stored_options_of_a_later_version_are_read_without_what_is_new_in_them() {
    JobOptions options = JobOptionsJson.read(Json.ofChecked("""
        {"attempts":3,"backoff":{"type":"linear","delay":1},"deduplication":{"key":"k","mode":"later"},
        "failParentOnChildFailure":"later","removeOnFail":{"count":5,"later":1},"later":true}"""));

    assertThat(options)
        .isEqualTo(JobOptions.builder()
            .attempts(3)
            .deduplication(JobDeduplication.byKey("k"))
            .removeOnFail(JobRemoval.keeping(5))
            .build());
  }

  @Test
  void every_golden_file_is_used() throws Exception {
    try (Stream<Path> files = Files.list(Path.of("src/test/resources/golden-jobs"))) {
      assertThat(files.map(each -> each.getFileName().toString()))
          .containsExactlyInAnyOrder(
              "options.json",
              "options-full.json",
              "job-full.json",
              "attempts.json",
              "dead-letter.json",
              "event.json");
    }
  }

  private static Json golden(String name) throws Exception {
    Path path = Path.of("src/test/resources/golden-jobs", name + ".json");
    return Json.ofChecked(Files.readString(path).stripTrailing());
  }
}
