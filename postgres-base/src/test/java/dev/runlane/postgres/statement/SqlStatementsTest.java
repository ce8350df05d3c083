package dev.runlane.postgres.statement;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vertx.sqlclient.Tuple;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

@DisplayNameGeneration(ReplaceUnderscores.class)
class SqlStatementsTest {
  private static final SchemaName SCHEMA = new SchemaName("lane");
  private static final Instant NOON = Instant.parse("2026-01-01T12:00:00Z");
  private static final SqlStatement<Given> ONE = SqlStatement.of(
          "one", new Parameters<Given>().value("other", Given::other).value("value", Given::value))
      .variant("operator", "<");
  private static final SqlStatement<@Nullable Void> TWO = SqlStatement.plain("two");

  @Test
  void a_statement_is_sent_with_its_schema_and_its_fragments_and_without_comments() {
    BoundStatements statements = bound(ONE, TWO);

    assertThat(statements.get(ONE).sql()).isEqualTo("""
        SELECT a, b, c
        FROM "lane".things WHERE a < $1 AND b = $2 AND c <> $1::text\
        """);
    assertThat(statements.get(TWO).sql()).isEqualTo("SELECT 2");
  }

  @Test
  void values_are_sent_in_the_order_of_the_text_whatever_that_of_the_code_is() {
    assertThat(values(bound(ONE, TWO).get(ONE).tuple(new Given("v", null))))
        .containsExactly("v", null);
  }

  @Test
  void where_positions_are_question_marks_a_name_is_sent_wherever_it_stands() {
    BoundStatement<Given> one = load("broken/statements.sql")
        .bind(Placeholders.QUESTION_MARKS, List.of(ONE, TWO))
        .get(ONE);

    assertThat(one.sql()).endsWith("a < ? AND b = ? AND c <> ?::text");
    assertThat(values(one.tuple(new Given("v", "o")))).containsExactly("v", "o", "v");
  }

  @Test
  void rows_are_one_array_a_column_and_what_is_absent_is_null() {
    Parameters<List<Row>> parameters = new Parameters<List<Row>>()
        .rows(rows -> rows, new Columns<Row>().times("other", Row::at).texts("value", Row::text));
    SqlStatement<List<Row>> statement = SqlStatement.of("one", parameters).variant("operator", "=");

    Tuple tuple = bound(statement, TWO)
        .get(statement)
        .tuple(List.of(new Row("a", null), new Row(null, NOON)));

    assertThat(tuple.getValue(0)).isEqualTo(new String[] {"a", null});
    assertThat(tuple.getValue(1))
        .isEqualTo(new OffsetDateTime[] {null, NOON.atOffset(ZoneOffset.UTC)});
  }

  @Test
  void a_name_on_one_side_only_is_a_fault_that_names_the_statement_and_the_name() {
    Parameters<Given> some = new Parameters<Given>().value("value", Given::value);
    SqlStatement<Given> less = SqlStatement.of("one", some).variant("operator", "<");
    SqlStatement<Given> more =
        SqlStatement.of("two", new Parameters<Given>().value("more", Given::other));
    SqlStatement<Given> twice =
        SqlStatement.of("one", some.value("value", Given::other)).variant("operator", "<");

    assertFault(() -> bound(less, TWO), "one", "[other]");
    assertFault(() -> bound(ONE, more), "two", "[more]");
    assertFault(() -> bound(twice, TWO), "one", "value twice");
  }

  @Test
  void a_statement_that_is_missing_and_one_that_nobody_sends_are_faults() {
    assertFault(() -> bound(ONE, TWO, SqlStatement.plain("three")), "three");
    assertFault(() -> bound(ONE), "two");
    assertFault(() -> bound(ONE, TWO).get(SqlStatement.plain("two")), "two");
  }

  @Test
  void a_missing_fragment_one_within_itself_and_a_position_are_faults() {
    SqlStatement<Given> unfilled = SqlStatement.of("one", ONE.parameters());

    assertFault(() -> bound(unfilled, TWO), "one", "operator");
    assertFault(() -> bound("broken/circle.sql", SqlStatement.plain("first")), "first", "hen");
    assertFault(
        () -> bound("broken/positions.sql", SqlStatement.plain("counted")), "counted", "$1");
  }

  @Test
  void a_missing_resource_and_a_name_given_twice_are_faults() {
    assertFault(() -> load("nowhere.sql"), "nowhere.sql");
    assertFault(() -> load("broken/twice.sql"), "same");
  }

  private static void assertFault(Runnable bind, String... named) {
    assertThatThrownBy(bind::run)
        .isInstanceOf(IllegalStateException.class)
        .message()
        .contains(named);
  }

  private static List<Object> values(Tuple tuple) {
    Object[] values = new Object[tuple.size()];
    Arrays.setAll(values, tuple::getValue);
    return Arrays.asList(values);
  }

  private static BoundStatements bound(SqlStatement<?>... statements) {
    return bound("broken/statements.sql", statements);
  }

  private static BoundStatements bound(String resource, SqlStatement<?>... statements) {
    return load(resource).bind(Placeholders.NUMBERED, List.of(statements));
  }

  private static SqlStatements load(String resource) {
    return SqlStatements.load(SqlStatementsTest.class::getResourceAsStream, SCHEMA, resource);
  }

  private record Given(String value, @Nullable String other) {}

  private record Row(@Nullable String text, @Nullable Instant at) {}
}
