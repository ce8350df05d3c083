package dev.runlane.jobs.postgres.row;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.postgres.statement.SqlStatements;
import java.util.Arrays;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Rows are locked in the order of their keys' bytes, whatever the database's collation is. Columns of the tables have
 * it by themselves; arrays do not, and then two statements may lock the same rows in opposite orders. Of the texts,
 * since not every server of a test has another collation.
 */
@DisplayNameGeneration(ReplaceUnderscores.class)
class JobLockOrderTest {
  private static final Pattern STATEMENT = Pattern.compile("(?m)^-- (?:name|fragment): (\\S+)");
  private static final Pattern ORDERED_UPSERT =
      Pattern.compile("unnest\\(.*\\bORDER BY ([^\\n]+)\\s+ON CONFLICT", Pattern.DOTALL);

  @ParameterizedTest
  @CsvSource({"sql/finish.sql, count_ends, 2", "sql/webhooks.sql, register_job_webhooks, 1"})
  void rows_that_come_from_arrays_are_stored_in_the_order_of_bytes(
      String resource, String statement, int texts) {
    String text = SqlStatements.resourceText(JobStatements.class::getResourceAsStream, resource);
    String from = text.substring(text.indexOf("-- name: " + statement + "\n") + 1);
    List<Integer> next =
        STATEMENT.matcher(from).results().map(MatchResult::start).toList();
    String only = next.isEmpty() ? from : from.substring(0, next.get(0));

    List<String> orders =
        ORDERED_UPSERT.matcher(only).results().map(found -> found.group(1)).toList();

    assertThat(orders).hasSize(1);
    assertThat(Arrays.stream(orders.get(0).split(","))
            .filter(column -> column.strip().endsWith("COLLATE \"C\"")))
        .hasSize(texts);
  }
}
