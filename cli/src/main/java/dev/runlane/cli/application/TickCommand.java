package dev.runlane.cli.application;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.runlane.cli.command.JsonAnswers;
import dev.runlane.cli.command.OperatorConsole;
import dev.runlane.cli.command.OperatorExit;
import dev.runlane.cli.option.DatabaseOptions;
import dev.runlane.cli.option.UsageException;
import dev.runlane.run.RunRecord;
import dev.runlane.run.RunStatus;
import dev.runlane.run.RunlaneException;
import dev.runlane.runtime.ApplicationSettings;
import dev.runlane.runtime.Runlane;
import dev.runlane.runtime.TickResult;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code runlane tick}. */
@Command(
    name = "tick",
    header = "Makes one pass over what is due in a program's queues, then ends.",
    description = {
      "For programs that no process serves all the time, from cron say: settles fires of schedules, writes"
          + " cancellations that lost owners did not write, gets due runs delivered, and publishes"
          + " wakeups. With --runs it makes attempts too. Safe beside workers and other passes."
    },
    exitCodeList = {
      "0:done",
      "1:it could not be done, or wakeups could not be published; one line says why",
      "2:the command line cannot be used",
      "5:the database cannot be reached",
      "6:done, but the bound was reached: more is due",
      "130:Ctrl-C; an attempt that was under way has ended, or is left to its lease"
    },
    footer = {"Example:", "  runlane tick --classpath 'orders.jar:lib/*' --runs 100"})
public final class TickCommand extends ApplicationCommand {
  @Mixin
  private ApplicationOptions application = new ApplicationOptions();

  @Mixin
  private DatabaseOptions database = new DatabaseOptions();

  @Option(
      names = "--runs",
      paramLabel = "N",
      description = "Makes up to so many attempts of due runs, one after the other."
          + " Default: ${DEFAULT-VALUE}.")
  private int runs;

  @Option(names = "--json", description = "Prints JSON, for programs.")
  private boolean json;

  TickCommand(OperatorConsole console) {
    super(console);
  }

  @Override
  Prepared prepareHere() {
    if (runs < 0) {
      throw new UsageException("--runs: it must be 0 at least");
    }
    ApplicationSettings settings = database.application(console().variables());
    ApplicationClassPath classPath = application.classPath();
    return hiding(
        database,
        vertx -> with(classPath, vertx, settings, runlane -> {
          await(runlane.start());
          return pass(runlane);
        }));
  }

  /** An attempt takes as long as its task allows; what was done is told also where it ends in the middle. */
  OperatorExit pass(Runlane runlane) {
    TickResult result = console().awaitEnd(runlane.tick());
    Map<RunStatus, Integer> attempts = new TreeMap<>();
    int made = 0;
    try {
      while (made < runs) {
        Optional<RunRecord> attempted = console().awaitEnd(runlane.executeNext());
        if (attempted.isEmpty()) {
          break;
        }
        attempts.merge(attempted.get().status(), 1, Integer::sum);
        made++;
      }
    } catch (OperatorConsole.Interrupted | RunlaneException ended) {
      print(result, attempts, true);
      throw ended;
    }
    boolean isMoreDue = result.moreWaiting() || (runs > 0 && made == runs);
    print(result, attempts, isMoreDue);
    if (unpublished(result) > 0) {
      console()
          .err()
          .println("runlane: wakeups that could not be published: " + unpublished(result)
              + "; runlane outbox list --status failed, or dead_lettered, says why");
      return OperatorExit.FAILED;
    }
    return isMoreDue ? OperatorExit.FINDINGS : OperatorExit.DONE;
  }

  private static int unpublished(TickResult result) {
    return result.wakeupsFailed() + result.wakeupsDeadLettered();
  }

  private void print(TickResult result, Map<RunStatus, Integer> attempts, boolean isMoreDue) {
    ObjectNode answer = JsonAnswers.object()
        .put("firesSettled", result.firesSettled())
        .put("runsCancelled", result.runsCancelled())
        .put("stepResultsTaken", result.stepResultsTaken())
        .put("stepsLookedAfter", result.stepsProcessed())
        .put("deliveriesRequested", result.deliveriesRequested())
        .put("slotsReserved", result.slotsReserved())
        .put("wakeupsPublished", result.wakeupsPublished())
        .put("wakeupsFailed", result.wakeupsFailed())
        .put("wakeupsDeadLettered", result.wakeupsDeadLettered())
        .put("moreWaiting", isMoreDue);
    ObjectNode attempted = answer.putObject("attempts");
    attempts.forEach((status, count) -> attempted.put(status.value(), count));
    if (json) {
      console().out().println(answer);
      return;
    }
    line("fires of schedules settled", result.firesSettled());
    line("cancellations written", result.runsCancelled());
    line("results of steps taken", result.stepResultsTaken());
    line("steps looked after", result.stepsProcessed());
    line("deliveries requested", result.deliveriesRequested());
    line("slots reserved", result.slotsReserved());
    line("wakeups published", result.wakeupsPublished());
    line("wakeups that failed", result.wakeupsFailed());
    line("wakeups given up", result.wakeupsDeadLettered());
    attempts.forEach((status, count) -> line("attempts, the run now " + status.value(), count));
    if (isMoreDue) {
      console().out().println("More is due: go on with another pass");
    } else if (unpublished(result) == 0) {
      console().out().println("Nothing more is due");
    }
  }

  private void line(String what, int count) {
    if (count > 0) {
      console().out().println(count + " " + what);
    }
  }
}
