package dev.runlane.connectorkit;

import org.jspecify.annotations.Nullable;

/** What DONE says. A failure only with the status failed. */
record Ending(String status, @Nullable ConnectorFailure failure) {

  static final Ending SUCCEEDED = new Ending("succeeded", null);
  static final Ending CANCELLED = new Ending("cancelled", null);

  static Ending failed(ConnectorFailure failure) {
    return new Ending("failed", failure);
  }

  int exitCode() {
    return status.equals("succeeded") ? 0 : 1;
  }
}
