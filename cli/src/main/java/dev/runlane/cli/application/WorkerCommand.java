package dev.runlane.cli.application;

import dev.runlane.cli.command.OperatorConsole;
import dev.runlane.cli.command.OperatorExit;
import dev.runlane.cli.option.DatabaseOptions;
import dev.runlane.cli.option.NoBlankNames;
import dev.runlane.cli.option.TimeText;
import dev.runlane.cli.option.UsageException;
import dev.runlane.run.RunlaneException;
import dev.runlane.runtime.ApplicationSettings;
import dev.runlane.runtime.Runlane;
import dev.runlane.runtime.RunlaneDeployment;
import dev.runlane.runtime.RunlaneRole;
import dev.runlane.runtime.maintenance.RetentionOptions;
import dev.runlane.runtime.task.TaskQueue;
import dev.runlane.runtime.worker.WorkerOptions;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code runlane worker}. */
@Command(
    name = "worker",
    header = "Runs a program's tasks, until Ctrl-C.",
    description = {
      "Deploys the roles of a process: workers, and what gets runs delivered. The program is told the"
          + " database where one is named here; else its own settings hold. Ctrl-C lets attempts"
          + " finish within the program's close timeout; what is left goes on elsewhere."
    },
    exitCodeList = {
      "1:it could not be started; one line says why, with its code",
      "2:the command line cannot be used",
      "5:the database cannot be reached",
      "130:Ctrl-C"
    },
    footer = {"Example:", "  runlane worker --classpath 'orders.jar:lib/*'"})
public final class WorkerCommand extends ApplicationCommand {
  /** The program's close timeout, which is shorter, is what ends it. */
  private static final Duration LONGEST_DRAIN = Duration.ofDays(1);

  @Mixin
  private ApplicationOptions application = new ApplicationOptions();

  @Mixin
  private DatabaseOptions database = new DatabaseOptions();

  @Option(
      names = "--role",
      split = ",",
      preprocessor = NoBlankNames.class,
      paramLabel = "ROLE",
      description = "Only these roles: worker, consumer, dispatcher, outboxPublisher, scheduler,"
          + " cancellationFinalizer, stepDispatcher, stepResults, retention.")
  private List<String> roles = List.of();

  @Option(
      names = "--queue",
      split = ",",
      preprocessor = NoBlankNames.class,
      paramLabel = "NAME",
      description = "Works on these queues alone.")
  private List<String> queues = List.of();

  @Option(
      names = "--concurrency",
      paramLabel = "N",
      description = "How many runs at the same time.")
  private @Nullable Integer concurrency;

  @Option(
      names = "--retention",
      paramLabel = "AGE",
      description = "Removes runs for ever that ended so long ago, such as 30d. Default: none.")
  private @Nullable String retention;

  WorkerCommand(OperatorConsole console) {
    super(console);
  }

  @Override
  Prepared prepareHere() {
    RunlaneDeployment deployment = deployment();
    ApplicationSettings settings = database.application(console().variables());
    ApplicationClassPath classPath = application.classPath();
    return hiding(database, vertx -> {
      OperatorExit exit =
          with(classPath, vertx, settings, runlane -> work(vertx, runlane, deployment));
      console().out().println("Ended");
      return exit;
    });
  }

  private RunlaneDeployment deployment() {
    RunlaneDeployment deployment = new RunlaneDeployment();
    WorkerOptions worker = deployment.getWorker().setDrainTimeout(LONGEST_DRAIN);
    try {
      if (!queues.isEmpty()) {
        worker.setQueues(queues);
      }
      if (concurrency != null) {
        worker.setConcurrency(concurrency);
      }
      if (retention != null) {
        deployment.setRetention(
            new RetentionOptions().setOlderThan(TimeText.duration("--retention", retention)));
      }
    } catch (RunlaneException refused) {
      throw new UsageException(String.valueOf(refused.getMessage()));
    }
    if (!roles.isEmpty()) {
      deployment.setRoles(roles.stream()
          .map(WorkerCommand::role)
          .collect(Collectors.toCollection(LinkedHashSet::new)));
    }
    return deployment.setWorker(worker);
  }

  private static RunlaneRole role(String name) {
    return RunlaneRole.ofValue(name)
        .orElseThrow(() -> new UsageException("--role: there is no " + name + "; there are "
            + Stream.of(RunlaneRole.values())
                .map(RunlaneRole::value)
                .collect(Collectors.joining(", "))));
  }

  private OperatorExit work(Vertx vertx, Runlane runlane, RunlaneDeployment deployment) {
    await(runlane.deploy(vertx, deployment));
    console().out().println("Working on " + described(runlane));
    return untilInterrupted();
  }

  /** Its tasks and queues, in a line. */
  static String described(Runlane runlane) {
    String tasks =
        runlane.tasks().stream().map(task -> task.id()).collect(Collectors.joining(", "));
    Set<String> names = runlane.queues().stream()
        .map(TaskQueue::name)
        .collect(Collectors.toCollection(LinkedHashSet::new));
    return "tasks " + tasks + " of queues " + String.join(", ", names) + ", environment "
        + runlane.environment().name();
  }
}
