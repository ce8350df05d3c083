package dev.runlane.console;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.runtime.Runlane;
import dev.runlane.runtime.task.TaskQueue;
import dev.runlane.storage.memory.MemoryLane;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

@DisplayNameGeneration(ReplaceUnderscores.class)
class ReadmeTest {
  /** An API on the loopback address, beside the workers of the same process. */
  static Future<Integer> operate(Vertx vertx, Runlane runlane) {
    return OperatorConsole.create(vertx, runlane, new ConsoleOptions()).start();
  }

  @Test
  void the_example_of_the_readme_is_this_code() throws Exception {
    String source = Files.readString(Path.of("src/test/java/dev/runlane/console/ReadmeTest.java"));
    String readme = Files.readString(Path.of("README.md"));
    String block = readme.substring(readme.indexOf("```java\n") + 8);

    assertThat(source.replaceAll("(?m)^  ", "")).contains(block.substring(0, block.indexOf("```")));
  }

  @Test
  void a_console_is_made_for_a_runtime_that_was_built() {
    Vertx vertx = Vertx.vertx();
    Runlane runlane =
        Runlane.builder(vertx, MemoryLane.create()).queue(TaskQueue.of("mail")).build();

    assertThat(OperatorConsole.create(vertx, runlane, new ConsoleOptions())).isNotNull();
    ConsoleFixture.await(vertx.close());
  }
}
