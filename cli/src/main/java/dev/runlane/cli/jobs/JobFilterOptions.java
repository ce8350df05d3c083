package dev.runlane.cli.jobs;

import dev.runlane.cli.option.TimeText;
import dev.runlane.cli.option.UsageException;
import java.time.Instant;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Which jobs of a queue are meant. */
final class JobFilterOptions {
  @Option(
      names = "--name",
      paramLabel = "TEXT",
      description = "Those whose name contains it, in any case: mail finds mail-invoice too.")
  @Nullable
  String name;

  @Option(
      names = "--since",
      paramLabel = "TIME",
      description =
          "Created at that instant or later: 2026-11-23T10:00:00Z, 2026-11-23 for its midnight in UTC, or how"
              + " long ago: 15m, 7d.")
  private @Nullable String since;

  @Option(names = "--until", paramLabel = "TIME", description = "Created then or before.")
  private @Nullable String until;

  /** Whether nothing was given. */
  boolean isEmpty() {
    return name == null && since == null && until == null;
  }

  /** When they were made at the earliest, or null. Throws {@link UsageException}. */
  @Nullable
  Instant createdAfter(Instant now) {
    return since == null ? null : TimeText.past("--since", since, now);
  }

  /** When they were made at the latest, or null. Throws {@link UsageException}. */
  @Nullable
  Instant createdBefore(Instant now) {
    return until == null ? null : TimeText.past("--until", until, now);
  }
}
