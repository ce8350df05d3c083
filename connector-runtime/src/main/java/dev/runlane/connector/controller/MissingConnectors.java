package dev.runlane.connector.controller;

import dev.runlane.connector.controller.registry.ConnectorRegistries;
import dev.runlane.connector.store.run.ActiveRun;
import dev.runlane.json.JsonCodec;
import dev.runlane.run.RunRecord;
import dev.runlane.run.RunStatus;
import dev.runlane.timing.Clock;
import dev.runlane.timing.Randomness;
import dev.runlane.timing.Timers;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs whose connector some of the processes do not have, or have with another manifest, as while one is rolled out, or
 * had read before it was changed on disk.
 * Who cannot launch such a run gives it back for longer than the others take to look for it; who can claims it as soon
 * as it is due. Past a time it is launched by whoever claims it, or fails there.
 *
 * <p>The pause is longer than {@link ConnectorControllerOptions#getReconcileInterval()}, so that all have looked before
 * it is over, and by default longer than a worker's pause between polls, so that who gave the run back is not the first
 * to poll for it. It is drawn, so that polls of such processes do not meet its end each time.
 */
final class MissingConnectors {
  private static final Logger LOG = LoggerFactory.getLogger(MissingConnectors.class);
  private static final double SHORTEST_PAUSE = 1.25; // intervals
  private static final double JITTER = 0.5;

  /** For so many intervals, and a minute at least, a run waits where the connector is there with another manifest. */
  private static final int OF_ANOTHER_MANIFEST = 3;

  private static final Duration SHORTEST_WAIT = Duration.ofMinutes(1);

  private final ConnectorRegistries registries;
  private final Clock clock;
  private final Timers timers;
  private final Randomness randomness = Randomness.system();
  private final Duration timeout;
  private final Duration interval;
  private final Set<String> changed = ConcurrentHashMap.newKeySet(); // connectors

  MissingConnectors(
      ConnectorRegistries registries,
      Clock clock,
      Timers timers,
      ConnectorControllerOptions options) {
    this.registries = registries;
    this.clock = clock;
    this.timers = timers;
    timeout = options.getMissingConnectorTimeout();
    interval = options.getReconcileInterval();
  }

  /**
   * For how long the run is given back; empty when it is to be launched here, or to fail. It is given back once however
   * old it is: while no process was there, nobody could have claimed it.
   *
   * @param here what has become of its connector on disk
   * @param attempt of the durable run, from 1
   */
  Optional<Duration> pause(ActiveRun run, ConnectorRunPayload payload, OnDisk here, int attempt) {
    boolean isChanged = isChanged(payload.connectorId(), here);
    if (run.cancelRequestedAt() != null
        || (!isChanged && payload.connector(registries).isPresent())) {
      return Optional.empty();
    }
    Duration patience = isChanged ? timeout : patience(payload);
    double intervals = SHORTEST_PAUSE + JITTER * randomness.nextDouble();
    Duration pause = Duration.ofMillis(Math.round(interval.toMillis() * intervals));
    Duration left = Duration.between(clock.now(), run.startedAt().plus(patience));
    boolean isOver = left.isNegative() || left.isZero();
    Duration most = isOver && attempt == 1 ? patience : left;
    return most.isNegative() || most.isZero()
        ? Optional.empty()
        : Optional.of(pause.compareTo(most) < 0 ? pause : most);
  }

  /** Of a connector that was changed the runs are left to processes that have read it since. */
  private boolean isChanged(String connectorId, OnDisk here) {
    if (here == OnDisk.AS_READ) {
      changed.remove(connectorId);
      return false;
    }
    if (changed.add(connectorId)) {
      LOG.warn(
          "connector {} was changed on disk: its runs are left to processes that have read it since;"
              + " this one does after a restart",
          connectorId);
    }
    return true;
  }

  /** Where all processes have a new manifest by now, nobody comes who has the former one. */
  private Duration patience(ConnectorRunPayload payload) {
    if (registries.resolve(payload.connectorId(), Optional.empty()).isEmpty()) {
      return timeout;
    }
    Duration others = interval.multipliedBy(OF_ANOTHER_MANIFEST);
    return Collections.min(List.of(timeout, Collections.max(List.of(others, SHORTEST_WAIT))));
  }

  /**
   * Claims a run that was given back once it is due, if its connector is here; who gave it back polls no sooner.
   *
   * @param claim looks for due runs
   */
  void claimWhenDue(ActiveRun run, RunRecord durable, Runnable claim) {
    Instant dueAt = durable.runAt();
    if (durable.status() == RunStatus.RELEASED && dueAt != null && isHere(run, durable)) {
      timers.schedule(Duration.between(clock.now(), dueAt), claim);
    }
  }

  /** Of a payload that was not written as ours are by default no more is known than the connector's id. */
  private boolean isHere(ActiveRun run, RunRecord durable) {
    String connectorId = run.run().connector().connectorId();
    String fingerprint = JsonCodec.standard()
        .tree("the payload of run " + durable.id(), durable.payload())
        .path(ConnectorRunPayload.CONNECTOR_FINGERPRINT)
        .textValue();
    return !changed.contains(connectorId)
        && (fingerprint == null
                ? registries.resolve(connectorId, Optional.empty())
                : registries.find(connectorId, fingerprint))
            .isPresent();
  }

  /** A connector's folder, held against what the process has read of it. */
  enum OnDisk {
    /** Its manifest and how it is launched are what they were, or it is not here. */
    AS_READ,
    /** They are not: its program may be another's than the manifest's. */
    CHANGED
  }
}
