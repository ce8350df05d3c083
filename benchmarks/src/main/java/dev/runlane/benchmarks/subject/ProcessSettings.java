package dev.runlane.benchmarks.subject;

import dev.runlane.testinfra.postgres.PostgresAddress;

/**
 * What a measured process is told.
 *
 * @param database its address, as a URI with the password
 * @param workload what to do
 */
public record ProcessSettings(String database, Workload workload) {
  /** Where the database is. */
  public PostgresAddress address() {
    return PostgresAddress.parse(database);
  }
}
