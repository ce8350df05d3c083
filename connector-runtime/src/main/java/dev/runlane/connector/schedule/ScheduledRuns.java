package dev.runlane.connector.schedule;

import dev.runlane.connector.protocol.manifest.RefreshPolicy;
import dev.runlane.connector.protocol.start.CollectionMode;
import dev.runlane.connector.store.key.ConnectorRef;
import dev.runlane.connector.store.key.RunTrigger;
import io.vertx.core.Future;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** What a scheduler needs of a controller. Futures complete on the context of the caller. */
public interface ScheduledRuns {
  /**
   * The refresh policy of the manifest a connector would be run by, or empty when that declares none or nobody
   * knows the connector.
   */
  Future<Optional<RefreshPolicy>> policy(String connectorId);

  /**
   * Whether a connector can run now: empty, or why it cannot, in a short word. May take its time; after a limit the
   * scheduler counts it as wedged.
   */
  default Future<Optional<String>> readiness(ConnectorRef connector) {
    return Future.succeededFuture(Optional.empty());
  }

  /** Starts a run now. A failed future says that none is known to have been started. */
  Future<Start> start(Request request);

  /**
   * Asks for a run of a schedule.
   *
   * @param connector whose run
   * @param trigger why: it knows the attempt and how much of a person it may count on
   * @param scheduleClaim what the run is begun under: see {@link dev.runlane.connector.store.run.BeginRun}
   * @param grantId the grant it collects under, or null for none
   * @param mode how much, or null: everything where there are no cursors to go on from, else what is new
   * @param keepsState false under a single-use grant: no cursors are read or kept
   */
  record Request(
      ConnectorRef connector,
      RunTrigger trigger,
      String scheduleClaim,
      @Nullable String grantId,
      @Nullable CollectionMode mode,
      boolean keepsState) {}

  /** What became of a request. */
  enum Start {
    /** A run was begun; the claim is spent. */
    STARTED,
    /** The connection has an active run. */
    ALREADY_ACTIVE,
    /** The claim was over, or the owner changed the schedule meanwhile. */
    CLAIM_LOST,
    /** No such connector can be run. */
    NOT_RUNNABLE
  }
}
