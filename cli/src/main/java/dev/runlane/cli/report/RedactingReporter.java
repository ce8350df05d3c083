package dev.runlane.cli.report;

import dev.runlane.connector.protocol.message.RecordMessage;
import dev.runlane.connector.protocol.message.Violation;
import dev.runlane.connector.protocol.redact.Redaction;
import dev.runlane.connector.store.timeline.TimelineEvent;
import dev.runlane.run.Json;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Removes secrets from what the runtime reports as it is: the keys of rejected records, and where the next run goes
 * on. Records that the owner asked to see are the owner's data and stay whole.
 */
public record RedactingReporter(RunReporter reporter, Redaction redaction) implements RunReporter {
  private static final Json HIDDEN = Json.ofChecked("{\"redacted\":true}");

  @Override
  public void event(TimelineEvent event) {
    reporter.event(event);
  }

  @Override
  public void records(List<RecordMessage> records) {
    reporter.records(records);
  }

  @Override
  public void rejected(Rejected rejected) {
    reporter.rejected(
        new Rejected(rejected.stream(), redaction.name(rejected.key()), rejected.code()));
  }

  @Override
  public void violation(Violation violation) {
    reporter.violation(violation);
  }

  @Override
  public void diagnostics(String line) {
    reporter.diagnostics(line);
  }

  @Override
  public void summary(RunSummary summary) {
    Map<String, Json> cursors = new TreeMap<>(summary.cursors());
    cursors.replaceAll((stream, cursor) -> redaction.finds(cursor.text()) ? HIDDEN : cursor);
    reporter.summary(new RunSummary(
        summary.status(), summary.reason(), summary.records(), summary.terminal(), cursors));
  }
}
