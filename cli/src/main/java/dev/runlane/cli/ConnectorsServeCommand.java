package dev.runlane.cli;

import dev.runlane.cli.option.DatabaseOptions;
import dev.runlane.cli.option.LimitOptions;
import dev.runlane.cli.option.TimeText;
import dev.runlane.cli.option.UsageException;
import dev.runlane.cli.report.ExitCode;
import dev.runlane.cli.run.InterruptedBefore;
import dev.runlane.connector.controller.registry.ConnectorRegistry;
import dev.runlane.connector.server.ConnectorServerOptions;
import dev.runlane.run.RunlaneException;
import dev.runlane.testinfra.ServerException;
import dev.runlane.testinfra.postgres.DataPlace;
import dev.runlane.testinfra.postgres.EmbeddedPostgres;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code runlane connectors serve}: its options, and where its data are. */
@Command(
    name = "serve",
    header = "Runs the connectors of a folder for their owner, over HTTP on this machine.",
    description = {
      "",
      "Starts a controller, a scheduler and the owner's routes over the connectors of FOLDER,"
          + " each a folder with manifest.json and launch.json. Records, cursors, schedules and"
          + " timelines are kept in a Postgres of the command's own, or in one that is given."
          + " Prints the address and the owner's token, which is another at every start.",
      ""
    },
    optionListHeading = "%nOptions:%n",
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "1:it could not be started; one line says why",
      "2:the command line or the folder cannot be used",
      "130:Ctrl-C; its connectors have ended, and their runs end as abandoned"
    },
    footer = {"", "Example:", "  runlane connectors serve connectors/"},
    sortOptions = false,
    mixinStandardHelpOptions = true)
final class ConnectorsServeCommand implements Callable<Integer> {
  @Parameters(paramLabel = "FOLDER", description = "Holds a folder for each connector.")
  private Path folder = Path.of("");

  @Option(
      names = "--port",
      paramLabel = "PORT",
      description = "Where it listens, on 127.0.0.1 alone. Default: ${DEFAULT-VALUE}; 0 is any.")
  private int port = ConnectorServerOptions.DEFAULT_PORT;

  @Option(
      names = "--data",
      paramLabel = "FOLDER",
      description = "Where its own Postgres keeps its data. Default: ${DEFAULT-VALUE}.")
  private Path data = Path.of(".runlane", "connectors");

  @Option(
      names = "--database",
      paramLabel = "URI",
      description = "Another Postgres instead, such as postgresql://user:password@host/database."
          + " Other users of this machine can see a command's options: prefer a file.")
  private @Nullable String database;

  @Option(
      names = "--database-file",
      paramLabel = "FILE",
      description = "A file whose only line is that address.")
  private @Nullable Path databaseFile;

  @Option(
      names = "--secrets",
      paramLabel = "FILE",
      description = "A JSON file of mode 0600 with the secrets of each connection. Default: the"
          + " variables RUNLANE_SECRET__CONNECTION__NAME.")
  private @Nullable Path secrets;

  @Option(
      names = "--retention",
      paramLabel = "DURATION",
      description = "Removes ended runs, what timelines and the history tell of them, and changes"
          + " of records, that are older, such as 30d; records, cursors and how each run began and"
          + " ended stay. Default: nothing is removed.")
  private @Nullable String retention;

  @Mixin
  private LimitOptions limits = new LimitOptions();

  private final Commands surroundings;

  ConnectorsServeCommand(Commands surroundings) {
    this.surroundings = surroundings;
  }

  @Override
  public Integer call() {
    System.setProperty("org.slf4j.simpleLogger.log.dev.runlane.connector", "warn");
    String address = DatabaseOptions.given(database, databaseFile).orElse(null);
    try {
      ServedConnectors served = new ServedConnectors(
          connectors(), port, secrets, retention(), limits.limits(), surroundings);
      return serve(served, address).value();
    } catch (RunlaneException | ServerException | IOException failure) {
      if (surroundings.interruption().isAsked()) {
        throw new InterruptedBefore();
      }
      String what = failure instanceof IOException
          ? failure.getClass().getSimpleName() + ": " + failure.getMessage()
          : String.valueOf(failure.getMessage());
      surroundings
          .err()
          .println(
              "runlane: " + withoutAddress(what, address).strip().replaceAll("\\s*\\n\\s*", " | "));
      return ExitCode.FAILED.value();
    }
  }

  /** An address that is given is shown nowhere. */
  private static String withoutAddress(String text, @Nullable String address) {
    return address == null
        ? text
        : new DatabaseOptions.Settings(DatabaseOptions.parsed(address), "", "")
            .withoutAddress(text);
  }

  private ExitCode serve(ServedConnectors served, @Nullable String address) throws IOException {
    if (address != null) {
      return served.over(address);
    }
    try (EmbeddedPostgres postgres =
        EmbeddedPostgres.builder().dataFolder(DataPlace.of(data)).start()) {
      return served.over(postgres.address(postgres.user()).toUri());
    }
  }

  private @Nullable Duration retention() {
    return retention == null ? null : TimeText.positive("--retention", retention);
  }

  private ConnectorRegistry connectors() {
    if (!Files.isDirectory(folder)) {
      throw new UsageException("there is no folder " + folder);
    }
    ConnectorRegistry connectors = ConnectorRegistry.read(folder);
    if (connectors.all().isEmpty()) {
      throw new UsageException(
          "no folder in " + folder
              + " holds a connector that can be used: each needs a manifest.json, and a launch.json to run");
    }
    return connectors;
  }
}
