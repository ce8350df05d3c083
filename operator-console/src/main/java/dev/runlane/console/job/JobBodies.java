package dev.runlane.console.job;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.runlane.console.access.Caller;
import dev.runlane.console.access.Masks;
import dev.runlane.console.answer.JsonTexts;
import dev.runlane.jobs.JobData;
import dev.runlane.jobs.JobSchedule;
import dev.runlane.jobs.JobState;
import dev.runlane.jobs.MetricsBucket;
import dev.runlane.jobs.MetricsGranularity;
import dev.runlane.jobs.store.JobStore;
import dev.runlane.jobs.store.QueueInfo;
import dev.runlane.json.record.JobJson;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Jobs as they are answered, masked for their reader. */
final class JobBodies {
  private static final JsonNodeFactory NODES = JsonNodeFactory.instance;

  private final Masks masks;

  JobBodies(Masks masks) {
    this.masks = masks;
  }

  /** What is hidden of a job is so too where its attempts, its options and its life before a dead letter have it. */
  ObjectNode job(JobData job, Caller caller) {
    ObjectNode told = JsonTexts.object(JobJson.write(job));
    if (masks.hidesFrom(caller)) {
      hideCopies(told, caller);
    }
    return masks.apply(told, caller);
  }

  private void hideCopies(ObjectNode job, Caller caller) {
    boolean isReasonHidden = isHidden("failedReason", TextNode.valueOf(""), caller);
    boolean isTraceHidden =
        isReasonHidden || isHidden("stacktrace", NODES.arrayNode().add(""), caller);
    boolean areLogsHidden = isHidden("logs", NODES.arrayNode().add(""), caller);
    for (JsonNode attempt : job.path("attemptLogs")) {
      hide(attempt, "error", isReasonHidden);
      hide(attempt, "stacktrace", isTraceHidden);
      hide(attempt, "logs", areLogsHidden);
    }
    hide(job, "stacktrace", isTraceHidden); // its first line has the reason
    hide(job.path("deadLetter"), "reason", isReasonHidden);
    hide(job.path("deadLetter"), "jobId", isHidden("id", TextNode.valueOf(""), caller));
    hideInOptions(job.path("opts"), caller);
    hideInOptions(job.path("deadLetter").path("opts"), caller);
  }

  private void hideInOptions(JsonNode options, Caller caller) {
    hide(
        options.path("deduplication"),
        "key",
        isHidden("deduplicationKey", TextNode.valueOf(""), caller));
    hide(options.path("group"), "id", isHidden("groupId", TextNode.valueOf(""), caller));
    hide(options, "jobId", isHidden("id", TextNode.valueOf(""), caller));
  }

  private boolean isHidden(String field, JsonNode value, Caller caller) {
    ObjectNode job = NODES.objectNode();
    job.set(field, value);
    return masks.hidesAnyOf(job, caller);
  }

  /** A list stays one. */
  private static void hide(JsonNode at, String field, boolean isHidden) {
    if (isHidden && at instanceof ObjectNode object && object.has(field)) {
      JsonNode mask = TextNode.valueOf(Masks.MASKED);
      object.set(field, object.path(field).isArray() ? NODES.arrayNode().add(mask) : mask);
    }
  }

  /**
   * What ended, of all names of jobs together.
   *
   * @param buckets null where none are kept
   */
  static ObjectNode metrics(
      Instant from, Instant until, MetricsGranularity step, @Nullable List<MetricsBucket> buckets) {
    ObjectNode body = NODES.objectNode();
    body.put("isKept", buckets != null);
    body.put("from", from.toString());
    body.put("until", until.toString());
    body.put("stepMinutes", step == MetricsGranularity.MINUTE ? 1 : 60);
    ArrayNode data = body.putArray("data");
    if (buckets != null) {
      buckets.stream()
          .filter(bucket -> bucket.jobName().equals(JobStore.ALL))
          .filter(bucket -> bucket.periodStart().isBefore(until))
          .forEach(bucket -> put(data.addObject(), bucket));
    }
    return body;
  }

  private static void put(ObjectNode point, MetricsBucket bucket) {
    point.put("at", bucket.periodStart().toString());
    point.put("completed", bucket.completedCount());
    point.put("failed", bucket.failedCount());
    long ended = bucket.completedCount() + bucket.failedCount();
    Long longest = bucket.maxProcessMillis();
    if (longest != null && ended > 0) {
      point.put("averageMillis", bucket.totalProcessMillis() / ended);
      point.put("longestMillis", longest);
    }
  }

  ObjectNode summary(JobData job, Caller caller) {
    return job(job, caller).without(JobJson.LARGE);
  }

  /** A job's log; one line where it is masked. */
  ObjectNode lines(List<String> lines, Caller caller) {
    ObjectNode job = NODES.objectNode();
    ArrayNode logs = job.putArray("logs");
    lines.forEach(logs::add);
    JsonNode shown = masks.apply(job, caller).path("logs");
    ObjectNode body = NODES.objectNode();
    if (shown.isArray()) {
      body.set("data", shown);
    } else {
      body.putArray("data").add(shown);
    }
    return body;
  }

  /** A schedule; what is hidden of a job's options is so of those its jobs get. */
  ObjectNode schedule(JobSchedule schedule, Caller caller) {
    ObjectNode told = JsonTexts.object(JobJson.write(schedule));
    if (masks.hidesFrom(caller)) {
      hideInOptions(told.path("opts"), caller);
    }
    return masks.apply(told, caller);
  }

  ObjectNode queue(QueueInfo queue, Caller caller) {
    ObjectNode body = NODES.objectNode();
    body.put("name", queue.name());
    body.put("paused", queue.paused());
    body.set("pausedNames", pausedNames(queue.pausedNames(), caller));
    body.set("counts", counts(queue.counts()));
    body.put("repeating", queue.scheduledCount());
    if (queue.latestActivity() != null) {
      body.put("latestActivity", queue.latestActivity().toString());
    }
    return body;
  }

  /** Each hidden where that of a job is; all names together are no name. */
  ArrayNode pausedNames(List<String> names, Caller caller) {
    boolean areHidden = isHidden("name", TextNode.valueOf(""), caller);
    ArrayNode shown = NODES.arrayNode();
    names.forEach(name -> shown.add(areHidden && !name.equals(JobStore.ALL) ? Masks.MASKED : name));
    return shown;
  }

  static ObjectNode counts(Map<JobState, Long> counts) {
    ObjectNode body = NODES.objectNode();
    for (JobState state : JobState.values()) {
      body.put(state.value(), counts.getOrDefault(state, 0L));
    }
    return body;
  }
}
