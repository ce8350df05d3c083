package dev.runlane.cli.report;

import com.fasterxml.jackson.databind.JsonNode;
import dev.runlane.cli.terminal.PlainText;
import java.io.PrintStream;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The end of a run for a person: how it ended and why, what was taken, what is missing, where the next goes on. */
final class SummaryText {
  private final PrintStream out;
  private final RunSummary summary;
  private final JsonNode terminal;

  SummaryText(PrintStream out, RunSummary summary) {
    this.out = out;
    this.summary = summary;
    this.terminal = EventText.tree(summary.terminal().text());
  }

  void print() {
    out.println();
    out.println(PlainText.oneLine(
        summary.status().sentence() + (summary.reason() == null ? "" : ": " + summary.reason())));
    told("  ", text("failure_message"));
    told("  the connector said: ", text("connector_error_message"));
    printRecords();
    terminal.path("known_gaps").forEach(this::printGap);
    summary
        .cursors()
        .forEach((stream, cursor) ->
            out.println("  " + PlainText.oneLine(stream + " goes on from " + cursor.text())));
    out.flush();
  }

  private void printRecords() {
    summary.records().forEach((stream, count) -> {
      String deleted =
          count.deleted() == 0 ? "" : ", " + number(count.deleted()) + " of them deletions";
      String rejected = count.rejected() == 0 ? "" : ", " + number(count.rejected()) + " REJECTED";
      out.printf(
          "  %s: %s record%s taken%s%s, %s bytes%n",
          PlainText.oneLine(stream),
          number(count.accepted()),
          count.accepted() == 1 ? "" : "s",
          deleted,
          rejected,
          number(count.bytes()));
    });
    long dropped = terminal.path("buffered_records_dropped").asLong();
    if (dropped > 0) {
      out.printf("  %s record%s left out%n", number(dropped), dropped == 1 ? "" : "s");
    }
  }

  /** The failure itself is told above. */
  private void printGap(JsonNode gap) {
    if (gap.path("kind").asText().equals("run_failed")) {
      return;
    }
    String stream = gap.path("stream").asText("");
    String message = gap.path("message").asText("");
    out.println(PlainText.oneLine("  missing" + (stream.isEmpty() ? "" : " of " + stream) + ": "
        + gap.path("reason").asText()
        + (message.isEmpty() ? "" : ": " + message)
        + " (" + gap.path("recovery_hint").path("action").asText() + ")"));
  }

  private static String number(long number) {
    return String.format(Locale.ROOT, "%,d", number);
  }

  private @Nullable String text(String member) {
    return terminal.path(member).textValue();
  }

  private void told(String what, @Nullable String text) {
    if (text != null) {
      out.println(what + PlainText.oneLine(text));
    }
  }
}
