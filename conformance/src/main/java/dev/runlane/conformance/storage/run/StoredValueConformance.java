package dev.runlane.conformance.storage.run;

import static dev.runlane.conformance.given.TestRuns.queued;
import static dev.runlane.conformance.given.TestRuns.running;
import static dev.runlane.conformance.kit.Given.ENVIRONMENT;
import static dev.runlane.conformance.kit.Given.NOON;
import static dev.runlane.conformance.kit.Given.minutes;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.conformance.given.Commands;
import dev.runlane.conformance.given.EventChain;
import dev.runlane.conformance.given.Events;
import dev.runlane.conformance.given.TestRuns;
import dev.runlane.conformance.kit.Given;
import dev.runlane.conformance.kit.JsonTexts;
import dev.runlane.conformance.kit.LongTexts;
import dev.runlane.conformance.kit.Outcomes;
import dev.runlane.conformance.kit.Rule;
import dev.runlane.conformance.storage.StorageConformance;
import dev.runlane.json.JsonLimits;
import dev.runlane.json.JsonValues;
import dev.runlane.run.Actor;
import dev.runlane.run.ContractDefaults;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.EventHeader;
import dev.runlane.run.FailureRecord;
import dev.runlane.run.IdempotencyTtl;
import dev.runlane.run.Json;
import dev.runlane.run.Lease;
import dev.runlane.run.QueuePolicy;
import dev.runlane.run.RunEvent;
import dev.runlane.run.RunKeys;
import dev.runlane.run.RunRecord;
import dev.runlane.run.RunReducer;
import dev.runlane.run.RunSource;
import dev.runlane.storage.read.RunEventRecord;
import dev.runlane.storage.run.AppendRunEvents;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What was given is what is read, to the last character and microsecond. */
@DisplayName("stored values")
public abstract class StoredValueConformance extends StorageConformance {
  private static final Instant EXACT = Instant.parse("2026-03-04T12:00:00.123457Z");

  @ParameterizedTest
  @ValueSource(
      strings = {
        "null",
        "true",
        "\"text\"",
        "-0",
        "1.0",
        "1.10e+5",
        "123456789012345678901234567890.12345678901234567890",
        "[ ]",
        "{ \"b\" : 1 ,\n\t\"a\" : [ 1.0 , 2e0 ] }",
        "{\"z\":1,\"a\":2,\"m\":3}",
        "\"gr\u00fc\u00dfe \u4f60\u597d \ud83d\ude80\"",
        "\"\\u0067r\\u00fc\\u00dfe \\ud83d\\ude80 \\/ \\\\ \\\" \\b\\f\\n\\r\\t\"",
        "{\"\":\"\",\" \":\" \",\"'\":\"''\",\"$1\":\"%s\",\"{schema}\":\"\\\\x00\"}"
      })
  @Rule("formats")
  void json_is_kept_exactly_as_it_was_written(String text) {
    Json json = JsonValues.parse("payload", text, JsonLimits.PAYLOAD);
    RunRecord run = given(running("run_1", minutes(1)).payload(json));
    RunEvent succeeded =
        new RunEvent.Succeeded(Events.header(run, NOON), run.counters().attempts(), json);

    append(run, NOON, succeeded);

    assertThat(read("run_1").payload().text()).isEqualTo(text);
    assertThat(read("run_1").output()).isEqualTo(json);
    List<RunEventRecord> history = history(run);
    assertThat(history.get(0).event())
        .isInstanceOfSatisfying(
            RunEvent.Created.class, event -> assertThat(event.payload()).isEqualTo(json));
    assertThat(history.get(4).event()).isEqualTo(succeeded);
  }

  @Test
  @Rule("formats")
  void every_text_that_json_allows_is_kept_nul_and_half_pairs_among_it() {
    List<Json> texts = JsonTexts.all();
    for (int i = 0; i < texts.size(); i++) {
      Json json = texts.get(i);
      RunRecord run = given(running("run_" + i, minutes(1)).payload(json));
      RunEvent succeeded =
          new RunEvent.Succeeded(Events.header(run, NOON), run.counters().attempts(), json);

      append(run, NOON, succeeded);

      assertThat(read("run_" + i).payload().equals(json)).isTrue();
      assertThat(Objects.equals(json, read("run_" + i).output())).isTrue();
      assertThat(history(run).get(4).event().equals(succeeded)).isTrue();
    }
  }

  @Test
  @Rule("limits")
  void a_payload_and_an_output_may_have_a_mebibyte() {
    String text = "\"" + "\u00e4".repeat((ContractDefaults.MAX_PAYLOAD_BYTES - 2) / 2) + "\"";
    Json json = JsonValues.parse("payload", text, JsonLimits.PAYLOAD);
    RunRecord run = given(running("run_1", minutes(1)).payload(json));

    append(
        run,
        NOON,
        new RunEvent.Succeeded(Events.header(run, NOON), run.counters().attempts(), json));

    assertThat(json.sizeInBytes()).isEqualTo(ContractDefaults.MAX_PAYLOAD_BYTES);
    assertThat(read("run_1").payload()).isEqualTo(json);
    assertThat(read("run_1").output()).isEqualTo(json);
  }

  @Test
  @Rule("formats")
  void instants_are_kept_to_the_microsecond() {
    Instant later = Instant.parse("2026-03-04T12:34:56.999999Z");
    RunRecord run = given(TestRuns.retrying("run_1", later).at(EXACT));

    RunRecord read = read("run_1");

    assertThat(read).isEqualTo(run);
    assertThat(read.createdAt()).isEqualTo(EXACT);
    assertThat(read.runAt()).isEqualTo(later);
    assertThat(history(run).get(0).event().header().occurredAt()).isEqualTo(EXACT);
  }

  @Test
  @Rule("ids")
  void ids_and_keys_may_be_as_long_as_their_limits_and_hold_any_text() {
    String longest = "\u00e4".repeat(ContractDefaults.MAX_ID_BYTES / 2);
    String key = "'\"\\ %_$1{}\ud83d\ude80 ".repeat(20).strip();
    RunRecord run = given(queued(longest)
        .task("task'; --")
        .idempotencyKey(key, IdempotencyTtl.ACTIVE)
        .singletonKey(key)
        .concurrencyKey(key));

    assertThat(read(longest)).isEqualTo(run);
    assertThat(run.keys().singletonKey()).isEqualTo(key);
  }

  @Test
  @Rule({"ids", "limits"})
  void everything_of_a_run_may_be_at_its_limit_at_once() {
    String id = LongTexts.of(ContractDefaults.MAX_ID_BYTES / 4, 1);
    String key = LongTexts.of(ContractDefaults.MAX_KEY_BYTES / 4, 2);
    Json value =
        Json.ofChecked('"' + LongTexts.of((ContractDefaults.MAX_PAYLOAD_BYTES - 2) / 4, 3) + '"');
    Map<String, String> tags = new TreeMap<>();
    for (int tag = 0; tag < ContractDefaults.MAX_TAGS; tag++) {
      tags.put(
          LongTexts.of(ContractDefaults.MAX_TAG_NAME_BYTES / 4, tag),
          LongTexts.of(ContractDefaults.MAX_TAG_VALUE_BYTES / 4, tag));
    }
    QueuePolicy queue =
        QueuePolicy.bounded(LongTexts.of(ContractDefaults.MAX_ID_BYTES / 4, 4), Integer.MAX_VALUE);
    RunRecord run = given(queued(id)
        .task(LongTexts.of(ContractDefaults.MAX_ID_BYTES / 4, 5))
        .queue(queue)
        .payload(value)
        .idempotencyKey(key, IdempotencyTtl.of(Duration.ofDays(36_500)))
        .singletonKey(key)
        .concurrencyKey(key)
        .tags(tags));
    Lease lease = new Lease(
        LongTexts.of(ContractDefaults.MAX_ID_BYTES / 4, 6),
        LongTexts.of(ContractDefaults.MAX_ID_BYTES / 4, 7),
        NOON.plus(Duration.ofDays(36_500)));

    RunRecord running = Outcomes.done(
            storage.claimRunLease(Commands.claim(run, queue, lease, NOON)))
        .orElseThrow()
        .run();
    append(
        running,
        NOON,
        new RunEvent.Succeeded(Events.header(running, NOON), running.counters().attempts(), value));

    assertThat(read(id).keys()).isEqualTo(run.keys());
    assertThat(read(id).payload()).isEqualTo(value);
    assertThat(read(id).output()).isEqualTo(value);
    assertThat(history(running).get(0).event())
        .isInstanceOfSatisfying(
            RunEvent.Created.class, event -> assertThat(event.tags()).isEqualTo(tags));
  }

  @ParameterizedTest
  @MethodSource("dev.runlane.conformance.given.RunSources#all")
  @Rule("S01")
  void everything_a_run_is_created_with_is_kept(RunSource source) {
    EventHeader header = header(NOON);
    RunKeys keys = RunKeys.NONE
        .withConcurrencyKey("tenant")
        .withIdempotencyKey("key", IdempotencyTtl.of(Duration.ofDays(30)))
        .withSingletonKey("one");
    RunEvent created = new RunEvent.Created(
        header, "orders.charge", "default", Given.PAYLOAD, EXACT, keys, source);
    RunRecord projected = RunReducer.projectRunEvents(null, 0, List.of(created));

    appended(AppendRunEvents.of(projected, List.of(created), NOON));

    assertThat(read("run_1")).isEqualTo(projected);
    assertThat(history(projected).get(0).event()).isEqualTo(created);
  }

  @Test
  @Rule({"S01", "S08"})
  void every_type_of_event_is_kept_with_everything_it_says() {
    RunRecord run = given(queued("run_1"));
    List<RunEvent> expected = new ArrayList<>();
    expected.addAll(eventsOf(run));
    for (EventChain.Link link : EventChain.WITH_EVERY_TYPE) {
      RunEvent event = link.follow(run, header(NOON));
      expected.add(event);
      run = EventChain.store(storage, run, event);
    }

    assertThat(eventsOf(run)).isEqualTo(expected);
    assertThat(read("run_1")).isEqualTo(run);
    assertThat(RunReducer.projectRunEvents(null, 0, expected)).isEqualTo(run);
  }

  @Test
  @Rule("S01")
  void a_failure_is_kept_with_its_code_text_and_details() {
    RunRecord run = given(running("run_1", minutes(1)));
    FailureRecord failure = new FailureRecord(
        ErrorCode.INTERNAL_ERROR,
        "Line one.\nLine two with 'quotes' and \ud83d\ude80.",
        false,
        Json.ofChecked("{ \"provider\": \"E_42\" }"));

    append(
        run,
        NOON,
        new RunEvent.Failed(Events.header(run, NOON), run.counters().attempts(), failure));

    assertThat(read("run_1").failure()).isEqualTo(failure);
  }

  private List<RunEvent> eventsOf(RunRecord run) {
    return history(run).stream().map(RunEventRecord::event).toList();
  }

  private static EventHeader header(Instant occurredAt) {
    return new EventHeader(
        ENVIRONMENT,
        "run_1",
        Actor.operator("ada@example.org"),
        occurredAt,
        Map.of("traceparent", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"),
        Json.ofChecked("{ \"why\" : \"because\" }"));
  }
}
