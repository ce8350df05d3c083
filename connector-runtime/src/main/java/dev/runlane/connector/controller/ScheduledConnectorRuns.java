package dev.runlane.connector.controller;

import dev.runlane.connector.protocol.RefreshPolicy;
import dev.runlane.connector.schedule.ScheduledRuns;
import io.vertx.core.Future;
import java.util.Map;
import java.util.Optional;

/**
 * What a scheduler needs of a controller.
 *
 * @param controller starts the runs
 */
public record ScheduledConnectorRuns(ConnectorController controller) implements ScheduledRuns {
  @Override
  public Optional<RefreshPolicy> policy(String connectorId) {
    return controller.registries().describe(connectorId).map(connector -> connector
        .manifest()
        .refreshPolicy());
  }

  @Override
  public Future<Start> start(Request request) {
    return controller.start(asked(request)).map(outcome -> {
      if (outcome instanceof StartOutcome.Started) {
        return Start.STARTED;
      }
      if (outcome instanceof StartOutcome.ClaimLost) {
        return Start.CLAIM_LOST;
      }
      return outcome instanceof StartOutcome.AlreadyActive
          ? Start.ALREADY_ACTIVE
          : Start.NOT_RUNNABLE;
    });
  }

  private static RunRequest asked(Request request) {
    return new RunRequest(
        request.connector().connectorId(),
        request.trigger(),
        request.grantId(),
        request.scheduleClaim(),
        request.mode(),
        null,
        Map.of(),
        request.keepsState() ? RunRequest.StateUse.KEPT : RunRequest.StateUse.DISABLED);
  }
}
