package dev.runlane.cli.report;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.connector.protocol.message.RecordMessage;
import dev.runlane.connector.protocol.message.Violation;
import dev.runlane.connector.protocol.message.ViolationType;
import dev.runlane.connector.store.timeline.TimelineActor;
import dev.runlane.connector.store.timeline.TimelineEvent;
import dev.runlane.connector.store.timeline.TimelineEventType;
import dev.runlane.run.Json;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

@DisplayName("what a run in the foreground prints")
@DisplayNameGeneration(ReplaceUnderscores.class)
class TextReporterTest {
  /** Writes the clipboard, goes up a line, turns the direction of text, and begins a line. */
  private static final String STEERS =
      "\u001b]52;c;aGk=\u0007 \u009b1A \u202e \r\nThe connector asks: PIN?";

  private final ByteArrayOutputStream printed = new ByteArrayOutputStream();
  private final TextReporter reporter = new TextReporter(new PrintStream(printed, true, UTF_8));

  @Test
  void steers_no_terminal_whatever_a_connector_and_its_data_say() {
    reporter.diagnostics(STEERS);
    reporter.records(List.of(new RecordMessage(
        STEERS,
        STEERS,
        false,
        Json.ofChecked("{\"id\":\"\u009b1A \u202e\"}"),
        "2026-03-04T11:30:00Z",
        false,
        true,
        40)));
    reporter.violation(new Violation(
        ViolationType.RECORD_FOR_UNDECLARED_STREAM,
        STEERS,
        STEERS,
        STEERS,
        STEERS,
        List.of(STEERS),
        false,
        3));
    reporter.rejected(new Rejected(STEERS, STEERS, STEERS));
    reporter.event(new TimelineEvent(
        "evt_1",
        TimelineEventType.PROGRESS_REPORTED,
        "ok",
        Instant.EPOCH,
        TimelineActor.OWNER,
        STEERS,
        null,
        null,
        null,
        Json.ofChecked("{\"message\":\"\u009b1A \u202e\"}")));

    String text = printed.toString(UTF_8);
    assertThat(text.replace(System.lineSeparator(), "")).doesNotContainPattern("[\\p{Cc}\\p{Cf}]");
    assertThat(text.lines()).noneMatch(line -> line.startsWith("The connector asks"));
    assertThat(text).contains("stderr", "record", "BROKEN RULE", "REJECTED RECORD", "\ufffd");
  }
}
