package dev.runlane.connector.run.record;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.runlane.connector.protocol.text.StorableJson;
import dev.runlane.connector.run.request.ConnectorRunRequest;
import dev.runlane.connector.run.request.TerminalReason;
import dev.runlane.connector.run.state.RunData;
import dev.runlane.connector.store.record.StagedCursor;
import dev.runlane.run.Json;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** What became of the records and cursors of one run, in numbers. */
public final class CheckpointData {
  /** Characters of committed cursors that the history keeps; more are left to the state itself. */
  private static final int MOST_STATE = 1 << 20;

  private final ConnectorRunRequest request;
  private final RunFacts facts;
  private final boolean completed;
  private final List<StagedCursor> committed;

  /**
   * The data of a run's end.
   *
   * @param completed whether the run succeeded
   * @param committed the cursors that are, or by this end will be, stored
   */
  public CheckpointData(
      ConnectorRunRequest request,
      RunFacts facts,
      boolean completed,
      List<StagedCursor> committed) {
    this.request = request;
    this.facts = facts;
    this.completed = completed;
    this.committed = committed;
  }

  /** What becomes of staged cursors, as the timeline says it. */
  public static String commitIntent(ConnectorRunRequest request) {
    return request.persistState() ? "commit_on_success" : "do_not_persist";
  }

  /** The members of the terminal event. */
  public void putInto(ObjectNode event) {
    put(event, "checkpoint_mode", "checkpoint_commit_status");
  }

  /** The summary that the history keeps. */
  public Json summary() {
    ObjectNode summary = RunData.object();
    put(summary, "mode", "commit_status");
    return StorableJson.of(summary.toString());
  }

  /**
   * The cursors that the run has left, without those that hold a submitted value, or null when it left none or they
   * are too much to repeat.
   */
  @Nullable
  public Json state() {
    if (!request.persistState() || !completed) {
      return null;
    }
    long size = committed.stream()
        .mapToLong(cursor -> cursor.cursor().text().length() + cursor.stream().length())
        .sum();
    if (size > MOST_STATE) {
      return null;
    }
    ObjectNode state = RunData.object();
    committed.stream()
        .filter(cursor -> !request.redaction().finds(cursor.cursor().text()))
        .forEach(cursor -> RunData.put(state, cursor.stream(), cursor.cursor()));
    return StorableJson.of(state.toString());
  }

  /** The names of the streams whose cursors are stored. */
  public Set<String> committedStreams() {
    return committed.stream().map(StagedCursor::stream).collect(Collectors.toSet());
  }

  private void put(ObjectNode node, String mode, String status) {
    RecordBatches.Counts counts = facts.batches().counts();
    node.put(mode, TerminalReason.CHECKPOINT_MODE);
    node.put(status, commitStatus());
    node.put("state_streams_staged", facts.cursors().count());
    node.put("state_streams_committed", committed.size());
    node.put("buffered_records_dropped", counts.dropped);
    node.put("records_attempted", counts.attempted);
    node.put("records_accepted", counts.accepted);
    node.put("records_flushed", counts.accepted);
    node.put("records_permanently_rejected", counts.rejected + counts.refused);
    node.put("records_unresolved_retryable", counts.unresolved);
  }

  private String commitStatus() {
    if (!request.persistState()) {
      return "disabled";
    }
    boolean all = committed.size() == facts.cursors().count();
    if (committed.isEmpty()) {
      return all && completed ? "committed" : "not_committed";
    }
    return all ? "committed" : "partially_committed";
  }
}
