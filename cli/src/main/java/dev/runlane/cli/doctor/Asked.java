package dev.runlane.cli.doctor;

import dev.runlane.postgres.statement.Parameters;
import java.time.Instant;

/**
 * What statements are asked with.
 *
 * @param schema the schema of the tables
 * @param environment the environment of the runs
 * @param longSince a transaction that is open since then is long; by the database's clock, like all of these
 * @param lateSince what is due since then is late
 * @param unansweredSince what workers were given before and have not answered, or have not taken, is worth a look
 * @param goneSince a process without a sign of life since then is gone
 */
record Asked(
    String schema,
    String environment,
    Instant longSince,
    Instant lateSince,
    Instant unansweredSince,
    Instant goneSince) {
  static Parameters<Asked> bySchema() {
    return new Parameters<Asked>().value("schema", Asked::schema);
  }

  static Parameters<Asked> byEnvironment() {
    return new Parameters<Asked>().value("environment", Asked::environment);
  }

  static Parameters<Asked> late() {
    return byEnvironment().time("late", Asked::lateSince);
  }

  static Parameters<Asked> unanswered() {
    return byEnvironment().time("before", Asked::unansweredSince);
  }

  static Parameters<Asked> gone() {
    return byEnvironment().time("gone", Asked::goneSince);
  }
}
