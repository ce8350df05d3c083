package dev.runlane.cli.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

/** What no test can make of its own server: another release, no connection left, gigabytes of log. */
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
  void a_replication_slot_that_nobody_reads_from_is_a_warning_once_it_keeps_much() {
    assertThat(ServerChecks.slot("standby", (1L << 30) - 1, 99_999)).isEmpty();
    assertThat(ServerChecks.slot("standby", 3L << 30, 0)).singleElement().satisfies(finding -> {
      assertThat(finding.severity()).isEqualTo(Finding.Severity.WARNING);
      assertThat(finding.text())
          .isEqualTo(
              "Nobody reads from replication slot standby, which keeps 3 GiB of the server's log.");
      assertThat(finding.mend()).contains("SELECT pg_drop_replication_slot('standby');");
    });
    assertThat(ServerChecks.slot("standby", 0, 100_000))
        .singleElement()
        .satisfies(finding -> assertThat(finding.text())
            .contains("which keeps rows that died up to 100000 transactions ago."));
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
