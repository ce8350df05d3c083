package dev.runlane.transport.kafka;

import static dev.runlane.transport.kafka.Awaiting.done;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.run.Environment;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.QueuePolicy;
import dev.runlane.run.RunlaneException;
import dev.runlane.transport.DeliveryMessage;
import dev.runlane.transport.PublishWakeups;
import io.vertx.core.Future;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.Header;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The records and dead letters that each release wrote, keys, values and headers as files, are read by the code of
 * today, and read as much in those of today. A release adds its folder with {@code -Drelease.write=VERSION} on its own
 * code, and nobody edits one afterwards.
 */
@Tag("slow")
@DisplayNameGeneration(ReplaceUnderscores.class)
class EarlierRecordsTest {
  private static final Path RELEASES = Path.of("src", "test", "resources", "releases");
  private static final String GROUPED = "customer 7";
  private static final List<DeliveryMessage> WAKEUPS = List.of(
      message(
          "run_traced",
          Map.of("traceparent", "00-0af7651916cd43dd8448eb211c80319c-01", "x", "\u00e4")),
      message("run_plain", null),
      message("run_bad", Map.of("tracestate", "a=b")));
  private static final List<String> UNREADABLE = List.of("no wakeup", "{\"v\":9}");

  private final ConsumerScene scene = new ConsumerScene(Brokers.shared());
  private final ScriptedWorker worker = new ScriptedWorker();

  @AfterEach
  void close() {
    scene.close();
  }

  private static DeliveryMessage message(String runId, Map<String, String> trace) {
    return new DeliveryMessage(
        new Environment("production"),
        runId,
        "mail",
        Instant.parse("2026-03-04T12:00:00.123457Z"),
        trace);
  }

  static List<Path> releases() throws Exception {
    try (Stream<Path> folders = Files.list(RELEASES)) {
      return folders.sorted().toList();
    }
  }

  private static List<JsonObject> stored(Path release, String part) throws Exception {
    JsonObject records = new JsonObject(Files.readString(release.resolve("records.json")));
    return records.getJsonArray(part).stream().map(JsonObject.class::cast).toList();
  }

  @ParameterizedTest
  @MethodSource("releases")
  void its_records_are_delivered_as_they_were_meant(Path release) throws Exception {
    KafkaTransport transport = scene.transport(scene.options());
    stored(release, "records").forEach(this::write);

    scene.join(transport, worker, 1);
    scene.untilNoLag();

    assertThat(worker.deliveries()).containsExactlyInAnyOrderElementsOf(WAKEUPS);
    assertThat(transport.deliveryCounts().deadLettered()).isEqualTo(UNREADABLE.size());
  }

  /** As somebody does it who puts them back after what was wrong was mended. */
  @ParameterizedTest
  @MethodSource("releases")
  void its_dead_letters_can_be_put_back(Path release) throws Exception {
    KafkaTransport transport = scene.transport(scene.options());
    List<JsonObject> letters = stored(release, "deadLetters");
    assertThat(letters).hasSize(1 + UNREADABLE.size());
    letters.forEach(this::write);

    scene.join(transport, worker, 1);
    scene.untilNoLag();

    assertThat(worker.deliveries()).containsExactly(WAKEUPS.get(2));
    assertThat(scene.topics.records(deadLetterTopic()))
        .hasSize(UNREADABLE.size())
        .allSatisfy(letter -> assertThat(letter.headers().headers(DeadLetters.TOPIC))
            .as("of this time alone")
            .singleElement()
            .extracting(EarlierRecordsTest::text)
            .isEqualTo(scene.topic));
  }

  /** Else a process of that release, which is still there, would not understand those of today. */
  @ParameterizedTest
  @MethodSource("releases")
  void records_of_today_hold_all_that_its_own_held(Path release) throws Exception {
    JsonObject today = written();

    for (String part : List.of("records", "deadLetters")) {
      for (JsonObject earlier : stored(release, part)) {
        JsonObject found = counterpart(today.getJsonArray(part), earlier);
        assertThat(found.getString("key")).isEqualTo(earlier.getString("key"));
        assertThat(found.getJsonObject("headers").fieldNames())
            .containsAll(earlier.getJsonObject("headers").fieldNames());
        readable(earlier)
            .ifPresent(fields -> assertThat(readable(found).orElseThrow().getMap())
                .containsAllEntriesOf(fields.getMap()));
      }
    }
  }

  private static JsonObject counterpart(JsonArray records, JsonObject earlier) {
    return records.stream()
        .map(JsonObject.class::cast)
        .filter(each -> readable(earlier)
            .map(fields -> readable(each)
                .filter(other -> other.getString("runId").equals(fields.getString("runId")))
                .isPresent())
            .orElseGet(() -> each.getString("value").equals(earlier.getString("value"))))
        .findFirst()
        .orElseThrow(() -> new AssertionError("nothing of today's is like " + earlier.encode()));
  }

  private static Optional<JsonObject> readable(JsonObject record) {
    return UNREADABLE.contains(record.getString("value"))
        ? Optional.empty()
        : Optional.of(new JsonObject(record.getString("value")));
  }

  private void write(JsonObject record) {
    ProducerRecord<byte[], byte[]> sent = new ProducerRecord<>(
        scene.topic,
        record.getString("key").getBytes(StandardCharsets.UTF_8),
        record.getString("value").getBytes(StandardCharsets.UTF_8));
    record.getJsonObject("headers").forEach(header -> sent.headers()
        .add(header.getKey(), ((String) header.getValue()).getBytes(StandardCharsets.UTF_8)));
    scene.topics.write(sent);
  }

  /** Not a test: writes the folder of the release that is named. */
  @Test
  @EnabledIfSystemProperty(named = "release.write", matches = ".+")
  void write() throws Exception {
    Path folder = Files.createDirectories(RELEASES.resolve(System.getProperty("release.write")));
    Files.writeString(folder.resolve("records.json"), written().encodePrettily() + '\n');
  }

  /** What this release writes: wakeups of both kinds of keys, and letters of both kinds of reasons. */
  private JsonObject written() {
    KafkaTransport transport = scene.transport(
        scene.options().setMaxAttempts(2),
        new KafkaQueue(QueuePolicy.unbounded("mail"), scene.topic)
            .setKey(KafkaRecordKey.CONCURRENCY_KEY));
    List<PublishWakeups.Attempt> attempts = new ArrayList<>();
    for (DeliveryMessage message : WAKEUPS) {
      String group = message.runId().equals("run_plain") ? GROUPED : null;
      attempts.add(new PublishWakeups.Attempt("msg_" + message.runId(), "tok_1", message, group));
    }
    assertThat(done(transport.publishWakeups(new PublishWakeups(attempts))))
        .allMatch(outcome -> outcome.isPublished());
    scene.topics.write(
        scene.topic,
        1,
        UNREADABLE.stream().map(each -> each.getBytes(StandardCharsets.UTF_8)).toList());
    worker.answering(message -> message.runId().equals("run_bad")
        ? Future.failedFuture(
            RunlaneException.unavailable(ErrorCode.STORAGE_UNAVAILABLE, null, "no storage"))
        : Future.succeededFuture(ScriptedWorker.DONE));
    scene.join(transport, worker, 1);
    scene.untilNoLag();
    return new JsonObject()
        .put("records", records(scene.topic))
        .put("deadLetters", records(deadLetterTopic()));
  }

  private JsonArray records(String topic) {
    JsonArray all = new JsonArray();
    for (ConsumerRecord<String, byte[]> record : scene.topics.records(topic)) {
      JsonObject headers = new JsonObject();
      for (Header header : record.headers()) {
        headers.put(header.key(), text(header));
      }
      all.add(new JsonObject()
          .put("key", record.key())
          .put("value", new String(record.value(), StandardCharsets.UTF_8))
          .put("headers", new JsonObject(new TreeMap<>(headers.getMap()))));
    }
    return all;
  }

  private String deadLetterTopic() {
    return scene.topic + ".dead-letter";
  }

  private static String text(Header header) {
    return new String(header.value(), StandardCharsets.UTF_8);
  }
}
