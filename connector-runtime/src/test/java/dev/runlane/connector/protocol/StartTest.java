package dev.runlane.connector.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.runlane.connector.protocol.manifest.ConnectorManifest;
import dev.runlane.connector.protocol.start.CollectionMode;
import dev.runlane.connector.protocol.start.StartMessage;
import dev.runlane.connector.protocol.start.StartScope;
import dev.runlane.connector.protocol.start.StreamScope;
import dev.runlane.connector.protocol.start.TimeRange;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.Json;
import dev.runlane.run.RunlaneException;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayNameGeneration(ReplaceUnderscores.class)
class StartTest {
  @Test
  void R1_S1_without_a_scope_the_streams_are_those_of_the_manifest_that_it_supports() {
    assertThat(StartScope.derived(Shelf.manifest(), null).names())
        .containsExactly("books", "loans");
  }

  @Test
  void R1_S1_a_manifest_that_leaves_no_stream_is_refused() {
    ConnectorManifest manifest = ConnectorManifest.parse("""
        {"connector_id": "c", "version": "1",
         "streams": [{"name": "a", "availability": {"state": "unsupported_in_mode"}}]}""");

    assertThatThrownBy(() -> StartScope.derived(manifest, null))
        .extracting(StartTest::code)
        .isEqualTo(ErrorCode.CONNECTOR_INVALID);
  }

  @Test
  void R1_S1_the_owners_first_day_becomes_the_range_of_streams_with_a_consent_time() {
    StartScope scope = StartScope.derived(Shelf.manifest(), "2026-01-01");

    assertThat(scope.streams())
        .extracting(StreamScope::timeRange)
        .containsExactly(new TimeRange("2026-01-01", null), null);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{}",
        "[]",
        "{\"streams\": []}",
        "{\"streams\": [{}]}",
        "{\"streams\": [{\"name\": \" \"}]}",
        "{\"streams\": [{\"name\": \"*\"}]}",
        "{\"streams\": [{\"name\": \"films\"}]}",
        "{\"streams\": [{\"name\": \"books\", \"view\": \"short\"}]}",
        "{\"streams\": [{\"name\": \"books\", \"necessity\": \"required\"}]}",
        "{\"streams\": [{\"name\": \"books\", \"resources\": \"a\"}]}",
        "{\"streams\": [{\"name\": \"books\", \"resources\": [\"\"]}]}",
        "{\"streams\": [{\"name\": \"books\", \"fields\": []}]}",
        "{\"streams\": [{\"name\": \"books\", \"fields\": [\" \"]}]}",
        "{\"streams\": [{\"name\": \"books\", \"fields\": [1]}]}",
        "{\"streams\": [{\"name\": \"books\", \"time_range\": \"today\"}]}",
        "{\"streams\": [{\"name\": \"books\", \"time_range\": {\"since\": \"\"}}]}",
        "{\"streams\": [{\"name\": \"books\", \"time_range\": {\"since\": 5}}]}",
        "{\"streams\": [{\"name\": \"books\", \"time_range\": {\"since\": \"soon\"}}]}",
        "{\"streams\": [{\"name\": \"books\", \"time_range\": {\"since\": \"2026-01-02\", \"until\": \"2026-01-02\"}}]}",
        "{\"streams\": [{\"name\": \"books\"}, {\"name\": \"books\"}]}",
        "{\"streams\": [{\"name\": \"books\", \"name\": \"loans\"}]}"
      })
  void R1_S2_a_scope_that_cannot_be_kept_is_refused(String scope) {
    assertThatThrownBy(() -> StartScope.requested(Shelf.manifest(), Json.ofChecked(scope)))
        .extracting(StartTest::code)
        .isEqualTo(ErrorCode.VALIDATION_FAILED);
  }

  @Test
  void R1_S3_needed_fields_follow_those_that_were_asked_for() {
    StartScope scope = Shelf.scope("""
        {"name": "books", "fields": ["note", "id"], "time_range": {"since": "2026-01-01"}}""");

    assertThat(scope.streams().get(0).fields()).containsExactly("note", "id", "name", "updated_at");
  }

  @Test
  void R1_S3_the_consent_time_is_added_only_for_a_time_range() {
    StartScope scope = Shelf.scope("{\"name\": \"books\", \"fields\": [\"note\", \"id\"]}");

    assertThat(scope.streams().get(0).fields()).containsExactly("note", "id", "name");
  }

  @Test
  void R1_S4_network_and_filesystem_are_offered_and_interactive_only_with_somebody_to_answer() {
    assertThat(StartMessage.bindings(Shelf.manifest(), false, false))
        .containsExactly("filesystem", "network");
    assertThat(StartMessage.bindings(Shelf.manifest(), true, true))
        .containsExactly("filesystem", "interactive", "network");
  }

  @Test
  void a_binding_that_the_manifest_requires_and_the_run_has_not_is_refused() {
    ConnectorManifest manifest = ConnectorManifest.parse("""
        {"connector_id": "c", "version": "1", "streams": [{"name": "a"}],
         "runtime_requirements": {"bindings": {"interactive": {"required": true}}}}""");

    assertThatThrownBy(() -> StartMessage.bindings(manifest, false, false))
        .extracting(StartTest::code)
        .isEqualTo(ErrorCode.VALIDATION_FAILED);
  }

  @Test
  void the_line_holds_what_the_example_shows() {
    StartScope scope = Shelf.scope("""
        {"name": "books", "fields": ["rating"], "resources": ["b1"],
         "time_range": {"since": "2026-01-01T00:00:00Z"}}""");
    StartMessage start = new StartMessage(
        "run_7f3a",
        CollectionMode.INCREMENTAL,
        scope,
        Map.of("books", Json.ofChecked("{\"page\":\n 4}")),
        Set.of("network", "filesystem"));

    assertThat(start.line())
        .isEqualTo(
            "{\"type\":\"START\",\"run_id\":\"run_7f3a\",\"collection_mode\":\"incremental\","
                + "\"scope\":{\"streams\":[{\"name\":\"books\",\"resources\":[\"b1\"],"
                + "\"time_range\":{\"since\":\"2026-01-01T00:00:00Z\"},"
                + "\"fields\":[\"rating\",\"id\",\"name\",\"updated_at\"]}]},"
                + "\"state\":{\"books\":{\"page\":  4}},"
                + "\"bindings\":{\"filesystem\":{},\"network\":{}},\"detail_gaps\":[]}");
  }

  @Test
  void without_persistence_the_state_is_null() {
    StartMessage start = new StartMessage(
        "run_1", CollectionMode.FULL_REFRESH, Shelf.scope("{\"name\": \"loans\"}"), null, Set.of());

    assertThat(start.line()).contains("\"state\":null").contains("\"full_refresh\"");
  }

  @Test
  void a_cursor_that_is_neither_object_nor_null_is_refused_before_it_is_sent() {
    assertThatThrownBy(() -> new StartMessage(
            "run_1",
            CollectionMode.INCREMENTAL,
            Shelf.scope("{\"name\": \"loans\"}"),
            Map.of("loans", Json.ofChecked("[1]")),
            Set.of()))
        .extracting(StartTest::code)
        .isEqualTo(ErrorCode.VALIDATION_FAILED);
  }

  @Test
  void resources_of_a_run_now_hold_a_stream_to_them() {
    StartScope scope =
        StartScope.derived(Shelf.manifest(), null).withResources(Map.of("loans", List.of("a")));

    assertThat(scope.streams())
        .extracting(StreamScope::resources)
        .containsExactly(List.of(), List.of("a"));
    assertThatThrownBy(() -> scope.withResources(Map.of("films", List.of("a"))))
        .extracting(StartTest::code)
        .isEqualTo(ErrorCode.VALIDATION_FAILED);
  }

  private static ErrorCode code(Throwable failure) {
    return ((RunlaneException) failure).code();
  }
}
