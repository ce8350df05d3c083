package dev.runlane.connector.protocol.message;

/** What one line of a connector turned out to be: a message that passed its checks, or a violation. */
public sealed interface Received permits ConnectorMessage, Violation {
  /** Calls the visitor's method for this kind of line. */
  <R> R accept(Visitor<R> visitor);

  /** One method per kind of line. */
  interface Visitor<R> {
    /** A record of a stream in scope. */
    R record(RecordMessage message);

    /** A cursor of a stream in scope. */
    R state(StateMessage message);

    /** How far the connector is. */
    R progress(ProgressMessage message);

    /** Something in scope that the connector leaves out. */
    R skip(SkipMessage message);

    /** A question to the owner. */
    R interaction(InteractionMessage message);

    /** The connector's last message. */
    R done(DoneMessage message);

    /** A hole in the details of a stream. */
    R detailGap(DetailGapMessage message);

    /** An attempt to fill a hole, or its success. */
    R detailGapProgress(DetailGapProgressMessage message);

    /** How much of what a stream's cursor depends on was collected. */
    R detailCoverage(DetailCoverageMessage message);

    /** A request for a page of earlier holes. */
    R gapsPageRequest(GapsPageRequestMessage message);

    /** A note to the owner that the connector does not wait for. */
    R assistance(AssistanceMessage message);

    /** What became of a note to the owner. */
    R assistanceStatus(AssistanceStatusMessage message);

    /** A line that has no effect but to fail the run. */
    R violation(Violation violation);
  }
}
