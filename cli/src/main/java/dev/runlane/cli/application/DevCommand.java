package dev.runlane.cli.application;

import dev.runlane.cli.command.OperatorConsole;
import dev.runlane.cli.command.OperatorExit;
import dev.runlane.cli.option.DatabaseOptions;
import dev.runlane.console.ConsoleOptions;
import dev.runlane.jobs.queue.Jobs;
import dev.runlane.run.RunlaneException;
import dev.runlane.runtime.ApplicationSettings;
import dev.runlane.runtime.Runlane;
import dev.runlane.runtime.RunlaneDeployment;
import dev.runlane.storage.pg.PgStorageOptions;
import dev.runlane.testinfra.ServerException;
import dev.runlane.testinfra.postgres.DataPlace;
import dev.runlane.testinfra.postgres.EmbeddedPostgres;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code runlane dev}. */
@Command(
    name = "dev",
    header =
        "Runs a program for its developer: a Postgres, its tasks and the HTTP API, until Ctrl-C.",
    description = {
      "The Postgres is the command's own and keeps its data from start to start. The program is told its"
          + " address, which a file of this user alone holds for other commands."
    },
    exitCodeList = {
      "1:it could not be started; one line says why, with its code",
      "2:the command line cannot be used",
      "5:the database cannot be reached",
      "130:Ctrl-C; nothing is left running"
    },
    footer = {"Example:", "  runlane dev --classpath 'build/classes:lib/*'"})
public final class DevCommand extends ApplicationCommand {
  private static final String OWNER_ONLY = "rw-------";

  @Mixin
  private ApplicationOptions application = new ApplicationOptions();

  @Mixin
  private ApiOptions api = new ApiOptions();

  @Option(
      names = "--data",
      paramLabel = "FOLDER",
      description = "Where its Postgres keeps its data. Default: ${DEFAULT-VALUE}.")
  private Path data = Path.of(".runlane", "dev");

  @Mixin
  private AlertFile alerts = new AlertFile();

  DevCommand(OperatorConsole console) {
    super(console);
  }

  @Override
  Prepared prepareHere() {
    ConsoleOptions options = api.options();
    Optional<AlertFile.Settings> watched = alerts.settings();
    ApplicationClassPath classPath = application.classPath();
    return vertx -> {
      OperatorExit exit = onPostgres(vertx, classPath, options, watched);
      console().out().println("Ended");
      return exit;
    };
  }

  private OperatorExit onPostgres(
      Vertx vertx,
      ApplicationClassPath classPath,
      ConsoleOptions options,
      Optional<AlertFile.Settings> watched) {
    try (EmbeddedPostgres postgres = EmbeddedPostgres.builder()
        .dataFolder(DataPlace.of(data.resolve("postgres")))
        .start()) {
      String address = postgres.address(postgres.user()).toUri();
      Path file = written(address);
      return with(classPath, vertx, ApplicationSettings.of(address, null, null), runlane -> {
        await(runlane.deploy(vertx, new RunlaneDeployment()));
        return new ServedAlerts(console(), vertx, runlane, watched)
            .during(() -> new ServedJobs(console(), vertx, Optional.of(jobs(address)), true)
                .during(jobs -> serve(vertx, runlane, options, file, jobs)));
      });
    } catch (ServerException | IOException failure) {
      throw RunlaneException.configurationInvalid(
              "no Postgres could be started in %s: %s", data, String.valueOf(failure.getMessage()))
          .causedBy(failure);
    }
  }

  /** Where the program has them, unless it chose a schema of its own. */
  private static DatabaseOptions.Settings jobs(String address) {
    return new DatabaseOptions.Settings(
        DatabaseOptions.parsed(address), PgStorageOptions.DEFAULT_SCHEMA, "default");
  }

  private OperatorExit serve(
      Vertx vertx, Runlane runlane, ConsoleOptions options, Path file, Optional<Jobs> jobs) {
    console().out().println("Working on " + WorkerCommand.described(runlane));
    console().out().println("For other commands: export RUNLANE_DATABASE_FILE=" + file);
    return new ServedApi(console(), vertx, runlane, options, jobs).during(this::untilInterrupted);
  }

  /** Replaced at once: whoever reads it meanwhile sees the address of the start before, or this one. */
  private Path written(String address) throws IOException {
    Path folder = data.toAbsolutePath().normalize();
    Path made = Files.createTempFile(
        folder,
        "database",
        "",
        PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(OWNER_ONLY)));
    Files.writeString(made, address + "\n");
    return Files.move(made, folder.resolve("database"), StandardCopyOption.ATOMIC_MOVE);
  }
}
