package dev.runlane.console.run;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.runlane.console.access.Caller;
import dev.runlane.console.access.Masks;
import dev.runlane.console.answer.Answer;
import dev.runlane.console.answer.ApiError;
import dev.runlane.console.answer.ApiRefusal;
import dev.runlane.console.answer.JsonTexts;
import dev.runlane.console.contract.ApiCall;
import dev.runlane.console.contract.ApiHandler;
import dev.runlane.json.TtlText;
import dev.runlane.operator.task.KnownTask;
import dev.runlane.operator.task.RuntimeTask;
import dev.runlane.operator.task.TaskKey;
import dev.runlane.operator.task.TriggerRules;
import dev.runlane.run.Actor;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.IdempotencyTtl;
import dev.runlane.run.RunlaneException;
import dev.runlane.runtime.Runlane;
import dev.runlane.runtime.operate.MadeByCode;
import dev.runlane.runtime.task.RunActionOptions;
import dev.runlane.runtime.task.Schedule;
import dev.runlane.runtime.task.Task;
import dev.runlane.runtime.task.TaskDescription;
import dev.runlane.runtime.task.TaskQueue;
import dev.runlane.runtime.task.TriggerOptions;
import dev.runlane.runtime.task.TriggerOutcome;
import dev.runlane.runtime.task.TriggerResult;
import dev.runlane.storage.read.Page;
import dev.runlane.timing.Clock;
import dev.runlane.timing.Durations;
import io.vertx.core.Future;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** What the document says of tasks and queues. */
public final class TaskRoutes {
  private static final int FIRES = 10;
  private static final int PAGE = 200;
  private static final int MOST_ELSEWHERE = 2_000;
  private static final String MISMATCH = "idempotency_mismatch"; // the reason in a refusal's meta
  private static final Map<String, MadeByCode> LEFT_OUT =
      Map.of("withoutKeys", MadeByCode.KEYS, "withoutTags", MadeByCode.TAGS);
  private static final JsonNodeFactory NODES = JsonNodeFactory.instance;

  private final Runlane runlane;
  private final Masks masks;
  private final RunBodies bodies;
  private final Clock clock;

  /** Over the tasks of one runtime. */
  public TaskRoutes(Runlane runlane, Masks masks, Clock clock) {
    this.runlane = runlane;
    this.masks = masks;
    bodies = new RunBodies(masks);
    this.clock = clock;
  }

  /** The operations by id. */
  public Map<String, ApiHandler> handlers() {
    Map<String, ApiHandler> handlers = new LinkedHashMap<>();
    handlers.put("listTasks", this::list);
    handlers.put("getTask", this::get);
    handlers.put("triggerTask", this::trigger);
    handlers.put("resetKey", this::resetKey);
    handlers.put("runTaskNow", this::runNow);
    handlers.put("listQueues", this::queues);
    return handlers;
  }

  private Future<Answer> list(ApiCall call) {
    return elsewhere(new ArrayList<>(), null).map(known -> {
      Map<String, ObjectNode> told = new TreeMap<>();
      known.forEach(task -> told.put(task.task().taskId(), task(task)));
      runlane.tasks().forEach(task -> told.put(task.id(), task(task)));
      told.values().forEach(task -> masked(task, call.caller()));
      ObjectNode body = NODES.objectNode();
      body.putArray("data").addAll(told.values());
      return Answer.ok(body);
    });
  }

  /** All that processes have said, up to a bound; nothing where the storage keeps none of it. */
  private Future<List<KnownTask>> elsewhere(List<KnownTask> all, @Nullable String cursor) {
    if (runlane.lane().storage().operator().isEmpty()) {
      return Future.succeededFuture(all);
    }
    return runlane.operator().tasks(PAGE, cursor).compose((Page<KnownTask> page) -> {
      all.addAll(page.data());
      return page.nextCursor() == null || all.size() >= MOST_ELSEWHERE
          ? Future.succeededFuture(all)
          : elsewhere(all, page.nextCursor());
    });
  }

  private Future<Answer> get(ApiCall call) {
    String id = call.pathValue("taskId");
    Optional<TaskDescription<?>> own = own(id);
    if (own.isPresent()) {
      return Future.succeededFuture(Answer.ok(masked(task(own.get()), call.caller())));
    }
    if (runlane.lane().storage().operator().isEmpty()) {
      throw unknown(id);
    }
    return runlane
        .operator()
        .task(id)
        .map(found -> Answer.ok(masked(task(found.orElseThrow(() -> unknown(id))), call.caller())));
  }

  private Future<Answer> trigger(ApiCall call) {
    String id = call.pathValue("taskId");
    boolean isOwn = own(id).isPresent();
    if (!isOwn && runlane.lane().storage().operator().isEmpty()) {
      throw unknown(id);
    }
    Set<MadeByCode> leftOut = leftOut(call, isOwn);
    TriggerOptions options = options(call);
    given(call.text("queue").map(isOwn ? this::queue : TaskQueue::of), options::setQueue);
    given(call.bodyInstant("runAt"), options::setRunAt);
    given(call.bodyDuration("delay"), options::setDelay);
    String payload = payload(call);
    Future<TriggerResult> triggered = isOwn
        ? runlane.triggerJson(id, payload, options)
        : runlane.operator().trigger(id, payload, options, leftOut);
    return untold(id, triggered, call.caller())
        .map(result -> RunRoutes.triggered(bodies, result, call.caller()));
  }

  private static Set<MadeByCode> leftOut(ApiCall call, boolean isOwn) {
    Set<MadeByCode> leftOut = EnumSet.noneOf(MadeByCode.class);
    LEFT_OUT.forEach((name, made) -> {
      if (call.json(name).filter("true"::equals).isPresent()) {
        leftOut.add(made);
        if (isOwn) {
          throw ApiRefusal.invalid(name, "this process has the task, and its code makes them");
        }
      }
    });
    return leftOut;
  }

  private Future<Answer> runNow(ApiCall call) {
    String id = call.pathValue("taskId");
    if (own(id).isEmpty()) {
      throw unknown(id);
    }
    TriggerOptions options = options(call);
    given(call.text("queue").map(this::queue), options::setQueue);
    return untold(id, runlane.runNowJson(id, payload(call), options), call.caller())
        .map(result -> RunRoutes.triggered(bodies, result, call.caller()));
  }

  private Future<Answer> resetKey(ApiCall call) {
    String key = call.text("idempotencyKey").orElseThrow(); // the document demands it
    masks.requireVisible(NODES.objectNode().put("idempotencyKey", key), call.caller());
    RunActionOptions options = new RunActionOptions()
        .setActor(Actor.operator(call.caller().name()))
        .setReason(call.reason());
    return runlane.operator().resetKey(call.pathValue("taskId"), key, options).map(owner -> {
      ObjectNode body = NODES.objectNode().put("wasHeld", owner.isPresent());
      owner.ifPresent(runId -> body.put("runId", runId));
      return Answer.ok(body);
    });
  }

  /** Of a task that refuses other payloads: whether a guess of one that is hidden is right must not be told. */
  private Future<TriggerResult> untold(
      String taskId, Future<TriggerResult> triggered, Caller caller) {
    return masks.hidesFrom(caller)
        ? refusesOtherPayload(taskId)
            .transform((refuses, unknown) ->
                unknown == null && !refuses ? triggered : withoutGuess(triggered, caller))
        : triggered;
  }

  private Future<Boolean> refusesOtherPayload(String taskId) {
    return own(taskId)
        .map(task -> Future.succeededFuture(task.refusesOtherPayload()))
        .orElseGet(() -> runlane.operator().task(taskId).map(known -> known
            .filter(each -> each.task().rules().refusesOtherPayload())
            .isPresent()));
  }

  private Future<TriggerResult> withoutGuess(Future<TriggerResult> triggered, Caller caller) {
    return triggered
        .compose(result -> result.outcome() == TriggerOutcome.IDEMPOTENT_EXISTING
                && bodies.hidesPayload(result.run(), caller)
            ? Future.failedFuture(otherPayload(result.run().id()))
            : Future.succeededFuture(result))
        .recover(failure -> failure instanceof RunlaneException own
                && MISMATCH.equals(own.meta().get("reason"))
            ? Future.failedFuture(otherPayload(own.meta().get(RunlaneException.OWNER_RUN_ID)))
            : Future.failedFuture(failure));
  }

  private static ApiRefusal otherPayload(@Nullable String runId) {
    return new ApiRefusal(new ApiError(
        400,
        ErrorCode.VALIDATION_FAILED.value(),
        "the idempotency key belongs to run " + runId + ", whose payload may be another",
        null,
        null,
        runId,
        false));
  }

  private String payload(ApiCall call) {
    masks.requireUnmasked(call.body().path("payload"), call.caller());
    return call.json("payload").orElse("null");
  }

  private Optional<TaskDescription<?>> own(String id) {
    return runlane.tasks().stream().filter(task -> task.id().equals(id)).findFirst();
  }

  private static RunlaneException unknown(String id) {
    return RunlaneException.of(
        ErrorCode.TASK_NOT_FOUND, "task %s is not known to the console's process", id);
  }

  /** Who has a key is told to who triggers with it, so a key that is hidden from the caller is refused. */
  private TriggerOptions options(ApiCall call) {
    ObjectNode keys = NODES.objectNode();
    for (String key : List.of("idempotencyKey", "singletonKey")) {
      call.text(key).ifPresent(value -> keys.put(key, value));
    }
    masks.requireVisible(keys, call.caller());
    TriggerOptions options =
        new TriggerOptions().setActor(Actor.operator(call.caller().name()));
    given(call.text("idempotencyKey"), options::setIdempotencyKey);
    given(call.text("singletonKey"), options::setSingletonKey);
    given(call.text("concurrencyKey"), options::setConcurrencyKey);
    given(call.text("runId"), options::setRunId);
    given(call.texts("traceCarrier"), options::setTraceCarrier);
    given(ttl(call), options::setIdempotencyTtl);
    given(call.texts("tags"), options::setTags);
    Map<String, String> meta = new LinkedHashMap<>(call.texts("meta").orElse(Map.of()));
    call.text("reason").ifPresent(reason -> meta.put("reason", reason));
    if (!meta.isEmpty()) {
      options.setMeta(meta);
    }
    return options;
  }

  private static Optional<IdempotencyTtl> ttl(ApiCall call) {
    return call.text("idempotencyTtl").filter("active"::equals).isPresent()
        ? Optional.of(IdempotencyTtl.ACTIVE)
        : call.bodyDuration("idempotencyTtl").map(IdempotencyTtl::of);
  }

  private static <T> void given(Optional<T> value, Consumer<T> setter) {
    value.ifPresent(setter);
  }

  private TaskQueue queue(String name) {
    return runlane.queues().stream()
        .filter(queue -> queue.name().equals(name))
        .findFirst()
        .orElseThrow(
            () -> ApiRefusal.invalid("queue", "the queue is not known to the console's process"));
  }

  private Future<Answer> queues(ApiCall call) {
    ObjectNode body = NODES.objectNode();
    ArrayNode data = body.putArray("data");
    runlane.queues().forEach(queue -> {
      ObjectNode told = data.addObject();
      told.put("name", queue.name());
      told.put("isDefault", queue.isDefault());
      if (queue.policy().concurrencyLimit() != null) {
        told.put("concurrencyLimit", queue.policy().concurrencyLimit());
      }
      if (queue.policy().dispatchTimeout() != null) {
        told.put("dispatchTimeout", Durations.format(queue.policy().dispatchTimeout()));
      }
      masks.apply(told, call.caller());
    });
    return Future.succeededFuture(Answer.ok(body));
  }

  /** With each of its schedules as a resource too. */
  private ObjectNode masked(ObjectNode task, Caller caller) {
    task.path("schedules").forEach(schedule -> masks.apply(schedule, caller));
    return masks.apply(task, caller);
  }

  private static ObjectNode task(KnownTask known) {
    RuntimeTask task = known.task();
    ObjectNode told = NODES.objectNode();
    told.put("id", task.taskId());
    told.put("isLocal", false);
    told.put("hasHandler", task.hasHandler());
    told.put("payloadType", task.payloadType());
    if (task.payloadSchema() != null) {
      told.set("payloadSchema", JsonTexts.tree(task.payloadSchema()));
    }
    told.put("queue", task.queue());
    ArrayNode keys = told.putArray("keys");
    task.keys().forEach(key -> keys.add(key.value()));
    add(told, task.rules());
    told.put("publishedBy", known.processId());
    told.put("publishedAt", known.publishedAt().toString());
    told.putArray("schedules");
    return told;
  }

  private ObjectNode task(TaskDescription<?> task) {
    ObjectNode told = NODES.objectNode();
    told.put("id", task.id());
    told.put("isLocal", true);
    told.put("hasHandler", task instanceof Task);
    told.put("payloadType", task.payloadType().getName());
    task.payloadSchema().ifPresent(schema -> told.set("payloadSchema", JsonTexts.tree(schema)));
    task.queue().ifPresent(queue -> told.put("queue", queue.name()));
    ArrayNode keys = told.putArray("keys");
    task.idempotencyKey().ifPresent(made -> keys.add(TaskKey.IDEMPOTENCY.value()));
    task.singletonKey().ifPresent(made -> keys.add(TaskKey.SINGLETON.value()));
    task.concurrencyKey().ifPresent(made -> keys.add(TaskKey.CONCURRENCY.value()));
    add(told, task.triggerRules());
    task.attemptTimeout()
        .ifPresent(timeout -> told.put("attemptTimeout", Durations.format(timeout)));
    told.put("maxLostAttempts", task.maxLostAttempts());
    ArrayNode schedules = told.putArray("schedules");
    task.schedules().forEach(schedule -> schedules.add(schedule(schedule)));
    return told;
  }

  private static void add(ObjectNode told, TriggerRules rules) {
    if (rules.idempotencyTtl() != null) {
      told.put("idempotencyTtl", TtlText.format(rules.idempotencyTtl()));
    }
    told.put("refusesOtherPayload", rules.refusesOtherPayload());
    ArrayNode tags = told.putArray("tags");
    rules.tags().forEach(tags::add);
  }

  private ObjectNode schedule(Schedule schedule) {
    ObjectNode told = NODES.objectNode();
    told.put("id", schedule.id());
    told.put("fires", schedule.fireTimes().definition());
    ArrayNode fires = told.putArray("nextFires");
    Optional<Instant> fire = schedule.fireTimes().next(clock.now());
    while (fire.isPresent() && fires.size() < FIRES) {
      fires.add(fire.get().toString());
      fire = schedule.fireTimes().next(fire.get());
    }
    schedule.queue().ifPresent(queue -> told.put("queue", queue.name()));
    told.put("enabled", schedule.isEnabled());
    return told;
  }
}
