package dev.runlane.cli.jobs;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.runlane.cli.command.OperatorConsole;
import dev.runlane.cli.command.OperatorExit;
import dev.runlane.cli.command.RecordedConsole;
import dev.runlane.cli.operate.JobOperations;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunlaneException;
import dev.runlane.run.StorageConflictKind;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

@DisplayName("changes of jobs that end in the middle, or take long")
@DisplayNameGeneration(ReplaceUnderscores.class)
class JobChangesTest {
  private static final RunlaneException AWAY =
      RunlaneException.unavailable(ErrorCode.STORAGE_UNAVAILABLE, null, "the database is away");

  private final RecordedConsole console = new RecordedConsole();

  private OperatorExit remove(Map<String, Future<Void>> answers, String... jobs) {
    JobChanges.Remove command = new JobChanges.Remove(console.patient());
    new CommandLine(command).parseArgs(arguments(jobs));
    return command
        .work()
        .on(RecordedConsole.answering(
            JobOperations.class,
            (proxy, method, given) ->
                answers.getOrDefault((String) given[1], Future.succeededFuture())));
  }

  private static String[] arguments(String... jobs) {
    String[] arguments = new String[jobs.length + 1];
    arguments[0] = "mails";
    System.arraycopy(jobs, 0, arguments, 1, jobs.length);
    return arguments;
  }

  @Test
  void an_outage_tells_what_was_done_what_is_not_known_and_what_was_not_tried() {
    assertThatThrownBy(
            () -> remove(Map.of("c", Future.failedFuture(AWAY)), "a", "b", "c", "d", "e"))
        .isSameAs(AWAY);

    assertThat(console.out()).isEqualTo("2 jobs removed\n");
    assertThat(console.err())
        .isEqualTo("runlane: job c: not known whether it was removed\nrunlane: not tried: d e\n");
  }

  @Test
  void a_conflict_over_one_job_keeps_no_other_from_its_turn() {
    Future<Void> conflict = Future.failedFuture(
        RunlaneException.conflict(StorageConflictKind.JOB_STATE, "a worker was faster"));

    assertThat(remove(Map.of("a", conflict), "a", "b")).isEqualTo(OperatorExit.FAILED);

    assertThat(console.out()).isEqualTo("1 job removed\n");
    assertThat(console.err()).isEqualTo("runlane: job a: a worker was faster\n");
  }

  @Test
  void ctrl_c_between_two_jobs_tells_the_same() {
    Promise<Void> first = Promise.promise();
    CompletableFuture.runAsync(() -> {
      console.interrupt();
      first.complete();
    });

    assertThatThrownBy(() -> remove(Map.of("a", first.future()), "a", "b"))
        .isInstanceOf(OperatorConsole.Interrupted.class);

    assertThat(console.err()).startsWith("runlane: not tried: ").endsWith("b\n");
  }

  @Test
  void all_failed_jobs_of_a_queue_may_take_longer_than_one_answer() {
    Promise<Integer> retried = Promise.promise();
    CompletableFuture.delayedExecutor(50, MILLISECONDS).execute(() -> retried.complete(120_000));

    assertThat(retryFailed(Duration.ofMillis(1), retried.future())).isEqualTo(OperatorExit.DONE);

    assertThat(console.out()).isEqualTo("120000 jobs retried\n");
  }

  @Test
  void an_outage_among_all_failed_jobs_says_that_the_same_command_goes_on() {
    assertThatThrownBy(
            () -> retryFailed(OperatorConsole.DEFAULT_PATIENCE, Future.failedFuture(AWAY)))
        .isSameAs(AWAY);

    assertThat(console.err())
        .isEqualTo("runlane: jobs that were retried before that stay so;"
            + " the same command goes on with the others\n");
  }

  private OperatorExit retryFailed(Duration patience, Future<Integer> answer) {
    JobChanges.Retry command = new JobChanges.Retry(console.within(patience));
    new CommandLine(command).parseArgs("mails", "--failed", "--yes");
    return command
        .work()
        .on(RecordedConsole.answering(JobOperations.class, (proxy, method, given) -> answer));
  }
}
