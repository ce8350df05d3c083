package dev.runlane.connector.controller;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.runlane.connector.protocol.text.JsonTrees;
import dev.runlane.connector.run.request.TerminalReason;
import dev.runlane.connector.store.record.FlushedStream;
import dev.runlane.connector.store.timeline.RecordedEvent;
import dev.runlane.run.Json;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * What is kept of a run that nobody can ask any more: of its records what the sink took, of its cursors what the
 * timeline says. Records that were in a dead process's memory alone are in no number. Filled by one thread.
 */
final class RunTally {
  /** Streams whose facts are reported. */
  private static final int MOST_STREAMS = 1_000;

  private final Map<String, Stream> streams = new TreeMap<>();
  private boolean persistState = true;
  private long staged;

  /** Takes the next event of the run's timeline. */
  void add(RecordedEvent recorded) {
    String name = recorded.event().streamId();
    switch (recorded.event().type()) {
      case STARTED -> begin(tree(recorded.event().data()));
      case BATCH_INGESTED -> of(name).addReported(tree(recorded.event().data()));
      case STATE_STAGED -> {
        long count = tree(recorded.event().data()).path("state_streams_staged").asLong();
        staged = Math.max(staged, count);
        of(name).staged = true;
      }
      case STATE_ADVANCED -> of(name).committed = true;
      default -> {
        // says nothing of records or cursors
      }
    }
  }

  /** Takes what the sink itself says: where it says anything it is exact, and the timeline may be behind it. */
  void add(List<FlushedStream> flushed) {
    flushed.forEach(stream -> of(stream.stream()).addFlushed(stream));
  }

  /** Records that are known to have come from the connector. */
  long recordsEmitted() {
    return sum(stream -> stream.attempted);
  }

  /** Writes what a terminal event says of records and cursors. */
  void write(ObjectNode data) {
    data.put("records_emitted", recordsEmitted());
    writeCheckpoint(data, "checkpoint_commit_status", "checkpoint_mode");
    data.put("persist_state", persistState);
    writeFacts(data.putObject("collection_facts"));
  }

  /** The same as the history keeps it. */
  Json checkpointSummary() {
    ObjectNode summary = JsonNodeFactory.instance.objectNode();
    writeCheckpoint(summary, "commit_status", "mode");
    return Json.ofChecked(summary.toString());
  }

  private void writeCheckpoint(ObjectNode node, String status, String mode) {
    long committed = count(stream -> stream.committed);
    long accepted = sum(stream -> stream.accepted);
    node.put(mode, TerminalReason.CHECKPOINT_MODE);
    node.put(status, commitStatus(committed));
    node.put("state_streams_staged", Math.max(staged, count(stream -> stream.staged)));
    node.put("state_streams_committed", committed);
    node.put("buffered_records_dropped", 0);
    node.put("records_attempted", recordsEmitted());
    node.put("records_accepted", accepted);
    node.put("records_flushed", accepted);
    node.put("records_permanently_rejected", recordsEmitted() - accepted);
    node.put("records_unresolved_retryable", 0);
  }

  private String commitStatus(long committed) {
    if (!persistState) {
      return "disabled";
    }
    return committed == 0 ? "not_committed" : "partially_committed";
  }

  private void writeFacts(ObjectNode node) {
    node.put("reference_only", true);
    node.put("schema_version", 1);
    ArrayNode told = node.putArray("streams");
    streams.entrySet().stream().limit(MOST_STREAMS).forEach(entry -> {
      ObjectNode stream = told.addObject();
      stream.put("stream", entry.getKey());
      stream.put("collected", entry.getValue().attempted);
      stream.put("checkpoint", checkpoint(entry.getValue()));
    });
  }

  private String checkpoint(Stream stream) {
    if (!persistState) {
      return "disabled";
    }
    if (stream.committed) {
      return "committed";
    }
    return stream.staged ? "not_committed" : "not_staged";
  }

  private void begin(JsonNode data) {
    persistState = data.path("persist_state").asBoolean(true);
    data.path("scope_streams").forEach(name -> of(name.asText()));
  }

  private Stream of(@Nullable String name) {
    return streams.computeIfAbsent(name == null ? "" : name, first -> new Stream());
  }

  private long sum(ToLongFunction<Stream> what) {
    return streams.values().stream().mapToLong(what).sum();
  }

  private long count(Predicate<Stream> which) {
    return streams.values().stream().filter(which).count();
  }

  private static JsonNode tree(Json json) {
    try {
      return JsonTrees.STORED.readTree(json.text());
    } catch (JsonProcessingException impossible) {
      throw new IllegalStateException("stored JSON can be read", impossible);
    }
  }

  /** One stream. */
  private static final class Stream {
    long attempted;
    long accepted;
    boolean staged;
    boolean committed;

    void addReported(JsonNode data) {
      attempted += data.path("records_attempted").asLong();
      accepted += data.path("records_accepted").asLong();
    }

    void addFlushed(FlushedStream flushed) {
      attempted = Math.max(attempted, flushed.attempted());
      accepted = Math.max(accepted, flushed.accepted());
    }
  }
}
