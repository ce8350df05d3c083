package dev.runlane.connector.run.record;

import dev.runlane.connector.protocol.message.DetailCoverageMessage;
import dev.runlane.connector.store.record.StagedCursor;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * The cursors that one run has accepted, the last one of each stream, and what holds them back. Belongs to
 * the run's context.
 */
public final class StagedCursors {
  private final Map<String, StagedCursor> staged = new LinkedHashMap<>();
  private final Map<String, Map<String, DetailCoverageMessage>> coverage = new LinkedHashMap<>();

  /** Takes a cursor in the place of an earlier one of its stream. */
  public void stage(StagedCursor cursor) {
    staged.put(cursor.stream(), cursor);
  }

  /** Forgets what was staged of a stream. */
  public void forget(String stream) {
    staged.remove(stream);
  }

  /** Takes what the connector says of the details of a stream, in the place of what it said before. */
  public void cover(DetailCoverageMessage message) {
    coverage
        .computeIfAbsent(message.stateStream(), first -> new LinkedHashMap<>())
        .put(message.stream(), message);
  }

  /** What was said of the details of a stream, or empty when nothing was. */
  public List<DetailCoverageMessage> coverageOf(String stream) {
    return coverage.values().stream()
        .map(byStream -> byStream.get(stream))
        .filter(Objects::nonNull)
        .toList();
  }

  /** The streams whose cursors are held back, because details they depend on were not collected. */
  public List<String> heldBack() {
    return staged.keySet().stream().filter(this::isHeldBack).toList();
  }

  /** What may be committed. */
  public List<StagedCursor> committable() {
    return staged.values().stream()
        .filter(cursor -> !isHeldBack(cursor.stream()))
        .toList();
  }

  public int count() {
    return staged.size();
  }

  public boolean isStaged(String stream) {
    return staged.containsKey(stream);
  }

  private boolean isHeldBack(String stream) {
    return coverage.getOrDefault(stream, Map.of()).values().stream()
        .anyMatch(message -> message.missing() > 0);
  }
}
