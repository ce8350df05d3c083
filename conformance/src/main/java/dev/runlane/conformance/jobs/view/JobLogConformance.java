package dev.runlane.conformance.jobs.view;

import static dev.runlane.conformance.kit.Given.NOON;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.runlane.conformance.jobs.JobStoreConformance;
import dev.runlane.conformance.kit.Outcomes;
import dev.runlane.conformance.kit.Rule;
import dev.runlane.jobs.AttemptRecord;
import dev.runlane.jobs.JobData;
import dev.runlane.jobs.JobDeduplication;
import dev.runlane.jobs.JobOptions;
import dev.runlane.jobs.JobOutcome;
import dev.runlane.jobs.JobState;
import dev.runlane.jobs.JobUpdate;
import dev.runlane.jobs.NewJob;
import dev.runlane.jobs.store.FetchOptions;
import dev.runlane.run.ContractDefaults;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Logs and hand-outs are kept within bounds, and beside the row. */
@DisplayName("logs and hand-outs are kept within bounds, and beside the row")
public abstract class JobLogConformance extends JobStoreConformance {
  @Test
  @Rule("J385")
  void lines_are_kept_in_their_order() {
    String id = save(job("a"));

    for (String line : List.of("one", "two", "three", "")) {
      assertThat(Outcomes.done(store.appendLog(QUEUE, id, line))).isTrue();
    }

    assertThat(Outcomes.done(store.getLogs(QUEUE, id, 0, 10)))
        .containsExactly("one", "two", "three", "");
    assertThat(Outcomes.done(store.getLogs(QUEUE, id, 1, 2))).containsExactly("two");
    assertThat(get(id).logs()).containsExactly("one", "two", "three", "");
    assertThat(Outcomes.done(store.appendLog(QUEUE, "nobody", "x"))).isFalse();
    assertThat(Outcomes.done(store.getLogs(QUEUE, "nobody", 0, 10))).isEmpty();
  }

  @Test
  @Rule("J385")
  void only_the_last_thousand_lines_are_kept() {
    String id = save(job("a"));
    update(
        id, JobUpdate.NONE.logs(IntStream.range(0, 1_000).mapToObj(i -> "l" + i).toList()));

    Outcomes.done(store.appendLog(QUEUE, id, "l1000"));
    Outcomes.done(store.appendLog(QUEUE, id, "l1001"));

    List<String> logs = get(id).logs();
    assertThat(logs).hasSize(1_000).startsWith("l2").endsWith("l1000", "l1001");
  }

  @Test
  @Rule("J385")
  void a_log_is_emptied() {
    String id = save(job("a"));
    Outcomes.done(store.appendLog(QUEUE, id, "one"));

    Outcomes.done(store.clearLogs(QUEUE, id));
    Outcomes.done(store.clearLogs(QUEUE, "nobody"));

    assertThat(get(id).logs()).isEmpty();
    Outcomes.done(store.appendLog(QUEUE, id, "two"));
    assertThat(get(id).logs()).containsExactly("two");
  }

  @Test
  @Rule("J479")
  void a_job_of_an_id_that_another_had_begins_with_nothing_of_that_one() {
    NewJob named = job("a").withId("one");
    for (NewJob later : List.of(
        named,
        job(
                "a",
                JobOptions.builder()
                    .deduplication(JobDeduplication.byKey("key"))
                    .build())
            .withId("one"))) {
      JobData first = running(named);
      Outcomes.done(store.appendLog(QUEUE, "one", "of the first"));
      finished(first, new JobOutcome.Retry(NOON, "again", "at Again"));
      Outcomes.done(store.removeJob(QUEUE, "one", NOON));

      save(later);

      assertThat(Outcomes.done(store.getLogs(QUEUE, "one", 0, 10))).isEmpty();
      assertThat(get("one").logs()).isEmpty();
      assertThat(get("one").stacktrace()).isEmpty();
      assertThat(attempts("one")).isEmpty();
      Outcomes.done(store.appendLog(QUEUE, "one", "of the second"));
      assertThat(get("one").logs()).containsExactly("of the second");
      Outcomes.done(store.removeJob(QUEUE, "one", NOON));
    }
  }

  @Test
  @Rule("J439")
  void lines_that_a_hand_out_brought_along_are_emptied_too() {
    String id = save(job("a"));
    AttemptRecord imported = new AttemptRecord(
        1, NOON, after(1), AttemptRecord.Status.FAILED, "no luck", null, List.of("elsewhere"));
    update(id, JobUpdate.NONE.attemptLogs(List.of(imported)));
    assertThat(attempts(id)).containsExactly(imported);

    Outcomes.done(store.clearLogs(QUEUE, id));

    assertThat(attempts(id)).containsExactly(imported.withLogs(List.of()));
  }

  @Test
  @Rule("J386")
  void each_hand_out_is_recorded_with_its_lines() {
    JobData first = running(job("a"));
    Outcomes.done(store.appendLog(QUEUE, first.id(), "in the first"));
    finished(first, new JobOutcome.Retry(NOON, "again", "at Again"));
    JobData second = fetched(FetchOptions.ANY, after(2_000));
    Outcomes.done(store.appendLog(QUEUE, first.id(), "in the second"));

    assertThat(attempts(first.id()))
        .containsExactly(
            new AttemptRecord(
                1,
                NOON,
                after(1_000),
                AttemptRecord.Status.FAILED,
                "again",
                "at Again",
                List.of("in the first")),
            new AttemptRecord(
                2,
                after(2_000),
                null,
                AttemptRecord.Status.FAILED,
                null,
                null,
                List.of("in the second")));
    finished(second, DONE);
    assertThat(attempts(first.id()).get(1))
        .isEqualTo(new AttemptRecord(
            2,
            after(2_000),
            after(1_000),
            AttemptRecord.Status.COMPLETED,
            null,
            null,
            List.of("in the second")));
    assertThat(get(first.id()).attemptLogs()).isEqualTo(attempts(first.id()));
    assertThat(get(first.id()).logs()).containsExactly("in the first", "in the second");
    assertThat(attempts("nobody")).isEmpty();
  }

  @Test
  @Rule("J430")
  void lines_that_an_update_gives_are_those_of_the_present_hand_out() {
    JobData running = running(job("a"));
    Outcomes.done(store.appendLog(QUEUE, running.id(), "before"));

    update(running.id(), JobUpdate.NONE.logs(List.of("one", "two")));

    assertThat(attempts(running.id()).get(0).logs()).containsExactly("one", "two");
    finished(running, BROKEN);
    assertThat(attempts(running.id()).get(0).logs()).containsExactly("one", "two");
  }

  @Test
  @Rule("J386")
  void how_a_hand_out_ended_is_recorded() {
    finished(running(job("a")), new JobOutcome.Snooze(NOON));
    finish(fetched(), new JobOutcome.Stalled(), NOON.plus(LOCK).plusMillis(1));
    JobData last = fetched();
    finished(last, new JobOutcome.Cancelled());

    assertThat(attempts(last.id()))
        .extracting(AttemptRecord::status)
        .containsExactly(
            AttemptRecord.Status.SNOOZED, AttemptRecord.Status.FAILED, AttemptRecord.Status.FAILED);
    assertThat(attempts(last.id()))
        .extracting(AttemptRecord::error)
        .containsExactly(null, "Job stalled", "Job cancelled");
  }

  @Test
  @Rule("J387")
  void only_the_last_twenty_hand_outs_and_stacks_are_kept() {
    String id = save(job("a"));
    for (int i = 1; i <= 25; i++) {
      finished(fetched(), new JobOutcome.Retry(NOON, "e" + i, "s" + i));
    }

    assertThat(attempts(id)).hasSize(20);
    assertThat(attempts(id).get(0).attempt()).isEqualTo(6);
    assertThat(attempts(id).get(19).error()).isEqualTo("e25");
    assertThat(get(id).stacktrace()).hasSize(20).startsWith("s6").endsWith("s25");
    assertThat(get(id).attemptsMade()).isEqualTo(25);
  }

  @Test
  @Rule("J421")
  void the_hand_outs_of_a_completed_job_that_is_tried_again_stay() {
    JobData first = running(job("a"));
    Outcomes.done(store.appendLog(QUEUE, first.id(), "in the first"));
    finished(first, DONE);
    List<AttemptRecord> before = attempts(first.id());

    Outcomes.done(store.retryJobs(QUEUE, JobState.COMPLETED));

    assertThat(before).hasSize(1);
    assertThat(attempts(first.id())).isEqualTo(before);
    finished(fetched(FetchOptions.ANY, after(2_000)), BROKEN);
    Outcomes.done(store.retryJobs(QUEUE, JobState.FAILED));
    assertThat(attempts(first.id()))
        .extracting(AttemptRecord::attempt, AttemptRecord::status)
        .containsExactly(
            tuple(1, AttemptRecord.Status.COMPLETED), tuple(2, AttemptRecord.Status.FAILED));
  }

  @Test
  @Rule("J421")
  void the_hand_outs_of_a_completed_job_that_an_update_lets_wait_stay() {
    JobData first = running(job("a"));
    finished(first, DONE);
    List<AttemptRecord> before = attempts(first.id());

    update(first.id(), JobUpdate.NONE.state(JobState.WAITING).completedAt(null).processedAt(null));

    assertThat(attempts(first.id())).isEqualTo(before);
    finished(fetched(FetchOptions.ANY, after(2_000)), DONE);
    assertThat(attempts(first.id())).hasSize(2).startsWith(before.get(0));
  }

  @Test
  @Rule("J421")
  void a_completion_is_on_record_once_however_it_was_stored() {
    saveFlow("p", JobOptions.NONE, "c1");
    finished(fetched(), DONE);
    finished(fetched(), DONE);

    Outcomes.done(store.retryJobs(QUEUE, JobState.COMPLETED));

    assertThat(attempts("c1")).hasSize(1);
    assertThat(attempts("p")).hasSize(1);
  }

  @Test
  @Rule("J421")
  void a_completion_drops_the_oldest_hand_out_like_any_other() {
    String id = save(job("a"));
    for (int i = 1; i <= 25; i++) {
      finished(fetched(), DONE);
      Outcomes.done(store.retryJobs(QUEUE, JobState.COMPLETED));
    }

    assertThat(attempts(id))
        .extracting(AttemptRecord::attempt)
        .containsExactlyElementsOf(IntStream.rangeClosed(6, 25).boxed().toList());
  }

  @Test
  @Rule("J422")
  void a_hand_out_that_an_update_completed_is_on_record() {
    JobData running = running(job("a"));

    update(running.id(), JobUpdate.NONE.state(JobState.COMPLETED).completedAt(after(5)));

    assertThat(attempts(running.id()))
        .containsExactly(new AttemptRecord(
            1, NOON, after(5), AttemptRecord.Status.COMPLETED, null, null, List.of()));
  }

  @Test
  @Rule("J388")
  void what_is_kept_beside_the_row_is_not_fetched_with_it() {
    JobData first = running(job("a"));
    Outcomes.done(store.appendLog(QUEUE, first.id(), "one"));
    finished(first, new JobOutcome.Retry(NOON, "again", "at Again"));

    JobData second = fetched();

    assertThat(second.logs()).isEmpty();
    assertThat(second.stacktrace()).isEmpty();
    assertThat(second.attemptLogs()).isEmpty();
    assertThat(get(first.id()).logs()).containsExactly("one");
  }

  @Test
  @Rule("J389")
  void a_failure_is_recorded_whatever_it_says() {
    JobData running = running(job("a"));

    finished(running, new JobOutcome.Failed("a\0b\ud800c" + "x".repeat(50_000), "\0"));

    assertThat(get(running.id()).failedReason())
        .startsWith("a\ufffdb\ufffdc")
        .endsWith("x...")
        .hasSize(ContractDefaults.MAX_FAILURE_MESSAGE_CHARACTERS);
    assertThat(get(running.id()).stacktrace()).containsExactly("\ufffd");
  }

  @Test
  @Rule("J389")
  void a_reason_from_outside_is_cut_as_a_failure_is_and_never_within_a_character() {
    String whole = "\ud83d\ude80".repeat(25_000);
    String alone = save(job("a"));
    saveFlow("parent", JobOptions.NONE, "child");
    saveFlow("told", JobOptions.NONE, "of");

    Outcomes.done(store.failJob(QUEUE, alone, whole, NOON));
    Outcomes.done(store.failJob(QUEUE, "child", whole, NOON));
    Outcomes.done(store.failParentOnChildFailure(QUEUE, "told", whole, NOON));

    assertThat(List.of(alone, "child", "parent", "told"))
        .allSatisfy(id -> assertThat(get(id).failedReason())
            .hasSizeBetween(1_990, ContractDefaults.MAX_FAILURE_MESSAGE_CHARACTERS)
            .endsWith("\ude80..."));
  }

  private List<AttemptRecord> attempts(String id) {
    return Outcomes.done(store.listAttempts(QUEUE, id));
  }
}
