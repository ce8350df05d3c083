package dev.runlane.console.run;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.runlane.console.access.Caller;
import dev.runlane.console.access.Masks;
import dev.runlane.console.answer.Answer;
import dev.runlane.console.answer.ApiRefusal;
import dev.runlane.console.contract.ApiCall;
import dev.runlane.console.contract.ApiHandler;
import dev.runlane.console.contract.Pages;
import dev.runlane.run.Actor;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunEventType;
import dev.runlane.run.RunStatus;
import dev.runlane.run.RunlaneException;
import dev.runlane.runtime.Runlane;
import dev.runlane.runtime.operate.Runs;
import dev.runlane.runtime.task.RunActionOptions;
import dev.runlane.runtime.task.TriggerOutcome;
import dev.runlane.runtime.task.TriggerResult;
import dev.runlane.storage.read.Page;
import dev.runlane.storage.read.RunEventFilter;
import dev.runlane.storage.read.RunEventSort;
import dev.runlane.storage.read.RunFilter;
import dev.runlane.storage.read.RunSort;
import dev.runlane.storage.read.RunSummary;
import dev.runlane.storage.read.SortDirection;
import io.vertx.core.Future;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/** What the document says of runs. */
public final class RunRoutes {
  private static final int PAGE = 50;
  private static final Set<RunEventType> WITHOUT_HEARTBEATS =
      EnumSet.complementOf(EnumSet.of(RunEventType.LEASE_HEARTBEAT));

  private final Runs runs;
  private final Masks masks;
  private final RunBodies bodies;
  private final RunSearch search;

  /** Over the runs of one runtime. */
  public RunRoutes(Runlane runlane, Masks masks) {
    runs = runlane.runs();
    this.masks = masks;
    bodies = new RunBodies(masks);
    search = new RunSearch(runs, bodies);
  }

  /** The operations by id. */
  public Map<String, ApiHandler> handlers() {
    Map<String, ApiHandler> handlers = new LinkedHashMap<>();
    handlers.put("listRuns", this::list);
    handlers.put("searchRuns", this::search);
    handlers.put("countRuns", call -> search.counts(filter(call)));
    handlers.put("getRun", this::get);
    handlers.put("listRelatedRuns", this::related);
    handlers.put("listRunEvents", this::events);
    handlers.put("downloadHistory", this::history);
    handlers.put("listRunAttempts", this::attempts);
    handlers.put("explainRun", this::explain);
    handlers.put("cancelRun", this::cancel);
    handlers.put("retryRun", this::retry);
    handlers.put("rerunRun", this::rerun);
    return handlers;
  }

  private Future<Answer> list(ApiCall call) {
    RunSort sort = new RunSort(
        call.one("sort").orElse("createdAt").equals("createdAt")
            ? RunSort.Field.CREATED_AT
            : RunSort.Field.UPDATED_AT,
        direction(call, SortDirection.DESC));
    return found(call, sort)
        .compose(page -> runs.tags(page.data().stream().map(RunSummary::id).toList())
            .map(tags -> Pages.page(
                call,
                page,
                run -> bodies.summary(run, tags.getOrDefault(run.id(), Map.of()), call.caller()),
                RunBodies.SUMMARY_COLUMNS)));
  }

  private Future<Page<RunSummary>> found(ApiCall call, RunSort sort) {
    Integer limit = call.number("limit").orElse(null);
    String cursor = call.one("cursor").orElse(null);
    Map<String, String> tags = tags(call.all("tag"));
    return tags.isEmpty()
        ? runs.list(filter(call), sort, limit, cursor)
        : runs.listTagged(tags, filter(call), sort.direction(), limit, cursor);
  }

  /** Tags as requests have them, {@code name:value} each. */
  static Map<String, String> tags(List<String> given) {
    Map<String, String> tags = new LinkedHashMap<>();
    for (String each : given) {
      int end = each.indexOf(':'); // the document asks for one
      if (tags.putIfAbsent(each.substring(0, end), each.substring(end + 1)) != null) {
        throw ApiRefusal.invalid("tag", "a run has one value of each tag");
      }
    }
    return tags;
  }

  private RunFilter filter(ApiCall call) {
    ObjectNode meant = JsonNodeFactory.instance.objectNode();
    for (String field :
        List.of("status", "queue", "concurrencyKey", "idempotencyKey", "singletonKey")) {
      call.one(field).ifPresent(value -> meant.put(field, value));
    }
    call.one("task").ifPresent(task -> meant.put("taskId", task));
    tags(call.all("tag"))
        .forEach((name, value) -> meant.withObjectProperty("tags").put(name, value));
    masks.requireVisible(meant, call.caller());
    return RunFilter.ALL
        .withStatuses(call.all("status").stream()
            .map(value -> RunStatus.ofValue(value).orElseThrow())
            .collect(Collectors.toSet()))
        .withTaskIds(call.all("task"))
        .withQueues(call.all("queue"))
        .withConcurrencyKey(call.one("concurrencyKey").orElse(null))
        .withIdempotencyKey(call.one("idempotencyKey").orElse(null))
        .withSingletonKey(call.one("singletonKey").orElse(null))
        .withCreated(
            call.instant("createdFrom").orElse(null),
            call.instant("createdBefore").orElse(null));
  }

  private Future<Answer> get(ApiCall call) {
    String runId = call.pathValue("runId");
    return runs.get(runId)
        .map(found -> found.orElseThrow(
            () -> RunlaneException.of(ErrorCode.RUN_NOT_FOUND, "run %s does not exist", runId)))
        .compose(
            run -> runs.tags(runId).map(tags -> Answer.ok(bodies.run(run, tags, call.caller()))));
  }

  private Future<Answer> search(ApiCall call) {
    RunSearch.Wanted wanted = new RunSearch.Wanted(
        tags(call.all("tag")),
        call.one("errorCode").orElse(null),
        call.one("failureText").orElse(null),
        call.number("limit").orElse(PAGE));
    return search.search(filter(call), wanted, call.one("cursor").orElse(null), call.caller());
  }

  private Future<Answer> related(ApiCall call) {
    String runId = call.pathValue("runId");
    return runs.get(runId)
        .map(found -> found.orElseThrow(
            () -> RunlaneException.of(ErrorCode.RUN_NOT_FOUND, "run %s does not exist", runId)))
        .compose(run -> RelatedRuns.of(runs, bodies, run, call.caller()));
  }

  private Future<Answer> events(ApiCall call) {
    RunEventSort sort =
        new RunEventSort(RunEventSort.Field.SEQUENCE, direction(call, SortDirection.ASC));
    Set<RunEventType> types =
        call.one("heartbeats").map(Boolean::valueOf).orElse(true) ? Set.of() : WITHOUT_HEARTBEATS;
    return runs.events(
            new RunEventFilter(call.pathValue("runId"), types, null, null),
            sort,
            call.number("limit").orElse(null),
            call.one("cursor").orElse(null))
        .map(page -> Pages.page(
            call, page, event -> bodies.event(event, call.caller()), RunBodies.EVENT_COLUMNS));
  }

  private Future<Answer> history(ApiCall call) {
    String runId = call.pathValue("runId");
    return runs.get(runId)
        .map(found -> found.orElseThrow(
            () -> RunlaneException.of(ErrorCode.RUN_NOT_FOUND, "run %s does not exist", runId)))
        .map(run ->
            new HistoryFile(runs, runId, bodies, bodies.run(run, call.caller()), call.caller()));
  }

  private Future<Answer> attempts(ApiCall call) {
    return runs.attempts(call.pathValue("runId")).map(attempts -> {
      ObjectNode body = JsonNodeFactory.instance.objectNode();
      ArrayNode data = body.putArray("data");
      attempts.forEach(attempt -> data.add(bodies.attempt(attempt, call.caller())));
      return Answer.ok(body);
    });
  }

  private Future<Answer> explain(ApiCall call) {
    String runId = call.pathValue("runId");
    return runs.explain(runId).compose(explanation -> runs.tags(runId)
        .map(tags -> Answer.ok(bodies.explanation(explanation, tags, call.caller()))));
  }

  private Future<Answer> cancel(ApiCall call) {
    return runs.cancel(call.pathValue("runId"), action(call))
        .map(run ->
            Answer.ok(bodies.run(run, call.caller())).ofAction(run.status().value()));
  }

  private Future<Answer> retry(ApiCall call) {
    return runs.retryOnce(call.pathValue("runId"), action(call))
        .map(result -> triggered(bodies, result, call.caller()));
  }

  private Future<Answer> rerun(ApiCall call) {
    String runId = call.pathValue("runId");
    masks.requireUnmasked(call.body().path("payload"), call.caller());
    return call.json("payload")
        .map(payload -> runs.rerun(runId, payload, action(call)))
        .orElseGet(() -> runs.rerun(runId, action(call)))
        .map(result -> triggered(bodies, result, call.caller()));
  }

  static Answer triggered(RunBodies bodies, TriggerResult result, Caller caller) {
    return Answer.json(
            result.outcome() == TriggerOutcome.CREATED ? 201 : 200,
            bodies.triggered(result, caller))
        .ofAction(result.outcome().value() + " " + result.run().id());
  }

  static RunActionOptions action(ApiCall call) {
    return new RunActionOptions()
        .setActor(Actor.operator(call.caller().name()))
        .setReason(call.reason());
  }

  private static SortDirection direction(ApiCall call, SortDirection otherwise) {
    return call.one("direction")
        .map(value -> value.equals("asc") ? SortDirection.ASC : SortDirection.DESC)
        .orElse(otherwise);
  }
}
