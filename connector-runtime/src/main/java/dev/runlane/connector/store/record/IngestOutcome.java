package dev.runlane.connector.store.record;

/** What became of an {@link IngestBatch}. */
public sealed interface IngestOutcome {
  /**
   * The batch is stored, be it by this call or by an earlier one whose answer was lost.
   *
   * @param receipt what was done with its records
   */
  record Stored(IngestReceipt receipt) implements IngestOutcome {}

  /** The sink does not know the stream: manifest and sink have drifted apart. Nothing was stored. */
  record StreamUnknown() implements IngestOutcome {}

  /** The run has ended or is somebody else's; nothing was stored. */
  record FencedOut() implements IngestOutcome {}

  /**
   * Nothing was stored, unless the failure is a lost answer: then the batch is sent again under its number.
   *
   * @param failure why
   */
  record Refused(SinkFailure failure) implements IngestOutcome {}
}
