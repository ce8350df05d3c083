package dev.runlane.connectorkit;

import dev.runlane.connectorkit.message.ConnectorCancelled;

/** What a connector does between START and DONE. */
@FunctionalInterface
public interface ConnectorBody {

  /**
   * Collects what {@link ConnectorRun#start()} asks for. Returning says DONE succeeded; a {@link
   * dev.runlane.connectorkit.message.ConnectorFailure ConnectorFailure} says DONE failed with its code, a
   * {@link ConnectorCancelled} DONE cancelled, anything else thrown DONE failed with the code {@code unexpected_error}.
   *
   * <p>SIGTERM interrupts the calling thread, so that what waits ends and {@code finally} blocks
   * and {@link ConnectorRun#onEnd hooks} run; nothing is said to the runtime then.
   */
  void collect(ConnectorRun run) throws Exception;
}
