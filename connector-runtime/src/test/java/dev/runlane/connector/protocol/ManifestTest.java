package dev.runlane.connector.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.runlane.connector.protocol.manifest.ConnectorManifest;
import dev.runlane.connector.protocol.manifest.ManifestStream;
import dev.runlane.connector.protocol.manifest.RefreshPolicy;
import dev.runlane.connector.protocol.message.InteractionKind;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunlaneException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayNameGeneration(ReplaceUnderscores.class)
class ManifestTest {
  @Test
  void a_manifest_is_read_with_what_runs_need_of_it() {
    ConnectorManifest manifest = Shelf.manifest();

    assertThat(manifest.connectorId()).isEqualTo("shelf");
    assertThat(manifest.displayName()).isEqualTo("My shelf");
    assertThat(manifest.requiredBindings()).containsExactly("network");
    assertThat(manifest.optionalBindings()).containsExactly("interactive");
    assertThat(manifest.interactionKinds()).containsExactly(InteractionKind.OTP);
    assertThat(manifest.stream("books"))
        .contains(new ManifestStream(
            "books",
            ManifestStream.Semantics.MUTABLE_STATE,
            List.of("id", "name"),
            List.of("id"),
            "updated_at",
            "updated_at",
            "author",
            false));
    assertThat(manifest.stream("loans").orElseThrow().semantics())
        .isEqualTo(ManifestStream.Semantics.APPEND_ONLY);
    RefreshPolicy policy = manifest.refreshPolicy();
    assertThat(policy).isNotNull();
    assertThat(policy.recommendedInterval()).isEqualTo(Duration.ofHours(1));
    assertThat(policy.allowsAutomaticRuns()).isTrue();
  }

  @ParameterizedTest
  @CsvSource({"append_only, APPEND_ONLY", "append, APPEND_ONLY", "mutable_state, MUTABLE_STATE"})
  void the_names_of_semantics_in_the_field_are_understood(
      String written, ManifestStream.Semantics meant) {
    String manifest = "{\"connector_id\":\"c\",\"version\":\"1\","
        + "\"streams\":[{\"name\":\"a\",\"semantics\":\"%s\"}]}";

    assertThat(ConnectorManifest.parse(manifest.formatted(written)).stream("a")
            .orElseThrow()
            .semantics())
        .isEqualTo(meant);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "[]",
        "{}",
        "{\"connector_id\":\"c\",\"version\":\"1\"}",
        "{\"connector_id\":\"c\",\"version\":\"1\",\"streams\":[]}",
        "{\"connector_id\":\"c\",\"version\":\"1\",\"streams\":[{}]}",
        "{\"connector_id\":\"c\",\"version\":\"1\",\"streams\":[\"a\"]}",
        "{\"connector_id\":\"c\",\"version\":\"1\",\"streams\":[{\"name\":\"*\"}]}",
        "{\"connector_id\":\"c\",\"version\":\"1\",\"streams\":[{\"name\":\"a\"},{\"name\":\"a\"}]}",
        "{\"connector_id\":\"c\",\"version\":\"1\",\"streams\":[{\"name\":\"a\",\"semantics\":\"odd\"}]}",
        "{\"connector_id\":\"c\",\"version\":\"1\",\"streams\":[{\"name\":\"a\",\"primary_key\":[1]}]}",
        "{\"connector_id\":\"c\",\"version\":\" \",\"streams\":[{\"name\":\"a\"}]}",
        "{\"connector_id\":\"c\\u0000\",\"version\":\"1\",\"streams\":[{\"name\":\"a\"}]}",
        "{\"connector_id\":\"c\",\"version\":\"1\",\"streams\":[{\"name\":\"a\"}],\"x\":1e99999999999}",
        "{\"connector_id\":\"c\",\"connector_id\":\"d\",\"version\":\"1\",\"streams\":[{\"name\":\"a\"}]}",
        "{\"protocol_version\":\"9\",\"connector_id\":\"c\",\"version\":\"1\",\"streams\":[{\"name\":\"a\"}]}",
        "{\"connector_id\":\"c\",\"version\":\"1\",\"streams\":[{\"name\":\"a\"}],\"runtime_requirements\":{\"bindings\":[]}}"
      })
  void a_manifest_that_cannot_be_used_is_refused(String text) {
    assertInvalid(text);
  }

  @Test
  void a_manifest_with_a_name_too_long_to_store_is_refused() {
    String manifest = "{\"connector_id\":\"%s\",\"version\":\"1\",\"streams\":[{\"name\":\"%s\"}]}";
    String longest = "é".repeat(256);

    assertThat(ConnectorManifest.parse(manifest.formatted(longest, longest)).connectorId())
        .isEqualTo(longest);
    assertInvalid(manifest.formatted(longest + "x", "a"));
    assertInvalid(manifest.formatted("c", longest + "x"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{}",
        "{\"recommended_mode\":\"sometimes\",\"rationale\":\"r\"}",
        "{\"recommended_mode\":\"manual\"}",
        "{\"recommended_mode\":\"manual\",\"rationale\":\"r\",\"mood\":1}",
        "{\"recommended_mode\":\"manual\",\"rationale\":\"r\",\"minimum_interval_seconds\":0}",
        "{\"recommended_mode\":\"manual\",\"rationale\":\"r\",\"minimum_interval_seconds\":1.5}",
        "{\"recommended_mode\":\"manual\",\"rationale\":\"r\",\"minimum_interval_seconds\":9,\"recommended_interval_seconds\":8}",
        "{\"recommended_mode\":\"manual\",\"rationale\":\"r\",\"max_cooldown_cycles\":25}",
        "{\"recommended_mode\":\"manual\",\"rationale\":\"r\",\"max_recovery_attempts\":21}",
        "{\"recommended_mode\":\"manual\",\"rationale\":\"r\",\"rate_limit_sensitivity\":\"huge\"}",
        "{\"recommended_mode\":\"manual\",\"rationale\":\"r\",\"background_safe\":\"yes\"}"
      })
  void a_refresh_policy_outside_its_rules_is_refused(String policy) {
    assertInvalid(
        "{\"connector_id\":\"c\",\"version\":\"1\",\"streams\":[{\"name\":\"a\"}],\"capabilities\":{\"refresh_policy\":"
            + policy + "}}");
  }

  @ParameterizedTest
  @CsvSource({
    "automatic,,true",
    "automatic,false,false",
    "automatic,true,true",
    "manual,,false",
    "manual,true,true",
    "manual,false,false",
    "paused,true,false"
  })
  void a_policy_allows_automatic_runs_by_mode_and_by_whether_nobody_need_be_there(
      String mode, Boolean backgroundSafe, boolean allowed) {
    RefreshPolicy policy = ConnectorManifest.parse(
            "{\"connector_id\":\"c\",\"version\":\"1\",\"streams\":[{\"name\":\"a\"}],\"capabilities\":{\"refresh_policy\":{\"recommended_mode\":\""
                + mode + "\",\"rationale\":\"r\",\"background_safe\":" + backgroundSafe + "}}}")
        .refreshPolicy();

    assertThat(policy).isNotNull();
    assertThat(policy.allowsAutomaticRuns()).isEqualTo(allowed);
  }

  @Test
  void R7_S1_the_fingerprint_depends_on_version_and_stream_names_alone() {
    String fingerprint = fingerprint("1", "a", "b");

    assertThat(fingerprint("1", "b", "a")).isEqualTo(fingerprint);
    assertThat(fingerprint("2", "a", "b")).isNotEqualTo(fingerprint);
    assertThat(fingerprint("1", "ab")).isNotEqualTo(fingerprint);
    assertThat(fingerprint("1", "a", "b", "c")).isNotEqualTo(fingerprint);
  }

  private static String fingerprint(String version, String... streams) {
    StringBuilder list = new StringBuilder();
    for (String stream : streams) {
      list.append(list.isEmpty() ? "" : ",")
          .append("{\"name\":\"")
          .append(stream)
          .append("\"}");
    }
    return ConnectorManifest.parse("{\"connector_id\":\"c\",\"version\":\"" + version
            + "\",\"display_name\":\"" + streams.length + "\",\"streams\":[" + list + "]}")
        .fingerprint();
  }

  private static void assertInvalid(String text) {
    assertThatThrownBy(() -> ConnectorManifest.parse(text))
        .isInstanceOfSatisfying(RunlaneException.class, failure -> assertThat(failure.code())
            .isEqualTo(ErrorCode.CONNECTOR_INVALID));
  }
}
