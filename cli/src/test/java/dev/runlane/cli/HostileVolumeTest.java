package dev.runlane.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.cli.report.ExitCode;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("full")
@Tag("drill")
@DisplayName("a connector at the command's own limits, within a heap of 256 MB,")
@DisplayNameGeneration(ReplaceUnderscores.class)
class HostileVolumeTest {
  private static final String HEAP = "256m";

  /** A gigabyte. */
  private static final int RECORDS = 11_000_000;

  @Test
  void with_more_records_than_would_fit_completes() throws Exception {
    try (CommandRun run = CommandRun.within(HEAP, List.of(), "many_records.sh", "" + RECORDS)) {
      assertThat(run.exitCode()).as(run.printed()).isEqualTo(ExitCode.COMPLETED.value());
      assertThat(run.accepted()).isEqualTo(RECORDS);
      assertThat(run.summary().path("records").path("items").path("bytes").asLong())
          .isGreaterThan(91L * RECORDS);
      run.assertOneEndAndNothingLeft();
    }
  }

  @Test
  void with_a_line_of_100_MB_fails_and_keeps_the_record_before_it() throws Exception {
    try (CommandRun run = CommandRun.within(HEAP, List.of(), "long_line.sh")) {
      assertThat(run.exitCode()).as(run.printed()).isEqualTo(ExitCode.FAILED.value());
      assertThat(run.violation().path("subtype").asText()).isEqualTo("line_too_long");
      assertThat(run.violation().path("line").asInt()).isEqualTo(2);
      assertThat(run.accepted()).isEqualTo(1);
      run.assertOneEndAndNothingLeft();
    }
  }

  @Test
  void with_a_line_that_never_ends_fails() throws Exception {
    try (CommandRun run = CommandRun.within(HEAP, List.of(), "endless_line.sh")) {
      assertThat(run.exitCode()).as(run.printed()).isEqualTo(ExitCode.FAILED.value());
      assertThat(run.violation().path("subtype").asText()).isEqualTo("line_too_long");
      run.assertOneEndAndNothingLeft();
    }
  }
}
