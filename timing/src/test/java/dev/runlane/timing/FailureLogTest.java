package dev.runlane.timing;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunlaneException;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** What an outage writes to the log, read from where it is written to. */
class FailureLogTest {
  private final ManualTimers timers =
      new ManualTimers(ManualClock.at(Instant.parse("2026-01-01T12:00:00Z")));
  private final FailureLog failures =
      new FailureLog(LoggerFactory.getLogger(FailureLogTest.class), "a heartbeat", timers);

  private static RunlaneException outage(String runId) {
    return RunlaneException.unavailable(
        ErrorCode.STORAGE_UNAVAILABLE, null, "the storage did not answer about run %s", runId);
  }

  private static RunlaneException broken(String runId) {
    return RunlaneException.of(
        ErrorCode.ADAPTER_CONTRACT_VIOLATION, "the storage answered nonsense about run %s", runId);
  }

  private static List<String> linesOf(Runnable action) {
    PrintStream before = System.err;
    ByteArrayOutputStream log = new ByteArrayOutputStream();
    System.setErr(new PrintStream(log, true, StandardCharsets.UTF_8));
    try {
      action.run();
    } finally {
      System.setErr(before);
    }
    return log.toString(StandardCharsets.UTF_8).lines().toList();
  }

  private static List<String> withoutTraces(List<String> lines) {
    return lines.stream().filter(line -> line.contains("a heartbeat")).toList();
  }

  @Test
  void an_outage_that_thousands_notice_is_a_few_lines_without_a_trace() {
    List<String> lines = linesOf(() -> {
      for (int second = 0; second < 60; second++) {
        for (int run = 0; run < 1_000; run++) {
          failures.failed(outage("run_" + run), Duration.ofSeconds(1));
        }
        timers.advance(Duration.ofSeconds(1));
      }
    });

    assertThat(lines).hasSizeBetween(4, 8);
    assertThat(lines).anyMatch(line -> line.contains("failed 1001 times in a row"));
  }

  @Test
  void what_fails_for_some_and_works_for_others_does_not_write_more() {
    List<String> lines = linesOf(() -> {
      for (int call = 0; call < 10_000; call++) {
        failures.failed(outage("run_" + call), Duration.ofSeconds(1));
        failures.succeeded();
        timers.advance(Duration.ofMillis(1));
      }
    });

    assertThat(withoutTraces(lines)).hasSizeBetween(2, 6);
  }

  @Test
  void its_end_is_told_once_and_the_same_failure_soon_after_without_its_trace() {
    linesOf(() -> failures.failed(broken("run_1"), Duration.ofSeconds(1)));
    timers.advance(Duration.ofSeconds(2));
    List<String> over = linesOf(failures::succeeded);
    List<String> quiet = linesOf(failures::succeeded);
    List<String> again = linesOf(() -> failures.failed(broken("run_2"), Duration.ofSeconds(1)));
    timers.advance(Duration.ofMinutes(2));
    failures.succeeded();
    List<String> later = linesOf(() -> failures.failed(broken("run_3"), Duration.ofSeconds(1)));

    assertThat(over).singleElement().asString().contains("works again after failing 1 times");
    assertThat(quiet).isEmpty();
    assertThat(again).singleElement().asString().contains("a heartbeat failed, next in PT1S");
    assertThat(later).as("with its trace").hasSizeGreaterThan(1);
  }

  @Test
  void failures_that_are_all_different_write_a_bounded_number_of_traces() {
    List<String> lines = linesOf(() -> {
      for (int call = 0; call < 1_000; call++) {
        failures.failed(new IllegalStateException("no. " + call), "it is left alone");
      }
    });

    assertThat(lines.stream().filter(line -> line.startsWith("java.lang.IllegalState")))
        .hasSize(8);
  }

  @Test
  void what_is_given_up_is_an_error_that_is_counted_alike() {
    List<String> lines = linesOf(() -> {
      for (int given = 0; given < 10_000; given++) {
        failures.gaveUp("message " + given);
        timers.advance(Duration.ofMillis(1));
      }
    });

    assertThat(lines).hasSizeBetween(2, 6).allMatch(line -> line.contains("ERROR"));
    assertThat(lines.get(0)).contains("a heartbeat: message 0");
    assertThat(lines.get(1)).contains("times in a row, the last: message");
  }

  @Test
  void a_failure_that_cannot_say_what_it_is_is_logged_by_its_class() {
    List<String> lines = linesOf(() -> {
      failures.failed(new Speechless(), Duration.ofSeconds(1));
      timers.advance(Duration.ofSeconds(2));
      failures.failed(new Speechless(), Duration.ofSeconds(1));
    });

    assertThat(withoutTraces(lines)).hasSize(2);
    assertThat(lines).anySatisfy(line -> assertThat(line).contains(Speechless.class.getName()));
  }

  @Test
  void a_failure_that_says_very_much_is_cut_in_lines() {
    RuntimeException endless = new IllegalStateException("m".repeat(1 << 20));

    List<String> lines = linesOf(() -> {
      failures.failed(endless, Duration.ofSeconds(1)); // with its trace
      timers.advance(Duration.ofSeconds(2));
      failures.failed(endless, Duration.ofSeconds(1));
    });

    assertThat(FailureLog.text(endless)).hasSize(2_003).endsWith("m...");
    assertThat(lines.get(lines.size() - 1)).contains("2 times in a row").hasSizeLessThan(2_500);
  }

  private static final class Speechless extends RuntimeException {
    private static final long serialVersionUID = 1;

    @Override
    public String toString() {
      throw new IllegalStateException("no words");
    }
  }
}
