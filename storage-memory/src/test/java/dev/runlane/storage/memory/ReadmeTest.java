package dev.runlane.storage.memory;

import static dev.runlane.storage.memory.Flow.done;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.lane.Lane;
import dev.runlane.lane.LaneOptions;
import dev.runlane.lane.Lanes;
import dev.runlane.run.Environment;
import dev.runlane.run.RunEvent;
import dev.runlane.run.RunKeys;
import dev.runlane.run.RunRecord;
import dev.runlane.storage.outbox.ClaimOutboxMessages;
import dev.runlane.storage.outbox.ClaimedOutboxMessage;
import dev.runlane.storage.run.AppendRunEvents;
import dev.runlane.transport.PublishWakeups;
import dev.runlane.transport.WakeupPublishOutcome;
import io.vertx.core.Future;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

/** Compiles and runs the README's example. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class ReadmeTest {
  private final Environment environment = Flow.ENVIRONMENT;
  private final Instant now = Flow.NOON;
  private final List<RunEvent> events = Flow.creation("run_1", "default", RunKeys.NONE);
  private final RunRecord run = Flow.projected(events);

  @Test
  void the_example_publishes_the_wakeup_of_a_new_run() {
    List<WakeupPublishOutcome> outcomes = done(example());

    assertThat(outcomes).containsExactly(new WakeupPublishOutcome.Published(null));
  }

  @Test
  void the_readme_shows_this_example() throws IOException {
    String source =
        Files.readString(Path.of("src/test/java/dev/runlane/storage/memory/ReadmeTest.java"));
    String example = source.substring(
        source.indexOf("    // readme:begin\n") + "    // readme:begin\n".length(),
        source.indexOf("    // readme:end\n"));

    assertThat(Files.readString(Path.of("README.md")))
        .contains("```java\n" + example.replaceAll("(?m)^    ", "") + "```");
  }

  private Future<List<WakeupPublishOutcome>> example() {
    // readme:begin
    MemoryStorage storage = new MemoryStorage();
    MemoryTransport transport = new MemoryTransport();
    Lane lane = Lanes.create(storage, transport, new LaneOptions().setName("tests"));

    return lane.start()
        .compose(started -> storage.appendRunEvents(AppendRunEvents.of(run, events, now)))
        .compose(stored -> storage.claimOutboxMessages(
            new ClaimOutboxMessages(environment, now, Duration.ofSeconds(30), 100, null)))
        .compose(claimed -> transport.publishWakeups(new PublishWakeups(
            claimed.stream().map(ClaimedOutboxMessage::toAttempt).toList())));
    // readme:end
  }
}
