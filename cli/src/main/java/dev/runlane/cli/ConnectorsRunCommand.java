package dev.runlane.cli;

import dev.runlane.run.ErrorCode;
import dev.runlane.run.Json;
import dev.runlane.run.RunlaneException;
import dev.runlane.timing.Durations;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.TypeConversionException;

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
      "130:Ctrl-C; the run was cancelled and nothing of it is left"
    },
    footer = {
      "",
      "Example:",
      "  runlane connectors run --manifest manifest.json -- node connector.mjs"
    },
    sortOptions = false,
    mixinStandardHelpOptions = true)
final class ConnectorsRunCommand implements Callable<Integer> {
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

  @Option(
      names = "--state",
      paramLabel = "FILE|JSON",
      description = "Cursors to go on from: {\"STREAM\": {…}}. Default: none.")
  private @Nullable String state;

  @Option(
      names = "--persist-state",
      paramLabel = "FILE",
      description = "Where the cursors go once the run has completed; begins there, too, unless"
          + " --state says otherwise.")
  private @Nullable Path persistState;

  @Option(names = "--without-state", description = "The connector is told that no state is kept.")
  private boolean withoutState;

  @Option(names = "--full-refresh", description = "Everything, whatever the state says.")
  private boolean fullRefresh;

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

  @Option(
      names = "--env",
      paramLabel = "NAME=VALUE",
      description = "A variable for the connector, which inherits only a few. Repeatable.")
  private Map<String, String> environment = new LinkedHashMap<>();

  @Option(
      names = "--secret",
      paramLabel = "NAME",
      description = "A variable of this command's environment that the connector gets, and that"
          + " is removed from all it says. Repeatable.")
  private List<String> secrets = List.of();

  @Option(
      names = "--directory",
      paramLabel = "FOLDER",
      description = "Where the connector starts. Default: here.")
  private Path directory = Path.of("");

  @Option(
      names = "--limit-time",
      paramLabel = "DURATION",
      converter = DurationConverter.class,
      description = "The longest the run may take, such as 30m. Default: 4h.")
  private @Nullable Duration runLimit;

  @Option(
      names = "--limit-silence",
      paramLabel = "DURATION",
      converter = DurationConverter.class,
      description = "The longest the connector may say nothing. Default: no limit.")
  private @Nullable Duration silenceLimit;

  @Option(
      names = "--limit-exit",
      paramLabel = "DURATION",
      converter = DurationConverter.class,
      description = "The longest the connector may take to exit after DONE. Default: 30s.")
  private @Nullable Duration exitLimit;

  @Option(
      names = "--limit-grace",
      paramLabel = "DURATION",
      converter = DurationConverter.class,
      description = "Between SIGTERM and SIGKILL. Default: 250ms.")
  private @Nullable Duration grace;

  @Option(
      names = "--limit-line",
      paramLabel = "BYTES",
      description = "The longest line. Default: 67108864.")
  private @Nullable Integer lineLimit;

  @Option(
      names = "--limit-output",
      paramLabel = "BYTES",
      description = "The most that the connector may write.")
  private @Nullable Long outputLimit;

  @Parameters(
      arity = "1..*",
      paramLabel = "COMMAND",
      description = "The connector's program and its arguments, after --.")
  private List<String> command = List.of();

  private final Commands surroundings;

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
    Narrator narrator = settings.format().narrator(surroundings.out());
    RunSummary summary = new ForegroundRun(plan, narrator, surroundings).run();
    narrator.summary(summary);
    Path file = settings.persistState();
    if (file != null && summary.status() == RunSummary.Status.COMPLETED) {
      StateFile.write(file, summary.cursors());
    }
    return summary.status().exitCode();
  }

  private RunSettings settings() {
    if (withoutState && (state != null || persistState != null)) {
      throw new UsageException("--without-state goes with neither --state nor --persist-state");
    }
    if (scope != null && since != null) {
      throw new UsageException("--since goes without --scope: give the scope a time_range");
    }
    boolean terminal = System.console() != null;
    return new RunSettings(
        JsonInput.file("--manifest", manifest),
        scope == null ? null : JsonInput.fileOrText("--scope", scope),
        since,
        cursors(),
        persistState,
        !withoutState,
        fullRefresh,
        !noInteraction && interaction.isInteractive(terminal),
        records,
        format,
        environment,
        List.copyOf(secrets),
        directory.toAbsolutePath(),
        new RunLimits(runLimit, silenceLimit, exitLimit, grace, lineLimit, outputLimit),
        command);
  }

  private Map<String, Json> cursors() {
    if (state != null) {
      return JsonInput.cursors("--state", state);
    }
    return persistState != null && persistState.toFile().exists()
        ? JsonInput.cursors("--persist-state", persistState.toString())
        : Map.of();
  }

  private static boolean isUsage(ErrorCode code) {
    return code == ErrorCode.CONNECTOR_INVALID
        || code == ErrorCode.VALIDATION_FAILED
        || code == ErrorCode.CONFIGURATION_INVALID;
  }

  /** Durations as everywhere in the project: 250ms, 30s, 4h. */
  static final class DurationConverter implements ITypeConverter<Duration> {
    @Override
    public Duration convert(String text) {
      try {
        return Durations.parse(text);
      } catch (RunlaneException malformed) {
        throw new TypeConversionException(String.valueOf(malformed.getMessage()));
      }
    }
  }
}
