package dev.runlane.connector.run;

import static dev.runlane.connector.run.Runs.await;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.runlane.connector.protocol.manifest.ConnectorManifest;
import dev.runlane.connector.protocol.message.ConnectorMessage;
import dev.runlane.connector.protocol.message.InteractionStatus;
import dev.runlane.connector.protocol.message.Received;
import dev.runlane.connector.protocol.message.Violation;
import dev.runlane.connector.protocol.read.MessageReader;
import dev.runlane.connector.protocol.read.OutputChecks;
import dev.runlane.connector.protocol.start.CollectionMode;
import dev.runlane.connector.protocol.start.RuntimeReplies;
import dev.runlane.connector.protocol.start.StartMessage;
import dev.runlane.connector.protocol.start.StartScope;
import dev.runlane.connector.protocol.text.ReaderLimits;
import dev.runlane.connector.run.Runs.Begun;
import dev.runlane.connector.run.Runs.Finished;
import dev.runlane.run.Json;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

@DisplayName("the page about the lines of a connector")
@DisplayNameGeneration(ReplaceUnderscores.class)
class ProtocolPageTest {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Pattern SECTION = Pattern.compile("(?m)^## (.+)$");
  private static final Pattern BLOCK =
      Pattern.compile("(<!-- to the connector -->\n)?```json\n(.*?)```", Pattern.DOTALL);
  private static final Pattern SHELL = Pattern.compile("```sh\n(.*?)```", Pattern.DOTALL);
  private static final Pattern ROW = Pattern.compile("(?m)^\\| (`[^|]+`[^|]*) \\| (.*) \\|$");
  private static final Pattern NAME = Pattern.compile("`([a-z_]+)`");
  private static final ConnectorManifest MANIFEST = ConnectorManifest.parse("""
      {"connector_id": "shelf", "version": "1", "streams": [
        {"name": "books", "primary_key": ["isbn"], "consent_time_field": "bought_at",
         "schema": {"required": ["isbn", "title"]}},
        {"name": "loans", "primary_key": ["book", "day"]}]}""");

  private final String page = read();

  @Test
  void shows_an_example_of_every_message_and_the_runtime_reads_each() {
    Set<String> seen = new TreeSet<>();
    for (String line : lines(page, false)) {
      Received received = received(line);
      assertThat(received).as(line).isInstanceOf(ConnectorMessage.class);
      seen.add(tree(line).path("type").asText());
    }

    assertThat(seen)
        .containsExactlyInAnyOrder(
            "RECORD",
            "STATE",
            "PROGRESS",
            "SKIP_RESULT",
            "INTERACTION",
            "DONE",
            "DETAIL_GAP",
            "DETAIL_GAP_ATTEMPTED",
            "DETAIL_GAP_RECOVERED",
            "DETAIL_COVERAGE",
            "DETAIL_GAPS_PAGE_REQUEST",
            "ASSISTANCE",
            "ASSISTANCE_STATUS");
  }

  @Test
  void names_as_required_exactly_what_the_runtime_does_not_do_without() {
    for (String type :
        List.of("RECORD", "STATE", "PROGRESS", "SKIP_RESULT", "INTERACTION", "DONE")) {
      String section = sections().get(type);
      Map<String, Boolean> fields = fields(section);
      for (String line : lines(section, false)) {
        ObjectNode whole = tree(line);
        boolean first = line.equals(lines(section, false).get(0));
        whole.fieldNames().forEachRemaining(name -> {
          if (name.equals("type")) {
            return;
          }
          assertThat(fields).as("%s: the fields of the page", type).containsKey(name);
          ObjectNode without = whole.deepCopy();
          without.remove(name);
          if (first) {
            assertThat(received(without.toString()) instanceof Violation)
                .as("%s without %s", type, name)
                .isEqualTo(fields.get(name));
          }
        });
      }
    }
  }

  @Test
  void shows_what_the_runtime_writes() {
    StartScope scope = StartScope.requested(
        MANIFEST,
        Json.ofChecked("{\"streams\":[{\"name\":\"books\",\"resources\":[\"978-1\"],"
            + "\"time_range\":{\"since\":\"2026-01-01T00:00:00Z\"},"
            + "\"fields\":[\"isbn\",\"title\"]}]}"));
    StartMessage start = new StartMessage(
        "run_7f3a",
        CollectionMode.INCREMENTAL,
        scope,
        Map.of("books", Json.ofChecked("{\"page\":4}")),
        StartMessage.bindings(MANIFEST, true, false));

    assertThat(lines(page, true))
        .containsExactly(
            start.line(),
            RuntimeReplies.interactionResponse(
                "q1", InteractionStatus.SUCCESS, Json.ofChecked("{\"code\":\"123456\"}")),
            RuntimeReplies.interactionResponse("q2", InteractionStatus.CANCELLED, null),
            RuntimeReplies.interactionResponse("q3", InteractionStatus.TIMEOUT, null),
            RuntimeReplies.emptyGapsPage("p1"));
  }

  @Test
  void has_a_whole_connector_that_asks_and_runs() {
    Matcher script = SHELL.matcher(sections().get("A whole connector"));
    assertThat(script.find()).isTrue();
    for (InteractionStatus status :
        List.of(InteractionStatus.SUCCESS, InteractionStatus.CANCELLED)) {
      try (Runs runs = new Runs()) {
        runs.manifest = MANIFEST;
        runs.scope = StartScope.derived(MANIFEST, null);
        Begun begun = runs.begin(script.group(1));
        runs.signals.await("run.interaction_required");
        await(begun.run().answer("q1", status, null));

        Finished run = runs.finish(begun);

        assertThat(run.types())
            .last()
            .isEqualTo(status == InteractionStatus.SUCCESS ? "run.completed" : "run.failed");
        assertThat(run.end().path("records_emitted").asInt())
            .isEqualTo(status == InteractionStatus.SUCCESS ? 1 : 0);
      }
    }
  }

  private Map<String, String> sections() {
    Map<String, String> sections = new LinkedHashMap<>();
    Matcher titles = SECTION.matcher(page);
    String title = null;
    int start = 0;
    while (titles.find()) {
      if (title != null) {
        sections.put(title, page.substring(start, titles.start()));
      }
      title = titles.group(1);
      start = titles.end();
    }
    sections.put(String.valueOf(title), page.substring(start));
    return sections;
  }

  /** The fields of a section's table, and whether each is required. */
  private static Map<String, Boolean> fields(String section) {
    Map<String, Boolean> fields = new LinkedHashMap<>();
    Matcher rows = ROW.matcher(section);
    while (rows.find()) {
      Matcher names = NAME.matcher(rows.group(1));
      while (names.find()) {
        fields.put(names.group(1), rows.group(2).startsWith("required"));
      }
    }
    return fields;
  }

  private static List<String> lines(String text, boolean toConnector) {
    List<String> lines = new ArrayList<>();
    Matcher blocks = BLOCK.matcher(text);
    while (blocks.find()) {
      if ((blocks.group(1) != null) == toConnector) {
        blocks.group(2).lines().forEach(lines::add);
      }
    }
    assertThat(lines).isNotEmpty();
    return lines;
  }

  private static Received received(String line) {
    MessageReader reader = new MessageReader(
        OutputChecks.of(MANIFEST, StartScope.derived(MANIFEST, null)), ReaderLimits.DEFAULT);
    byte[] bytes = line.getBytes(StandardCharsets.UTF_8);
    return reader.read(bytes, 0, bytes.length, 1);
  }

  private static ObjectNode tree(String line) {
    try {
      JsonNode tree = JSON.readTree(line);
      return (ObjectNode) tree;
    } catch (IOException malformed) {
      throw new AssertionError(line, malformed);
    }
  }

  private static String read() {
    try {
      return Files.readString(Path.of("../connector-kit/PROTOCOL.md"));
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }
}
