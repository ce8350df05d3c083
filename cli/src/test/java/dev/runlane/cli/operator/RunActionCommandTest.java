package dev.runlane.cli.operator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.runlane.cli.command.JsonAnswers;
import dev.runlane.cli.command.OperatorConsole;
import dev.runlane.cli.command.OperatorExit;
import dev.runlane.cli.command.RecordedConsole;
import dev.runlane.cli.operate.Operations;
import dev.runlane.cli.operator.RunActionCommand.Acted;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunCounters;
import dev.runlane.run.RunStatus;
import dev.runlane.run.RunlaneException;
import dev.runlane.run.StorageConflictKind;
import dev.runlane.runtime.task.RunActionOptions;
import dev.runlane.storage.read.Page;
import dev.runlane.storage.read.RunFilter;
import dev.runlane.storage.read.RunSummary;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

@DisplayName("an action on runs that ends in the middle")
@DisplayNameGeneration(ReplaceUnderscores.class)
class RunActionCommandTest {
  private static final Instant OLDER = Instant.parse("2026-11-27T01:10:00Z");
  private static final Instant NEWER = Instant.parse("2026-11-27T02:20:00Z");
  private static final String GOES_ON = " goes on with what is left";
  private static final String BY_ID = "; give others of that very instant by their ids";
  private static final Duration PATIENT = OperatorConsole.DEFAULT_PATIENCE;
  private static final Duration BRIEF = Duration.ofMillis(50);
  private static final RunlaneException AWAY =
      RunlaneException.unavailable(ErrorCode.STORAGE_UNAVAILABLE, null, "the database is away");

  private final RecordedConsole console = new RecordedConsole();
  private final Deque<Supplier<Future<Page<RunSummary>>>> pages = new ArrayDeque<>();
  private final Map<String, Future<Acted>> answers = new HashMap<>();
  private final List<String> recorded = new ArrayList<>();
  private final List<RunFilter> asked = new ArrayList<>();
  private boolean repeats = true;

  /** Done to each run that has no other answer. */
  private final class Rerun extends RunActionCommand {
    Rerun(OperatorConsole console) {
      super(console, Set.of(RunStatus.FAILED), "rerun");
    }

    @Override
    boolean repeats() {
      return repeats;
    }

    @Override
    String verb() {
      return "rerun";
    }

    @Override
    Future<Acted> act(Operations operations, String runId, RunActionOptions options) {
      return answers.getOrDefault(
          runId,
          Future.succeededFuture(
              new Acted(JsonAnswers.object().put("newRunId", "new_" + runId), null)));
    }
  }

  private OperatorExit run(Duration patience, String... arguments) {
    RunActionCommand command = new Rerun(console.within(patience));
    new CommandLine(command).parseArgs(arguments);
    return command
        .work()
        .on(RecordedConsole.answering(
            Operations.class,
            (proxy, method, given) -> method.getName().equals("recorded")
                ? recorded((Operations.Action) given[0], (Supplier<?>) given[2])
                : asked(given)));
  }

  private Future<Page<RunSummary>> asked(Object[] given) {
    asked.add((RunFilter) given[1]);
    return pages.remove().get();
  }

  private @Nullable Object recorded(Operations.Action action, Supplier<?> work) {
    Object result = work.get();
    if (action.name().startsWith("runs.") && result instanceof Future<?> told) {
      told.onComplete(end -> recorded.add(action.name() + " of " + action.target() + ": "
          + (end.failed() ? "failed: " + end.cause().getMessage() : end.result())));
    }
    return result;
  }

  private void page(@Nullable String next, RunSummary... runs) {
    pages.add(() -> Future.succeededFuture(new Page<>(List.of(runs), next)));
  }

  private static Instant after(Instant instant) {
    return instant.plus(1, ChronoUnit.MICROS);
  }

  private static RunSummary failed(String id, Instant createdAt) {
    return new RunSummary(
        id,
        "charge",
        "default",
        RunStatus.FAILED,
        3,
        RunCounters.ZERO,
        null,
        null,
        null,
        null,
        null,
        null,
        createdAt,
        createdAt,
        createdAt,
        createdAt);
  }

  @Test
  void a_page_that_cannot_be_read_ends_it_with_what_was_done_and_how_to_go_on() {
    page(null, failed("a", OLDER), failed("b", NEWER));
    page("next", failed("a", OLDER));
    pages.add(() -> Future.failedFuture(AWAY));

    assertThatThrownBy(() -> run(PATIENT, "--task", "charge", "--yes")).isSameAs(AWAY);

    assertThat(console.out()).isEqualTo("1 rerun\n");
    assertThat(console.err())
        .isEqualTo("runlane: the same command with --since " + after(OLDER) + " --until "
            + RecordedConsole.NOW + GOES_ON + BY_ID + "\n");
    assertThat(recorded)
        .containsExactly("runs.bulk_rerun of status=failed task=charge createdBefore="
            + RecordedConsole.NOW + ": failed: the database is away; 1 rerun before that");
  }

  @Test
  void an_age_becomes_the_instant_that_it_was_at_the_start_of_the_command() {
    page(null, failed("a", OLDER), failed("b", NEWER));
    page("next", failed("a", OLDER));
    pages.add(() -> {
      console.interrupt();
      return Promise.<Page<RunSummary>>promise().future();
    });

    assertThatThrownBy(() -> run(PATIENT, "--task", "charge", "--since", "2h", "--yes"))
        .isInstanceOf(OperatorConsole.Interrupted.class);

    assertThat(console.out()).isEqualTo("1 rerun\n");
    assertThat(console.err())
        .isEqualTo("runlane: the same command with --since " + after(OLDER) + " --until "
            + RecordedConsole.NOW + GOES_ON + BY_ID + "\n");
  }

  /** Others may have been made in that instant, and it does nothing to those that it was done to. */
  @Test
  void what_does_nothing_twice_goes_on_with_the_instant_that_it_had_come_to() {
    repeats = false;
    page(null, failed("a", OLDER), failed("b", NEWER));
    page("next", failed("a", OLDER));
    pages.add(() -> Future.failedFuture(AWAY));

    assertThatThrownBy(() -> run(PATIENT, "--task", "charge", "--yes")).isSameAs(AWAY);

    assertThat(console.err())
        .isEqualTo("runlane: the same command with --since " + OLDER + " --until "
            + RecordedConsole.NOW + GOES_ON + "\n");
  }

  @Test
  void a_time_that_is_still_to_come_ends_with_now_so_that_it_comes_to_no_run_that_it_makes() {
    page(null, failed("a", OLDER), failed("b", NEWER));
    page("next", failed("a", OLDER));
    pages.add(() -> Future.failedFuture(AWAY));

    assertThatThrownBy(() -> run(PATIENT, "--until", "2100-01-01T00:00:00Z", "--yes"))
        .isSameAs(AWAY);

    assertThat(asked).hasSize(3).allSatisfy(filter -> assertThat(filter.createdBefore())
        .isEqualTo(RecordedConsole.NOW));
    assertThat(console.err()).contains("--until " + RecordedConsole.NOW + GOES_ON);
    assertThat(recorded).first().asString().contains("createdBefore=" + RecordedConsole.NOW);
  }

  /** This clock may be ahead of the one that stamps runs: the filter takes what the command makes. */
  @Test
  void runs_that_it_has_made_are_passed_over_whatever_the_clocks_say_and_left_out_by_the_next() {
    RunSummary made = failed("new_a", RecordedConsole.NOW.minusSeconds(30));
    answers.put("a", Future.succeededFuture(new Acted(JsonAnswers.object(), made)));
    page(null, failed("a", OLDER), failed("b", NEWER));
    page("second", failed("a", OLDER));
    page("third", failed("b", NEWER), failed("new_a", made.createdAt()));
    pages.add(() -> Future.failedFuture(AWAY));

    assertThatThrownBy(() -> run(PATIENT, "--task", "charge", "--yes")).isSameAs(AWAY);

    assertThat(console.out()).isEqualTo("2 rerun\n");
    assertThat(console.err()).contains("--until " + made.createdAt() + GOES_ON);
  }

  @Test
  void an_interruption_before_the_first_run_leaves_all_that_there_were() {
    page(null, failed("a", OLDER));
    pages.add(() -> {
      console.interrupt();
      return Promise.<Page<RunSummary>>promise().future();
    });

    assertThatThrownBy(() -> run(PATIENT, "--task", "charge", "--yes"))
        .isInstanceOf(OperatorConsole.Interrupted.class);

    assertThat(console.out()).isEqualTo("0 rerun\n");
    assertThat(console.err())
        .contains("the same command with --until " + RecordedConsole.NOW + " goes on");
  }

  @Test
  void runs_whose_answer_does_not_come_are_named_and_left_out_by_the_command_that_goes_on() {
    Promise<Acted> silent = Promise.promise();
    answers.put("b", silent.future());
    page(null, failed("a", OLDER), failed("b", NEWER));
    page(null, failed("a", OLDER), failed("b", NEWER));

    assertThatThrownBy(() -> run(BRIEF, "--task", "charge", "--yes"))
        .isInstanceOfSatisfying(RunlaneException.class, failure -> assertThat(failure.code())
            .isEqualTo(ErrorCode.STORAGE_UNAVAILABLE));

    silent.complete(new Acted(JsonAnswers.object(), null));
    assertThat(console.out()).isEqualTo("1 rerun\n");
    assertThat(console.err())
        .isEqualTo("runlane: run b: not known whether it was rerun\n"
            + "runlane: the same command with --since " + after(NEWER) + " --until "
            + RecordedConsole.NOW + GOES_ON + ", behind the runs named above" + BY_ID + "\n");
  }

  @Test
  void a_token_that_is_refused_ends_it_and_sends_no_other_run() {
    RunlaneException refused = RunlaneException.configurationInvalid("the token may not do this");
    RunSummary[] many =
        IntStream.range(0, 20).mapToObj(at -> failed("r" + at, NEWER)).toArray(RunSummary[]::new);
    IntStream.range(0, 20).forEach(at -> answers.put("r" + at, Future.failedFuture(refused)));
    page(null, many);
    page(null, many);

    assertThatThrownBy(() -> run(PATIENT, "--task", "charge", "--yes")).isSameAs(refused);

    assertThat(console.err().lines())
        .hasSize(9)
        .startsWith("runlane: run r0: the token may not do this")
        .last()
        .asString()
        .endsWith(GOES_ON + ", behind the runs named above" + BY_ID);
  }

  @Test
  void of_runs_that_are_named_it_says_which_were_not_tried() {
    answers.put("b", Future.failedFuture(AWAY));

    assertThatThrownBy(() -> run(PATIENT, "a", "b", "c", "d")).isSameAs(AWAY);

    assertThat(console.out()).isEqualTo("Run a is made again as new_a\n");
    assertThat(console.err())
        .isEqualTo("runlane: run b: not known whether it was rerun\nrunlane: not tried: c d\n");
  }

  @Test
  void an_interruption_among_named_runs_tells_the_same() {
    answers.put("b", Promise.<Acted>promise().future());
    console.interrupt();

    assertThatThrownBy(() -> run(PATIENT, "b", "c"))
        .isInstanceOf(OperatorConsole.Interrupted.class);

    assertThat(console.err())
        .isEqualTo("runlane: run b: not known whether it was rerun\nrunlane: not tried: c\n");
  }

  @Test
  void a_conflict_over_one_run_keeps_no_other_from_its_turn() {
    answers.put(
        "a",
        Future.failedFuture(
            RunlaneException.conflict(StorageConflictKind.EVENT_SEQUENCE, "somebody was faster")));

    assertThat(run(PATIENT, "a", "b")).isEqualTo(OperatorExit.FAILED);

    assertThat(console.out()).isEqualTo("Run b is made again as new_b\n");
    assertThat(console.err()).isEqualTo("runlane: run a: somebody was faster\n");
  }
}
