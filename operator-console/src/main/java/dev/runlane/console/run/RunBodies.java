package dev.runlane.console.run;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.runlane.console.access.Caller;
import dev.runlane.console.access.Masks;
import dev.runlane.console.answer.JsonTexts;
import dev.runlane.json.record.RunEventJson;
import dev.runlane.json.record.RunRecordJson;
import dev.runlane.run.Json;
import dev.runlane.run.RunRecord;
import dev.runlane.runtime.operate.RunAttempt;
import dev.runlane.runtime.operate.RunExplanation;
import dev.runlane.runtime.task.TriggerOutcome;
import dev.runlane.runtime.task.TriggerResult;
import dev.runlane.storage.read.RunEventRecord;
import dev.runlane.storage.read.RunSummary;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/** Runs as they are answered: without the tokens of leases, and masked for their reader. */
public final class RunBodies {
  /** What a list shows of each run in CSV. */
  static final List<String> SUMMARY_COLUMNS = List.of(
      "id",
      "taskId",
      "queue",
      "status",
      "counters.attempts",
      "counters.failures",
      "runAt",
      "concurrencyKey",
      "idempotencyKey",
      "singletonKey",
      "workerId",
      "failure.code",
      "failure.message",
      "createdAt",
      "updatedAt",
      "startedAt",
      "finishedAt",
      "tags");

  /** What a list shows of each event in CSV. */
  static final List<String> EVENT_COLUMNS = List.of(
      "sequence",
      "id",
      "type",
      "occurredAt",
      "actor.type",
      "actor.id",
      "attempt",
      "lease.workerId",
      "reason",
      "failure.code",
      "failure.message",
      "payload",
      "input",
      "output",
      "meta");

  private static final List<String> LARGE =
      List.of("payload", "input", "output", "meta", "traceCarrier");
  private static final JsonNodeFactory NODES = JsonNodeFactory.instance;

  private final Masks masks;

  /** For readers from whom these masks hide. */
  public RunBodies(Masks masks) {
    this.masks = masks;
  }

  ObjectNode run(RunRecord run, Caller caller) {
    return masked(JsonTexts.object(RunRecordJson.write(run)), caller);
  }

  /** With its tags, masked like the rest. */
  ObjectNode run(RunRecord run, Map<String, String> tags, Caller caller) {
    return masked(tagged(JsonTexts.object(RunRecordJson.write(run)), tags), caller);
  }

  ObjectNode summary(RunSummary run, Map<String, String> tags, Caller caller) {
    return masked(tagged(JsonTexts.object(RunRecordJson.write(run)), tags), caller);
  }

  private static ObjectNode tagged(ObjectNode run, Map<String, String> tags) {
    if (!tags.isEmpty()) {
      ObjectNode told = run.putObject("tags");
      new TreeMap<>(tags).forEach(told::put);
    }
    return run;
  }

  /** What a step was given and answered is hidden as what its run was; what a wakeup takes along, as the run's own. */
  ObjectNode event(RunEventRecord event, Caller caller) {
    ObjectNode told = masked(JsonTexts.object(RunEventJson.write(event)), caller);
    if (told.path("delivery") instanceof ObjectNode delivery) {
      masks.apply(delivery, caller);
    }
    if (masks.hidesFrom(caller) && told.has("stepId")) {
      for (String field : List.of("input", "output")) {
        for (String name : told.has(field) ? List.of("payload", "output") : List.<String>of()) {
          ObjectNode around = NODES.objectNode();
          around.set(name, told.path(field));
          told.set(field, masks.apply(around, caller).path(name));
        }
      }
    }
    return told;
  }

  /** An event without what may be large: payload, input, output, meta and trace. */
  public ObjectNode change(RunEventRecord event, Caller caller) {
    return event(event, caller).without(LARGE);
  }

  ObjectNode triggered(TriggerResult result, Caller caller) {
    boolean isCreated = result.outcome() == TriggerOutcome.CREATED;
    ObjectNode body = NODES.objectNode();
    body.put("outcome", result.outcome().value());
    body.put(
        "samePayload", result.samePayload() && (isCreated || !hidesPayload(result.run(), caller)));
    body.set("run", run(result.run(), caller));
    return body;
  }

  /** Whether something of the run's payload is hidden: then who tries others must not learn which is the same. */
  boolean hidesPayload(RunRecord run, Caller caller) {
    ObjectNode resource = NODES.objectNode();
    resource.set("payload", JsonTexts.tree(run.payload()));
    return masks.hidesAnyOf(resource, caller);
  }

  /** Whether a field that runs have is hidden from the caller. */
  boolean hides(String field, String value, Caller caller) {
    return masks.hidesAnyOf(NODES.objectNode().put(field, value), caller);
  }

  /** How far an action on many runs is; who began it is hidden as the actor of an event. It is changed itself. */
  public ObjectNode bulkAction(ObjectNode body, Caller caller) {
    ObjectNode began = NODES.objectNode();
    began.putObject("actor").set("id", body.path("actor"));
    if (masks.hidesAnyOf(began, caller)) {
      body.put("actor", Masks.MASKED);
    }
    return masks.apply(body, caller);
  }

  ObjectNode attempt(RunAttempt attempt, Caller caller) {
    ObjectNode body = NODES.objectNode();
    body.put("attempt", attempt.attempt());
    if (attempt.workerId() != null) {
      body.put("workerId", attempt.workerId());
    }
    body.put("startedAt", attempt.startedAt().toString());
    if (attempt.endedAt() != null) {
      body.put("endedAt", attempt.endedAt().toString());
    }
    body.put("outcome", attempt.outcome().name().toLowerCase(Locale.ROOT));
    if (attempt.failure() != null) {
      body.set("failure", JsonTexts.tree(RunRecordJson.write(attempt.failure())));
    }
    return masked(body, caller);
  }

  /** A reason that tells something which is masked where a resource has it is told by its code alone. */
  ObjectNode explanation(RunExplanation explanation, Map<String, String> tags, Caller caller) {
    ObjectNode run = run(explanation.run(), tags, caller);
    ArrayNode reasons = NODES.arrayNode();
    StringBuilder text = new StringBuilder();
    for (RunExplanation.Reason reason : explanation.reasons()) {
      boolean isHidden = masks.hidesAnyOf(told(reason, explanation.run()), caller);
      ObjectNode told = reasons.addObject();
      told.put("code", reason.code().value());
      told.put("text", isHidden ? Masks.MASKED : reason.text());
      ObjectNode details = told.putObject("details");
      if (!isHidden) {
        reason.details().forEach(details::put);
      }
      text.append(text.isEmpty() ? "" : " ").append(told.path("text").textValue());
    }
    ObjectNode body = NODES.objectNode();
    body.set("run", run);
    body.put("text", text.toString());
    body.set("reasons", reasons);
    return body;
  }

  /**
   * What a reason tells, where runs, events, paused queues and messages of the outbox have it: of a partition that is
   * full, also which runs have the key of this one.
   */
  private static ObjectNode told(RunExplanation.Reason reason, RunRecord run) {
    ObjectNode told = NODES.objectNode();
    String key = run.keys().concurrencyKey();
    if (key != null && reason.code() == RunExplanation.Code.PARTITION_FULL) {
      told.put("concurrencyKey", key);
    }
    ObjectNode at =
        reason.code() == RunExplanation.Code.LAST_FAILURE ? told.putObject("failure") : told;
    reason.details().forEach((name, value) -> {
      switch (name) {
        case "meta" -> at.set(name, JsonTexts.tree(Json.ofChecked(value)));
        case "failure" -> told.withObjectProperty(name).put("message", value);
        case "failureCode" -> told.withObjectProperty("failure").put("code", value);
        case "workerId" -> told.putObject("lease").put(name, value);
        case "pausedBy" -> told.putObject("actor").put("id", value);
        default -> at.put(name, value);
      }
    });
    return told;
  }

  private ObjectNode masked(ObjectNode resource, Caller caller) {
    if (resource.path("lease") instanceof ObjectNode lease) {
      lease.remove("token"); // who has it owns the run
    }
    return masks.apply(resource, caller);
  }
}
