package dev.runlane.example;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.vertx.core.Future;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.SqlConnection;
import io.vertx.sqlclient.Tuple;
import java.io.InputStream;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * The tables of the schema {@code runlane}, as a release left them.
 *
 * @param pool of one connection
 * @param owner the class beside which the migrations are
 */
record ReleasedTables(Pool pool, Class<?> owner) {
  private static final ObjectMapper JSON = new ObjectMapper();

  /** The tables as the release's own migrations made them, with its rows. */
  void load(JsonNode stored) throws Exception {
    StringBuilder schema =
        new StringBuilder("CREATE SCHEMA runlane; CREATE TABLE runlane.schema_migrations ("
            + "module text NOT NULL, version integer NOT NULL, name text NOT NULL, checksum text NOT NULL, "
            + "applied_at timestamptz NOT NULL DEFAULT now(), "
            + "CONSTRAINT schema_migrations_pkey PRIMARY KEY (module, version));");
    for (JsonNode applied : stored.get("tables").get("schema_migrations")) {
      schema.append(
          migration(applied.get("version").asInt(), applied.get("name").asText()));
    }
    done(pool.query(schema.toString()).execute());
    done(pool.withConnection(connection -> {
      Future<?> loaded =
          connection.query("SET session_replication_role = replica").execute();
      for (Map.Entry<String, JsonNode> table : stored.get("tables").properties()) {
        loaded = loaded.compose(before -> insert(connection, table.getKey(), table.getValue()));
      }
      for (Map.Entry<String, JsonNode> sequence : stored.get("sequences").properties()) {
        loaded = loaded.compose(before -> connection
            .preparedQuery("SELECT setval(('runlane.' || $1::text)::regclass, $2::bigint)")
            .execute(Tuple.of(sequence.getKey(), sequence.getValue().asLong())));
      }
      return loaded;
    }));
  }

  private static Future<?> insert(SqlConnection connection, String table, JsonNode rows) {
    String name = "runlane.\"" + table + '"';
    return connection
        .preparedQuery("INSERT INTO " + name
            + " OVERRIDING SYSTEM VALUE SELECT * FROM json_populate_recordset(NULL::" + name
            + ", $1::text::json)")
        .execute(Tuple.of(rows.toString()));
  }

  private String migration(int version, String name) throws Exception {
    String file = String.format(Locale.ROOT, "migrations/V%03d__%s.sql", version, name);
    try (InputStream sql = owner.getResourceAsStream(file)) {
      assertThat(sql)
          .as("the migration %s of an earlier release is still there", file)
          .isNotNull();
      return new String(sql.readAllBytes(), UTF_8).replace("{schema}", "runlane");
    }
  }

  /** All rows and sequences, as {@link #load} takes them. */
  ObjectNode read() throws Exception {
    ObjectNode tables = JSON.createObjectNode();
    for (Row table :
        done(pool.query("SELECT tablename FROM pg_tables WHERE schemaname = 'runlane' ORDER BY 1")
            .execute())) {
      tables.set(
          table.getString(0),
          first("SELECT coalesce(json_agg(t), '[]')::text FROM runlane.\"" + table.getString(0)
              + "\" t"));
    }
    ObjectNode stored = JSON.createObjectNode();
    stored.set("tables", tables);
    stored.set(
        "sequences",
        first(
            "SELECT coalesce(json_object_agg(sequencename, last_value), '{}')::text FROM pg_sequences"
                + " WHERE schemaname = 'runlane' AND last_value IS NOT NULL"));
    return stored;
  }

  private JsonNode first(String sql) throws Exception {
    return JSON.readTree(done(pool.query(sql).execute()).iterator().next().getString(0));
  }

  /** Fields may come with later releases; those that were there stay as they were. */
  static void assertHasAllOf(JsonNode found, JsonNode wanted) {
    wanted.properties().forEach(field -> {
      JsonNode value = found.get(field.getKey());
      if (field.getValue() instanceof ObjectNode inner && value instanceof ObjectNode) {
        assertHasAllOf(value, inner);
      } else {
        assertThat(value).as(field.getKey()).isEqualTo(field.getValue());
      }
    });
  }

  private static <T> T done(Future<T> future) throws Exception {
    return future.await(60, TimeUnit.SECONDS);
  }
}
