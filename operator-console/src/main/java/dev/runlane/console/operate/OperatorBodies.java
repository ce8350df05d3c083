package dev.runlane.console.operate;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.runlane.console.answer.JsonTexts;
import dev.runlane.json.record.RunRecordJson;
import dev.runlane.operator.action.OperatorAction;
import dev.runlane.operator.depth.DepthSample;
import dev.runlane.operator.log.LogLine;
import dev.runlane.operator.outbox.OutboxEntry;
import dev.runlane.operator.process.HeldLease;
import dev.runlane.operator.process.KnownProcess;
import dev.runlane.operator.process.RuntimeProcess;
import dev.runlane.operator.process.TopicLag;
import dev.runlane.operator.queue.PausedQueue;
import dev.runlane.operator.throughput.Latencies;
import dev.runlane.operator.throughput.ThroughputBucket;
import dev.runlane.run.Actor;
import dev.runlane.storage.limit.PublishedQueue;
import dev.runlane.timing.Durations;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** What the operator's routes answer. */
final class OperatorBodies {
  /** What a list shows of each minute in CSV. */
  static final List<String> THROUGHPUT_COLUMNS = List.of(
      "minute",
      "queue",
      "taskId",
      "triggered",
      "started",
      "succeeded",
      "failed",
      "retried",
      "released",
      "cancelled",
      "lost",
      "waited.p50Millis",
      "waited.p99Millis",
      "attempt.p50Millis",
      "attempt.p99Millis",
      "run.p50Millis",
      "run.p99Millis");

  static final List<String> PROCESS_COLUMNS = List.of(
      "id",
      "host",
      "version",
      "roles",
      "queues",
      "tasks",
      "workers",
      "slots",
      "running",
      "longestLease",
      "startedAt",
      "lastSeen",
      "clockOffsetMillis",
      "isGone");
  static final List<String> OUTBOX_COLUMNS = List.of(
      "id",
      "runId",
      "queue",
      "status",
      "availableAt",
      "claimExpiresAt",
      "failedPublishes",
      "failure.code",
      "failure.message");
  static final List<String> ACTION_COLUMNS = List.of(
      "id",
      "actor.type",
      "actor.id",
      "action",
      "target",
      "reason",
      "at",
      "succeeded",
      "result",
      "endedAt");
  static final List<String> LINE_COLUMNS =
      List.of("runId", "attempt", "number", "at", "level", "text", "fields");

  private OperatorBodies() {}

  /** With so many names of queues, tasks and workers each, and how many there are. */
  static ObjectNode process(KnownProcess known, int names, Instant now) {
    RuntimeProcess process = known.process();
    ObjectNode body = object();
    body.put("id", process.processId());
    body.put("host", process.host());
    body.put("version", process.version());
    all(body.putArray("roles"), process.roles());
    some(body, "queue", process.queues(), names);
    some(body, "task", process.taskIds(), names);
    some(body, "worker", process.workerIds(), names);
    body.put("slots", process.slots());
    body.put("running", process.running());
    body.put("longestLease", Durations.format(process.longestLease()));
    body.put("startedAt", process.startedAt().toString());
    body.put("lastSeen", known.lastSeen().toString());
    Duration clockOffset = known.clockOffset();
    if (clockOffset != null) {
      body.put("clockOffsetMillis", clockOffset.toMillis());
    }
    if (!process.lags().isEmpty()) {
      ArrayNode lags = body.putArray("lags");
      process.lags().forEach(lag -> lags.addObject()
          .put("topic", lag.topic())
          .put("group", lag.group())
          .put("partition", lag.partition())
          .put("queue", lag.queue())
          .put("records", lag.records()));
    }
    body.put("isGone", known.isGoneAt(now));
    return body;
  }

  private static void some(ObjectNode body, String what, List<String> all, int names) {
    List<String> shown =
        names >= all.size() ? all : all.stream().sorted().limit(names).toList();
    all(body.putArray(what + "s"), shown);
    body.put(what + "Count", all.size());
  }

  /** About how many characters the names of a process take in an answer. */
  static long sizeOfNames(KnownProcess known) {
    RuntimeProcess process = known.process();
    return Stream.of(process.queues(), process.taskIds(), process.workerIds())
        .flatMap(List::stream)
        .mapToLong(name -> name.length() + 3L)
        .sum();
  }

  static ObjectNode processNames(
      Collection<String> queues, Collection<String> tasks, boolean isCut) {
    ObjectNode body = object();
    all(body.putArray("queues"), queues);
    all(body.putArray("tasks"), tasks);
    body.put("isCut", isCut);
    return body;
  }

  static ObjectNode topicLag(TopicLag lag) {
    ObjectNode body = object();
    body.put("topic", lag.topic());
    body.put("group", lag.group());
    body.put("queue", lag.queue());
    body.put("records", lag.records());
    ArrayNode partitions = body.putArray("partitions");
    lag.partitions().forEach(each -> partitions
        .addObject()
        .put("partition", each.partition())
        .put("records", each.records())
        .put("processId", each.processId())
        .put("toldAt", each.toldAt().toString())
        .put("isLeft", each.isLeft()));
    return body;
  }

  static ObjectNode lease(HeldLease lease) {
    ObjectNode body = object();
    body.put("runId", lease.runId());
    body.put("taskId", lease.taskId());
    body.put("queue", lease.queue());
    body.put("workerId", lease.workerId());
    body.put("expiresAt", lease.expiresAt().toString());
    return body;
  }

  static ObjectNode sample(DepthSample sample) {
    ObjectNode body = object();
    body.put("takenAt", sample.takenAt().toString());
    ArrayNode queues = body.putArray("queues");
    sample.queues().forEach(depth -> {
      ObjectNode queue = queues.addObject();
      queue.put("queue", depth.queue());
      queue.put("waiting", depth.waiting());
      queue.put("later", depth.later());
      queue.put("held", depth.held());
      instant(queue, "oldestDueAt", depth.oldestDueAt());
    });
    ObjectNode outbox = body.putObject("outbox");
    outbox.put("pending", sample.outbox().pending());
    outbox.put("claimed", sample.outbox().claimed());
    outbox.put("failed", sample.outbox().failed());
    outbox.put("deadLettered", sample.outbox().deadLettered());
    instant(outbox, "oldestDueAt", sample.outbox().oldestDueAt());
    ArrayNode steps = body.putArray("steps");
    sample.steps().forEach(depth -> {
      ObjectNode group = steps.addObject();
      group.put("group", depth.group());
      group.put("waiting", depth.waiting());
      group.put("oldestAt", depth.oldestAt().toString());
    });
    return body;
  }

  static ObjectNode message(OutboxEntry message) {
    ObjectNode body = object();
    body.put("id", message.id());
    body.put("runId", message.runId());
    body.put("queue", message.queue());
    body.put("status", message.status().value());
    body.put("availableAt", message.availableAt().toString());
    instant(body, "claimExpiresAt", message.claimExpiresAt());
    body.put("failedPublishes", message.failedPublishes());
    if (message.failure() != null) {
      body.set("failure", JsonTexts.tree(RunRecordJson.write(message.failure())));
    }
    return body;
  }

  static ObjectNode published(PublishedQueue queue) {
    ObjectNode body = object();
    body.put("processId", queue.processId());
    body.put("queue", queue.queue());
    if (queue.concurrencyLimit() != null) {
      body.put("concurrencyLimit", queue.concurrencyLimit());
    }
    body.put("expiresAt", queue.expiresAt().toString());
    return body;
  }

  static ObjectNode paused(PausedQueue queue) {
    ObjectNode body = object();
    body.put("queue", queue.queue());
    actor(body, queue.actor());
    text(body, "reason", queue.reason());
    body.put("pausedAt", queue.pausedAt().toString());
    return body;
  }

  static ObjectNode action(OperatorAction action) {
    ObjectNode body = object();
    body.put("id", action.id());
    actor(body, action.actor());
    body.put("action", action.action());
    text(body, "target", action.target());
    text(body, "reason", action.reason());
    body.put("at", action.at().toString());
    if (action.succeeded() != null) {
      body.put("succeeded", action.succeeded());
    }
    text(body, "result", action.result());
    instant(body, "endedAt", action.endedAt());
    return body;
  }

  static ObjectNode line(LogLine line) {
    ObjectNode body = object();
    body.put("runId", line.runId());
    body.put("attempt", line.attempt());
    body.put("number", line.number());
    body.put("at", line.at().toString());
    body.put("level", line.level().value());
    body.put("text", line.text());
    ObjectNode fields = body.putObject("fields");
    line.fields().forEach(fields::put);
    return body;
  }

  static void actor(ObjectNode body, Actor actor) {
    ObjectNode told = body.putObject("actor");
    told.put("type", actor.type().value());
    text(told, "id", actor.id());
  }

  private static void text(ObjectNode body, String name, @Nullable String value) {
    if (value != null) {
      body.put(name, value);
    }
  }

  private static void instant(ObjectNode body, String name, @Nullable Instant value) {
    if (value != null) {
      body.put(name, value.toString());
    }
  }

  private static void all(ArrayNode into, Collection<String> values) {
    values.forEach(into::add);
  }

  private static ObjectNode object() {
    return JsonNodeFactory.instance.objectNode();
  }

  static ObjectNode throughput(ThroughputBucket bucket) {
    ObjectNode body = JsonNodeFactory.instance.objectNode();
    body.put("minute", bucket.minute().toString());
    body.put("queue", bucket.queue());
    body.put("taskId", bucket.taskId());
    counts(body, bucket);
    body.set("waited", latencies(bucket.waited()));
    body.set("attempt", latencies(bucket.attempt()));
    body.set("run", latencies(bucket.run()));
    return body;
  }

  static void counts(ObjectNode body, ThroughputBucket bucket) {
    body.put("triggered", bucket.triggered());
    body.put("started", bucket.started());
    body.put("succeeded", bucket.succeeded());
    body.put("failed", bucket.failed());
    body.put("retried", bucket.retried());
    body.put("released", bucket.released());
    body.put("cancelled", bucket.cancelled());
    body.put("lost", bucket.lost());
  }

  private static ObjectNode latencies(Latencies latencies) {
    ObjectNode body = JsonNodeFactory.instance.objectNode();
    body.put("count", latencies.count());
    body.put("sumMillis", latencies.sumMillis());
    body.put("p50Millis", latencies.quantile(0.5).toMillis());
    body.put("p95Millis", latencies.quantile(0.95).toMillis());
    body.put("p99Millis", latencies.quantile(0.99).toMillis());
    ArrayNode counts = body.putArray("counts");
    latencies.counts().forEach(counts::add);
    return body;
  }
}
