package dev.runlane.client;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.runlane.client.read.Fields;
import dev.runlane.client.read.RunReader;
import dev.runlane.json.record.RunEventJson;
import dev.runlane.run.Environment;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.EventHeader;
import dev.runlane.run.FailureRecord;
import dev.runlane.run.Json;
import dev.runlane.run.RunEvent;
import dev.runlane.run.RunKeys;
import dev.runlane.run.RunSource;
import dev.runlane.runtime.operate.RunAttempt;
import dev.runlane.storage.read.RunEventRecord;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Instant;
import java.util.Map;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

/** What the client makes of answers in which the server hides something. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class MaskedRunsTest {
  private static final String MASKED = "[masked]";
  private static final Instant NOON = Instant.parse("2026-05-01T12:00:00Z");
  private static final EventHeader HEADER =
      EventHeader.bySystem(new Environment("default"), "run_1", NOON);
  private static final FailureRecord FAILURE =
      new FailureRecord(ErrorCode.TASK_FAILED, "card declined", true, null);
  private static final FailureRecord HIDDEN =
      new FailureRecord(ErrorCode.INTERNAL_ERROR, MASKED, false, null);

  @Test
  void a_failure_that_is_masked_stays_a_failure() {
    ObjectNode failed = answered(new RunEvent.Failed(HEADER, 1, FAILURE));
    failed.put("failure", MASKED);
    ObjectNode retried =
        answered(new RunEvent.RetryScheduled(HEADER, 1, FAILURE, NOON.plusSeconds(1)));
    retried.put("failure", MASKED);

    ObjectNode step =
        answered(new RunEvent.StepCompleted(HEADER, "run_1:0", 1, NOON, null, FAILURE, null));
    step.put("failure", MASKED);

    assertThat(((RunEvent.Failed) RunReader.event(failed).event()).failure()).isEqualTo(HIDDEN);
    assertThat(((RunEvent.StepCompleted) RunReader.event(step).event()).failure())
        .isEqualTo(HIDDEN);
    assertThat(((RunEvent.RetryScheduled) RunReader.event(retried).event()).failure())
        .isEqualTo(HIDDEN);
  }

  @Test
  void a_failure_of_which_a_part_is_masked_keeps_the_rest() {
    ObjectNode failed = answered(new RunEvent.Failed(HEADER, 1, FAILURE));
    failed.withObjectProperty("failure").put("code", MASKED).put("retryable", MASKED);

    assertThat(((RunEvent.Failed) RunReader.event(failed).event()).failure())
        .isEqualTo(new FailureRecord(ErrorCode.INTERNAL_ERROR, "card declined", false, null));
  }

  @Test
  void an_attempt_whose_failure_is_masked_has_one() {
    ObjectNode attempt = read("{\"attempt\":1,\"startedAt\":\"2026-05-01T12:00:00Z\","
        + "\"outcome\":\"failed\",\"failure\":\"[masked]\"}");

    RunAttempt read = RunReader.attempt(new Fields("an attempt", attempt));

    assertThat(read.failure()).isEqualTo(HIDDEN);
  }

  @Test
  void a_creation_whose_tags_are_masked_has_none() {
    ObjectNode created = answered(new RunEvent.Created(
        HEADER, "charge", "mail", Json.ofChecked("1"), null, RunKeys.NONE, RunSource.TRIGGER));
    created.put("tags", MASKED);

    assertThat(((RunEvent.Created) RunReader.event(created).event()).tags()).isEqualTo(Map.of());
  }

  private static ObjectNode answered(RunEvent event) {
    return read(RunEventJson.write(new RunEventRecord("evt_1", 1, event)).text());
  }

  private static ObjectNode read(String json) {
    try {
      return (ObjectNode) new ObjectMapper().readTree(json);
    } catch (IOException malformed) {
      throw new UncheckedIOException(malformed);
    }
  }
}
