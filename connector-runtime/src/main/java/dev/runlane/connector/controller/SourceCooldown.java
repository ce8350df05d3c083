package dev.runlane.connector.controller;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import dev.runlane.connector.protocol.gap.GapKind;
import dev.runlane.connector.protocol.text.JsonTrees;
import dev.runlane.connector.store.history.RecordedRun;
import dev.runlane.connector.store.history.RunHistory;
import dev.runlane.connector.store.history.RunHistoryEntry;
import dev.runlane.connector.store.key.ConnectorRef;
import dev.runlane.connector.store.key.RunSource;
import dev.runlane.timing.Clock;
import io.vertx.core.Future;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.Set;

/**
 * Leaves a source alone that asked for time: one whose last run reported details that are missing because of the
 * source's pressure. Failures, back-off and open questions of schedules hold no run of the owner's.
 */
final class SourceCooldown {
  private static final Set<String> PRESSURE =
      Set.of("upstream_pressure", "upstream_pressure_deferred", "rate_limited", "http_429");

  private final RunHistory history;
  private final Clock clock;
  private final Duration length;

  SourceCooldown(RunHistory history, Clock clock, Duration length) {
    this.history = history;
    this.clock = clock;
    this.length = length;
  }

  /** Until when the request has to wait; empty when it need not, as schedules wait by rules of their own. */
  Future<Optional<Instant>> of(RunRequest request) {
    boolean exempt = request.force() || request.trigger().source() != RunSource.MANUAL;
    if (exempt || length.isZero()) {
      return Future.succeededFuture(Optional.empty());
    }
    Instant now = clock.now();
    return history.stats(ConnectorRef.of(request.connectorId()).instanceId()).map(stats -> stats
        .lastRun()
        .map(RecordedRun::entry)
        .filter(SourceCooldown::wasUnderPressure)
        .map(last -> last.completedAt().plus(length))
        .filter(now::isBefore));
  }

  private static boolean wasUnderPressure(RunHistoryEntry run) {
    for (JsonNode gap : gaps(run)) {
      boolean detail = gap.path("kind").asText().equals(GapKind.DETAIL_GAP.value());
      if (detail && PRESSURE.contains(gap.path("reason").asText())) {
        return true;
      }
    }
    return false;
  }

  private static JsonNode gaps(RunHistoryEntry run) {
    try {
      return JsonTrees.STORED.readTree(run.result().knownGaps().text());
    } catch (JsonProcessingException impossible) {
      throw new IllegalStateException("stored JSON can be read", impossible);
    }
  }
}
