package dev.runlane.conformance.operator;

import static dev.runlane.conformance.given.TestRuns.queued;
import static dev.runlane.conformance.given.TestRuns.succeeded;
import static dev.runlane.conformance.kit.Given.ENVIRONMENT;
import static dev.runlane.conformance.kit.Given.NEXT_YEAR;
import static dev.runlane.conformance.kit.Given.NOON;
import static dev.runlane.conformance.kit.Given.OTHER_ENVIRONMENT;
import static dev.runlane.conformance.kit.Given.seconds;
import static dev.runlane.conformance.kit.Outcomes.assertFails;
import static dev.runlane.conformance.kit.Outcomes.done;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.conformance.kit.Rule;
import dev.runlane.operator.log.AppendLogLines;
import dev.runlane.operator.log.ListLogLines;
import dev.runlane.operator.log.LogLevel;
import dev.runlane.operator.log.LogLine;
import dev.runlane.run.Environment;
import dev.runlane.run.ErrorCode;
import dev.runlane.storage.run.PruneRuns;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** What handlers wrote. */
@DisplayName("lines of handlers")
public abstract class LogLineConformance extends OperatorConformance {
  @Test
  @Rule("operator")
  void a_line_is_kept_with_all_that_it_says() {
    given(queued("one"));
    LogLine warned = new LogLine(
        "one",
        2,
        1,
        seconds(3),
        LogLevel.WARN,
        "card declined\nby the bank \uD83C\uDFE6",
        Map.of("bank", "b1", "code", "51"));
    LogLine plain = new LogLine("one", 1, 7, NOON, LogLevel.DEBUG, "", Map.of());

    append(warned, plain);

    assertThat(list(ENVIRONMENT, "one")).containsExactly(plain, warned);
  }

  @Test
  @Rule("operator")
  void lines_are_listed_by_attempt_and_place_in_pages() {
    given(queued("one"));
    given(queued("two"));
    append(line("one", 2, 1), line("one", 1, 10), line("two", 1, 1), line("one", 1, 9));
    append(line("one", 1, 1));

    assertThat(
            pages(cursor -> operator.listLogLines(new ListLogLines(ENVIRONMENT, "one", 3, cursor))))
        .containsExactly(
            List.of(line("one", 1, 1), line("one", 1, 9), line("one", 1, 10)),
            List.of(line("one", 2, 1)));
    assertThat(list(ENVIRONMENT, "two")).containsExactly(line("two", 1, 1));
  }

  @Test
  @Rule("operator")
  void lines_that_are_sent_again_are_kept_once() {
    given(queued("one"));
    append(line("one", 1, 1), line("one", 1, 2));

    append(line("one", 1, 2), line("one", 1, 3));

    assertThat(list(ENVIRONMENT, "one")).hasSize(3);
  }

  @Test
  @Rule("operator")
  void of_a_run_that_does_not_exist_nothing_is_kept() {
    append(line("one", 1, 1));
    given(queued("one"));

    assertThat(list(ENVIRONMENT, "one")).isEmpty();
    append();
  }

  @Test
  @Rule("operator")
  void lines_go_with_their_run() {
    given(succeeded("one"));
    given(queued("two"));
    append(line("one", 1, 1), line("two", 1, 1));

    done(storage.pruneRuns(new PruneRuns(ENVIRONMENT, Set.of(), NEXT_YEAR, NEXT_YEAR, null, null)));

    assertThat(list(ENVIRONMENT, "one")).isEmpty();
    assertThat(list(ENVIRONMENT, "two")).hasSize(1);
  }

  @Test
  @Rule("operator")
  void environments_have_their_own_lines() {
    given(queued("one"));
    append(line("one", 1, 1));

    assertThat(list(OTHER_ENVIRONMENT, "one")).isEmpty();
  }

  @Test
  @Rule({"operator", "S12"})
  void malformed_commands_are_refused() {
    given(queued("one"));
    for (LogLine malformed : List.of(
        line("", 1, 1),
        line("one", 0, 1),
        line("one", 1, 0),
        new LogLine("one", 1, 1, NOON, LogLevel.INFO, "x".repeat(8_193), Map.of()),
        new LogLine("one", 1, 1, NOON, LogLevel.INFO, "half a pair \uD800", Map.of()))) {
      assertFails(
          operator.appendLogLines(
              new AppendLogLines(ENVIRONMENT, List.of(line("one", 1, 5), malformed))),
          ErrorCode.VALIDATION_FAILED);
    }
    assertFails(
        operator.listLogLines(new ListLogLines(ENVIRONMENT, "one", 0, null)),
        ErrorCode.VALIDATION_FAILED);
    assertThat(list(ENVIRONMENT, "one")).isEmpty();
  }

  private static LogLine line(String runId, int attempt, int number) {
    return new LogLine(runId, attempt, number, NOON, LogLevel.INFO, "line " + number, Map.of());
  }

  private void append(LogLine... lines) {
    done(operator.appendLogLines(new AppendLogLines(ENVIRONMENT, List.of(lines))));
  }

  private List<LogLine> list(Environment environment, String runId) {
    return done(operator.listLogLines(new ListLogLines(environment, runId, null, null)))
        .data();
  }
}
