package dev.runlane.steps.sql.row;

import dev.runlane.postgres.statement.SchemaName;

/**
 * Which tables are used, and how.
 *
 * @param schema of the tables, on PostgreSQL
 * @param prefix what the names of the tables begin with
 * @param createTables whether missing tables and indexes are created
 * @param signalTriggers whether triggers signal what other languages insert
 */
public record TableSettings(
    SchemaName schema, String prefix, boolean createTables, boolean signalTriggers) {}
