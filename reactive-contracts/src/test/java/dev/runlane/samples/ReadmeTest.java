package dev.runlane.samples;

import static dev.runlane.samples.SampleCommands.creation;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.adapter.AdapterCall;
import dev.runlane.lane.Lane;
import dev.runlane.lane.LaneOptions;
import dev.runlane.lane.Lanes;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.EventHeader;
import dev.runlane.run.RunEvent;
import dev.runlane.run.RunKeys;
import dev.runlane.run.RunRecord;
import dev.runlane.run.RunSource;
import dev.runlane.run.RunlaneException;
import dev.runlane.run.StorageConflictKind;
import dev.runlane.storage.Capabilities;
import dev.runlane.storage.CommandChecks;
import dev.runlane.storage.CommandConsistency;
import dev.runlane.storage.Cursors;
import dev.runlane.storage.StorageAdapter;
import dev.runlane.storage.StorageCapability;
import dev.runlane.storage.read.ListRuns;
import dev.runlane.storage.read.Page;
import dev.runlane.storage.read.RunEventRecord;
import dev.runlane.storage.read.RunFilter;
import dev.runlane.storage.read.RunSort;
import dev.runlane.storage.read.RunSummary;
import dev.runlane.storage.read.SortDirection;
import dev.runlane.storage.run.AppendRunEvents;
import dev.runlane.storage.run.AppendedRun;
import dev.runlane.transport.TransportAdapter;
import dev.runlane.transport.TransportCapability;
import io.vertx.core.Future;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

/** Compiles and runs the README's examples, and holds its tables to the code. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class ReadmeTest {
  // readme:begin append
  /** Step 1, in memory and for one environment: the order in which a write looks at its command. */
  static final class Appends {
    private final Set<StorageCapability> reported = Set.of(StorageCapability.PROCESS_LOCAL_STATE);
    private final Map<String, RunRecord> runs = new HashMap<>();
    private final Map<String, List<RunEventRecord>> histories = new HashMap<>();
    private long lastEventId;

    Future<AppendedRun> appendRunEvents(AppendRunEvents command) {
      return AdapterCall.of("appendRunEvents", () -> {
        CommandChecks.check(command); // malformed, whatever is stored
        Capabilities.requireForAppend(reported, command);
        RunRecord stored = runs.get(command.runId());
        long sequence = stored == null ? 0 : stored.eventSequence();
        if (sequence != command.expectedSequence()) { // a lost race, whatever else is wrong
          throw RunlaneException.conflict(
              StorageConflictKind.EVENT_SEQUENCE,
              "run %s is at sequence %d, not %d",
              command.runId(),
              sequence,
              command.expectedSequence());
        }
        CommandConsistency.violation(command).ifPresent(violation -> {
          throw violation;
        });
        return Future.succeededFuture(store(command)); // all of it or nothing
      });
    }

    private AppendedRun store(AppendRunEvents command) {
      List<RunEventRecord> rows = new ArrayList<>();
      for (RunEvent event : command.events()) {
        long sequence = command.expectedSequence() + rows.size() + 1;
        rows.add(new RunEventRecord(Long.toString(++lastEventId), sequence, event));
      }
      histories.computeIfAbsent(command.runId(), id -> new ArrayList<>()).addAll(rows);
      runs.put(command.runId(), command.projectedRun());
      return new AppendedRun(command.projectedRun(), rows, List.of());
    }
  }
  // readme:end

  // readme:begin page
  /** A page of rows that fit the filter, sorted by creation and then by id, both ascending. */
  static Page<RunSummary> page(ListRuns query, List<RunSummary> rows) {
    Cursors cursors = Cursors.of(query); // knows environment, filter and sort
    Optional<List<String>> after = cursors.decode(query.cursor(), 2);
    Instant afterTime = after.map(parts -> Cursors.instant(parts.get(0))).orElse(Instant.MIN);
    String afterId = after.map(parts -> parts.get(1)).orElse("");
    int limit = CommandChecks.pageLimit(query.limit());
    List<RunSummary> found = rows.stream()
        .filter(row -> row.createdAt().isAfter(afterTime)
            || row.createdAt().equals(afterTime) && row.id().compareTo(afterId) > 0)
        .limit(limit + 1L) // one more tells whether there is a next page
        .toList();
    if (found.size() <= limit) {
      return new Page<>(found, null);
    }
    RunSummary last = found.get(limit - 1);
    return new Page<>(
        found.subList(0, limit), cursors.encode(last.createdAt().toString(), last.id()));
  }
  // readme:end

  // readme:begin lane
  static Lane myLane(StorageAdapter storage, TransportAdapter transport) {
    return Lanes.create(
        storage,
        transport,
        new LaneOptions()
            .setName("my-lane")
            .setOperatorReads(storage.capabilities().contains(StorageCapability.READS_RUN_HISTORY))
            .setProductionDurable(false)); // true only if both adapters keep what they accept
  }
  // readme:end

  @Test
  void an_append_is_stored_once_and_a_stale_one_is_a_conflict() {
    Appends appends = new Appends();

    AppendedRun stored = appends.appendRunEvents(creation(Samples.created())).result();
    Throwable stale = appends.appendRunEvents(creation(Samples.created())).cause();

    assertThat(stored.events()).extracting(RunEventRecord::sequence).containsExactly(1L);
    assertThat(((RunlaneException) stale).isConflict(StorageConflictKind.EVENT_SEQUENCE))
        .isTrue();
  }

  @Test
  void pages_hold_every_row_once() {
    List<RunSummary> rows = IntStream.range(0, 7)
        .mapToObj(i -> summary("run_" + (char) ('a' + i), Samples.NOON.plusSeconds(i / 3)))
        .sorted(Comparator.comparing(RunSummary::createdAt).thenComparing(RunSummary::id))
        .toList();
    RunSort oldest = new RunSort(RunSort.Field.CREATED_AT, SortDirection.ASC);
    List<RunSummary> seen = new ArrayList<>();
    String cursor = null;
    do {
      Page<RunSummary> page =
          page(new ListRuns(Samples.PRODUCTION, RunFilter.ALL, oldest, 2, cursor), rows);
      seen.addAll(page.data());
      cursor = page.nextCursor();
    } while (cursor != null);

    assertThat(seen).isEqualTo(rows);
  }

  @Test
  void a_lane_says_what_its_storage_can_do() {
    Lane lane = myLane(
        answering(StorageAdapter.class, Set.of()), answering(TransportAdapter.class, Set.of()));

    assertThat(lane.name()).isEqualTo("my-lane");
    assertThat(lane.capabilities().operatorReads()).isFalse();
    assertThat(lane.start().compose(started -> lane.close()).succeeded()).isTrue();
  }

  @Test
  void the_readme_shows_these_examples() throws Exception {
    String[] parts = Files.readString(Path.of("src/test/java/dev/runlane/samples/ReadmeTest.java"))
        .split(" {2}// readme:begin \\w+\n");

    assertThat(parts).hasSize(4);
    for (String part : Arrays.copyOfRange(parts, 1, 4)) {
      String example = part.substring(0, part.indexOf("  // readme:end\n"));
      assertThat(readme()).contains("```java\n" + example.replaceAll("(?m)^  ", "") + "```");
    }
    assertThat(readme().split("```java", -1)).hasSize(4);
  }

  @Test
  void the_readme_names_every_method_and_every_value() throws Exception {
    Stream<String> methods = Arrays.stream(StorageAdapter.class.getMethods()).map(Method::getName);
    Stream<String> flags = Arrays.stream(StorageCapability.values()).map(StorageCapability::value);
    Stream<String> transportFlags =
        Arrays.stream(TransportCapability.values()).map(each -> each.value());
    Stream<String> kinds =
        Arrays.stream(StorageConflictKind.values()).map(StorageConflictKind::value);
    Stream<String> codes = Arrays.stream(ErrorCode.values()).map(each -> each.value());

    assertThat(readme())
        .contains(Stream.of(methods, flags, transportFlags, kinds, codes)
            .flatMap(each -> each)
            .map(each -> "`" + each)
            .toList());
  }

  private static String readme() throws Exception {
    return Files.readString(Path.of("README.md"));
  }

  private static RunSummary summary(String id, Instant createdAt) {
    EventHeader header = EventHeader.bySystem(Samples.PRODUCTION, id, createdAt);
    return RunSummary.of(RunRecord.builder(new RunEvent.Created(
            header,
            Samples.TASK,
            Samples.QUEUE,
            Samples.PAYLOAD,
            null,
            RunKeys.NONE,
            RunSource.TRIGGER))
        .build());
  }

  /** An adapter of which only the defaults and {@code capabilities()} are called. */
  private static <T> T answering(Class<T> type, Set<?> capabilities) {
    return type.cast(Proxy.newProxyInstance(
        type.getClassLoader(),
        new Class<?>[] {type},
        (proxy, method, arguments) -> method.isDefault()
            ? InvocationHandler.invokeDefault(proxy, method, arguments)
            : capabilities));
  }
}
