package dev.runlane.testinfra.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.testinfra.Sql;
import java.sql.SQLException;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

@DisplayNameGeneration(ReplaceUnderscores.class)
class ReusedSchemasTest {
  private static final PostgresAddress DATABASE = PostgresServers.shared().createDatabase("reused");

  @Test
  void a_schema_has_one_taker_at_a_time() {
    ReusedSchemas schemas = new ReusedSchemas("reused_");
    String first = schemas.take();
    String second = schemas.take();

    schemas.giveBack(first);

    assertThat(second).isNotEqualTo(first);
    assertThat(schemas.take()).isEqualTo(first);
    assertThat(schemas.take()).isNotIn(first, second);
  }

  @Test
  void emptying_deletes_rows_and_begins_sequences_again_but_keeps_what_is_known_of_migrations()
      throws SQLException {
    Sql.execute(DATABASE, """
        CREATE SCHEMA used;
        CREATE TABLE used.schema_migrations (version integer);
        CREATE TABLE used.runs (id bigint GENERATED ALWAYS AS IDENTITY, name text);
        INSERT INTO used.schema_migrations VALUES (6);
        INSERT INTO used.runs (name) VALUES ('first'), ('second');
        """);

    Sql.execute(DATABASE, ReusedSchemas.emptying("used"));

    Sql.execute(DATABASE, "INSERT INTO used.runs (name) VALUES ('next')");
    assertThat(Sql.column(DATABASE, "SELECT id || ' ' || name FROM used.runs"))
        .containsExactly("1 next");
    assertThat(Sql.column(DATABASE, "SELECT version FROM used.schema_migrations"))
        .containsExactly("6");
  }

  @Test
  void a_schema_that_was_never_made_is_empty() throws SQLException {
    Sql.execute(DATABASE, ReusedSchemas.emptying("never_made"));

    assertThat(Sql.column(DATABASE, "SELECT nspname FROM pg_namespace"))
        .doesNotContain("never_made");
  }
}
