package dev.runlane.benchmarks.measure;

/**
 * What has been used so far, or between two readings.
 *
 * @param clientMicros CPU of the measured processes
 * @param serverMicros CPU of all processes of the server
 * @param walBytes written to the log
 * @param writes transactions that wrote something; savepoints count as well
 */
public record Costs(long clientMicros, long serverMicros, long walBytes, long writes) {
  public Costs since(Costs before) {
    return new Costs(
        clientMicros - before.clientMicros,
        serverMicros - before.serverMicros,
        walBytes - before.walBytes,
        writes - before.writes);
  }
}
