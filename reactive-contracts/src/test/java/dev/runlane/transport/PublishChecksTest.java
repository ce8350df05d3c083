package dev.runlane.transport;

import static dev.runlane.samples.Samples.NOON;
import static dev.runlane.samples.Samples.PRODUCTION;
import static dev.runlane.samples.Samples.QUEUE;
import static dev.runlane.samples.Samples.RUN;
import static dev.runlane.samples.Samples.TRACE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.runlane.run.Environment;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunlaneException;
import dev.runlane.samples.Samples;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

/** What a publish command may not carry. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class PublishChecksTest {
  private static final DeliveryMessage WAKEUP =
      new DeliveryMessage(PRODUCTION, RUN, QUEUE, NOON, TRACE);

  @Test
  void well_formed_attempts_are_accepted() {
    assertThatCode(() -> {
          PublishChecks.check(publish());
          PublishChecks.check(publish(attempt("msg_1", WAKEUP), attempt("msg_2", WAKEUP)));
          PublishChecks.checkBound(publish(attempt("msg_1", WAKEUP)), Set.of(QUEUE, "other"));
          PublishChecks.checkBound(publish(), Set.of());
        })
        .doesNotThrowAnyException();
  }

  @Test
  void malformed_attempts_are_refused() {
    refused(publish(attempt("", WAKEUP)));
    refused(publish(new PublishWakeups.Attempt("msg_1", "a:b", WAKEUP)));
    refused(publish(attempt("msg_1", wakeup(new Environment(""), RUN, QUEUE, null))));
    refused(publish(attempt("msg_1", wakeup(PRODUCTION, "a\0", QUEUE, null))));
    refused(publish(attempt("msg_1", wakeup(PRODUCTION, RUN, "q".repeat(129), null))));
    refused(publish(attempt("msg_1", wakeup(PRODUCTION, RUN, QUEUE, Map.of("a", "\ud83d")))));
  }

  @Test
  void one_message_is_published_once_in_a_command() {
    refused(publish(attempt("msg_1", WAKEUP), attempt("msg_2", WAKEUP), attempt("msg_1", WAKEUP)));
  }

  @Test
  void a_queue_needs_a_binding() {
    RunlaneException failure = catchThrowableOfType(
        RunlaneException.class,
        () -> PublishChecks.checkBound(publish(attempt("msg_1", WAKEUP)), Set.of("other")));

    assertThat(failure.code()).isEqualTo(ErrorCode.VALIDATION_FAILED);
  }

  @Test
  void an_outcome_says_whether_it_was_published() {
    assertThat(new WakeupPublishOutcome.Published(null).isPublished()).isTrue();
    assertThat(new WakeupPublishOutcome.Failed(Samples.REFUSED).isPublished()).isFalse();
  }

  private static void refused(PublishWakeups command) {
    RunlaneException failure =
        catchThrowableOfType(RunlaneException.class, () -> PublishChecks.check(command));

    assertThat(failure.code()).isEqualTo(ErrorCode.VALIDATION_FAILED);
  }

  private static PublishWakeups publish(PublishWakeups.Attempt... attempts) {
    return new PublishWakeups(List.copyOf(Arrays.asList(attempts)));
  }

  private static PublishWakeups.Attempt attempt(String id, DeliveryMessage message) {
    return new PublishWakeups.Attempt(id, "tok_1", message);
  }

  private static DeliveryMessage wakeup(
      Environment environment, String runId, String queue, Map<String, String> trace) {
    return new DeliveryMessage(environment, runId, queue, NOON, trace);
  }
}
