package dev.runlane.console.operate;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.runlane.operator.OperatorStore;
import dev.runlane.operator.throughput.Latencies;
import dev.runlane.operator.throughput.ThroughputBucket;
import dev.runlane.runtime.operate.Operator;
import dev.runlane.runtime.operate.ThroughputQuery;
import io.vertx.core.Future;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Minutes of throughput added up over equal steps of time, for charts: one series for each queue or task. Read slice by
 * slice from the latest to the earliest, so that the budget of rows is spent on what happened last.
 */
final class ThroughputSeries {
  /** How many rows are read at most; a hundred statements. */
  static final int MOST_ROWS = 20_000;

  private static final Duration SLICE = Duration.ofMinutes(30);
  private static final int MOST_SLICES = 48;
  private static final int PAGE = 200;

  private final Operator operator;
  private final Wanted wanted;
  private final Map<String, NavigableMap<Instant, ThroughputBucket>> groups = new TreeMap<>();
  private Instant readFrom;
  private int rows;

  private ThroughputSeries(Operator operator, Wanted wanted) {
    this.operator = operator;
    this.wanted = wanted;
    readFrom = wanted.until;
  }

  /** Reads what is wanted. */
  static Future<ThroughputSeries> read(Operator operator, Wanted wanted) {
    ThroughputSeries series = new ThroughputSeries(operator, wanted);
    return series.slices().map(series);
  }

  private Future<Void> slices() {
    if (!readFrom.isAfter(wanted.from) || rows >= MOST_ROWS) {
      return Future.succeededFuture();
    }
    Instant until = readFrom;
    Instant earlier = until.minus(wanted.slice());
    Instant from = earlier.isBefore(wanted.from) ? wanted.from : earlier;
    return pages(from, until, null).compose(read -> {
      readFrom = from;
      return slices();
    });
  }

  private Future<Void> pages(Instant from, Instant until, @Nullable String cursor) {
    return operator
        .throughput(new ThroughputQuery(from, until, wanted.queue, wanted.taskId, PAGE, cursor))
        .compose(page -> {
          page.data().forEach(this::add);
          rows += page.data().size();
          return page.nextCursor() == null
              ? Future.succeededFuture()
              : pages(from, until, page.nextCursor());
        });
  }

  private void add(ThroughputBucket minute) {
    long step = wanted.step.toSeconds();
    Instant at =
        Instant.ofEpochSecond(Math.floorDiv(minute.minute().getEpochSecond(), step) * step);
    ThroughputBucket moved = ThroughputBucket.of(at, "all", "all", minute.numbers());
    groups
        .computeIfAbsent(wanted.by.nameOf(minute), any -> new TreeMap<>())
        .merge(at, moved, ThroughputBucket::plus);
  }

  /** As the document has it. */
  ObjectNode body() {
    ObjectNode body = JsonNodeFactory.instance.objectNode();
    body.put("from", readFrom.toString());
    body.put("until", wanted.until.toString());
    body.put("stepMinutes", wanted.step.toMinutes());
    body.put("isCut", readFrom.isAfter(wanted.from));
    ArrayNode told = body.putArray("groups");
    groups.forEach((name, points) -> {
      ObjectNode group = told.addObject();
      group.put("name", name);
      ArrayNode array = group.putArray("points");
      points.values().forEach(point -> array.add(point(point)));
    });
    return body;
  }

  private static ObjectNode point(ThroughputBucket bucket) {
    ObjectNode body = JsonNodeFactory.instance.objectNode();
    body.put("at", bucket.minute().toString());
    OperatorBodies.counts(body, bucket);
    body.set("waited", quantiles(bucket.waited()));
    body.set("attempt", quantiles(bucket.attempt()));
    return body;
  }

  private static ObjectNode quantiles(Latencies latencies) {
    ObjectNode body = JsonNodeFactory.instance.objectNode();
    body.put("count", latencies.count());
    if (latencies.count() > 0) {
      body.put("p50Millis", latencies.quantile(0.5).toMillis());
      body.put("p99Millis", latencies.quantile(0.99).toMillis());
    }
    return body;
  }

  /** What the series are told apart by. */
  enum By {
    /** One series for all. */
    NONE,
    /** One a queue. */
    QUEUE,
    /** One a task. */
    TASK;

    private String nameOf(ThroughputBucket bucket) {
      return switch (this) {
        case NONE -> "all";
        case QUEUE -> bucket.queue();
        case TASK -> bucket.taskId();
      };
    }
  }

  /** What is asked for. */
  record Wanted(
      Instant from,
      Instant until,
      Duration step,
      By by,
      @Nullable String queue,
      @Nullable String taskId) {
    /** The same with its beginning on a whole step, as points are, and not before what is kept. */
    Wanted {
      Instant earliest = until.minus(OperatorStore.THROUGHPUT_KEPT);
      long seconds = step.toSeconds();
      long begin = (from.isBefore(earliest) ? earliest : from).getEpochSecond();
      from = Instant.ofEpochSecond(Math.floorDiv(begin, seconds) * seconds);
    }

    private Duration slice() {
      Duration share = Duration.between(from, until).dividedBy(MOST_SLICES);
      return share.compareTo(SLICE) > 0 ? share : SLICE;
    }
  }
}
