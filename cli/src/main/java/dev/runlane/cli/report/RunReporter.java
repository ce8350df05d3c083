package dev.runlane.cli.report;

import dev.runlane.connector.protocol.message.RecordMessage;
import dev.runlane.connector.protocol.message.Violation;
import dev.runlane.connector.store.timeline.TimelineEvent;
import java.util.List;

/** Reports what happens in a run. Called on one thread. */
public interface RunReporter {
  /** Something happened. */
  void event(TimelineEvent event);

  /** The sink took these records of one stream; called only where records are asked for. */
  void records(List<RecordMessage> records);

  /** The sink could not take this record; called for the first few alone. */
  void rejected(Rejected rejected);

  /** The connector broke the protocol. */
  void violation(Violation violation);

  /** The connector's standard error said this line, secrets removed. */
  void diagnostics(String line);

  /** The run is over. */
  void summary(RunSummary summary);
}
