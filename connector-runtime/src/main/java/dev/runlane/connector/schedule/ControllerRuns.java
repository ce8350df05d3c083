package dev.runlane.connector.schedule;

import dev.runlane.connector.controller.ConnectorController;
import dev.runlane.connector.controller.RunRequest;
import dev.runlane.connector.controller.StartOutcome;
import dev.runlane.connector.protocol.manifest.RefreshPolicy;
import io.vertx.core.Future;
import java.util.Map;
import java.util.Optional;

/** Starts scheduled runs through a controller of this process. */
public final class ControllerRuns implements ScheduledRuns {
  private final ConnectorController controller;

  /** Runs of a controller that has started. */
  public ControllerRuns(ConnectorController controller) {
    this.controller = controller;
  }

  @Override
  public Future<Optional<RefreshPolicy>> policy(String connectorId) {
    return controller
        .manifests()
        .describe(connectorId)
        .map(found ->
            found.flatMap(connector -> Optional.ofNullable(connector.manifest().refreshPolicy())));
  }

  @Override
  public Future<Start> start(Request request) {
    RunRequest run = new RunRequest(
        request.connector().connectorId(),
        request.trigger(),
        request.grantId(),
        request.scheduleClaim(),
        request.mode(),
        null,
        Map.of(),
        request.keepsState() ? RunRequest.StateUse.KEPT : RunRequest.StateUse.DISABLED,
        false);
    return controller.start(run).map(ControllerRuns::start);
  }

  private static Start start(StartOutcome outcome) {
    if (outcome instanceof StartOutcome.Started) {
      return Start.STARTED;
    }
    if (outcome instanceof StartOutcome.ClaimLost) {
      return Start.CLAIM_LOST;
    }
    return outcome instanceof StartOutcome.NotRunnable ? Start.NOT_RUNNABLE : Start.ALREADY_ACTIVE;
  }
}
