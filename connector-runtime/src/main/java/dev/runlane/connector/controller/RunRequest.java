package dev.runlane.connector.controller;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.runlane.connector.protocol.start.CollectionMode;
import dev.runlane.connector.store.key.RunTrigger;
import dev.runlane.run.Json;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Asks for a run.
 *
 * @param connectorId of which connector
 * @param trigger why
 * @param grantId the grant it collects under, or null for none
 * @param scheduleClaim the claim a scheduler holds on the schedule that is due, or null when no schedule starts it
 * @param mode how much, or null: incremental
 * @param scope which streams, as {@link dev.runlane.connector.protocol.start.StartScope#requested} takes it, or
 *     null for all
 * @param resources only these resources of the streams named
 * @param state whether cursors are read and kept; without a grant they are not where resources, a time range or fields
 *     hold a stream to a part of it
 * @param force whether it is begun although the source of the data asked for time
 */
public record RunRequest(
    String connectorId,
    RunTrigger trigger,
    @Nullable String grantId,
    @Nullable String scheduleClaim,
    @Nullable CollectionMode mode,
    @Nullable Json scope,
    Map<String, List<String>> resources,
    StateUse state,
    boolean force) {
  /** Copies the resources. */
  public RunRequest {
    Map<String, List<String>> copy = new HashMap<>();
    resources.forEach((stream, ids) -> copy.put(stream, List.copyOf(ids)));
    resources = Map.copyOf(copy);
  }

  /** The owner's run now: everything that is new. */
  public static RunRequest now(String connectorId) {
    return new RunRequest(
        connectorId, RunTrigger.RUN_NOW, null, null, null, null, Map.of(), StateUse.KEPT, false);
  }

  /** The same for these resources only, which reads no cursor and leaves none. */
  public RunRequest withResources(Map<String, List<String>> only) {
    return new RunRequest(
        connectorId, trigger, grantId, scheduleClaim, mode, scope, only, state, force);
  }

  /**
   * The same for these streams only; where it is a part of one of them, no cursor is read or left.
   *
   * @param only as {@link dev.runlane.connector.protocol.start.StartScope#requested} takes it
   */
  public RunRequest withScope(Json only) {
    return new RunRequest(
        connectorId, trigger, grantId, scheduleClaim, mode, only, resources, state, force);
  }

  /** The same for one stream alone, from its beginning; its cursor is replaced when the run succeeds. */
  public RunRequest withFullRefreshOf(String stream) {
    ObjectNode only = JsonNodeFactory.instance.objectNode();
    only.putArray("streams").addObject().put("name", stream);
    return new RunRequest(
        connectorId,
        trigger,
        grantId,
        scheduleClaim,
        CollectionMode.FULL_REFRESH,
        Json.ofChecked(only.toString()),
        resources,
        state,
        force);
  }

  /** The same, begun although the source of the data asked for time. */
  public RunRequest forced() {
    return new RunRequest(
        connectorId, trigger, grantId, scheduleClaim, mode, scope, resources, state, true);
  }

  /** Whether a run continues from the last one's cursors and leaves its own. */
  public enum StateUse {
    /** It does. */
    KEPT,
    /** It begins from nothing and leaves nothing, as under a single-use grant. */
    DISABLED
  }
}
