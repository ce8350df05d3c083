package dev.runlane.storage.pg;

import dev.runlane.conformance.CapabilityGuardConformanceSuite;
import dev.runlane.conformance.fixture.ReducibleStorageFixture;
import io.vertx.core.Vertx;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Every method of a storage whose role somebody has given other settings, and a search path on which other tables and
 * functions have the names of ours and of those that we call.
 */
class PgForeignSettingsTest extends CapabilityGuardConformanceSuite {
  private static final String ROLE =
      "decorated_" + PgStorageFixture.directOptions().getDatabase();

  private static final List<String> SETTINGS = List.of(
      "search_path = 'decoys', 'public'",
      "default_transaction_isolation = 'serializable'",
      "default_transaction_deferrable = 'on'",
      "datestyle = 'SQL, DMY'",
      "intervalstyle = 'sql_standard'",
      "timezone = 'Asia/Kathmandu'",
      "bytea_output = 'escape'",
      "extra_float_digits = '-15'",
      "standard_conforming_strings = 'off'",
      "array_nulls = 'off'",
      "transform_null_equals = 'on'",
      "quote_all_identifiers = 'on'",
      "plan_cache_mode = 'force_custom_plan'",
      "row_security = 'off'",
      "lock_timeout = '1ms'",
      "statement_timeout = '1ms'",
      "idle_in_transaction_session_timeout = '1ms'",
      "client_min_messages = 'debug1'",
      "synchronous_commit = 'off'");

  private static final String DECOYS = """
      SET client_min_messages = warning;
      CREATE SCHEMA IF NOT EXISTS decoys;
      GRANT USAGE ON SCHEMA decoys TO {role};
      CREATE TABLE IF NOT EXISTS decoys.active_runs (nothing text);
      CREATE TABLE IF NOT EXISTS decoys.schema_migrations (nothing text);
      CREATE TABLE IF NOT EXISTS decoys.pg_class (nothing text);
      CREATE OR REPLACE FUNCTION decoys.now() RETURNS timestamptz LANGUAGE sql AS
        $$ SELECT 'epoch'::timestamptz $$;
      """;

  @Override
  protected ReducibleStorageFixture fixture(Vertx vertx) {
    return PgRightsTest.Limited.create(
        vertx,
        ROLE,
        SETTINGS.stream()
                .map(setting -> "ALTER ROLE {role} SET " + setting + ";\n")
                .collect(Collectors.joining())
            + DECOYS);
  }
}
