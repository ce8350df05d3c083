package dev.runlane.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

@DisplayNameGeneration(ReplaceUnderscores.class)
class SqlStatementsTest {
  private static final SchemaName SCHEMA = new SchemaName("lane");

  @Test
  void a_statement_is_found_by_name_with_its_schema_and_without_comments() {
    SqlStatements statements = load("broken/statements.sql");

    assertThat(statements.get("one"))
        .isEqualTo("SELECT 1\nFROM \"lane\".things WHERE a {operator} 2");
    assertThat(statements.get("two")).isEqualTo("SELECT 2");
  }

  @Test
  void a_variant_fills_in_the_rest() {
    assertThat(load("broken/statements.sql").get("one", Map.of("operator", "<")))
        .endsWith("a < 2");
  }

  @Test
  void a_missing_name_a_missing_resource_and_a_name_given_twice_are_faults() {
    SqlStatements statements = load("broken/statements.sql");

    assertThatThrownBy(() -> statements.get("three")).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> load("nowhere.sql")).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> load("broken/twice.sql")).isInstanceOf(IllegalStateException.class);
  }

  private static SqlStatements load(String resource) {
    return SqlStatements.load(SqlStatementsTest.class, SCHEMA, resource);
  }
}
