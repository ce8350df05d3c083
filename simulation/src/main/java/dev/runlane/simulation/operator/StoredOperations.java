package dev.runlane.simulation.operator;

import dev.runlane.operator.OperatorStore;
import dev.runlane.operator.action.ListActions;
import dev.runlane.operator.action.OperatorAction;
import dev.runlane.operator.log.ListLogLines;
import dev.runlane.operator.log.LogLine;
import dev.runlane.operator.process.KnownProcess;
import dev.runlane.operator.process.ListProcesses;
import dev.runlane.operator.queue.ListPausedQueues;
import dev.runlane.operator.queue.PausedQueue;
import dev.runlane.operator.schedule.ListSchedules;
import dev.runlane.operator.tag.FindTags;
import dev.runlane.operator.tag.ListTaggedRuns;
import dev.runlane.operator.tag.TaggedRun;
import dev.runlane.operator.throughput.ListThroughput;
import dev.runlane.operator.throughput.ThroughputBucket;
import dev.runlane.run.Environment;
import dev.runlane.simulation.world.VirtualTime;
import dev.runlane.storage.StorageAdapter;
import dev.runlane.storage.read.Page;
import dev.runlane.storage.read.RunFilter;
import dev.runlane.storage.read.RunSummary;
import io.vertx.core.Future;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** What is stored for operators, read past the network: as the checks see it. */
public final class StoredOperations {
  private static final int PAGE = 200;
  private static final Duration LONGEST = Duration.ofDays(1); // of any world

  private final Environment environment;
  private final OperatorStore store;

  /** Reads from a storage whose futures are complete when they are returned. */
  public StoredOperations(Environment environment, StorageAdapter storage) {
    this.environment = environment;
    store = storage.operator().orElseThrow();
  }

  /** The queues that are paused. */
  public Set<String> pausedQueues() {
    return now(store.listPausedQueues(new ListPausedQueues(environment))).stream()
        .map(PausedQueue::queue)
        .collect(Collectors.toUnmodifiableSet());
  }

  /** The schedules that are paused. */
  public Set<String> pausedSchedules() {
    return now(store.listSchedules(new ListSchedules(environment, PAGE, null))).data().stream()
        .filter(schedule -> schedule.pause() != null)
        .map(schedule -> schedule.name().scheduleId())
        .collect(Collectors.toUnmodifiableSet());
  }

  /** The tags of those of the runs that have some. */
  public Map<String, Map<String, String>> tags(List<String> runs) {
    Map<String, Map<String, String>> tags = new HashMap<>();
    for (int from = 0; from < runs.size(); from += PAGE) {
      List<String> some = runs.subList(from, Math.min(runs.size(), from + PAGE));
      for (TaggedRun run : now(store.findTags(new FindTags(environment, some)))) {
        tags.put(run.runId(), run.tags());
      }
    }
    return tags;
  }

  /** The runs that have a tag. */
  public Set<String> tagged(String name, String value) {
    return pages(cursor -> store.listTaggedRuns(
            new ListTaggedRuns(environment, Map.of(name, value), RunFilter.ALL, PAGE, cursor)))
        .stream()
        .map(RunSummary::id)
        .collect(Collectors.toUnmodifiableSet());
  }

  /** What handlers wrote for a run. */
  public List<LogLine> lines(String run) {
    return pages(cursor -> store.listLogLines(new ListLogLines(environment, run, PAGE, cursor)));
  }

  /** What operators did, as it was recorded. */
  public List<OperatorAction> actions() {
    return pages(cursor -> store.listActions(new ListActions(environment, PAGE, cursor)));
  }

  /** How many processes live at an instant, as they said. */
  public long living(Instant at) {
    List<KnownProcess> known =
        pages(cursor -> store.listProcesses(new ListProcesses(environment, PAGE, cursor)));
    return known.stream().filter(process -> !process.isGoneAt(at)).count();
  }

  /** What processes counted. */
  public List<ThroughputBucket> throughput() {
    return pages(cursor -> store.listThroughput(new ListThroughput(
        environment, Instant.EPOCH, VirtualTime.START.plus(LONGEST), null, null, PAGE, cursor)));
  }

  private static <T> List<T> pages(Function<@Nullable String, Future<Page<T>>> read) {
    List<T> all = new ArrayList<>();
    String cursor = null;
    do {
      Page<T> page = now(read.apply(cursor));
      all.addAll(page.data());
      cursor = page.nextCursor();
    } while (cursor != null);
    return all;
  }

  private static <T> T now(Future<T> future) {
    if (!future.succeeded()) {
      throw new IllegalStateException("the storage did not answer at once", future.cause());
    }
    return future.result();
  }
}
