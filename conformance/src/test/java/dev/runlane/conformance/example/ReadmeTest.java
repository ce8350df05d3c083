package dev.runlane.conformance.example;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.conformance.kit.Given;
import dev.runlane.conformance.kit.Outcomes;
import dev.runlane.conformance.provider.MemoryProvider;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.EventHeader;
import dev.runlane.run.RunEvent;
import dev.runlane.run.RunKeys;
import dev.runlane.run.RunReducer;
import dev.runlane.run.RunSource;
import dev.runlane.storage.run.AppendRunEvents;
import dev.runlane.transport.DeliveryMessage;
import dev.runlane.transport.PublishWakeups;
import dev.runlane.transport.TransportAdapter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

/** What the README shows is compiled, and does what it says. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class ReadmeTest {
  private static final Path EXAMPLES = Path.of("src/test/java/dev/runlane/conformance/example");
  private static final Pattern JAVA_BLOCK =
      Pattern.compile("^```java\\R(.*?)^```", Pattern.DOTALL | Pattern.MULTILINE);

  @Test
  void every_java_block_is_part_of_a_compiled_file() throws IOException {
    String compiled;
    try (Stream<Path> files = Files.list(EXAMPLES)) {
      compiled = files
          .sorted()
          .map(ReadmeTest::text)
          .map(ReadmeTest::stripped)
          .collect(Collectors.joining());
    }

    List<String> blocks = JAVA_BLOCK
        .matcher(text(Path.of("README.md")))
        .results()
        .map(block -> stripped(block.group(1)))
        .toList();

    assertThat(blocks).hasSizeGreaterThan(2).allSatisfy(block -> assertThat(compiled)
        .contains(block));
  }

  @Test
  void a_wrapper_counts_what_comes_alone_and_in_a_batch() {
    CountingStorage storage = new CountingStorage(MyStorage.connect());

    Outcomes.done(storage.appendRunEvents(creation("run_1")));
    Outcomes.done(
        storage.batch().orElseThrow().appendAll(List.of(creation("run_2"), creation("run_3"))));

    assertThat(storage.appends()).isEqualTo(3);
  }

  @Test
  void a_publisher_meets_a_provider_that_loses_an_answer() {
    MemoryProvider provider = new MemoryProvider();
    TransportAdapter transport = provider.open();
    provider.faults().loseAnswersOfNext(1);
    DeliveryMessage wakeup =
        new DeliveryMessage(Given.ENVIRONMENT, "run_1", "default", Given.NOON, null);
    PublishWakeups command =
        new PublishWakeups(List.of(new PublishWakeups.Attempt("msg_1", "token_1", wakeup)));

    Outcomes.assertFails(transport.publishWakeups(command), ErrorCode.TRANSPORT_UNAVAILABLE);
    Outcomes.done(transport.publishWakeups(command)); // again, as a publisher must

    assertThat(provider.received()).containsExactly(wakeup, wakeup);
  }

  private static AppendRunEvents creation(String runId) {
    RunEvent.Created created = new RunEvent.Created(
        EventHeader.bySystem(Given.ENVIRONMENT, runId, Given.NOON),
        Given.TASK,
        Given.UNBOUNDED.queue(),
        Given.PAYLOAD,
        null,
        RunKeys.NONE,
        RunSource.TRIGGER);
    return AppendRunEvents.of(
        RunReducer.projectRunEvents(null, 0, List.of(created)), List.of(created), Given.NOON);
  }

  /** An example may stand in the middle of a method. */
  private static String stripped(String code) {
    return code.lines().map(String::strip).collect(Collectors.joining("\n"));
  }

  private static String text(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException unreadable) {
      throw new UncheckedIOException(unreadable);
    }
  }
}
