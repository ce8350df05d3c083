package dev.runlane.jobs.memory;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.jobs.JobOptions;
import dev.runlane.jobs.JobOutcome;
import dev.runlane.jobs.JobState;
import dev.runlane.jobs.NewJob;
import dev.runlane.jobs.store.FetchJobs;
import dev.runlane.jobs.store.FinishJob;
import dev.runlane.jobs.store.FinishResult;
import dev.runlane.run.Json;
import io.vertx.core.Future;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

/** Compiles and runs the README's example. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class ReadmeTest {
  private final Instant now = Instant.parse("2026-03-04T12:00:00Z");

  @Test
  void the_example_completes_a_job() throws Exception {
    FinishResult result = example().await(60, TimeUnit.SECONDS);

    assertThat(result).isInstanceOfSatisfying(FinishResult.Finished.class, finished -> assertThat(
            finished.change().job().state())
        .isEqualTo(JobState.COMPLETED));
  }

  @Test
  void the_readme_shows_this_example() throws IOException {
    String source =
        Files.readString(Path.of("src/test/java/dev/runlane/jobs/memory/ReadmeTest.java"));
    String example = source.substring(
        source.indexOf("    // readme:begin\n") + "    // readme:begin\n".length(),
        source.indexOf("    // readme:end\n"));

    assertThat(Files.readString(Path.of("README.md")))
        .contains("```java\n" + example.replaceAll("(?m)^    ", "") + "```");
  }

  private Future<FinishResult> example() {
    // readme:begin
    MemoryJobStore store = new MemoryJobStore();
    JobOptions options = JobOptions.builder().attempts(3).priority(1).build();

    return store
        .saveJob("orders", NewJob.of("charge", Json.ofChecked("{\"order\":7}"), options, now), now)
        .compose(id ->
            store.fetchNextJob(FetchJobs.one("orders", "worker-1", Duration.ofSeconds(30), now)))
        .compose(job -> store.finishJob(FinishJob.of(
            job.orElseThrow().lock(), new JobOutcome.Completed(Json.ofChecked("true")), now)));
    // readme:end
  }
}
