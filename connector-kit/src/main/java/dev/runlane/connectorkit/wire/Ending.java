package dev.runlane.connectorkit.wire;

import dev.runlane.connectorkit.message.ConnectorFailure;
import org.jspecify.annotations.Nullable;

/** What DONE says. A failure only with the status failed. */
public record Ending(String status, @Nullable ConnectorFailure failure) {

  public static final Ending SUCCEEDED = new Ending("succeeded", null);
  public static final Ending CANCELLED = new Ending("cancelled", null);

  public static Ending failed(ConnectorFailure failure) {
    return new Ending("failed", failure);
  }

  public int exitCode() {
    return status.equals("succeeded") ? 0 : 1;
  }
}
