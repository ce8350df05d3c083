package dev.runlane.connector.protocol.message;

import org.jspecify.annotations.Nullable;

/**
 * DETAIL_COVERAGE: how much of what a stream's cursor depends on was collected.
 *
 * @param stream the stream in scope whose details are counted
 * @param stateStream the stream in scope whose cursor depends on them
 * @param required how many keys are required
 * @param hydrated how many keys the connector says were collected
 * @param missing how many required keys are neither collected nor reported as a gap nor optional; the
 *     cursor of {@code stateStream} may be committed only when it is 0
 * @param considered how many items were looked at, at least 0, or null when it does not say
 * @param covered how many of them are accounted for, at least 0, or null
 */
public record DetailCoverageMessage(
    String stream,
    String stateStream,
    int required,
    int hydrated,
    int missing,
    @Nullable Long considered,
    @Nullable Long covered)
    implements ConnectorMessage {
  @Override
  public String type() {
    return "DETAIL_COVERAGE";
  }

  @Override
  public <R> R accept(Visitor<R> visitor) {
    return visitor.detailCoverage(this);
  }
}
