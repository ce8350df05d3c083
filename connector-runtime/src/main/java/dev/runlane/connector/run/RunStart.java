package dev.runlane.connector.run;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.runlane.connector.protocol.start.CollectionMode;
import dev.runlane.connector.protocol.start.StartMessage;
import dev.runlane.connector.run.record.CheckpointData;
import dev.runlane.connector.run.request.ConnectorRunRequest;
import dev.runlane.connector.run.request.TerminalReason;
import dev.runlane.connector.run.state.Retries;
import dev.runlane.connector.run.state.RunData;
import dev.runlane.connector.run.state.RunFault;
import dev.runlane.connector.run.state.RunFaultException;
import dev.runlane.connector.run.state.RunParts;
import dev.runlane.connector.store.key.RunSource;
import dev.runlane.connector.store.record.StateOutcome;
import dev.runlane.connector.store.record.StateScope;
import dev.runlane.run.Json;
import dev.runlane.run.RunlaneException;
import io.vertx.core.Future;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** What one run starts with: the message to its connector, and the event that records it. */
final class RunStart {
  private final RunParts parts;
  private final ConnectorRunRequest request;
  private final Retries retries;
  private final BooleanSupplier goesOn;

  /**
   * The start of a run.
   *
   * @param goesOn whether the sink is asked for cursors again after a failure that may pass
   */
  RunStart(RunParts parts, Retries retries, BooleanSupplier goesOn) {
    this.parts = parts;
    this.request = parts.request();
    this.retries = retries;
    this.goesOn = goesOn;
  }

  /** What the connector is sent, with the cursors it starts from; fails with {@link RunFaultException}. */
  Future<StartMessage> message() {
    return Future.<Void>succeededFuture().compose(begin -> {
      if (!request.persistState()) {
        return Future.succeededFuture(startWith(null));
      }
      if (request.mode() == CollectionMode.FULL_REFRESH) {
        return Future.succeededFuture(startWith(Map.of()));
      }
      StateScope scope =
          new StateScope(request.active().run().connector(), request.active().grantId());
      return retries
          .call(
              parts.options().getSinkAttempts(),
              goesOn,
              () -> parts.sink().readState(scope),
              outcome -> outcome instanceof StateOutcome.Refused refused
                  && refused.failure().transientFailure())
          .map(this::start);
    });
  }

  private StartMessage start(StateOutcome outcome) {
    if (outcome instanceof StateOutcome.Refused refused) {
      throw new RunFaultException(
          RunFault.refused(refused.failure().reason(), refused.failure(), null, 0));
    }
    Map<String, Json> state = new LinkedHashMap<>();
    ((StateOutcome.Found) outcome).cursors().forEach((stream, cursor) -> {
      if (request.scope().stream(stream).isPresent()) {
        state.put(stream, cursor.cursor());
      }
    });
    return startWith(state);
  }

  private StartMessage startWith(@Nullable Map<String, Json> state) {
    return new StartMessage(
        request.active().run().runId(), mode(state), request.scope(), state, bindings());
  }

  /** What the run offers; one that lacks what the manifest requires is refused in words that the owner sees. */
  private Set<String> bindings() {
    try {
      return StartMessage.bindings(
          request.manifest(), request.interactive(), request.surface() != null);
    } catch (RunlaneException refused) {
      throw new RunFaultException(
          RunFault.ofRuntime(TerminalReason.LAUNCH_FAILED, String.valueOf(refused.getMessage())));
    }
  }

  /** Where nobody said: a schedule's first run, which has nothing to go on from, collects everything. */
  private CollectionMode mode(@Nullable Map<String, Json> state) {
    CollectionMode asked = request.mode();
    if (asked != null) {
      return asked;
    }
    boolean first = state == null || state.isEmpty();
    return first && request.active().trigger().source() == RunSource.SCHEDULED
        ? CollectionMode.FULL_REFRESH
        : CollectionMode.INCREMENTAL;
  }

  /** The data of {@code run.started}. */
  static ObjectNode startedData(ConnectorRunRequest request, StartMessage start) {
    ObjectNode data = RunData.ofSource(request);
    data.put("collection_mode", start.mode().value());
    RunData.put(data, "grant_id", request.active().grantId());
    data.put("state_commit_intent", CheckpointData.commitIntent(request));
    data.put("persist_state", request.persistState());
    start.bindings().forEach(data.putArray("bindings")::add);
    request.scope().names().forEach(data.putArray("scope_streams")::add);
    data.put("trigger_kind", request.active().trigger().names().kind());
    data.put("automation_mode", request.active().trigger().names().mode());
    return data;
  }
}
