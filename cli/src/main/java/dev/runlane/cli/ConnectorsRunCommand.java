package dev.runlane.cli;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.util.RawValue;
import dev.runlane.cli.option.JsonInput;
import dev.runlane.cli.option.LimitOptions;
import dev.runlane.cli.option.ProgramOptions;
import dev.runlane.cli.option.RunPlan;
import dev.runlane.cli.option.RunSettings;
import dev.runlane.cli.option.StateOptions;
import dev.runlane.cli.option.UsageException;
import dev.runlane.cli.report.ExitCode;
import dev.runlane.cli.report.OutputFormat;
import dev.runlane.cli.report.RedactingReporter;
import dev.runlane.cli.report.RunReporter;
import dev.runlane.cli.report.RunSummary;
import dev.runlane.cli.run.InterruptedBefore;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.Json;
import dev.runlane.run.RunlaneException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code runlane connectors run}: its options, and nothing else. */
@Command(
    name = "run",
    header = "Runs one connector in the foreground, without any database.",
    description = {
      "",
      "Starts COMMAND as the runtime does, checks every line it writes, and prints the"
          + " run's timeline, its violations with their line, and in the end what was"
          + " collected. Records are counted and not kept.",
      ""
    },
    optionListHeading = "%nOptions:%n",
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:the run completed",
      "1:it failed",
      "2:the command line, the manifest, the scope or the state cannot be used",
      "3:the connector gave up by itself (DONE cancelled)",
      "130:Ctrl-C; nothing of the run is left, and the last line says how it ended"
    },
    footer = {
      "",
      "Example:",
      "  runlane connectors run --manifest manifest.json -- node connector.mjs"
    },
    sortOptions = false,
    mixinStandardHelpOptions = true)
final class ConnectorsRunCommand implements Callable<Integer> {
  private static final ObjectMapper JSON = new ObjectMapper();

  @Option(
      names = "--manifest",
      required = true,
      paramLabel = "FILE",
      description = "The connector's manifest.")
  private Path manifest = Path.of("");

  @Option(
      names = "--scope",
      paramLabel = "FILE|JSON",
      description = "What to collect: {\"streams\": [{\"name\": …}]}. Default: all streams.")
  private @Nullable String scope;

  @Option(
      names = "--since",
      paramLabel = "TIME",
      description = "Without a scope: only what is not older, of streams that have times.")
  private @Nullable String since;

  @Mixin
  private StateOptions state = new StateOptions();

  @Option(
      names = "--interaction",
      paramLabel = "auto|ask|none",
      description = "Who answers the connector: whoever sits at the terminal if there is one"
          + " (auto, the default), standard input (ask), or nobody (none).")
  private InteractionMode interaction = InteractionMode.AUTO;

  @Option(names = "--no-interaction", description = "The same as --interaction none.")
  private boolean noInteraction;

  @Option(names = "--records", description = "Prints the records, too.")
  private boolean records;

  @Option(
      names = "--format",
      paramLabel = "text|jsonl",
      description = "For people (text, the default) or programs (one JSON object a line).")
  private OutputFormat format = OutputFormat.TEXT;

  @Mixin
  private ProgramOptions program = new ProgramOptions();

  @Mixin
  private LimitOptions limits = new LimitOptions();

  private final Commands surroundings;

  /** Who answers the connector's questions. */
  private enum InteractionMode {
    /** Whoever sits at the terminal, if there is one; else nobody. */
    AUTO,
    /** Standard input, a terminal or not. */
    ASK,
    /** Nobody: a connector that asks breaks the protocol. */
    NONE;

    boolean isInteractive(boolean terminal) {
      return this == ASK || (this == AUTO && terminal);
    }
  }

  ConnectorsRunCommand(Commands surroundings) {
    this.surroundings = surroundings;
  }

  @Override
  public Integer call() throws IOException {
    try {
      return run(settings()).value();
    } catch (RunlaneException refused) {
      if (isUsage(refused.code())) {
        throw new UsageException(String.valueOf(refused.getMessage()));
      }
      surroundings.err().println("runlane: " + refused.getMessage());
      return ExitCode.FAILED.value();
    }
  }

  private ExitCode run(RunSettings settings) throws IOException {
    RunPlan plan = RunPlan.of(settings, System.getenv());
    if (surroundings.interruption().isAsked()) {
      throw new InterruptedBefore();
    }
    RunReporter reporter =
        new RedactingReporter(settings.format().reporter(surroundings.out()), plan.redaction());
    RunSummary summary = new ForegroundRun(plan, reporter, surroundings).run();
    reporter.summary(summary);
    Path file = settings.state().persistsIn();
    if (file != null && summary.status() == RunSummary.Status.COMPLETED) {
      keep(summary.cursors(), file);
    }
    return summary.status().exitCode();
  }

  /** The file holds the old ones or the new ones, never half of them; only its owner can read it. */
  private static void keep(Map<String, Json> cursors, Path file) throws IOException {
    ObjectNode state = JSON.createObjectNode();
    cursors.forEach((stream, cursor) -> state.putRawValue(stream, new RawValue(cursor.text())));
    Path folder = file.toAbsolutePath().getParent();
    Path written = Files.createTempFile(folder, ".state", ".json"); // mode 0600
    try {
      Files.writeString(written, state + "\n");
      Files.move(written, file, StandardCopyOption.ATOMIC_MOVE);
    } finally {
      Files.deleteIfExists(written);
    }
  }

  @SuppressWarnings(
      "SystemConsoleNull") // ./runlane asks for the console that is null without a terminal
  private RunSettings settings() {
    if (scope != null && since != null) {
      throw new UsageException("--since goes without --scope: give the scope a time_range");
    }
    boolean terminal = System.console() != null;
    return new RunSettings(
        JsonInput.file("--manifest", manifest),
        scope == null ? null : JsonInput.fileOrText("--scope", scope),
        since,
        state.settings(),
        !noInteraction && interaction.isInteractive(terminal),
        records,
        format,
        program.settings(),
        limits.limits());
  }

  private static boolean isUsage(ErrorCode code) {
    return code == ErrorCode.CONNECTOR_INVALID
        || code == ErrorCode.VALIDATION_FAILED
        || code == ErrorCode.CONFIGURATION_INVALID;
  }
}
