package dev.runlane.storage.memory.operator;

import dev.runlane.operator.throughput.AddThroughput;
import dev.runlane.operator.throughput.FoldThroughput;
import dev.runlane.operator.throughput.FoldedThroughput;
import dev.runlane.operator.throughput.ListThroughput;
import dev.runlane.operator.throughput.PruneThroughput;
import dev.runlane.operator.throughput.ThroughputBucket;
import dev.runlane.run.Identifiers;
import dev.runlane.storage.Cursors;
import dev.runlane.storage.memory.kept.Pages;
import dev.runlane.storage.read.Page;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;

/** What was counted, by minute, queue and task. */
public final class Throughput {
  private final NavigableMap<Key, ThroughputBucket> buckets = new TreeMap<>();

  public void add(AddThroughput command) {
    command.buckets().forEach(each -> buckets.merge(Key.of(each), each, ThroughputBucket::plus));
  }

  public Page<ThroughputBucket> list(ListThroughput query) {
    Cursors cursors = Cursors.of(query);
    NavigableMap<Key, ThroughputBucket> behind = cursors
        .decode(query.cursor(), 3)
        .map(parts -> new Key(Cursors.instant(parts.get(0)), parts.get(1), parts.get(2)))
        .map(after -> buckets.tailMap(after, false))
        .orElse(buckets);
    return Pages.of(
        behind.values().stream()
            .filter(each ->
                !each.minute().isBefore(query.from()) && each.minute().isBefore(query.until()))
            .filter(each -> query.queue() == null || query.queue().equals(each.queue()))
            .filter(each -> query.taskId() == null || query.taskId().equals(each.taskId())),
        query.limit(),
        last -> cursors.encode(last.minute().toString(), last.queue(), last.taskId()));
  }

  public FoldedThroughput fold(FoldThroughput query) {
    NavigableMap<Key, ThroughputBucket> steps = new TreeMap<>();
    buckets.values().stream()
        .filter(
            each -> !each.minute().isBefore(query.from()) && each.minute().isBefore(query.until()))
        .filter(each -> query.queue() == null || query.queue().equals(each.queue()))
        .filter(each -> query.taskId() == null || query.taskId().equals(each.taskId()))
        .map(each -> query.by().folded(each, query.beginOf(each.minute())))
        .forEach(each -> steps.merge(Key.of(each), each, ThroughputBucket::plus));
    return new FoldedThroughput(query.from(), List.copyOf(steps.values()));
  }

  public int prune(PruneThroughput command) {
    List<Key> old = buckets.keySet().stream()
        .takeWhile(key -> key.minute().isBefore(command.olderThan()))
        .limit(command.limit())
        .toList();
    old.forEach(buckets::remove);
    return old.size();
  }

  private record Key(Instant minute, String queue, String taskId) implements Comparable<Key> {
    private static final Comparator<Key> ORDER = Comparator.comparing(Key::minute)
        .thenComparing(Key::queue, Identifiers.ORDER)
        .thenComparing(Key::taskId, Identifiers.ORDER);

    static Key of(ThroughputBucket bucket) {
      return new Key(bucket.minute(), bucket.queue(), bucket.taskId());
    }

    @Override
    public int compareTo(Key other) {
      return ORDER.compare(this, other);
    }
  }
}
