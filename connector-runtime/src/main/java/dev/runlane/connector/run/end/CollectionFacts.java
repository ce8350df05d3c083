package dev.runlane.connector.run.end;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.runlane.connector.protocol.message.DetailCoverageMessage;
import dev.runlane.connector.run.record.RunFacts;
import dev.runlane.connector.run.request.ConnectorRunRequest;
import java.util.Set;

/** What one run collected of each stream in scope. */
final class CollectionFacts {
  /** Streams whose facts are reported. */
  private static final int MOST_STREAMS = 1_000;

  private final ConnectorRunRequest request;
  private final RunFacts facts;
  private final Set<String> committed;

  /**
   * The facts of a run's end.
   *
   * @param committed the streams whose cursors are stored
   */
  CollectionFacts(ConnectorRunRequest request, RunFacts facts, Set<String> committed) {
    this.request = request;
    this.facts = facts;
    this.committed = committed;
  }

  void putInto(ObjectNode node) {
    node.put("reference_only", true);
    node.put("schema_version", 1);
    ArrayNode streams = node.putArray("streams");
    request.scope().names().stream()
        .limit(MOST_STREAMS)
        .forEach(name -> putStream(streams.addObject(), name));
  }

  private void putStream(ObjectNode node, String stream) {
    node.put("stream", stream);
    node.put("collected", facts.batches().emitted(stream));
    node.put("checkpoint", checkpoint(stream));
    facts.cursors().coverageOf(stream).forEach(coverage -> putCoverage(node, coverage));
    node.put("pending_detail_gaps", facts.gaps().missingDetailsOf(stream));
    String skipped = facts.gaps().skipReasonOf(stream);
    if (skipped == null) {
      node.putNull("skipped");
    } else {
      node.putObject("skipped").put("reason", skipped);
    }
  }

  private static void putCoverage(ObjectNode node, DetailCoverageMessage coverage) {
    node.put(
        "considered", coverage.considered() == null ? coverage.required() : coverage.considered());
    if (coverage.covered() != null) {
      node.put("covered", coverage.covered());
    }
  }

  private String checkpoint(String stream) {
    if (!request.persistState()) {
      return "disabled";
    }
    if (committed.contains(stream)) {
      return "committed";
    }
    return facts.cursors().isStaged(stream) ? "not_committed" : "not_staged";
  }
}
