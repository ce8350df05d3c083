package dev.runlane.client;

import static dev.runlane.client.ServedSystem.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.console.ConsoleOptions;
import dev.runlane.run.RunStatus;
import dev.runlane.runtime.task.TriggerOptions;
import dev.runlane.storage.read.RunFilter;
import io.vertx.core.CompositeFuture;
import io.vertx.core.Future;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

@DisplayNameGeneration(ReplaceUnderscores.class)
class ReadmeTest {
  /** Retries what failed since an instant, and says how many; made again it makes no further runs. */
  static Future<Integer> retryFailed(ApiClient client, Instant since) {
    RunFilter failed =
        RunFilter.ALL.withStatuses(Set.of(RunStatus.FAILED)).withCreated(since, null);
    return client
        .runs()
        .list(failed, Map.of(), 200, null)
        .compose(page -> Future.all(page.data().stream()
            .map(each -> client.runs().retry(each.run().id(), "the card works again"))
            .toList()))
        .map(CompositeFuture::size);
  }

  @Test
  void the_example_of_the_readme_is_this_code() throws Exception {
    String source = Files.readString(Path.of("src/test/java/dev/runlane/client/ReadmeTest.java"));
    String readme = Files.readString(Path.of("README.md"));
    String block = readme.substring(readme.indexOf("```java\n") + 8);

    assertThat(source.replaceAll("(?m)^  ", "")).contains(block.substring(0, block.indexOf("```")));
  }

  @Test
  void what_failed_is_retried() {
    try (ServedSystem system = new ServedSystem(new ConsoleOptions())) {
      ApiClient client = system.client();
      Instant since = Instant.now();
      String failed = await(client.tasks().trigger("charge", "-11", new TriggerOptions()))
          .run()
          .id();
      await(system.runlane.awaitRun(failed, Duration.ofSeconds(60)));

      assertThat(await(retryFailed(client, since))).isEqualTo(1);
    }
  }
}
