package dev.runlane.conformance.operator;

import static dev.runlane.conformance.kit.Given.ENVIRONMENT;
import static dev.runlane.conformance.kit.Given.NOON;
import static dev.runlane.conformance.kit.Given.OTHER_ENVIRONMENT;
import static dev.runlane.conformance.kit.Given.minutes;
import static dev.runlane.conformance.kit.Outcomes.assertFails;
import static dev.runlane.conformance.kit.Outcomes.done;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.conformance.kit.Race;
import dev.runlane.conformance.kit.Rule;
import dev.runlane.operator.queue.ListPausedQueues;
import dev.runlane.operator.queue.PauseQueue;
import dev.runlane.operator.queue.PausedQueue;
import dev.runlane.operator.queue.ResumeQueue;
import dev.runlane.run.Actor;
import dev.runlane.run.Environment;
import dev.runlane.run.ErrorCode;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Which queues are paused, by whom and why. */
@DisplayName("paused queues")
public abstract class QueuePauseConformance extends OperatorConformance {
  @Test
  @Rule("operator")
  void a_paused_queue_is_listed_with_who_paused_it_why_and_when() {
    assertThat(pause("mail")).isTrue();
    assertThat(done(operator.pauseQueue(new PauseQueue(
            ENVIRONMENT, "bills", new Actor(Actor.Type.SYSTEM, null), null, minutes(1)))))
        .isTrue();

    assertThat(list(ENVIRONMENT))
        .containsExactly(
            new PausedQueue("bills", new Actor(Actor.Type.SYSTEM, null), null, minutes(1)),
            new PausedQueue("mail", ANNA, "the server is moved", NOON));
  }

  @Test
  @Rule("operator")
  void a_queue_that_is_paused_already_keeps_who_paused_it() {
    pause("mail");

    assertThat(done(operator.pauseQueue(new PauseQueue(
            ENVIRONMENT, "mail", Actor.operator("ben"), "another reason", minutes(1)))))
        .isFalse();
    assertThat(list(ENVIRONMENT))
        .containsExactly(new PausedQueue("mail", ANNA, "the server is moved", NOON));
  }

  @Test
  @Rule("operator")
  void a_resumed_queue_is_not_paused_any_more() {
    pause("mail");
    pause("bills");

    assertThat(resume(ENVIRONMENT, "mail")).isTrue();
    assertThat(resume(ENVIRONMENT, "mail")).isFalse();
    assertThat(list(ENVIRONMENT)).extracting(PausedQueue::queue).containsExactly("bills");
    assertThat(pause("mail")).isTrue();
  }

  @Test
  @Rule("operator")
  void of_many_that_pause_a_queue_at_once_one_does() {
    Race.Results<Boolean> race = race(Race.times(
        8,
        i -> adapter -> adapter
            .operator()
            .orElseThrow()
            .pauseQueue(new PauseQueue(ENVIRONMENT, "mail", ANNA, null, NOON))));

    assertThat(race.failures()).isEmpty();
    assertThat(race.results()).filteredOn(won -> won).hasSize(1);
    assertThat(list(ENVIRONMENT)).hasSize(1);
  }

  @Test
  @Rule("operator")
  void environments_have_their_own_pauses() {
    pause("mail");

    assertThat(list(OTHER_ENVIRONMENT)).isEmpty();
    assertThat(resume(OTHER_ENVIRONMENT, "mail")).isFalse();
    assertThat(list(ENVIRONMENT)).hasSize(1);
  }

  @Test
  @Rule({"operator", "S12"})
  void malformed_commands_are_refused() {
    assertFails(
        operator.pauseQueue(new PauseQueue(ENVIRONMENT, "", ANNA, null, NOON)),
        ErrorCode.VALIDATION_FAILED);
    assertFails(
        operator.pauseQueue(new PauseQueue(ENVIRONMENT, "mail", ANNA, "x".repeat(2_001), NOON)),
        ErrorCode.VALIDATION_FAILED);
    assertFails(
        operator.resumeQueue(new ResumeQueue(ENVIRONMENT, "a:b")), ErrorCode.VALIDATION_FAILED);
    assertThat(list(ENVIRONMENT)).isEmpty();
  }

  private boolean pause(String queue) {
    return done(
        operator.pauseQueue(new PauseQueue(ENVIRONMENT, queue, ANNA, "the server is moved", NOON)));
  }

  private boolean resume(Environment environment, String queue) {
    return done(operator.resumeQueue(new ResumeQueue(environment, queue)));
  }

  private List<PausedQueue> list(Environment environment) {
    return done(operator.listPausedQueues(new ListPausedQueues(environment)));
  }
}
