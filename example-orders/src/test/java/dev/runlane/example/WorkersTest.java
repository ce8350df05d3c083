package dev.runlane.example;

import static java.util.concurrent.TimeUnit.MINUTES;
import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Real worker processes that cannot work: where they are told to look, there is no Postgres. */
@DisplayNameGeneration(ReplaceUnderscores.class)
@Tag("full")
@Tag("drill")
class WorkersTest {
  private static final KafkaSetting NOWHERE =
      new KafkaSetting("postgresql://nobody:none@127.0.0.1:1/none", "127.0.0.1:1");

  private final Vertx vertx = Vertx.vertx();
  private final ByteArrayOutputStream said = new ByteArrayOutputStream();

  @TempDir
  private Path folder;

  @Test
  void five_that_die_young_in_a_row_are_replaced_and_the_sixth_ends_the_program() throws Exception {
    Screen screen = new Screen(new PrintStream(said, true, StandardCharsets.UTF_8), false);
    Promise<Throwable> trouble = Promise.promise();
    Promise<Void> stopped = Promise.promise();

    vertx.runOnContext(turn -> {
      Workers workers = new Workers(vertx, NOWHERE, folder, screen);
      workers
          .start()
          .compose(started -> workers.trouble())
          .onFailure(trouble::complete)
          .transform((none, failure) -> workers.stop())
          .onComplete(stopped);
    });

    assertThat(trouble.future().await(5, MINUTES))
        .hasMessageStartingWith("workers keep dying, the last: worker-")
        .hasMessageContaining("ended with code 1, see " + folder);
    stopped.future().await(1, MINUTES);
    assertThat(linesWith("a new one takes its place")).hasSize(5);
    assertThat(linesWith("is process")).hasSize(3 + 5);
    assertEachDeathIsInItsLog();
    vertx.close().await(1, MINUTES);
  }

  /** A worker that takes the place of another does not take its log away. */
  private void assertEachDeathIsInItsLog() throws IOException {
    long deaths = 0;
    for (String worker : List.of("worker-1", "worker-2", "worker-3")) {
      deaths += Files.readAllLines(folder.resolve(worker + ".log")).stream()
          .filter(line -> line.startsWith("dev.runlane.run.RunlaneException: "))
          .count();
    }
    assertThat(deaths).isGreaterThanOrEqualTo(6);
  }

  private List<String> linesWith(String text) {
    return said.toString(StandardCharsets.UTF_8)
        .lines()
        .filter(line -> line.contains(text))
        .toList();
  }
}
