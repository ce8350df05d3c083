package dev.runlane.console.operate;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.runlane.console.access.Caller;
import dev.runlane.console.access.Masks;
import dev.runlane.console.answer.Answer;
import dev.runlane.console.contract.ApiCall;
import dev.runlane.console.contract.ApiHandler;
import dev.runlane.console.contract.CountedPages;
import dev.runlane.console.contract.Pages;
import dev.runlane.operator.action.ActionFilter;
import dev.runlane.operator.depth.DepthSample;
import dev.runlane.operator.outbox.OutboxEntry;
import dev.runlane.operator.process.KnownProcess;
import dev.runlane.operator.throughput.FoldThroughput;
import dev.runlane.operator.throughput.ThroughputBucket;
import dev.runlane.run.Actor;
import dev.runlane.run.Identifiers;
import dev.runlane.runtime.Runlane;
import dev.runlane.runtime.operate.Operator;
import dev.runlane.runtime.operate.ThroughputQuery;
import dev.runlane.runtime.task.RunActionOptions;
import dev.runlane.storage.outbox.OutboxMessageStatus;
import dev.runlane.storage.read.Page;
import dev.runlane.timing.Clock;
import dev.runlane.timing.FutureLoop;
import io.vertx.core.Future;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** What the document says of what an operator is shown and does beside the runs. */
public final class OperatorRoutes {
  private static final int LEASES = 200;
  private static final int REDRIVEN = 1_000;
  private static final int PAGE = 200;
  private static final int MOST_PROCESSES = 4_000;
  private static final long MOST_NAMES = 8 << 20; // characters of a page of processes
  private static final Duration THROUGHPUT = Duration.ofHours(1);

  private final Runlane runlane;
  private final Operator operator;
  private final Masks masks;
  private final MaskedActions maskedActions;
  private final Clock clock;
  private final DepthHistory depthHistory;

  /** Over one runtime. */
  public OperatorRoutes(Runlane runlane, Masks masks, Clock clock, DepthHistory depthHistory) {
    this.depthHistory = depthHistory;
    this.runlane = runlane;
    operator = runlane.operator();
    this.masks = masks;
    maskedActions = new MaskedActions(masks);
    this.clock = clock;
  }

  /** The operations by id. */
  public Map<String, ApiHandler> handlers() {
    Map<String, ApiHandler> handlers = new LinkedHashMap<>();
    handlers.put("listProcesses", this::processes);
    handlers.put("listProcessNames", this::processNames);
    handlers.put("listLeases", this::leases);
    handlers.put("listTopicLags", this::topicLags);
    handlers.put("getDepths", this::depths);
    handlers.put("listDepths", this::depthHistory);
    handlers.put("listThroughput", this::throughput);
    handlers.put("getThroughputSeries", this::series);
    handlers.put("listOutbox", this::outbox);
    handlers.put("redriveOutbox", this::redrive);
    handlers.put("listActions", this::actions);
    handlers.put("listLogLines", this::lines);
    return handlers;
  }

  private Future<Answer> processes(ApiCall call) {
    int names = call.number("names").orElse(Integer.MAX_VALUE);
    Integer limit = limit(call);
    Future<Page<KnownProcess>> read = names == Integer.MAX_VALUE
        ? notTooLarge(limit, cursor(call))
        : operator.processes(limit, cursor(call));
    return read.map(page -> Pages.page(
        call,
        page,
        process ->
            masks.apply(OperatorBodies.process(process, names, storageTime()), call.caller()),
        OperatorBodies.PROCESS_COLUMNS));
  }

  /** A page, of fewer processes where their names would make an answer that clients do not read to its end. */
  private Future<Page<KnownProcess>> notTooLarge(@Nullable Integer limit, @Nullable String cursor) {
    return operator.processes(limit, cursor).compose(page -> {
      int rows = page.data().size();
      long size = page.data().stream().mapToLong(OperatorBodies::sizeOfNames).sum();
      return rows <= 1 || size <= MOST_NAMES
          ? Future.succeededFuture(page)
          : notTooLarge((int) Math.max(1, Math.min(rows - 1, rows * MOST_NAMES / size)), cursor);
    });
  }

  /** What living processes take and work on, each name once. */
  private Future<Answer> processNames(ApiCall call) {
    return addNames(new TreeSet<>(), new TreeSet<>(), 0, null)
        .map(body -> Answer.ok(masks.apply(body, call.caller())));
  }

  private Future<ObjectNode> addNames(
      SortedSet<String> queues, SortedSet<String> tasks, int read, @Nullable String cursor) {
    return operator.processes(PAGE, cursor).compose(page -> {
      Instant now = storageTime();
      page.data().stream().filter(each -> !each.isGoneAt(now)).forEach(each -> {
        queues.addAll(each.process().queues());
        tasks.addAll(each.process().taskIds());
      });
      int all = read + page.data().size();
      return page.nextCursor() == null || all >= MOST_PROCESSES
          ? Future.succeededFuture(
              OperatorBodies.processNames(queues, tasks, page.nextCursor() != null))
          : addNames(queues, tasks, all, page.nextCursor());
    });
  }

  /** Signs of life have the storage's time. */
  private Instant storageTime() {
    return clock.now().minus(runlane.clock().ahead());
  }

  private Future<Answer> leases(ApiCall call) {
    return operator
        .leasesOf(call.pathValue("processId"), call.number("limit").orElse(LEASES))
        .map(leases -> Pages.list(
            leases, lease -> masks.applyAs("lease", OperatorBodies.lease(lease), call.caller())));
  }

  private Future<Answer> topicLags(ApiCall call) {
    return operator
        .topicLags()
        .map(topics ->
            Pages.list(topics, lag -> masks.apply(OperatorBodies.topicLag(lag), call.caller())));
  }

  private Future<Answer> depths(ApiCall call) {
    return operator.depths().map(found -> {
      ObjectNode body = JsonNodeFactory.instance.objectNode();
      found.ifPresent(sample -> body.set("sample", masked(sample, call.caller())));
      return Answer.ok(body);
    });
  }

  private Future<Answer> depthHistory(ApiCall call) {
    return Future.succeededFuture(
        Answer.ok(depthHistory.body(sample -> masked(sample, call.caller()))));
  }

  /** With each queue and each group as a resource too. */
  private ObjectNode masked(DepthSample sample, Caller caller) {
    ObjectNode body = OperatorBodies.sample(sample);
    body.path("queues").forEach(queue -> masks.apply(queue, caller));
    body.path("steps").forEach(group -> masks.apply(group, caller));
    return masks.apply(body, caller);
  }

  private Future<Answer> throughput(ApiCall call) {
    requireVisible(call);
    Instant until = call.instant("until").orElseGet(clock::now);
    Instant from = call.instant("from").orElseGet(() -> until.minus(THROUGHPUT));
    ObjectNode order =
        JsonNodeFactory.instance.objectNode().put("queue", "any").put("taskId", "any");
    return CountedPages.read(
            call, masks.hidesAnyOf(order, call.caller()), new Minutes(call, from, until))
        .map(page -> Pages.page(
            call,
            page,
            bucket -> masks.apply(OperatorBodies.throughput(bucket), call.caller()),
            OperatorBodies.THROUGHPUT_COLUMNS));
  }

  /** Throughput of a queue or a task that the caller may not see is refused: what is found would tell. */
  private void requireVisible(ApiCall call) {
    ObjectNode meant = JsonNodeFactory.instance.objectNode();
    call.one("queue").ifPresent(queue -> meant.put("queue", queue));
    call.one("task").ifPresent(task -> meant.put("taskId", task));
    masks.requireVisible(meant, call.caller());
  }

  private Future<Answer> series(ApiCall call) {
    requireVisible(call);
    Instant now = clock.now();
    Instant until = call.instant("until")
        .filter(said -> said.isBefore(now))
        .map(said -> said.isBefore(Instant.EPOCH) ? Instant.EPOCH : said)
        .orElse(now);
    Instant from = call.instant("from").orElseGet(() -> until.minus(THROUGHPUT));
    FoldThroughput.By by = call.one("by")
        .map(name -> FoldThroughput.By.valueOf(name.toUpperCase(Locale.ROOT)))
        .orElse(FoldThroughput.By.QUEUE);
    ThroughputSeries.Wanted wanted = new ThroughputSeries.Wanted(
        from,
        until,
        Duration.ofMinutes(call.number("stepMinutes").orElse(1)),
        by,
        call.one("queue").orElse(null),
        call.one("task").orElse(null));
    String grouped = by == FoldThroughput.By.TASK ? "taskId" : "queue";
    return ThroughputSeries.read(operator, wanted)
        .map(series -> Answer.ok(series.body(name -> by == FoldThroughput.By.NONE
            ? name
            : masks
                .apply(JsonNodeFactory.instance.objectNode().put(grouped, name), call.caller())
                .path(grouped)
                .asText())));
  }

  private Future<Answer> outbox(ApiCall call) {
    OutboxMessageStatus status = call.one("status")
        .flatMap(value -> Arrays.stream(OutboxMessageStatus.values())
            .filter(known -> known.value().equals(value))
            .findFirst())
        .orElse(OutboxMessageStatus.DEAD_LETTERED);
    return operator
        .outbox(status, limit(call), cursor(call))
        .map(page -> Pages.page(
            call,
            page,
            message -> masks.apply(OperatorBodies.message(message), call.caller()),
            OperatorBodies.OUTBOX_COLUMNS));
  }

  private Future<Answer> redrive(ApiCall call) {
    List<String> named = call.list("messageIds").orElse(List.of());
    int limit = call.body().path("limit").asInt(REDRIVEN);
    if (call.body().path("dryRun").booleanValue()) {
      return wouldRedrive(named, limit).map(ids -> redriven(ids, true));
    }
    return (named.isEmpty()
            ? operator.redriveDeadLetters(limit, action(call))
            : operator.redrive(named, action(call)))
        .map(ids -> redriven(ids, false));
  }

  /** Reads what would be changed, a page at a time. */
  private Future<List<String>> wouldRedrive(List<String> named, int limit) {
    List<String> found = new ArrayList<>();
    Wanted wanted = new Wanted(named, limit);
    Future<Void> deadLetters = find(OutboxMessageStatus.DEAD_LETTERED, wanted, found);
    if (named.isEmpty()) {
      return deadLetters.map(found);
    }
    return deadLetters
        .compose(dead -> find(OutboxMessageStatus.FAILED, wanted, found))
        .map(all -> found.stream().distinct().sorted().toList());
  }

  private Future<Void> find(OutboxMessageStatus status, Wanted wanted, List<String> found) {
    return FutureLoop.pages(cursor -> found.size() >= wanted.most
        ? Future.succeededFuture()
        : operator.outbox(status, PAGE, cursor).map(page -> {
          List<String> ids = page.data().stream().map(OutboxEntry::id).toList();
          ids.stream()
              .filter(wanted::takes)
              .limit((long) wanted.most - found.size())
              .forEach(found::add);
          return wanted.endWith(ids) ? null : page.nextCursor();
        }));
  }

  private static Answer redriven(List<String> ids, boolean isDryRun) {
    ObjectNode body = JsonNodeFactory.instance.objectNode();
    body.put("dryRun", isDryRun);
    body.put("count", ids.size());
    ArrayNode told = body.putArray("messageIds");
    ids.forEach(told::add);
    return Answer.ok(body);
  }

  private Future<Answer> actions(ApiCall call) {
    return operator
        .actions(filter(call), limit(call), cursor(call))
        .map(page -> Pages.page(
            call,
            page,
            action -> maskedActions.body(action, call.caller()),
            OperatorBodies.ACTION_COLUMNS));
  }

  private ActionFilter filter(ApiCall call) {
    ActionFilter filter = new ActionFilter(
        call.one("actor").orElse(null),
        call.one("action").orElse(null),
        call.one("target").orElse(null),
        call.instant("from").orElse(null),
        call.instant("until").orElse(null));
    maskedActions.requireVisible(filter, call.caller());
    return filter;
  }

  private Future<Answer> lines(ApiCall call) {
    return runlane
        .runs()
        .log(call.pathValue("runId"), limit(call), cursor(call))
        .map(page -> Pages.page(
            call,
            page,
            line -> masks.apply(OperatorBodies.line(line), call.caller()),
            OperatorBodies.LINE_COLUMNS));
  }

  private static @Nullable Integer limit(ApiCall call) {
    return call.number("limit").orElse(null);
  }

  private static @Nullable String cursor(ApiCall call) {
    return call.one("cursor").orElse(null);
  }

  static RunActionOptions action(ApiCall call) {
    return new RunActionOptions()
        .setActor(Actor.operator(call.caller().name()))
        .setReason(call.reason());
  }

  /** Throughput by minute, queue and task: of these, minutes may be seen. */
  private final class Minutes implements CountedPages.Source<ThroughputBucket> {
    private final ApiCall call;
    private final Instant from;
    private final Instant until;

    Minutes(ApiCall call, Instant from, Instant until) {
      this.call = call;
      this.from = from;
      this.until = until;
    }

    @Override
    public Future<Page<ThroughputBucket>> page(
        String begin, @Nullable Integer limit, @Nullable String cursor) {
      Instant minute = begin.isEmpty() ? from : ApiCall.parseInstant("cursor", begin);
      return operator.throughput(new ThroughputQuery(
          minute.isBefore(from) ? from : minute,
          until,
          call.one("queue").orElse(null),
          call.one("task").orElse(null),
          limit,
          cursor));
    }

    @Override
    public String place(ThroughputBucket bucket) {
      return bucket.minute().toString();
    }
  }

  /** Messages of these ids, or any where none is named. */
  private static final class Wanted {
    private final TreeSet<String> ids = new TreeSet<>(Identifiers.ORDER);
    private final int most;

    Wanted(List<String> named, int most) {
      ids.addAll(named);
      this.most = ids.isEmpty() ? most : ids.size();
    }

    boolean takes(String id) {
      return ids.isEmpty() || ids.contains(id);
    }

    /** Whether none can stand behind a page of these, since the outbox is listed by id. */
    boolean endWith(List<String> page) {
      return !ids.isEmpty()
          && !page.isEmpty()
          && Identifiers.ORDER.compare(page.get(page.size() - 1), ids.last()) >= 0;
    }
  }
}
