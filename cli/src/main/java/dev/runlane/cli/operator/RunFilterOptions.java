package dev.runlane.cli.operator;

import dev.runlane.cli.option.NoBlankNames;
import dev.runlane.cli.option.TimeText;
import dev.runlane.cli.option.UsageException;
import dev.runlane.run.RunStatus;
import dev.runlane.storage.read.RunFilter;
import java.time.Instant;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.StringJoiner;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Which runs are meant. */
final class RunFilterOptions {
  private static final int LONGEST_TEXT = 512;

  @Option(
      names = {"-s", "--status"},
      split = ",",
      preprocessor = NoBlankNames.class,
      paramLabel = "STATUS",
      description =
          "queued, scheduled, running, retrying, released, cancellation_requested, succeeded, failed,"
              + " cancelled; or active or ended for all of those. Several: separated by commas.")
  private List<String> statuses = List.of();

  @Option(
      names = {"-t", "--task"},
      split = ",",
      preprocessor = NoBlankNames.class,
      paramLabel = "TASK",
      description = "The ids of tasks.")
  private List<String> tasks = List.of();

  @Option(
      names = {"-q", "--queue"},
      split = ",",
      preprocessor = NoBlankNames.class,
      paramLabel = "QUEUE",
      description = "The names of queues.")
  private List<String> queues = List.of();

  @Option(names = "--key", paramLabel = "KEY", description = "The idempotency key.")
  private @Nullable String key;

  @Option(names = "--singleton-key", paramLabel = "KEY", description = "The singleton key.")
  private @Nullable String singletonKey;

  @Option(names = "--concurrency-key", paramLabel = "KEY", description = "The concurrency key.")
  private @Nullable String concurrencyKey;

  @Option(
      names = "--since",
      paramLabel = "TIME",
      description =
          "Created at that instant or later: 2026-11-23T10:00:00Z, 2026-11-23 for its midnight in UTC, or how"
              + " long ago: 15m, 7d.")
  private @Nullable String since;

  @Option(names = "--until", paramLabel = "TIME", description = "Created before that.")
  private @Nullable String until;

  /** Whether nothing was given, so that every run is meant. */
  boolean isEmpty() {
    return statuses.isEmpty()
        && tasks.isEmpty()
        && queues.isEmpty()
        && key == null
        && singletonKey == null
        && concurrencyKey == null
        && since == null
        && until == null;
  }

  /** Whether other runs are meant each time it is asked for, such as those since 1d. */
  boolean isRelative() {
    return TimeText.isAgo(since) || TimeText.isAgo(until);
  }

  /** What was given. Throws {@link UsageException}. */
  RunFilter filter(Instant now) {
    Instant from = since == null ? null : TimeText.past("--since", since, now);
    Instant before = until == null ? null : TimeText.past("--until", until, now);
    return RunFilter.ALL
        .withStatuses(statuses())
        .withTaskIds(tasks)
        .withQueues(queues)
        .withIdempotencyKey(key)
        .withSingletonKey(singletonKey)
        .withConcurrencyKey(concurrencyKey)
        .withCreated(from, before);
  }

  /**
   * A filter as the log of actions has it, under the names of the API. Values of keys are left out, since readers of
   * the log may be some from whom masks hide them.
   */
  static String text(RunFilter filter) {
    StringJoiner text = new StringJoiner(" ");
    add(text, "status", filter.statuses().stream().map(RunStatus::value).sorted());
    add(text, "task", filter.taskIds().stream());
    add(text, "queue", filter.queues().stream());
    add(text, "idempotencyKey", hidden(filter.idempotencyKey()));
    add(text, "singletonKey", hidden(filter.singletonKey()));
    add(text, "concurrencyKey", hidden(filter.concurrencyKey()));
    add(text, "createdFrom", Stream.ofNullable(filter.createdFrom()).map(Instant::toString));
    add(text, "createdBefore", Stream.ofNullable(filter.createdBefore()).map(Instant::toString));
    return text.length() <= LONGEST_TEXT
        ? text.toString()
        : text.toString().substring(0, LONGEST_TEXT - 1) + "…";
  }

  private static void add(StringJoiner text, String name, Stream<String> values) {
    String all = values.collect(Collectors.joining(","));
    if (!all.isEmpty()) {
      text.add(name + "=" + all);
    }
  }

  private static Stream<String> hidden(@Nullable String key) {
    return Stream.ofNullable(key).map(given -> "(given)");
  }

  private Set<RunStatus> statuses() {
    Set<RunStatus> chosen = EnumSet.noneOf(RunStatus.class);
    statuses.forEach(name -> chosen.addAll(named(name.strip().toLowerCase(Locale.ROOT))));
    return chosen;
  }

  private static List<RunStatus> named(String name) {
    List<RunStatus> all = Arrays.asList(RunStatus.values());
    List<RunStatus> named =
        switch (name) {
          case "active" -> all.stream().filter(RunStatus::isActive).toList();
          case "ended" -> all.stream().filter(RunStatus::isTerminal).toList();
          default -> all.stream().filter(status -> status.value().equals(name)).toList();
        };
    if (named.isEmpty()) {
      throw new UsageException("--status: there is no " + name + "; there are active, ended, "
          + all.stream().map(RunStatus::value).collect(Collectors.joining(", ")));
    }
    return named;
  }
}
