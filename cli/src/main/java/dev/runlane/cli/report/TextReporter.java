package dev.runlane.cli.report;

import dev.runlane.cli.terminal.PlainText;
import dev.runlane.connector.protocol.message.RecordMessage;
import dev.runlane.connector.protocol.message.Violation;
import dev.runlane.connector.store.timeline.TimelineEvent;
import dev.runlane.connector.store.timeline.TimelineEventType;
import dev.runlane.run.Json;
import java.io.PrintStream;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Writes a run as text, in which nothing of a connector or of its data steers the terminal. */
final class TextReporter implements RunReporter {
  private static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("HH:mm:ss.SSS").withZone(ZoneId.systemDefault());

  /** Batches come by the thousand, and their sum is told in the end. */
  private static final Set<TimelineEventType> NOT_TOLD =
      EnumSet.of(TimelineEventType.BATCH_INGESTED);

  /** What a question's own events say a second time. */
  private static final Set<TimelineEventType> ASSISTANCE = EnumSet.of(
      TimelineEventType.ASSISTANCE_REQUESTED,
      TimelineEventType.ASSISTANCE_RESOLVED,
      TimelineEventType.ASSISTANCE_CANCELLED,
      TimelineEventType.ASSISTANCE_TIMED_OUT);

  private final PrintStream out;

  TextReporter(PrintStream out) {
    this.out = out;
  }

  @Override
  public void event(TimelineEvent event) {
    boolean repeats = event.interactionId() != null && ASSISTANCE.contains(event.type());
    if (!repeats && !NOT_TOLD.contains(event.type())) {
      String stream = event.streamId() == null ? "" : event.streamId() + "  ";
      out.printf(
          "%s  %-28s%s%n",
          TIME.format(event.occurredAt()),
          event.type().value(),
          PlainText.oneLine(stream + EventText.of(event)));
    }
  }

  @Override
  public void records(List<RecordMessage> records) {
    for (RecordMessage record : records) {
      Json data = record.data();
      String shown = data == null ? "deleted" : data.text();
      out.println("          record  "
          + PlainText.oneLine(record.stream() + "  " + record.key() + "  " + shown));
    }
  }

  @Override
  public void rejected(Rejected rejected) {
    out.println("          REJECTED RECORD  "
        + PlainText.oneLine(rejected.stream() + "  " + rejected.key() + "  " + rejected.code()));
  }

  @Override
  public void violation(Violation violation) {
    String where = violation.line() == 0 ? "" : " in line " + violation.line();
    out.printf(
        "          BROKEN RULE%s: %s: %s%n",
        where, violation.type().value(), PlainText.oneLine(violation.message()));
    told("message type", violation.messageType());
    told("stream", violation.stream());
    told("received", violation.received());
    if (!violation.expected().isEmpty()) {
      told("expected", String.join(", ", violation.expected()));
    }
  }

  @Override
  public void diagnostics(String line) {
    out.println("          stderr  " + PlainText.oneLine(line));
  }

  @Override
  public void summary(RunSummary summary) {
    new SummaryText(out, summary).print();
  }

  private void told(String name, @Nullable String value) {
    if (value != null) {
      out.println("            " + name + ": " + PlainText.oneLine(value));
    }
  }
}
