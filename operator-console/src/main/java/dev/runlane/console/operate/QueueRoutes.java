package dev.runlane.console.operate;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.runlane.console.access.Caller;
import dev.runlane.console.access.Masks;
import dev.runlane.console.answer.Answer;
import dev.runlane.console.contract.ApiCall;
import dev.runlane.console.contract.ApiHandler;
import dev.runlane.console.contract.Pages;
import dev.runlane.operator.depth.DepthSample;
import dev.runlane.operator.depth.QueueDepth;
import dev.runlane.operator.queue.OccupiedPartition;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunlaneException;
import dev.runlane.runtime.Runlane;
import dev.runlane.runtime.operate.Operator;
import dev.runlane.storage.limit.ListPublishedQueues;
import dev.runlane.timing.Clock;
import io.vertx.core.Future;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** What the document says of queues across all processes: their limits, pauses, and who has their slots. */
public final class QueueRoutes {
  private static final int MOST_FULL_QUEUES = 20;
  private static final int MOST_FULL_KEYS = 10;
  private static final int OCCUPIED = 50;

  private final Runlane runlane;
  private final Operator operator;
  private final Masks masks;
  private final Clock clock;

  /** Over one runtime. */
  public QueueRoutes(Runlane runlane, Masks masks, Clock clock) {
    this.runlane = runlane;
    operator = runlane.operator();
    this.masks = masks;
    this.clock = clock;
  }

  /** The operations by id. */
  public Map<String, ApiHandler> handlers() {
    Map<String, ApiHandler> handlers = new LinkedHashMap<>();
    handlers.put("listPublishedQueues", this::published);
    handlers.put("listPausedQueues", this::paused);
    handlers.put("pauseQueue", this::pause);
    handlers.put("resumeQueue", this::resume);
    handlers.put("listOccupied", this::occupied);
    handlers.put("listFullPartitions", this::fullPartitions);
    return handlers;
  }

  private Future<Answer> published(ApiCall call) {
    return runlane
        .lane()
        .storage()
        .queueLimits()
        .map(limits -> limits
            .listPublishedQueues(new ListPublishedQueues(runlane.environment(), clock.now()))
            .map(queues -> Pages.list(
                queues, queue -> masks.apply(OperatorBodies.published(queue), call.caller()))))
        .orElseGet(() -> Future.failedFuture(RunlaneException.of(
            ErrorCode.CAPABILITY_UNSUPPORTED, "the storage keeps no queues of processes")));
  }

  private Future<Answer> paused(ApiCall call) {
    return operator
        .pausedQueues()
        .map(queues ->
            Pages.list(queues, queue -> masks.apply(OperatorBodies.paused(queue), call.caller())));
  }

  private Future<Answer> pause(ApiCall call) {
    String queue = call.pathValue("queue");
    return operator
        .pauseQueue(queue, OperatorRoutes.action(call))
        .map(changed -> changed(queue, changed));
  }

  private Future<Answer> resume(ApiCall call) {
    String queue = call.pathValue("queue");
    return operator
        .resumeQueue(queue, OperatorRoutes.action(call))
        .map(changed -> changed(queue, changed));
  }

  private static Answer changed(String queue, boolean isChanged) {
    ObjectNode body = JsonNodeFactory.instance.objectNode();
    body.put("queue", queue);
    body.put("changed", isChanged);
    return Answer.ok(body);
  }

  private Future<Answer> occupied(ApiCall call) {
    String queue = call.pathValue("queue");
    return Future.join(
            operator.occupied(queue, call.number("limit").orElse(OCCUPIED)), limits(List.of(queue)))
        .map(both -> {
          List<OccupiedPartition> found = both.resultAt(0);
          Map<String, Integer> limits = both.resultAt(1);
          ObjectNode body = JsonNodeFactory.instance.objectNode();
          Integer limit = limits.get(queue);
          if (limit != null) {
            body.put("concurrencyLimit", limit);
          }
          ArrayNode data = body.putArray("data");
          found.forEach(each -> partition(data.addObject(), each, call.caller()));
          return Answer.ok(masks.apply(body, call.caller()));
        });
  }

  /** Masked for itself too: paths begin at what has the key, as in a run. */
  private void partition(ObjectNode body, OccupiedPartition partition, Caller caller) {
    if (partition.concurrencyKey() != null) {
      body.put("concurrencyKey", partition.concurrencyKey());
    }
    body.put("occupied", partition.occupied());
    masks.apply(body, caller);
  }

  /** The limits of bounded queues: those of this runtime, and the strictest of other processes for the rest. */
  private Future<Map<String, Integer>> limits(List<String> queues) {
    if (queues.isEmpty()) {
      return Future.succeededFuture(Map.of());
    }
    Map<String, Integer> limits = new TreeMap<>();
    return runlane
        .lane()
        .storage()
        .queueLimits()
        .map(storage -> storage.listPublishedQueues(
            new ListPublishedQueues(runlane.environment(), clock.now(), queues)))
        .orElseGet(() -> Future.succeededFuture(List.of()))
        .map(published -> {
          published.forEach(each -> {
            if (each.concurrencyLimit() != null) {
              limits.merge(each.queue(), each.concurrencyLimit(), Math::min);
            }
          });
          runlane.queues().forEach(queue -> {
            Integer own = queue.policy().concurrencyLimit();
            if (own != null) {
              limits.put(queue.name(), own);
            }
          });
          return limits;
        });
  }

  /** Of the bounded queues in which runs waited when that was counted last. */
  private Future<Answer> fullPartitions(ApiCall call) {
    return operator
        .depths()
        .map(sample -> sample.map(DepthSample::queues).orElse(List.of()).stream()
            .filter(depth -> depth.waiting() > 0)
            .toList())
        .compose(depths -> limits(depths.stream().map(QueueDepth::queue).toList())
            .compose(limits -> fullPartitions(depths, limits, call)));
  }

  private Future<Answer> fullPartitions(
      List<QueueDepth> depths, Map<String, Integer> limits, ApiCall call) {
    List<QueueDepth> waiting = depths.stream()
        .filter(depth -> limits.containsKey(depth.queue()))
        .limit(MOST_FULL_QUEUES)
        .toList();
    return Future.join(waiting.stream()
            .map(depth -> operator.occupied(depth.queue(), MOST_FULL_KEYS))
            .toList())
        .map(all -> {
          ObjectNode body = JsonNodeFactory.instance.objectNode();
          ArrayNode data = body.putArray("data");
          for (int place = 0; place < waiting.size(); place++) {
            QueueDepth depth = waiting.get(place);
            int limit = limits.getOrDefault(depth.queue(), Integer.MAX_VALUE);
            List<OccupiedPartition> occupied = all.resultAt(place);
            occupied.stream()
                .filter(each -> each.occupied() >= limit)
                .forEach(each -> partition(
                    data.addObject()
                        .put("queue", depth.queue())
                        .put("concurrencyLimit", limit)
                        .put("waiting", depth.waiting()),
                    each,
                    call.caller()));
          }
          return Answer.ok(masks.apply(body, call.caller()));
        });
  }
}
