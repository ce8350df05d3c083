package dev.runlane.storage.pg;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.postgres.statement.SqlStatement;
import dev.runlane.storage.pg.read.Pruning;
import dev.runlane.storage.pg.read.Reads;
import dev.runlane.storage.pg.row.Lists;
import dev.runlane.storage.pg.row.ServerStatements;
import dev.runlane.storage.pg.write.Acquisitions;
import dev.runlane.storage.pg.write.Appends;
import dev.runlane.storage.pg.write.Claims;
import dev.runlane.storage.pg.write.Creations;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

/** Runs without tags are created by statements that know none, and so is whatever is appended to any run. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class UntaggedStatementsTest {
  private final ServerStatements bound = PgParts.statements("runlane");

  @Test
  void of_the_statements_that_create_runs_one_alone_knows_tags() {
    assertThat(withTags(Creations.STATEMENTS))
        .singleElement()
        .asString()
        .contains("INSERT INTO", ".run_tags", "AS t(run_id, name, value)");
  }

  @Test
  void no_claim_append_or_read_of_a_run_touches_tags() {
    assertThat(withTags(Appends.STATEMENTS)).isEmpty();
    assertThat(withTags(Acquisitions.STATEMENTS)).isEmpty();
    assertThat(withTags(Claims.STATEMENTS)).isEmpty();
    assertThat(withTags(Reads.STATEMENTS)).isEmpty();
    assertThat(withTags(Lists.STATEMENTS))
        .as("the list by tags in either direction, and the tags")
        .hasSize(3);
    assertThat(withTags(Pruning.STATEMENTS)).as("they go with their run").hasSize(1);
  }

  /** The statements, each in all of its forms. */
  private List<String> withTags(List<SqlStatement<?>> statements) {
    return statements.stream()
        .map(statement -> bound.texts(statement).collect(Collectors.joining("\n")))
        .filter(sql -> sql.contains("run_tags"))
        .toList();
  }
}
