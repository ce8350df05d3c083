package dev.runlane.jobs.postgres;

import dev.runlane.postgres.SchemaName;
import dev.runlane.postgres.SqlStatements;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** The statements, with the columns filled in once. */
final class JobStatements {
  private final SqlStatements statements;
  private final Map<String, String> names;
  private final Map<String, String> filled = new ConcurrentHashMap<>();

  JobStatements(SchemaName schema) {
    statements = SqlStatements.load(
        JobStatements.class,
        schema,
        "sql/save.sql",
        "sql/fetch.sql",
        "sql/finish.sql",
        "sql/change.sql",
        "sql/reads.sql",
        "sql/schedules.sql",
        "sql/metrics.sql",
        "sql/events.sql");
    names = JobRows.names();
  }

  /** A statement about jobs. */
  String get(String name) {
    return filled.computeIfAbsent(name, each -> statements.get(each, names));
  }

  /** A variant of a statement about jobs; the values come from the code that calls. */
  String get(String name, Map<String, String> variant) {
    return filled.computeIfAbsent(name + variant, each -> fill(name, variant));
  }

  /** A variant that the caller keeps. */
  String fill(String name, Map<String, String> variant) {
    Map<String, String> all = new HashMap<>(names);
    all.putAll(variant);
    return statements.get(name, all);
  }

  /** A statement that names columns of its own. */
  String raw(String name, Map<String, String> variant) {
    return filled.computeIfAbsent(name + variant, each -> statements.get(name, variant));
  }
}
