package dev.runlane.json;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.json.record.RunEventJson;
import dev.runlane.json.record.RunRecordJson;
import dev.runlane.json.record.TraceCarrierJson;
import dev.runlane.run.EventHeader;
import dev.runlane.run.Json;
import dev.runlane.run.RunEvent;
import dev.runlane.run.RunEventType;
import dev.runlane.run.RunRecord;
import dev.runlane.samples.Samples;
import dev.runlane.storage.read.RunEventRecord;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The JSON forms that are stored and shown, byte for byte. A change of a golden file is a change that
 * data of earlier versions must survive.
 */
@DisplayNameGeneration(ReplaceUnderscores.class)
class GoldenTest {
  static Stream<String> events() {
    return Samples.events().keySet().stream();
  }

  static Stream<String> runs() {
    return Samples.runs().keySet().stream();
  }

  @Test
  void there_is_a_golden_file_for_every_type_of_event() {
    assertThat(Samples.events().values().stream().map(RunEvent::type).distinct())
        .containsExactlyInAnyOrder(RunEventType.values());
  }

  @ParameterizedTest
  @MethodSource("events")
  void an_event_is_written_and_read_as_it_always_was(String name) throws Exception {
    RunEvent event = Samples.events().get(name);
    Json golden = golden("event-" + name);

    assertThat(RunEventJson.write(event)).isEqualTo(golden);
    assertThat(RunEventJson.read(golden)).isEqualTo(event);
  }

  @ParameterizedTest
  @MethodSource("events")
  void an_events_body_is_written_and_read_as_it_always_was(String name) throws Exception {
    RunEvent event = Samples.events().get(name);
    EventHeader header = event.header();
    Json golden = golden("body-" + name);

    assertThat(RunEventJson.body(event)).isEqualTo(golden);
    assertThat(RunEventJson.readBody(
            header.environment(),
            header.runId(),
            event.type().value(),
            header.occurredAt(),
            golden))
        .isEqualTo(event);
  }

  @Test
  void a_stored_event_is_written_and_read_with_id_and_sequence() throws Exception {
    RunEventRecord row = new RunEventRecord("9007199254740993", 4711, Samples.created());
    Json golden = golden("event-record");

    assertThat(RunEventJson.write(row)).isEqualTo(golden);
    assertThat(RunEventJson.readRecord(golden)).isEqualTo(row);
  }

  @ParameterizedTest
  @MethodSource("runs")
  void a_run_is_written_and_read_as_it_always_was(String name) throws Exception {
    RunRecord run = Samples.runs().get(name);
    Json golden = golden(name);

    assertThat(RunRecordJson.write(run)).isEqualTo(golden);
    assertThat(RunRecordJson.read(golden)).isEqualTo(run);
  }

  @Test
  void a_summary_is_written_as_it_always_was() throws Exception {
    assertThat(RunRecordJson.write(Samples.summary())).isEqualTo(golden("summary"));
    assertThat(RunRecordJson.write(Samples.fullSummary())).isEqualTo(golden("summary-full"));
  }

  @Test
  void a_failure_is_written_and_read_as_it_always_was() throws Exception {
    assertThat(RunRecordJson.write(Samples.FAILURE)).isEqualTo(golden("failure"));
    assertThat(RunRecordJson.write(Samples.REFUSED)).isEqualTo(golden("failure-full"));
    assertThat(RunRecordJson.readFailure(golden("failure"))).isEqualTo(Samples.FAILURE);
    assertThat(RunRecordJson.readFailure(golden("failure-full"))).isEqualTo(Samples.REFUSED);
  }

  @Test
  void a_trace_carrier_is_written_in_the_order_of_names() throws Exception {
    assertThat(TraceCarrierJson.write(Samples.TRACE)).isEqualTo(golden("trace-carrier"));
    assertThat(TraceCarrierJson.read(golden("trace-carrier"))).isEqualTo(Samples.TRACE);
  }

  @Test
  void every_golden_file_is_used() throws Exception {
    long others = Stream.of(
            "event-record", "summary", "summary-full", "failure", "failure-full", "trace-carrier")
        .count();

    try (Stream<Path> files = Files.list(Path.of("src/test/resources/golden"))) {
      assertThat(files.count()).isEqualTo(2 * events().count() + runs().count() + others);
    }
  }

  private static Json golden(String name) throws Exception {
    Path path = Path.of("src/test/resources/golden", name + ".json");
    return Json.ofChecked(Files.readString(path).stripTrailing());
  }
}
