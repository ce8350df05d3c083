package dev.runlane.cli.application;

import dev.runlane.cli.command.OperatorConsole;
import dev.runlane.cli.command.OperatorExit;
import dev.runlane.cli.operate.LocalOperations;
import dev.runlane.cli.option.DatabaseOptions;
import dev.runlane.console.ConsoleOptions;
import dev.runlane.runtime.ApplicationSettings;
import dev.runlane.runtime.Runlane;
import io.vertx.core.Vertx;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code runlane serve}. */
@Command(
    name = "serve",
    header = "Serves the HTTP API for operators, until Ctrl-C.",
    description = {
      "Of a database, or of a program's runtime, which knows its tasks and checks payloads. It works on"
          + " no run. Without tokens it listens on the loopback address alone. Queues of jobs are served"
          + " where the schema has their tables at the start; with --classpath, where the database and"
          + " --schema are named too."
    },
    exitCodeList = {
      "1:it could not be started; one line says why, with its code",
      "2:the command line cannot be used",
      "5:the database cannot be reached",
      "130:Ctrl-C"
    },
    footer = {"Examples:", "  runlane serve --port 0", "  runlane serve --alerts alerts.json"})
public final class ServeCommand extends ApplicationCommand {
  @Option(
      names = {"--classpath", "-cp"},
      paramLabel = "PATH",
      description = ApplicationOptions.CLASS_PATH)
  private @Nullable String classPath;

  @Mixin
  private DatabaseOptions database = new DatabaseOptions();

  @Mixin
  private ApiOptions api = new ApiOptions();

  @Mixin
  private AlertFile alerts = new AlertFile();

  ServeCommand(OperatorConsole console) {
    super(console);
  }

  @Override
  Prepared prepareHere() {
    boolean isKnown = database.isGiven(console().variables())
        && (classPath == null || database.isSchemaGiven(console().variables()));
    Optional<DatabaseOptions.Settings> jobs =
        isKnown ? Optional.of(database.settings(console().variables())) : Optional.empty();
    Serving serving = new Serving(api.options(), alerts.settings(), jobs);
    if (classPath != null) {
      ApplicationSettings settings = database.application(console().variables());
      ApplicationClassPath program = ApplicationClassPath.of(classPath);
      return hiding(
          database,
          vertx ->
              ended(with(program, vertx, settings, runlane -> serve(vertx, runlane, serving))));
    }
    DatabaseOptions.Settings settings = database.settings(console().variables());
    return hiding(
        database,
        vertx -> ended(with(
            LocalOperations.runtime(vertx, settings, console().clock()),
            runlane -> serve(vertx, runlane, serving))));
  }

  private OperatorExit serve(Vertx vertx, Runlane runlane, Serving serving) {
    await(runlane.start());
    return new ServedAlerts(console(), vertx, runlane, serving.alerts())
        .during(() -> new ServedJobs(console(), vertx, serving.jobs(), classPath == null)
            .during(jobs -> new ServedApi(console(), vertx, runlane, serving.api(), jobs)
                .during(this::untilInterrupted)));
  }

  /** @param jobs whose jobs are served; empty where the program alone knows its database, or its schema */
  private record Serving(
      ConsoleOptions api,
      Optional<AlertFile.Settings> alerts,
      Optional<DatabaseOptions.Settings> jobs) {}

  private OperatorExit ended(OperatorExit exit) {
    console().out().println("Ended");
    return exit;
  }
}
