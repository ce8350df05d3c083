package dev.runlane.cli.option;

import dev.runlane.run.RunlaneException;
import dev.runlane.timing.Durations;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/** How long, and how much: the options that begin with {@code --limit}. */
public final class LimitOptions {
  @Option(
      names = "--limit-time",
      paramLabel = "DURATION",
      converter = DurationConverter.class,
      description = "The longest a run may take, such as 30m. Default: 4h.")
  private @Nullable Duration run;

  @Option(
      names = "--limit-silence",
      paramLabel = "DURATION",
      converter = DurationConverter.class,
      description = "The longest the connector may say nothing. Default: no limit.")
  private @Nullable Duration silence;

  @Option(
      names = "--limit-exit",
      paramLabel = "DURATION",
      converter = DurationConverter.class,
      description = "The longest the connector may take to exit after DONE. Default: 30s.")
  private @Nullable Duration exit;

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
  private @Nullable Integer lineBytes;

  @Option(
      names = "--limit-output",
      paramLabel = "BYTES",
      description = "The most that the connector may write. Default: 68719476736.")
  private @Nullable Long outputBytes;

  public RunLimits limits() {
    return new RunLimits(run, silence, exit, grace, lineBytes, outputBytes);
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
