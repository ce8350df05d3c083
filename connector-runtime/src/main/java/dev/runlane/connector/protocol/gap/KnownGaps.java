package dev.runlane.connector.protocol.gap;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.runlane.connector.protocol.text.JsonTrees;
import dev.runlane.run.Json;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The gaps one run knows of. Counts all of them and keeps the first {@link #MAX_KEPT}; the runtime's own
 * always find a place. Belongs to one thread at a time.
 */
public final class KnownGaps {
  /** Most gaps that are kept = {@value}. */
  public static final int MAX_KEPT = 50;

  /** Most reasons that are counted one by one = {@value}. */
  public static final int MAX_REASONS = 50;

  private static final String OTHER_REASONS = "other";

  private final List<KnownGap> kept = new ArrayList<>();
  private final List<KnownGap> ofRuntime = new ArrayList<>();
  private final Map<String, Long> byReason = new LinkedHashMap<>();
  private final Map<String, Long> missingDetails = new HashMap<>(); // by streams in scope
  private final Map<String, String> skipReasons = new HashMap<>();
  private long count;

  /** None yet. */
  public KnownGaps() {}

  /** Adds a gap that the connector reported. */
  public void add(KnownGap gap) {
    count(gap);
    if (kept.size() < MAX_KEPT) {
      kept.add(gap);
    }
  }

  /** Adds a gap of the runtime's own, which takes the place of a reported one where there is none left. */
  public void addOfRuntime(KnownGap gap) {
    count(gap);
    if (ofRuntime.size() < MAX_KEPT) {
      ofRuntime.add(gap);
    }
  }

  /** How many there are, those that were not kept included. */
  public long count() {
    return count;
  }

  /** At most {@link #MAX_KEPT}: those reported first, then the runtime's own. */
  public List<KnownGap> list() {
    List<KnownGap> all =
        new ArrayList<>(kept.subList(0, Math.min(kept.size(), MAX_KEPT - ofRuntime.size())));
    all.addAll(ofRuntime);
    return all;
  }

  /** How many records of a stream miss their details. */
  public long missingDetailsOf(String stream) {
    return missingDetails.getOrDefault(stream, 0L);
  }

  /** Why a stream was skipped, or null when it was not. */
  public @Nullable String skipReasonOf(String stream) {
    return skipReasons.get(stream);
  }

  /** The kept gaps as a JSON array. */
  public Json json() {
    ArrayNode array = JsonNodeFactory.instance.arrayNode();
    list().forEach(gap -> array.add(gap.node()));
    return JsonTrees.json(array);
  }

  /** {@code {"count", "by_reason", "truncated"}}: how many there are, and of what. */
  public Json summary() {
    ObjectNode summary = JsonNodeFactory.instance.objectNode();
    summary.put("count", count);
    ObjectNode reasons = summary.putObject("by_reason");
    byReason.forEach(reasons::put);
    summary.put("truncated", count > list().size());
    return JsonTrees.json(summary);
  }

  private void count(KnownGap gap) {
    count++;
    String stream = gap.stream();
    if (stream != null && gap.kind() == GapKind.DETAIL_GAP) {
      missingDetails.merge(stream, 1L, Long::sum);
    } else if (stream != null
        && (gap.kind() == GapKind.SKIP_RESULT || gap.kind() == GapKind.STREAM_SKIPPED)) {
      skipReasons.putIfAbsent(stream, gap.reason());
    }
    boolean known = byReason.containsKey(gap.reason()) || byReason.size() < MAX_REASONS;
    byReason.merge(known ? gap.reason() : OTHER_REASONS, 1L, Long::sum);
  }
}
