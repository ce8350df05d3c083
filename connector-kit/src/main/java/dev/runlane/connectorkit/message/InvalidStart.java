package dev.runlane.connectorkit.message;

/** START cannot be used. Its message quotes nothing of the line, which may hold private state. */
public final class InvalidStart extends ConnectorFailure {

  private static final long serialVersionUID = 1;

  private InvalidStart(String message) {
    super("invalid_start", message);
  }

  public static InvalidStart because(String reason) {
    return new InvalidStart("START cannot be used: " + reason);
  }
}
