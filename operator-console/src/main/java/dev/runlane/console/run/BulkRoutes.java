package dev.runlane.console.run;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.runlane.console.access.Masks;
import dev.runlane.console.answer.Answer;
import dev.runlane.console.answer.ApiError;
import dev.runlane.console.answer.ApiRefusal;
import dev.runlane.console.contract.ApiCall;
import dev.runlane.console.contract.ApiHandler;
import dev.runlane.console.contract.Pages;
import dev.runlane.run.Actor;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunStatus;
import dev.runlane.run.RunlaneException;
import dev.runlane.runtime.Runlane;
import dev.runlane.runtime.operate.Runs;
import dev.runlane.runtime.task.RunActionOptions;
import dev.runlane.storage.read.RunFilter;
import dev.runlane.timing.Clock;
import dev.runlane.timing.FailureLog;
import dev.runlane.timing.FutureLoop;
import dev.runlane.timing.Ids;
import dev.runlane.timing.Timers;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What the document says of actions on many runs. What runs and has run is remembered while the console lives, and what
 * other consoles have left of theirs is read.
 */
public final class BulkRoutes {
  private static final Logger LOG = LoggerFactory.getLogger(BulkRoutes.class);
  private static final int LIMIT = 10_000;
  private static final int LOOKED_AT = 20_000;
  private static final int MOST_AT_ONCE = 4;
  private static final int MOST_KEPT = 100;
  private static final int TOKEN_PREFIX = "tok_".length();
  private static final Duration CLOSING = Duration.ofSeconds(10);

  private final Runlane runlane;
  private final Runs runs;
  private final Masks masks;
  private final RunBodies bodies;
  private final Ids ids;
  private final Clock clock;
  private final Timers timers;
  private final Optional<KeptActions> kept;
  private final Map<String, BulkAction> actions =
      Collections.synchronizedMap(new LinkedHashMap<>()); // closed on any thread
  private final Map<String, Future<?>> underWay = new ConcurrentHashMap<>(); // closed on any thread
  private final FailureLog failures;
  private volatile boolean isClosed;

  /** Over the runs of one runtime. */
  public BulkRoutes(Runlane runlane, Masks masks, Ids ids, Clock clock, Timers timers) {
    this.runlane = runlane;
    runs = runlane.runs();
    this.masks = masks;
    bodies = new RunBodies(masks);
    this.ids = ids;
    this.clock = clock;
    this.timers = timers;
    failures = new FailureLog(LOG, "reading actions on many runs of other consoles", timers);
    kept = runlane
        .lane()
        .storage()
        .operator()
        .map(store -> new KeptActions(store, runlane.environment(), clock, timers));
  }

  /** The operations by id. */
  public Map<String, ApiHandler> handlers() {
    Map<String, ApiHandler> handlers = new LinkedHashMap<>();
    handlers.put("startBulkAction", this::start);
    handlers.put("listBulkActions", this::list);
    handlers.put("getBulkAction", this::get);
    handlers.put("cancelBulkAction", this::cancel);
    return handlers;
  }

  /**
   * Has every action stop before its next run, and waits for 10 s at most until what is left of them is kept. None
   * begins any more, not even one that is being kept.
   */
  public Future<Void> close() {
    isClosed = true;
    known().forEach(BulkAction::cancel);
    Future<?> ended = Future.join(List.copyOf(underWay.values()));
    return Future.<Void>succeededFuture()
        .compose(begin -> timers.within(CLOSING, ended, () -> new TimeoutException("it goes on")))
        .transform((over, failure) -> Future.succeededFuture());
  }

  /** How far each is that runs or is remembered, oldest first; nothing is masked. */
  public List<ObjectNode> bodies() {
    return known().stream().map(BulkAction::body).toList();
  }

  private List<BulkAction> known() {
    synchronized (actions) {
      return List.copyOf(actions.values());
    }
  }

  private Future<Answer> start(ApiCall call) {
    BulkKind kind = BulkKind.ofValue(call.text("action").orElseThrow());
    int limit = call.body().path("limit").asInt(LIMIT);
    JsonNode given = call.body().path("filter");
    requireVisible(given, call);
    Optional<RunFilter> filter = filter(given, kind);
    BulkRuns wanted = new BulkRuns(
        filter.orElse(RunFilter.ALL), tags(given), given.path("errorCode").textValue());
    if (call.body().path("dryRun").booleanValue()) {
      Count count = new Count(wanted, limit);
      Future<Void> counted =
          filter.isPresent() ? FutureLoop.pages(count::page) : Future.succeededFuture();
      return counted.map(over -> body(count, filter));
    }
    if (known().stream().filter(action -> !action.isOver()).count() >= MOST_AT_ONCE) {
      throw new ApiRefusal(ApiError.of(
          429, "resource_limit", MOST_AT_ONCE + " actions on many runs are under way already"));
    }
    RunActionOptions options = new RunActionOptions()
        .setActor(Actor.operator(call.caller().name()))
        .setReason(call.reason());
    BulkAction action = new BulkAction(
        "bulk_" + ids.token().substring(TOKEN_PREFIX),
        kind,
        wanted,
        whole(given, filter),
        options,
        call.caller().name(),
        filter.isPresent() ? limit : 0,
        clock.now());
    keep(action);
    Promise<Void> whole = Promise.promise(); // from before it is kept until its end is
    underWay.put(action.id(), whole.future());
    whole.future().onComplete(over -> underWay.remove(action.id()));
    return kept.map(each -> each.begin(action, this::admit))
        .orElseGet(this::admit)
        .onFailure(failure -> {
          actions.remove(action.id());
          whole.complete();
        })
        .map(begun -> {
          begin(kind, action, options).onComplete(over -> whole.complete());
          return Answer.json(202, body(action, call));
        });
  }

  private Future<Void> admit() {
    return isClosed
        ? Future.failedFuture(
            new ApiRefusal(ApiError.of(503, "operation_cancelled", "the console is being closed")))
        : Future.succeededFuture();
  }

  private Future<Void> begin(BulkKind kind, BulkAction action, RunActionOptions options) {
    return recorded(kind, action, options).transform((told, failure) -> {
      action.ended(failure == null, clock.now());
      return kept.map(each -> each.end(action)).orElse(Future.succeededFuture());
    });
  }

  /** As it was given, up to the runs that were there when the action began. */
  private static ObjectNode whole(JsonNode given, Optional<RunFilter> filter) {
    ObjectNode whole = given.deepCopy();
    filter
        .map(RunFilter::createdBefore)
        .ifPresent(before -> whole.put("createdBefore", before.toString()));
    return whole;
  }

  private Future<String> recorded(BulkKind kind, BulkAction action, RunActionOptions options) {
    if (runlane.lane().storage().operator().isEmpty()) {
      return action.work(runs, ids, timers);
    }
    return runlane
        .operator()
        .recorded(
            "runs.bulk_" + kind.value(),
            action.id(),
            options,
            () -> action.work(runs, ids, timers));
  }

  private void keep(BulkAction action) {
    actions.put(action.id(), action);
    List<String> over =
        known().stream().filter(BulkAction::isOver).map(BulkAction::id).toList();
    over.stream().limit(Math.max(0, actions.size() - MOST_KEPT)).forEach(actions::remove);
  }

  private static Answer body(Count counted, Optional<RunFilter> filter) {
    ObjectNode body = JsonNodeFactory.instance.objectNode();
    body.put("count", Math.min(counted.fit, counted.limit));
    body.put("isCut", counted.isCut);
    filter
        .map(RunFilter::createdBefore)
        .ifPresent(before -> body.put("createdBefore", before.toString()));
    return Answer.ok(body);
  }

  /** In an outage those that are known here. */
  private Future<Answer> list(ApiCall call) {
    Future<List<ObjectNode>> known = others()
        .onSuccess(found -> failures.succeeded())
        .recover(failure -> {
          if (failure instanceof RunlaneException own
              && own.code() == ErrorCode.STORAGE_UNAVAILABLE) {
            return Future.succeededFuture(List.of());
          }
          failures.failed(failure, "the list is not answered");
          return Future.failedFuture(failure);
        });
    return known.map(others -> {
      List<ObjectNode> all = new ArrayList<>();
      others.forEach(each -> all.add(masked(each, call)));
      known().forEach(action -> all.add(body(action, call)));
      return Pages.list(all, each -> each);
    });
  }

  private Future<List<ObjectNode>> others() {
    return kept.map(each -> each.others(actions.keySet()))
        .orElse(Future.succeededFuture(List.of()));
  }

  private Future<Answer> get(ApiCall call) {
    BulkAction action = actions.get(call.pathValue("bulkId"));
    return action != null
        ? Future.succeededFuture(Answer.ok(body(action, call)))
        : other(call).map(each -> Answer.ok(masked(each, call)));
  }

  private Future<Answer> cancel(ApiCall call) {
    BulkAction action = actions.get(call.pathValue("bulkId"));
    if (action == null) {
      return other(call).map(each -> {
        throw new ApiRefusal(ApiError.of(
            409,
            "bulk_action_elsewhere",
            "it was begun by another console process, which alone stops it, or has ended"));
      });
    }
    action.cancel();
    return Future.succeededFuture(Answer.ok(body(action, call)));
  }

  private Future<ObjectNode> other(ApiCall call) {
    String id = call.pathValue("bulkId");
    return others().map(others -> others.stream()
        .filter(each -> each.path("id").asText().equals(id))
        .findFirst()
        .orElseThrow(() ->
            ApiRefusal.notFound("bulk_action_not_found", "there is no such action on many runs")));
  }

  private ObjectNode body(BulkAction action, ApiCall call) {
    ObjectNode body = action.body();
    body.set("filter", action.given());
    return masked(body, call);
  }

  /** Without a filter that tells what the caller may not see. */
  private ObjectNode masked(ObjectNode body, ApiCall call) {
    if (masks.hidesAnyOf(meant(body.path("filter")), call.caller())) {
      body.remove("filter");
    }
    return bodies.bulkAction(body, call.caller());
  }

  /** How many runs it is tells whether there are any of a key. */
  private void requireVisible(JsonNode given, ApiCall call) {
    masks.requireVisible(meant(given), call.caller());
  }

  /** What a filter asks for, where runs have it. */
  private static ObjectNode meant(JsonNode given) {
    ObjectNode meant = JsonNodeFactory.instance.objectNode();
    for (String field : List.of("status", "queue", "concurrencyKey")) {
      if (given.has(field)) {
        meant.set(field, given.path(field));
      }
    }
    if (given.has("task")) {
      meant.set("taskId", given.path("task"));
    }
    tags(given).forEach((name, value) -> meant.withObjectProperty("tags").put(name, value));
    if (given.has("errorCode")) {
      meant.putObject("failure").set("code", given.path("errorCode"));
    }
    return meant;
  }

  /** Runs that are made from now on are none of it, those too that it makes; empty where no run can be meant. */
  private Optional<RunFilter> filter(JsonNode given, BulkKind kind) {
    Set<RunStatus> statuses = new HashSet<>(kind.statuses());
    if (given.has("status")) {
      statuses.retainAll(texts(given.path("status")).stream()
          .map(value -> RunStatus.ofValue(value).orElseThrow())
          .toList());
    }
    if (statuses.isEmpty()) {
      return Optional.empty();
    }
    Instant now = clock.now();
    Instant before = instant(given, "createdBefore");
    return Optional.of(RunFilter.ALL
        .withStatuses(statuses)
        .withTaskIds(texts(given.path("task")))
        .withQueues(texts(given.path("queue")))
        .withConcurrencyKey(given.path("concurrencyKey").textValue())
        .withCreated(
            instant(given, "createdFrom"), before == null || before.isAfter(now) ? now : before));
  }

  private static Map<String, String> tags(JsonNode given) {
    return RunRoutes.tags(texts(given.path("tag")));
  }

  private static List<String> texts(JsonNode array) {
    List<String> texts = new ArrayList<>();
    array.forEach(text -> texts.add(text.textValue()));
    return texts;
  }

  private static @Nullable Instant instant(JsonNode given, String name) {
    String text = given.path(name).textValue();
    return text == null ? null : ApiCall.parseInstant(name, text);
  }

  /** How many runs are meant, page by page. */
  private final class Count {
    private final BulkRuns wanted;
    private final int limit;
    private long fit; // runs that are meant
    private long looked; // runs that were looked at
    private boolean isCut; // there may be more

    Count(BulkRuns wanted, int limit) {
      this.wanted = wanted;
      this.limit = limit;
    }

    /** Counts those of a page; completes with the cursor of the next one, or null where it is enough. */
    Future<@Nullable String> page(@Nullable String cursor) {
      return wanted.page(runs, cursor).map(page -> {
        looked += page.data().size();
        fit += page.data().stream().filter(wanted::fits).count();
        boolean isEnough = fit >= limit || (wanted.errorCode() != null && looked >= LOOKED_AT);
        isCut = fit >= limit || page.nextCursor() != null;
        return isEnough ? null : page.nextCursor();
      });
    }
  }
}
