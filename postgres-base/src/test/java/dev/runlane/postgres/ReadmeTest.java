package dev.runlane.postgres;

import static dev.runlane.postgres.BatchLimits.DEFAULT_MAX_PENDING_BYTES;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.storage.CommandOutcome;
import io.vertx.core.CompositeFuture;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.pgclient.PgConnection;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.Tuple;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

/** Compiles and runs the README's example. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class ReadmeTest {
  private final Database database = new Database();
  private final Vertx vertx = database.vertx();
  private final PgConnection connection = database.connect();
  private final List<Integer> sizes = new ArrayList<>();
  private final BatchStatement<Integer, String> statement = new Names();

  @AfterEach
  void close() {
    database.close();
  }

  @Test
  void the_example_reads_three_names_in_one_statement() {
    CompositeFuture read = Database.done(example());

    assertThat(read.<String>list()).containsExactly("name 1", "name 2", "name 3");
    assertThat(sizes.stream().mapToInt(Integer::intValue).sum()).isEqualTo(3);
  }

  @Test
  void the_readme_shows_this_example() throws IOException {
    String source = Files.readString(Path.of("src/test/java/dev/runlane/postgres/ReadmeTest.java"));
    String example = source.substring(
        source.indexOf("    // readme:begin\n") + "    // readme:begin\n".length(),
        source.indexOf("    // readme:end\n"));

    assertThat(Files.readString(Path.of("README.md")))
        .contains("```java\n" + example.replaceAll("(?m)^    ", "") + "```");
  }

  private Future<CompositeFuture> example() {
    // readme:begin
    CommandBatcher<Integer, String> names = new CommandBatcher<>(
        vertx,
        new StatementSlots(vertx.getOrCreateContext(), 2),
        "readName",
        statement,
        new BatchLimits(256, 10_000, DEFAULT_MAX_PENDING_BYTES, () -> Duration.ofSeconds(35)));

    return Future.all(names.submit(1), names.submit(2), names.submit(3));
    // readme:end
  }

  private final class Names implements BatchStatement<Integer, String> {
    @Override
    public List<String> keys(Integer number) {
      return List.of();
    }

    @Override
    public Future<List<CommandOutcome<String>>> execute(List<Integer> numbers) {
      sizes.add(numbers.size());
      return connection
          .preparedQuery(
              "SELECT 'name ' || n FROM unnest($1::integer[]) WITH ORDINALITY p(n, place)"
                  + " ORDER BY place")
          .execute(Tuple.tuple().addArrayOfInteger(numbers.toArray(Integer[]::new)))
          .map(rows -> {
            List<CommandOutcome<String>> outcomes = new ArrayList<>();
            for (Row row : rows) {
              outcomes.add(new CommandOutcome.Succeeded<>(row.getString(0)));
            }
            return outcomes;
          });
    }
  }
}
