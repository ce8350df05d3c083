package dev.runlane.connectorkit.message;

/**
 * The connector gives up without having failed, for example because its owner declined an
 * interaction. Ends the run with DONE cancelled.
 */
public final class ConnectorCancelled extends RuntimeException {

  private static final long serialVersionUID = 1;

  /** A connector that gives up; the message stays in the process. */
  public ConnectorCancelled(String message) {
    super(message);
  }
}
