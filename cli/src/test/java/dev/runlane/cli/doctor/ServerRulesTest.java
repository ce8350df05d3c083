package dev.runlane.cli.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

/** What no test can make of its own server: another release, and no connection left. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class ServerRulesTest {
  @Test
  void postgres_before_13_is_an_error() {
    assertThat(ServerChecks.version(120_022, "12.22"))
        .singleElement()
        .satisfies(finding -> assertThat(finding.text()).contains("PostgreSQL 12.22"));
    assertThat(ServerChecks.version(130_000, "13.0")).isEmpty();
  }

  @Test
  void connections_that_run_out_are_a_warning_and_then_an_error() {
    assertThat(ServerChecks.connections(79, 100)).isEmpty();
    assertThat(ServerChecks.connections(80, 100))
        .singleElement()
        .extracting(Finding::severity)
        .isEqualTo(Finding.Severity.WARNING);
    assertThat(ServerChecks.connections(97, 100))
        .singleElement()
        .extracting(Finding::severity)
        .isEqualTo(Finding.Severity.ERROR);
  }
}
