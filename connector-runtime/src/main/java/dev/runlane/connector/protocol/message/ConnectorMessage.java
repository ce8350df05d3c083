package dev.runlane.connector.protocol.message;

/** A message of a connector that passed every check that needs no more than the scope and the manifest. */
public sealed interface ConnectorMessage extends Received
    permits RecordMessage,
        StateMessage,
        ProgressMessage,
        SkipMessage,
        InteractionMessage,
        DoneMessage,
        DetailGapMessage,
        DetailGapProgressMessage,
        DetailCoverageMessage,
        GapsPageRequestMessage,
        AssistanceMessage,
        AssistanceStatusMessage {

  /** The {@code type} on the wire, such as {@code RECORD}. */
  String type();
}
