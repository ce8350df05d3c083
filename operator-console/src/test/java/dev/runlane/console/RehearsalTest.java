package dev.runlane.console;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.timing.Clock;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

@DisplayName("the rehearsal of the first page")
@DisplayNameGeneration(ReplaceUnderscores.class)
class RehearsalTest {
  private static final Path PAGE = Path.of("src/main/resources/dev/runlane/console/page");
  private static final Pattern ASKED = Pattern.compile("(?<![.\\w])(?:get|all)\\('([a-z/-]+)'");
  private static final Clock CLOCK = () -> Instant.parse("2026-01-01T12:00:00Z");

  private final Vertx vertx = Vertx.vertx();

  @AfterEach
  void close() throws Exception {
    vertx.close().toCompletionStage().toCompletableFuture().get(30, TimeUnit.SECONDS);
  }

  @Test
  void asks_for_all_that_the_first_page_reads() throws Exception {
    Set<String> read = new TreeSet<>();
    for (String module : Set.of("ahead.js", "pages/overview-read.js", "chart/range.js")) {
      ASKED
          .matcher(Files.readString(PAGE.resolve(module)))
          .results()
          .forEach(found -> read.add("/api/v1/" + found.group(1)));
    }

    assertThat(read).hasSizeGreaterThan(9);
    assertThat(new Rehearsal(vertx, "token", CLOCK)
            .paths().stream().map(path -> path.replaceAll("\\?.*", "")).collect(Collectors.toSet()))
        .containsAll(read);
  }

  @Test
  void ends_by_itself_where_nobody_answers_and_asks_by_its_token() throws Exception {
    Set<String> tokens = new ConcurrentSkipListSet<>();
    Promise<Void> asked = Promise.promise();

    do { // again where the machine stood still until it was over
      new Rehearsal(vertx, "once", CLOCK)
          .of(request -> {
            tokens.add(request.getHeader("authorization"));
            asked.tryComplete();
          })
          .toCompletionStage()
          .toCompletableFuture()
          .get(60, TimeUnit.SECONDS);
    } while (!asked.future().isComplete());

    assertThat(tokens).containsExactly("Bearer once");
  }
}
