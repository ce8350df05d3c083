package dev.runlane.connectorkit;

import static dev.runlane.connectorkit.Conversation.JSON;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.runlane.connectorkit.message.ConnectorRecord;
import dev.runlane.connectorkit.message.Interaction;
import dev.runlane.connectorkit.message.Progress;
import dev.runlane.connectorkit.message.RecordKey;
import dev.runlane.connectorkit.message.Skip;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("a record outside the scope")
@DisplayNameGeneration(ReplaceUnderscores.class)
class ScopeTest {

  private static final String START =
      "{'type':'START','run_id':'r','scope':{'streams':[{'name':'books','resources':['s1','[\"a\",\"b\"]'],"
          + "'fields':['isbn','shelf','bought_at'],"
          + "'time_range':{'since':'2026-01-01T00:00:00Z','until':'2026-02-01'}}]}}";

  @TempDir
  Path folder;

  private Path manifest;

  @BeforeEach
  void manifest() throws Exception {
    manifest = folder.resolve("manifest.json");
    Files.writeString(
        manifest,
        "{'streams':[{'name':'books','consent_time_field':'bought_at','selection':{'resource_field':'shelf'}}]}"
            .replace('\'', '"'));
  }

  @Test
  void is_not_sent_and_fails_the_run() throws Exception {
    for (String outside : List.of(
        "{'shelf':'s2','bought_at':'2026-01-05'}", // resource
        "{'shelf':'s1','bought_at':'2026-01-05','note':'mine'}", // field
        "{'shelf':'s1','bought_at':'2025-12-31T23:59:59Z'}", // too early
        "{'shelf':'s1','bought_at':'2026-02-01T00:00:00Z'}", // until is excluded
        "{'shelf':'s1'}")) {
      List<JsonNode> messages = messages(manifest, record("1", outside));

      assertThat(messages).as(outside).hasSize(1);
      assertThat(messages.get(0).path("records_emitted").asInt()).isZero();
      assertThat(messages.get(0).path("error").path("code").asText())
          .isEqualTo("record_outside_scope");
      assertThat(messages.get(0).path("error").path("message").asText()).doesNotContain("mine");
    }
  }

  @Test
  void is_one_of_a_stream_that_was_not_asked_for() throws Exception {
    List<JsonNode> messages =
        messages(null, ConnectorRecord.of("films", "1", JSON.createObjectNode()));

    assertThat(messages.get(0).path("error").path("code").asText())
        .isEqualTo("record_outside_scope");
  }

  @Test
  void is_told_from_one_inside_by_the_manifest() throws Exception {
    assertThat(sent(manifest, record("1", "{'shelf':'s1','bought_at':'2026-01-01'}")))
        .isTrue();
    assertThat(sent(manifest, record("s1", "{'bought_at':'2026-01-31T23:59:59.999+00:00'}")))
        .isTrue();
    ConnectorRecord compound =
        ConnectorRecord.of("books", RecordKey.of("a", "b"), object("{'bought_at':'2026-01-05'}"));
    assertThat(sent(manifest, compound)).isTrue();
  }

  @Test
  void is_left_to_the_runtime_where_the_kit_cannot_tell() throws Exception {
    assertThat(sent(null, record("1", "{'shelf':'s2'}"))).isTrue();
    assertThat(sent(null, record("1", "{'note':''}"))).isFalse();
    assertThat(sent(manifest, record("s1", "{'bought_at':'Mon, 5 Jan 2026 09:00:00 GMT'}")))
        .isTrue();
  }

  @Test
  void is_none_where_the_kit_cannot_read_the_bound() throws Exception {
    for (String range : List.of(
        "'since':'2026-01','until':'2026-02-01'",
        "'since':'2026-01-01 00:00:00','until':'2026-02-01T00:00:00+0200'",
        "'since':'2026-01'")) {
      String start = START.replace("'since':'2026-01-01T00:00:00Z','until':'2026-02-01'", range);

      assertThat(messages(start, manifest, record("s1", "{'bought_at':'2026-01-05'}")))
          .as(range)
          .hasSize(2);
    }
    String until = START.replace("'since':'2026-01-01T00:00:00Z'", "'since':'2026-01'");
    assertThat(messages(until, manifest, record("s1", "{'bought_at':'2026-02-05'}")))
        .as("the bound that it can read")
        .hasSize(1);
  }

  @Test
  void is_no_deletion_whose_data_have_no_time() throws Exception {
    assertThat(sent(manifest, deletion("{'shelf':'s1'}"))).isTrue();
    assertThat(sent(manifest, deletion("{'shelf':'s1','bought_at':'2026-01-05'}")))
        .isTrue();
    assertThat(sent(manifest, deletion("{'shelf':'s1','bought_at':'2025-01-05'}")))
        .isFalse();
  }

  @Test
  void can_be_passed_over_instead() throws Exception {
    ConnectorOptions options = new ConnectorOptions().setManifest(manifest);
    try (Conversation runtime = Conversation.with(
        options, run -> assertThat(run.isInScope(record("1", "{'shelf':'s2'}"))).isFalse())) {
      assertThat(runtime.say(unescaped(START)).next().path("status").asText())
          .isEqualTo("succeeded");
    }
  }

  @Test
  void has_company_in_states_and_progress_of_undeclared_streams() throws Exception {
    for (ConnectorBody body : List.<ConnectorBody>of(
        run -> run.state("films", null),
        run -> run.progress(Progress.of("films", "x", 1, 2)),
        run -> run.skip(Skip.of("films", "x", "y")),
        run -> run.ask(Interaction.otp("code").about("films")))) {
      try (Conversation runtime = Conversation.with(body)) {
        assertThat(runtime.start().next().path("error").path("code").asText())
            .isEqualTo("stream_outside_scope");
      }
    }
  }

  private static boolean sent(Path manifest, ConnectorRecord record) throws Exception {
    return messages(manifest, record).size() == 2;
  }

  private static List<JsonNode> messages(Path manifest, ConnectorRecord record) throws Exception {
    return messages(START, manifest, record);
  }

  private static List<JsonNode> messages(String start, Path manifest, ConnectorRecord record)
      throws Exception {
    ConnectorOptions options = new ConnectorOptions().setManifest(manifest);
    try (Conversation runtime = Conversation.with(options, run -> run.record(record))) {
      return runtime.say(unescaped(start)).untilDone();
    }
  }

  /** The quotes inside of a resource's name stay escaped in JSON. */
  private static String unescaped(String start) {
    return start.replace("[\"a\",\"b\"]", "[\\\"a\\\",\\\"b\\\"]");
  }

  private static ConnectorRecord record(String key, String data) {
    return ConnectorRecord.of("books", key, object(data));
  }

  private static ConnectorRecord deletion(String data) {
    return new ConnectorRecord("books", RecordKey.of("1"), object(data), null, true);
  }

  private static ObjectNode object(String text) {
    try {
      return (ObjectNode) JSON.readTree(text.replace('\'', '"'));
    } catch (Exception invalid) {
      throw new AssertionError(text, invalid);
    }
  }
}
