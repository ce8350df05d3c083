package dev.runlane.console.operate;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.runlane.operator.OperatorStore;
import dev.runlane.operator.throughput.FoldThroughput;
import dev.runlane.operator.throughput.FoldedThroughput;
import dev.runlane.operator.throughput.Latencies;
import dev.runlane.operator.throughput.ThroughputBucket;
import dev.runlane.runtime.operate.Operator;
import io.vertx.core.Future;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** Throughput added up over equal steps of time, for charts: one series for each queue or task. */
final class ThroughputSeries {
  private final Wanted wanted;
  private final FoldedThroughput folded;

  private ThroughputSeries(Wanted wanted, FoldedThroughput folded) {
    this.wanted = wanted;
    this.folded = folded;
  }

  /** Reads what is wanted. */
  static Future<ThroughputSeries> read(Operator operator, Wanted wanted) {
    return wanted.from.isBefore(wanted.until)
        ? operator
            .throughput(
                wanted.from, wanted.until, wanted.step, wanted.by, wanted.queue, wanted.taskId)
            .map(folded -> new ThroughputSeries(wanted, folded))
        : Future.succeededFuture(
            new ThroughputSeries(wanted, new FoldedThroughput(wanted.until, List.of())));
  }

  /** As the document has it, with a group's name as it is told. */
  ObjectNode body(UnaryOperator<String> told) {
    ObjectNode body = JsonNodeFactory.instance.objectNode();
    body.put("from", folded.from().toString());
    body.put("until", wanted.until.toString());
    body.put("stepMinutes", wanted.step.toMinutes());
    body.put("isCut", folded.from().isAfter(wanted.from));
    Map<String, ArrayNode> groups = new TreeMap<>();
    folded.data().forEach(bucket -> groups
        .computeIfAbsent(nameOf(bucket), name -> JsonNodeFactory.instance.arrayNode())
        .add(point(bucket)));
    ArrayNode data = body.putArray("groups");
    groups.forEach(
        (name, points) -> data.addObject().put("name", told.apply(name)).set("points", points));
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

  private String nameOf(ThroughputBucket bucket) {
    return switch (wanted.by) {
      case NONE -> FoldedThroughput.ALL;
      case QUEUE -> bucket.queue();
      case TASK -> bucket.taskId();
    };
  }

  /** What is asked for. */
  record Wanted(
      Instant from,
      Instant until,
      Duration step,
      FoldThroughput.By by,
      @Nullable String queue,
      @Nullable String taskId) {
    /** The same with its beginning on a whole step, as points are, and not before what is kept. */
    Wanted {
      Instant earliest = until.minus(OperatorStore.THROUGHPUT_KEPT);
      from = FoldThroughput.beginOf(from.isBefore(earliest) ? earliest : from, step);
    }
  }
}
