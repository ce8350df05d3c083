package dev.runlane.conformance.model;

import dev.runlane.operator.action.ActionFilter;
import dev.runlane.operator.action.FinishAction;
import dev.runlane.operator.action.ListActions;
import dev.runlane.operator.action.OperatorAction;
import dev.runlane.operator.action.PruneActions;
import dev.runlane.operator.action.RecordAction;
import dev.runlane.operator.log.AppendLogLines;
import dev.runlane.operator.log.ListLogLines;
import dev.runlane.operator.log.LogLine;
import dev.runlane.operator.tag.FindTags;
import dev.runlane.operator.tag.ListTaggedRuns;
import dev.runlane.operator.tag.TaggedRun;
import dev.runlane.operator.throughput.AddThroughput;
import dev.runlane.operator.throughput.FoldThroughput;
import dev.runlane.operator.throughput.FoldedThroughput;
import dev.runlane.operator.throughput.ListThroughput;
import dev.runlane.operator.throughput.PruneThroughput;
import dev.runlane.operator.throughput.ThroughputBucket;
import dev.runlane.run.Environment;
import dev.runlane.run.Identifiers;
import dev.runlane.run.RunStatus;
import dev.runlane.storage.OperatorChecks;
import dev.runlane.storage.read.CountRuns;
import dev.runlane.storage.read.Page;
import dev.runlane.storage.read.RunCounts;
import dev.runlane.storage.read.RunFilter;
import dev.runlane.storage.read.RunSummary;
import dev.runlane.storage.read.SortDirection;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** What the model answers about what is written down: actions, minutes, lines of handlers, and tags. */
public final class ModelRecords {
  private static final Comparator<OperatorAction> EARLIEST_FIRST =
      Comparator.comparing(OperatorAction::at).thenComparing(OperatorAction::id, Identifiers.ORDER);
  private static final Comparator<ThroughputBucket> BY_MINUTE = Comparator.comparing(
          ThroughputBucket::minute)
      .thenComparing(ThroughputBucket::queue, Identifiers.ORDER)
      .thenComparing(ThroughputBucket::taskId, Identifiers.ORDER);

  private final StorageModel model;
  private final ModelPages pages;
  private final List<Kept<OperatorAction>> actions = new ArrayList<>();
  private final List<Kept<ThroughputBucket>> minutes = new ArrayList<>();
  private final Map<Environment, Instant> lastRemoved = new HashMap<>(); // of the minutes

  public ModelRecords(StorageModel model, Names names) {
    this.model = model;
    this.pages = new ModelPages(names);
  }

  public @Nullable Void record(RecordAction command) {
    OperatorChecks.check(command);
    if (find(command.environment(), command.id()).isEmpty()) {
      actions.add(new Kept<>(
          command.environment(),
          new OperatorAction(
              command.id(),
              command.actor(),
              command.action(),
              command.target(),
              command.reason(),
              command.now(),
              null,
              null,
              null)));
    }
    return null;
  }

  public boolean finish(FinishAction command) {
    OperatorChecks.check(command);
    Optional<Kept<OperatorAction>> open =
        find(command.environment(), command.id()).filter(each -> each.value.succeeded() == null);
    open.ifPresent(each -> {
      OperatorAction begun = each.value;
      each.value = new OperatorAction(
          begun.id(),
          begun.actor(),
          begun.action(),
          begun.target(),
          begun.reason(),
          begun.at(),
          command.succeeded(),
          command.result(),
          command.now());
    });
    return open.isPresent();
  }

  private Optional<Kept<OperatorAction>> find(Environment environment, String id) {
    return actions.stream()
        .filter(each -> each.environment.equals(environment) && each.value.id().equals(id))
        .findFirst();
  }

  public Page<OperatorAction> list(ListActions query) {
    OperatorChecks.check(query);
    return pages.page(
        List.of("actions", query.environment(), query.filter()),
        in(query.environment(), actions).filter(each -> isWanted(each, query.filter())),
        EARLIEST_FIRST.reversed(),
        query.limit(),
        query.cursor());
  }

  private static boolean isWanted(OperatorAction action, ActionFilter filter) {
    return isAnyOr(filter.actor(), action.actor().id())
        && isAnyOr(filter.action(), action.action())
        && isAnyOr(filter.target(), action.target())
        && (filter.from() == null || action.at().compareTo(filter.from()) >= 0)
        && (filter.until() == null || action.at().compareTo(filter.until()) < 0);
  }

  private static boolean isAnyOr(@Nullable String wanted, @Nullable String found) {
    return wanted == null || wanted.equals(found);
  }

  /** What was done in an environment. */
  public Stream<OperatorAction> actions(Environment environment) {
    return in(environment, actions);
  }

  public int prune(PruneActions command) {
    OperatorChecks.check(command);
    List<OperatorAction> old = in(command.environment(), actions)
        .filter(each -> each.at().isBefore(command.olderThan()))
        .sorted(EARLIEST_FIRST)
        .limit(command.limit())
        .toList();
    actions.removeIf(
        each -> each.environment.equals(command.environment()) && old.contains(each.value));
    return old.size();
  }

  public @Nullable Void add(AddThroughput command) {
    OperatorChecks.check(command);
    for (ThroughputBucket bucket : command.buckets()) {
      Optional<Kept<ThroughputBucket>> same = minutes.stream()
          .filter(each -> each.environment.equals(command.environment())
              && BY_MINUTE.compare(each.value, bucket) == 0)
          .findFirst();
      same.ifPresentOrElse(
          each -> each.value = each.value.plus(bucket),
          () -> minutes.add(new Kept<>(command.environment(), bucket)));
    }
    return null;
  }

  public Page<ThroughputBucket> list(ListThroughput query) {
    OperatorChecks.check(query);
    return pages.page(
        Arrays.asList(
            "minutes",
            query.environment(),
            query.from(),
            query.until(),
            query.queue(),
            query.taskId()),
        in(query.environment(), minutes)
            .filter(each -> !each.minute().isBefore(query.from())
                && each.minute().isBefore(query.until())
                && (query.queue() == null || query.queue().equals(each.queue()))
                && (query.taskId() == null || query.taskId().equals(each.taskId()))),
        BY_MINUTE,
        query.limit(),
        query.cursor());
  }

  public FoldedThroughput fold(FoldThroughput query) {
    OperatorChecks.check(query);
    List<ThroughputBucket> steps = new ArrayList<>();
    in(query.environment(), minutes)
        .filter(each -> !each.minute().isBefore(query.from())
            && each.minute().isBefore(query.until())
            && (query.queue() == null || query.queue().equals(each.queue()))
            && (query.taskId() == null || query.taskId().equals(each.taskId())))
        .map(each -> query.by().folded(each, query.beginOf(each.minute())))
        .forEach(each -> {
          int same = 0;
          while (same < steps.size() && BY_MINUTE.compare(steps.get(same), each) != 0) {
            same++;
          }
          if (same < steps.size()) {
            steps.set(same, steps.get(same).plus(each));
          } else {
            steps.add(each);
          }
        });
    steps.sort(BY_MINUTE);
    return new FoldedThroughput(query.from(), steps);
  }

  /** When the first step begins of which no minute was removed, {@code from} or later. */
  public Instant firstWhole(Environment environment, Instant from, Duration step) {
    Instant first = FoldThroughput.beginOf(from, step);
    Instant removed = lastRemoved.get(environment);
    return removed == null || removed.isBefore(first)
        ? first
        : FoldThroughput.beginOf(removed, step).plus(step);
  }

  /** What is counted in an environment. */
  public Stream<ThroughputBucket> minutes(Environment environment) {
    return in(environment, minutes);
  }

  public int prune(PruneThroughput command) {
    OperatorChecks.check(command);
    List<ThroughputBucket> old = in(command.environment(), minutes)
        .filter(each -> each.minute().isBefore(command.olderThan()))
        .sorted(BY_MINUTE)
        .limit(command.limit())
        .toList();
    minutes.removeIf(
        each -> each.environment.equals(command.environment()) && old.contains(each.value));
    old.stream()
        .map(ThroughputBucket::minute)
        .max(Comparator.naturalOrder())
        .ifPresent(last -> lastRemoved.merge(
            command.environment(), last, (one, other) -> one.isAfter(other) ? one : other));
    return old.size();
  }

  public @Nullable Void append(AppendLogLines command) {
    OperatorChecks.check(command);
    for (LogLine line : command.lines()) {
      model
          .find(command.environment(), line.runId())
          .filter(run -> run.lines.stream().noneMatch(each -> isSamePlace(each, line)))
          .ifPresent(run -> run.lines.add(line));
    }
    return null;
  }

  private static boolean isSamePlace(LogLine one, LogLine other) {
    return one.attempt() == other.attempt() && one.number() == other.number();
  }

  public Page<LogLine> list(ListLogLines query) {
    OperatorChecks.check(query);
    return pages.page(
        List.of("lines", query.environment(), query.runId()),
        model.find(query.environment(), query.runId()).stream().flatMap(run -> run.lines.stream()),
        Comparator.comparing(LogLine::attempt).thenComparing(LogLine::number),
        query.limit(),
        query.cursor());
  }

  public List<TaggedRun> find(FindTags query) {
    OperatorChecks.check(query);
    return model
        .runs(query.environment())
        .filter(run -> query.runIds().contains(run.record.id()) && !run.tags().isEmpty())
        .map(run -> new TaggedRun(run.record.id(), run.tags()))
        .sorted(Comparator.comparing(TaggedRun::runId, Identifiers.ORDER))
        .toList();
  }

  public Page<RunSummary> list(ListTaggedRuns query) {
    OperatorChecks.check(query);
    Comparator<RunSummary> oldestFirst = Comparator.comparing(RunSummary::createdAt)
        .thenComparing(RunSummary::id, Identifiers.ORDER);
    return pages.page(
        List.of(
            "tagged",
            query.environment(),
            query.tags(),
            ModelReads.essence(query.filter()),
            query.direction()),
        model
            .runs(query.environment())
            .filter(run -> run.tags().entrySet().containsAll(query.tags().entrySet())
                && ModelReads.isWanted(run.record, query.filter()))
            .map(run -> RunSummary.of(run.record)),
        query.direction() == SortDirection.ASC ? oldestFirst : oldestFirst.reversed(),
        query.limit(),
        query.cursor());
  }

  public RunCounts count(CountRuns query) {
    OperatorChecks.check(query);
    RunFilter filter = query.filter().withStatuses(Set.of());
    Map<RunStatus, Integer> counts = new EnumMap<>(RunStatus.class);
    for (RunStatus status : RunStatus.values()) {
      long found = model
          .runs(query.environment())
          .filter(run -> run.record.status() == status && ModelReads.isWanted(run.record, filter))
          .count();
      counts.put(status, Math.toIntExact(Math.min(found, query.atMost())));
    }
    return new RunCounts(counts, false);
  }

  private static <T> Stream<T> in(Environment environment, List<Kept<T>> all) {
    return all.stream()
        .filter(each -> each.environment.equals(environment))
        .map(each -> each.value);
  }

  /** A value of one environment. */
  private static final class Kept<T> {
    final Environment environment;
    T value;

    Kept(Environment environment, T value) {
      this.environment = environment;
      this.value = value;
    }
  }
}
