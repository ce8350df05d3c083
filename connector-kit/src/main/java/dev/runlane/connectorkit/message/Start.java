package dev.runlane.connectorkit.message;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The START message: what this run is to collect, from where on, and what it may use.
 *
 * @param streams at least one, no name twice
 * @param state the cursors that the last run left, by stream; a cursor may be null. Null as a whole
 *     where the run keeps no state
 * @param bindings what the runtime offers: {@code network}, {@code filesystem}, and {@code
 *     interactive} where somebody can answer
 */
public record Start(
    String runId,
    CollectionMode mode,
    List<StreamScope> streams,
    @Nullable Map<String, Optional<ObjectNode>> state,
    Set<String> bindings) {

  /** Copies the collections. */
  public Start {
    streams = List.copyOf(streams);
    state = state == null ? null : Map.copyOf(state);
    bindings = Set.copyOf(bindings);
  }

  /** The scope of a stream; empty when the stream is not asked for and must be left out. */
  public Optional<StreamScope> stream(String name) {
    return streams.stream().filter(stream -> stream.name().equals(name)).findFirst();
  }

  /**
   * A copy of the cursor that the last run left for a stream; empty when there is none, and in a
   * full refresh.
   */
  public Optional<ObjectNode> cursor(String stream) {
    if (state == null || mode == CollectionMode.FULL_REFRESH) {
      return Optional.empty();
    }
    return state.getOrDefault(stream, Optional.empty()).map(ObjectNode::deepCopy);
  }

  /** Whether the runtime stores the cursors of this run. */
  public boolean keepsState() {
    return state != null;
  }

  /** Whether somebody can answer an {@link Interaction}. */
  public boolean interactive() {
    return bindings.contains("interactive");
  }

  /** Names the run and the streams; cursors may hold private data. */
  @Override
  public String toString() {
    return "START of " + runId + ", " + mode + ", " + streams + ", bindings " + bindings;
  }
}
