package dev.runlane.storage.memory.command;

import dev.runlane.json.record.RunEventJson;
import dev.runlane.operator.tag.ListTaggedRuns;
import dev.runlane.operator.tag.TaggedRun;
import dev.runlane.run.Identifiers;
import dev.runlane.run.RunEventType;
import dev.runlane.run.RunStatus;
import dev.runlane.storage.CommandChecks;
import dev.runlane.storage.Cursors;
import dev.runlane.storage.memory.kept.EventLog;
import dev.runlane.storage.memory.kept.EventPosition;
import dev.runlane.storage.memory.run.Position;
import dev.runlane.storage.memory.run.Runs;
import dev.runlane.storage.memory.run.SortedRuns;
import dev.runlane.storage.read.CountRuns;
import dev.runlane.storage.read.ListRunEvents;
import dev.runlane.storage.read.ListRuns;
import dev.runlane.storage.read.Page;
import dev.runlane.storage.read.RunCounts;
import dev.runlane.storage.read.RunEventFilter;
import dev.runlane.storage.read.RunEventRecord;
import dev.runlane.storage.read.RunEventSort;
import dev.runlane.storage.read.RunFilter;
import dev.runlane.storage.read.RunSort;
import dev.runlane.storage.read.RunSummary;
import dev.runlane.storage.read.SortDirection;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.ToIntFunction;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The operator's lists. A cursor names the last row seen, so rows that come in between move nothing. */
public final class Lists {
  private static final long BEFORE_ANY = Long.MIN_VALUE; // id of an event

  private final Runs runs;
  private final EventLog events;

  public Lists(Runs runs, EventLog events) {
    this.runs = runs;
    this.events = events;
  }

  public Page<RunSummary> runs(ListRuns query) {
    Cursors cursors = Cursors.of(query);
    Optional<Position> after = cursors.decode(query.cursor(), 2).map(Position::ofParts);
    boolean byCreation = query.sort().field() == RunSort.Field.CREATED_AT;
    SortedRuns sorted = byCreation ? runs.byCreation() : runs.byUpdate();
    return page(
        from(sorted.all(), query.sort().direction(), after.orElse(null))
            .filter(query.filter()::admits),
        query.limit(),
        last -> cursors.encode(
            new Position(byCreation ? last.createdAt() : last.updatedAt(), last.id()).toParts()),
        RunSummary::of);
  }

  public RunCounts counts(CountRuns query) {
    RunFilter filter = query.filter().withStatuses(Set.of());
    Map<RunStatus, Integer> counts = new EnumMap<>(RunStatus.class);
    for (RunStatus status : RunStatus.values()) {
      counts.put(
          status,
          Math.toIntExact(runs.byCreation().all().values().stream()
              .filter(filter::admits)
              .filter(run -> run.status() == status)
              .limit(query.atMost())
              .count()));
    }
    return new RunCounts(counts, false);
  }

  public Page<RunSummary> tagged(ListTaggedRuns query) {
    Cursors cursors = Cursors.of(query);
    Optional<Position> after = cursors.decode(query.cursor(), 2).map(Position::ofParts);
    Set<Map.Entry<String, String>> wanted = query.tags().entrySet();
    return page(
        from(runs.byCreation().all(), query.direction(), after.orElse(null))
            .filter(query.filter()::admits)
            .filter(run -> events.tags(run.id()).entrySet().containsAll(wanted)),
        query.limit(),
        last -> cursors.encode(new Position(last.createdAt(), last.id()).toParts()),
        RunSummary::of);
  }

  /** Those of the runs that have some. */
  public List<TaggedRun> tags(List<String> runIds) {
    return runIds.stream()
        .distinct()
        .sorted(Identifiers.ORDER)
        .map(runId -> new TaggedRun(runId, events.tags(runId)))
        .filter(run -> !run.tags().isEmpty())
        .toList();
  }

  public Page<RunEventRecord> events(ListRunEvents query) {
    Cursors cursors = Cursors.of(query);
    Predicate<RunEventRecord> wanted = row -> isWanted(row, query.filter());
    SortDirection direction = query.sort().direction();
    String runId = query.filter().runId();
    if (query.sort().field() == RunEventSort.Field.SEQUENCE && runId != null) {
      Optional<Long> after =
          cursors.decode(query.cursor(), 1).map(parts -> Cursors.number(parts.get(0)));
      return page(
          inHistory(events.history(runId), direction, after.orElse(null)).filter(wanted),
          query.limit(),
          found -> fitting(found, query.bytes()),
          last -> cursors.encode(Long.toString(last.sequence())),
          Function.identity());
    }
    Optional<EventPosition> after = cursors
        .decode(query.cursor(), 2)
        .map(parts ->
            new EventPosition(Cursors.instant(parts.get(0)), Cursors.number(parts.get(1))));
    return page(
        between(
                runId == null ? events.byTime() : byTime(runId),
                direction,
                after.orElse(null),
                query.filter())
            .filter(wanted),
        query.limit(),
        found -> fitting(found, query.bytes()),
        last -> cursors.encode(last.event().header().occurredAt().toString(), last.id()),
        Function.identity());
  }

  /** The rows of a history behind a sequence, however long it is: each stands at the place of its own. */
  private static Stream<RunEventRecord> inHistory(
      List<RunEventRecord> history, SortDirection direction, @Nullable Long after) {
    int all = history.size();
    if (direction == SortDirection.ASC) {
      int from = after == null ? 0 : (int) Math.max(0, Math.min(all, after));
      return history.subList(from, all).stream();
    }
    int before = after == null ? all : (int) Math.min(all, Math.max(1, after) - 1);
    return IntStream.rangeClosed(1, before).mapToObj(back -> history.get(before - back));
  }

  private NavigableMap<EventPosition, RunEventRecord> byTime(String runId) {
    NavigableMap<EventPosition, RunEventRecord> rows = new TreeMap<>();
    events.history(runId).forEach(row -> rows.put(EventPosition.of(row), row));
    return rows;
  }

  /** Looks at no event outside the filter's instants, however many there are. */
  private static Stream<RunEventRecord> between(
      NavigableMap<EventPosition, RunEventRecord> rows,
      SortDirection direction,
      @Nullable EventPosition after,
      RunEventFilter filter) {
    Instant from = filter.occurredFrom();
    Instant before = filter.occurredBefore();
    boolean isForward = direction == SortDirection.ASC;
    Instant first = isForward ? from : before;
    Optional<EventPosition> begin = Stream.of(
            Optional.ofNullable(after),
            Optional.ofNullable(first).map(at -> new EventPosition(at, BEFORE_ANY)))
        .flatMap(Optional::stream)
        .max(isForward ? Comparator.naturalOrder() : Comparator.reverseOrder());
    return from(rows, direction, begin.orElse(null)).takeWhile(row -> {
      Instant at = row.event().header().occurredAt();
      return isForward ? before == null || at.isBefore(before) : from == null || !at.isBefore(from);
    });
  }

  private static <K, V> Stream<V> from(
      NavigableMap<K, V> rows, SortDirection direction, @Nullable K after) {
    NavigableMap<K, V> ordered = direction == SortDirection.ASC ? rows : rows.descendingMap();
    return (after == null ? ordered : ordered.tailMap(after, false)).values().stream();
  }

  private static <V, T> Page<T> page(
      Stream<V> rows,
      @Nullable Integer wanted,
      Function<V, String> cursorAfter,
      Function<V, T> toRow) {
    return page(rows, wanted, List::size, cursorAfter, toRow);
  }

  /** A page of as many of the rows, up to the limit, as fit on it. */
  private static <V, T> Page<T> page(
      Stream<V> rows,
      @Nullable Integer wanted,
      ToIntFunction<List<V>> fitting,
      Function<V, String> cursorAfter,
      Function<V, T> toRow) {
    int limit = CommandChecks.pageLimit(wanted);
    List<V> found = rows.limit(limit + 1L).toList();
    int size = fitting.applyAsInt(found.subList(0, Math.min(limit, found.size())));
    List<V> shown = found.subList(0, size);
    String next = found.size() > size ? cursorAfter.apply(found.get(size - 1)) : null;
    return new Page<>(shown.stream().map(toRow).toList(), next);
  }

  /** How many of the rows come to these bytes, or all. */
  private static int fitting(List<RunEventRecord> rows, @Nullable Integer bytes) {
    if (bytes == null) {
      return rows.size();
    }
    long sum = 0;
    int count = 0;
    while (count < rows.size() && sum < bytes) {
      String body = RunEventJson.body(rows.get(count).event()).text();
      sum += body.getBytes(StandardCharsets.UTF_8).length;
      count++;
    }
    return count;
  }

  private static boolean isWanted(RunEventRecord row, RunEventFilter filter) {
    RunEventType type = row.event().type();
    Instant occurredAt = row.event().header().occurredAt();
    return (filter.types().isEmpty() || filter.types().contains(type))
        && (filter.occurredFrom() == null || !occurredAt.isBefore(filter.occurredFrom()))
        && (filter.occurredBefore() == null || occurredAt.isBefore(filter.occurredBefore()));
  }
}
