package dev.runlane.conformance.operator;

import static dev.runlane.conformance.given.TestRuns.queued;
import static dev.runlane.conformance.given.TestRuns.released;
import static dev.runlane.conformance.given.TestRuns.running;
import static dev.runlane.conformance.given.TestRuns.scheduled;
import static dev.runlane.conformance.kit.Given.EMAILS;
import static dev.runlane.conformance.kit.Given.ENVIRONMENT;
import static dev.runlane.conformance.kit.Given.NOON;
import static dev.runlane.conformance.kit.Given.OTHER_ENVIRONMENT;
import static dev.runlane.conformance.kit.Given.minutes;
import static dev.runlane.conformance.kit.Given.seconds;
import static dev.runlane.conformance.kit.Outcomes.assertFails;
import static dev.runlane.conformance.kit.Outcomes.done;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.conformance.kit.Race;
import dev.runlane.conformance.kit.Rule;
import dev.runlane.operator.queue.FinishResumedRuns;
import dev.runlane.operator.queue.PauseQueue;
import dev.runlane.operator.queue.ResumeQueue;
import dev.runlane.operator.queue.ResumedRuns;
import dev.runlane.operator.queue.TakeResumedRuns;
import dev.runlane.run.Environment;
import dev.runlane.run.ErrorCode;
import dev.runlane.storage.read.RunnableRunRef;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Runs that wait in a queue that was resumed, to be delivered again. */
@DisplayName("runs of resumed queues")
public abstract class ResumedRunConformance extends OperatorConformance {
  private static final Duration SETTLE = Duration.ofSeconds(3);
  private static final Duration CLAIM = Duration.ofSeconds(30);

  @Test
  @Rule("operator")
  void the_queued_runs_of_a_resumed_queue_are_taken_those_that_wait_longest_first() {
    given(queued("second").queue(EMAILS).at(seconds(2)));
    given(queued("first").queue(EMAILS).at(seconds(1)));
    given(queued("elsewhere"));
    given(scheduled("scheduled", minutes(9)).queue(EMAILS));
    given(released("released", seconds(3)).queue(EMAILS));
    given(running("running", minutes(9)).queue(EMAILS));
    resumed();

    ResumedRuns taken = take("t", seconds(10), 10).orElseThrow();

    assertThat(taken.queue()).isEqualTo("emails");
    assertThat(ids(taken)).containsExactly("first", "second");
    assertThat(taken.runs())
        .extracting(RunnableRunRef::availableAt)
        .containsExactly(seconds(1), seconds(2));
  }

  @Test
  @Rule("operator")
  void a_queue_that_was_not_paused_has_none() {
    given(queued("waiting").queue(EMAILS));
    done(operator.resumeQueue(new ResumeQueue(ENVIRONMENT, "emails")));

    assertThat(take("t", minutes(1), 10)).isEmpty();
  }

  @Test
  @Rule("operator")
  void those_behind_are_taken_next_and_after_the_last_none() {
    for (String run : List.of("a", "b", "c")) {
      given(queued(run).queue(EMAILS));
    }
    resumed();

    ResumedRuns first = take("t1", NOON, 2).orElseThrow();
    assertThat(ids(first)).containsExactly("a", "b");
    assertThat(finish("t1", first)).isTrue();
    ResumedRuns second = take("t2", seconds(4), 2).orElseThrow();
    assertThat(ids(second)).containsExactly("c");
    assertThat(second.isLast()).isTrue();
    assertThat(finish("t2", second)).isTrue();

    assertThat(take("t3", minutes(9), 2)).isEmpty();
  }

  @Test
  @Rule("operator")
  void a_run_that_a_faster_clock_made_due_is_among_them_and_a_later_one_is_not() {
    given(queued("before").queue(EMAILS));
    resumed();

    ResumedRuns first = take("t1", NOON, 10).orElseThrow();
    assertThat(first.isLast()).isFalse();
    finish("t1", first);
    given(queued("ahead").queue(EMAILS).at(seconds(3)));
    given(queued("after").queue(EMAILS).at(seconds(4)));
    ResumedRuns early = take("t2", seconds(3), 10).orElseThrow();
    assertThat(early.runs()).isEmpty();
    assertThat(early.isLast()).isFalse();
    finish("t2", early);
    ResumedRuns settled = take("t3", seconds(5), 10).orElseThrow();

    assertThat(ids(settled)).containsExactly("ahead");
    assertThat(settled.isLast()).isTrue();
  }

  @Test
  @Rule("operator")
  void taken_runs_are_taken_again_when_the_claim_has_ended() {
    given(queued("waiting").queue(EMAILS));
    resumed();
    ResumedRuns lost = take("t1", NOON, 10).orElseThrow();

    assertThat(take("t2", NOON.plus(CLAIM).minusMillis(1), 10)).isEmpty();
    ResumedRuns again = take("t3", NOON.plus(CLAIM), 10).orElseThrow();

    assertThat(ids(again)).containsExactly("waiting");
    assertThat(finish("t1", lost)).isFalse();
    assertThat(finish("t3", again)).isTrue();
  }

  @Test
  @Rule("operator")
  void of_many_that_take_at_once_one_gets_them() {
    given(queued("waiting").queue(EMAILS));
    resumed();

    Race.Results<Optional<ResumedRuns>> race = race(Race.times(
        8,
        i -> adapter -> adapter
            .operator()
            .orElseThrow()
            .takeResumedRuns(taking(ENVIRONMENT, "t" + i, NOON, 10))));

    assertThat(race.failures()).isEmpty();
    assertThat(race.results()).filteredOn(Optional::isPresent).hasSize(1);
  }

  @Test
  @Rule("operator")
  void nothing_is_taken_of_a_queue_that_is_paused_again_and_its_next_resume_begins_anew() {
    given(queued("waiting").queue(EMAILS));
    resumed();
    ResumedRuns first = take("t1", NOON, 10).orElseThrow();
    done(operator.pauseQueue(new PauseQueue(ENVIRONMENT, "emails", ANNA, null, NOON)));
    assertThat(take("t2", minutes(1), 10)).isEmpty();
    done(operator.resumeQueue(new ResumeQueue(ENVIRONMENT, "emails")));

    assertThat(finish("t1", first)).isFalse();
    assertThat(ids(take("t3", minutes(1), 10).orElseThrow())).containsExactly("waiting");
  }

  @Test
  @Rule("operator")
  void a_queue_that_is_resumed_again_is_walked_from_its_beginning() {
    for (String run : List.of("a", "b", "c")) {
      given(queued(run).queue(EMAILS));
    }
    resumed();
    assertThat(finish("t1", take("t1", NOON, 2).orElseThrow())).isTrue();

    resumed();

    assertThat(ids(take("t2", minutes(1), 2).orElseThrow())).containsExactly("a", "b");
  }

  @Test
  @Rule("operator")
  void the_queue_that_was_taken_least_lately_is_taken_next() {
    given(queued("mail").queue(EMAILS));
    given(queued("other"));
    resumed();
    done(operator.pauseQueue(new PauseQueue(ENVIRONMENT, "default", ANNA, null, NOON)));
    done(operator.resumeQueue(new ResumeQueue(ENVIRONMENT, "default")));

    ResumedRuns first = take("t1", NOON, 10).orElseThrow();
    finish("t1", first);
    ResumedRuns second = take("t2", seconds(1), 10).orElseThrow();

    assertThat(List.of(first.queue(), second.queue())).containsExactly("default", "emails");
    assertThat(done(operator.takeResumedRuns(new TakeResumedRuns(
            ENVIRONMENT, List.of("unknown"), "t3", minutes(9), SETTLE, CLAIM, 10))))
        .isEmpty();
  }

  @Test
  @Rule("operator")
  void environments_have_their_own_resumed_queues() {
    given(queued("waiting").queue(EMAILS));
    resumed();

    assertThat(done(operator.takeResumedRuns(taking(OTHER_ENVIRONMENT, "t", NOON, 10))))
        .isEmpty();
  }

  @Test
  @Rule({"operator", "S12"})
  void malformed_commands_are_refused() {
    assertFails(
        operator.takeResumedRuns(taking(ENVIRONMENT, "t", NOON, 0)), ErrorCode.VALIDATION_FAILED);
    assertFails(
        operator.takeResumedRuns(taking(ENVIRONMENT, "", NOON, 1)), ErrorCode.VALIDATION_FAILED);
    assertFails(
        operator.finishResumedRuns(
            new FinishResumedRuns(ENVIRONMENT, "t", new ResumedRuns("a:b", List.of(), true))),
        ErrorCode.VALIDATION_FAILED);
  }

  private void resumed() {
    done(operator.pauseQueue(new PauseQueue(ENVIRONMENT, "emails", ANNA, null, NOON)));
    done(operator.resumeQueue(new ResumeQueue(ENVIRONMENT, "emails")));
  }

  private Optional<ResumedRuns> take(String token, Instant now, int limit) {
    return done(operator.takeResumedRuns(taking(ENVIRONMENT, token, now, limit)));
  }

  private boolean finish(String token, ResumedRuns taken) {
    return done(operator.finishResumedRuns(new FinishResumedRuns(ENVIRONMENT, token, taken)));
  }

  private static TakeResumedRuns taking(
      Environment environment, String token, Instant now, int limit) {
    return new TakeResumedRuns(
        environment, List.of("default", "emails"), token, now, SETTLE, CLAIM, limit);
  }

  private static List<String> ids(ResumedRuns taken) {
    return taken.runs().stream().map(RunnableRunRef::runId).toList();
  }
}
