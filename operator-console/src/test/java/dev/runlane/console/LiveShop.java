package dev.runlane.console;

import static dev.runlane.console.ConsoleFixture.await;

import dev.runlane.jobs.JobOptions;
import dev.runlane.jobs.JobRepeat;
import dev.runlane.jobs.memory.MemoryJobStore;
import dev.runlane.jobs.queue.FlowJob;
import dev.runlane.jobs.queue.JobQueue;
import dev.runlane.jobs.queue.Jobs;
import dev.runlane.jobs.queue.job.Job;
import dev.runlane.jobs.queue.job.JobResult;
import dev.runlane.jobs.store.JobStoreOptions;
import dev.runlane.lane.Lane;
import dev.runlane.operator.alert.AlertFinding;
import dev.runlane.operator.alert.ObserveAlerts;
import dev.runlane.operator.log.LogLevel;
import dev.runlane.operator.process.RuntimeProcess;
import dev.runlane.operator.process.SignOfLife;
import dev.runlane.operator.throughput.AddThroughput;
import dev.runlane.operator.throughput.Latencies;
import dev.runlane.operator.throughput.ThroughputBucket;
import dev.runlane.run.Actor;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.FailureRecord;
import dev.runlane.run.Json;
import dev.runlane.run.RunlaneException;
import dev.runlane.runtime.Runlane;
import dev.runlane.runtime.RunlaneDeployment;
import dev.runlane.runtime.alert.AlertKind;
import dev.runlane.runtime.alert.AlertRule;
import dev.runlane.runtime.alert.AlertVerticle;
import dev.runlane.runtime.host.RunlaneOptions;
import dev.runlane.runtime.task.RetryPolicy;
import dev.runlane.runtime.task.RunActionOptions;
import dev.runlane.runtime.task.Schedule;
import dev.runlane.runtime.task.Step;
import dev.runlane.runtime.task.Task;
import dev.runlane.runtime.task.TaskContext;
import dev.runlane.runtime.task.TaskQueue;
import dev.runlane.runtime.task.TaskResult;
import dev.runlane.runtime.task.TriggerOptions;
import dev.runlane.storage.memory.MemoryLane;
import dev.runlane.storage.outbox.ClaimOutboxMessages;
import dev.runlane.storage.outbox.ClaimedOutboxMessage;
import dev.runlane.storage.outbox.MarkOutboxMessagesDeadLettered;
import dev.runlane.storage.outbox.MarkOutboxMessagesDeadLettered.DeadLettered;
import dev.runlane.transport.PartitionLag;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Stream;

/** A shop with workers, job queues and a console, for the pages to show: runs of every kind and hours of minutes. */
final class LiveShop implements AutoCloseable {
  static final String SHIP = "orders.ship";
  static final String CHARGE = "payments.charge";
  static final String MAIL = "mails.send";
  static final String IMPORT = "stock.import";
  static final String AUDIT = "orders.audit";
  static final String NIGHTLY = "reports.nightly";
  static final String TRACE = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

  private static final String CHARGE_SCHEMA = """
      {"type": "object", "required": ["order", "amountCents"], "properties": {
        "order": {"type": "string", "title": "Order", "description": "its number"},
        "amountCents": {"type": "integer", "title": "Amount", "description": "in cents", "minimum": 1},
        "currency": {"enum": ["EUR", "USD", "GBP"]},
        "express": {"type": "boolean", "description": "before all others"},
        "customer": {"type": "object", "required": ["name"], "properties": {
          "name": {"type": "string"}, "email": {"type": "string", "format": "email"}}},
        "items": {"type": "array", "items": {"type": "string"}}}}
      """;
  private static final int MINUTES = 175;
  private static final int MINUTES_TO_LOOK = 5; // that are counted as if they were over already
  private static final int SILENT_FROM = 70;
  private static final int SILENT_UNTIL = 84;

  final Vertx vertx = Vertx.vertx();
  final Promise<Void> bank = Promise.promise();

  private final Promise<JobResult> press = Promise.promise(); // what a job waits for
  final Runlane runlane;
  final Jobs jobs;
  final LiveConnectors connectors; // null without
  final int port;

  private final Task<JsonObject> ship;
  private final Task<JsonObject> charge;
  private final Task<JsonObject> mail;
  private final Task<JsonObject> stock;
  private final Task<JsonObject> audit;
  private final OperatorConsole console;
  private volatile boolean isSupplierBack;
  private String album = "";

  LiveShop() {
    this(vertx -> MemoryLane.create(), new ConsoleOptions());
  }

  LiveShop(Function<Vertx, Lane> lane, ConsoleOptions options) {
    this(lane, options, vertx -> null);
  }

  /** With connectors beside the runs. */
  static LiveShop withConnectors() {
    return new LiveShop(vertx -> MemoryLane.create(), new ConsoleOptions(), LiveConnectors::new);
  }

  private LiveShop(
      Function<Vertx, Lane> lane,
      ConsoleOptions options,
      Function<Vertx, LiveConnectors> connectorsOf) {
    TaskQueue orders = TaskQueue.of("orders").asDefault();
    TaskQueue payments = TaskQueue.of("payments").concurrencyLimit(2);
    ship = Task.define(SHIP, JsonObject.class)
        .tag("customer", order -> order.getString("customer"))
        .handler(this::ship);
    charge = Task.define(CHARGE, JsonObject.class)
        .queue(payments)
        .payloadSchema(CHARGE_SCHEMA)
        .concurrencyKey(payment -> payment.getString("merchant", "shop"))
        .handler((payment, context) -> {
          context.log(
              LogLevel.INFO, "asks the bank", Map.of("order", payment.getString("order", "")));
          return context.untilSignalled(bank.future()).map(paid -> TaskResult.done(payment));
        });
    mail = Task.define(MAIL, JsonObject.class)
        .retry(RetryPolicy.attempts(4).fixedDelay(Duration.ofMillis(700)))
        .handler(this::mail);
    stock = Task.define(IMPORT, JsonObject.class)
        .retry(RetryPolicy.NONE)
        .schedule(Schedule.cron("nightly", "15 2 * * *", "America/New_York")
            .payload(new JsonObject().put("supplier", "north")))
        .schedule(Schedule.every("hourly", Duration.ofHours(1))
            .payload(new JsonObject().put("supplier", "south")))
        .handler((wanted, context) -> isSupplierBack
            ? Future.succeededFuture(TaskResult.done())
            : Future.failedFuture(RunlaneException.of(
                ErrorCode.TASK_FAILED,
                "the supplier %s answered 503: maintenance until tomorrow",
                wanted.getString("supplier", "north"))));
    audit = Task.define(AUDIT, JsonObject.class)
        .handler((order, context) -> Future.succeededFuture(
            context.release(Duration.ofDays(20), "the returns period is not over")));
    Task<JsonObject> report = Task.define(NIGHTLY, JsonObject.class)
        .queue(TaskQueue.of("reports"))
        .handler((wanted, context) -> Future.succeededFuture(TaskResult.done()));
    runlane = Runlane.builder(vertx, lane.apply(vertx))
        .options(new RunlaneOptions().setEnvironment("production"))
        .queues(List.of(orders, payments, TaskQueue.of("reports")))
        .tasks(List.of(ship, charge, mail, stock, audit, report))
        .build();
    await(runlane.deploy(vertx, new RunlaneDeployment()));
    await(vertx.deployVerticle(new AlertVerticle(runlane, List.of())));
    MemoryJobStore store = new MemoryJobStore(new JobStoreOptions().setMetricsEnabled(true));
    await(store.connect());
    jobs = Jobs.create(vertx, store);
    connectors = connectorsOf.apply(vertx);
    OperatorConsole runsAndJobs = OperatorConsole.create(
            vertx, runlane, new ConsoleOptions(options).setPort(0))
        .withJobs(jobs);
    console = connectors == null ? runsAndJobs : runsAndJobs.withConnectors(connectors::router);
    port = await(console.start());
  }

  /** Another process: its own queue's only worker takes a run and never ends it. */
  static void nightly(Vertx vertx, Lane lane, Consumer<String> held) {
    AtomicBoolean isHeld = new AtomicBoolean();
    TaskQueue reports = TaskQueue.of("reports").asDefault();
    Task<JsonObject> report = Task.define(NIGHTLY, JsonObject.class).handler((wanted, context) -> {
      if (isHeld.compareAndSet(false, true)) {
        held.accept(context.runId());
      }
      return Promise.<TaskResult>promise().future();
    });
    Runlane runlane = Runlane.builder(vertx, lane)
        .options(new RunlaneOptions().setEnvironment("production"))
        .queue(reports)
        .task(report)
        .build();
    await(runlane.deploy(vertx, new RunlaneDeployment()));
    runlane.trigger(report, new JsonObject());
    vertx.setPeriodic(
        500,
        again -> { // until it is this process that takes one
          if (!isHeld.get()) {
            runlane.trigger(report, new JsonObject());
          }
        });
  }

  private Future<TaskResult> ship(JsonObject order, TaskContext context) {
    return context
        .step("reserve stock", String.class, () -> pause(120).map("shelf 12"))
        .compose(shelf -> Future.join(
            parcel(context, "A", 160), parcel(context, "B", 260), parcel(context, "C", 90)))
        .compose(
            packed -> context.step("book carrier", String.class, () -> pause(70).map("DHL")))
        .compose(carrier -> context.sleep(Duration.ofMillis(400)))
        .compose(slept -> context.step("tell customer", () -> pause(40).mapEmpty()))
        .map(told -> TaskResult.done(new JsonObject().put("parcels", 3).put("carrier", "DHL")));
  }

  private Future<String> parcel(TaskContext context, String parcel, long millis) {
    context.log(LogLevel.INFO, "packs parcel " + parcel, Map.of("parcel", parcel));
    return context
        .step("pack " + parcel, String.class, () -> pause(millis).map("box " + parcel))
        .compose(box -> context.step(
            Step.of("label " + parcel, String.class).retry(RetryPolicy.attempts(2)),
            () -> pause(millis / 3).map("label of " + box)));
  }

  private Future<TaskResult> mail(JsonObject letter, TaskContext context) {
    if (context.attempt() <= letter.getInteger("failures", 0)) {
      context.log(LogLevel.WARN, "the mail server hangs up", Map.of("server", "mx1.example.com"));
      return Future.failedFuture(RunlaneException.unavailable(
          ErrorCode.TASK_FAILED, null, "421 4.7.0 try again later, too many connections"));
    }
    return pause(30).map(sent -> TaskResult.done(new JsonObject().put("sent", true)));
  }

  private Future<Void> pause(long millis) {
    return vertx.timer(millis).mapEmpty();
  }

  /** Makes imports succeed from now on. */
  void supplierIsBack() {
    isSupplierBack = true;
  }

  /** What the processes of a lane with a broker would say: one that lives, and one that left a partition. */
  void consumers() {
    Instant now = Instant.now();
    consumer("shop-7", now, List.of(0, 1, 2), 4);
    consumer("shop-8", now, List.of(3, 4), 310);
    consumer("shop-3", now.minus(Duration.ofMinutes(4)), List.of(5), 1_740);
  }

  private void consumer(String id, Instant now, List<Integer> partitions, long records) {
    List<PartitionLag> lags = Stream.of("orders", "payments")
        .flatMap(queue -> partitions.stream()
            .map(each -> new PartitionLag(
                "shop." + queue, "shop", each, queue, records / (queue.length() - 5) + each)))
        .toList();
    await(runlane
        .lane()
        .storage()
        .operator()
        .orElseThrow()
        .signOfLife(new SignOfLife(
            runlane.environment(),
            new RuntimeProcess(
                id,
                "10.0.3." + partitions.get(0),
                "0.1.0",
                List.of("consumer", "worker"),
                List.of("orders", "payments"),
                List.of(SHIP, CHARGE),
                List.of(id),
                16,
                0,
                Duration.ofSeconds(30),
                now.minus(Duration.ofHours(5)),
                lags),
            now)));
  }

  /** The job above all others of a flow. */
  String album() {
    return album;
  }

  /** What a working day leaves: runs of every kind, jobs, and minutes that were counted. */
  Day day() {
    deadLetter(trigger(ship, order("1050"), new TriggerOptions().setDelay(Duration.ofHours(3))));
    countMinutes();
    alerts();
    operated();
    trigger(audit, order("1021"));
    String shipped = trigger(ship, order("1042"), tagged("Ada", "key-1042"));
    String mailed = trigger(mail, new JsonObject().put("to", "ada@example.com").put("failures", 2));
    String failed = trigger(
        stock,
        new JsonObject().put("supplier", "north"),
        new TriggerOptions().setTraceCarrier(Map.of("traceparent", TRACE)));
    trigger(stock, new JsonObject().put("supplier", "south"));
    List<String> held = Stream.of("1043", "1044", "1045", "1046")
        .map(number -> trigger(charge, payment(number)))
        .toList();
    trigger(mail, new JsonObject().put("to", "bob@example.com").put("failures", 9));
    Stream.of(shipped, mailed, failed)
        .forEach(run -> await(runlane.awaitRun(run, ConsoleFixture.LONGEST)));
    jobs();
    return new Day(shipped, mailed, failed, held);
  }

  /** The only message that waits yet cannot be published. */
  private void deadLetter(String runId) {
    Instant due = Instant.now().plus(Duration.ofHours(4));
    List<ClaimedOutboxMessage> claimed = await(runlane
        .lane()
        .storage()
        .claimOutboxMessages(
            new ClaimOutboxMessages(runlane.environment(), due, Duration.ofMinutes(1), 1, null)));
    FailureRecord why = new FailureRecord(
        ErrorCode.TRANSPORT_UNAVAILABLE, "topic shop.orders: not authorized", false, null);
    await(runlane
        .lane()
        .storage()
        .markOutboxMessagesDeadLettered(new MarkOutboxMessagesDeadLettered(
            runlane.environment(),
            claimed.stream()
                .filter(each -> each.message().runId().equals(runId))
                .map(each -> new DeadLettered(each.id(), each.claimToken(), why))
                .toList(),
            due)));
  }

  /** What somebody did in the morning. */
  private void operated() {
    RunActionOptions asked = new RunActionOptions()
        .setActor(Actor.operator("grace"))
        .setReason("the warehouse counts its stock");
    await(runlane.operator().pauseQueue("reports", asked));
    await(runlane
        .operator()
        .putDocument(
            "saved_filter",
            "imports",
            null,
            Json.ofChecked("{\"view\":\"runs\",\"title\":\"Broken imports\","
                + "\"query\":\"status=failed&task=stock.import\"}"),
            asked));
  }

  /** Rules, and what they found in the morning; a process is gone now. */
  private void alerts() {
    RunActionOptions asked =
        new RunActionOptions().setActor(Actor.operator("ada")).setReason("nobody looked at night");
    AlertRule late = AlertRule.of("payments-late", AlertKind.OLDEST_DUE, 1_800, List.of("pager"))
        .queue("payments");
    AlertRule failing = AlertRule.of("mails-failing", AlertKind.FAILURE_RATE, 0.2, List.of("pager"))
        .task(MAIL);
    await(runlane.alerts().putRule(late, 0L, asked));
    await(runlane.alerts().putRule(failing, 0L, asked));
    await(runlane
        .alerts()
        .putRule(AlertRule.of("worker-gone", AlertKind.WORKER_GONE, 60, List.of()), 0L, asked));
    Instant morning = Instant.now().minus(Duration.ofHours(5));
    found(
        "payments-late",
        morning,
        new AlertFinding("alert_late", "payments", "the oldest due run has waited 41 min"));
    found("payments-late", morning.plus(Duration.ofMinutes(23)));
    found(
        "mails-failing",
        morning.plus(Duration.ofHours(4)),
        new AlertFinding("alert_mail", MAIL, "31 % of 64 attempts failed for good"));
  }

  private void found(String rule, Instant at, AlertFinding... findings) {
    await(runlane
        .lane()
        .storage()
        .operator()
        .orElseThrow()
        .observeAlerts(
            new ObserveAlerts(runlane.environment(), rule, List.of(findings), List.of(), at)));
  }

  private static JsonObject order(String number) {
    return new JsonObject()
        .put("order", number)
        .put("customer", "Ada")
        .put("amountCents", 4_990)
        .put("currency", "EUR");
  }

  private static JsonObject payment(String number) {
    return new JsonObject()
        .put("order", number)
        .put("amountCents", 4_990)
        .put("currency", "EUR")
        .put("customer", new JsonObject().put("name", "Ada"));
  }

  private static TriggerOptions tagged(String customer, String key) {
    return new TriggerOptions()
        .setTags(Map.of("customer", customer, "region", "eu"))
        .setIdempotencyKey(key)
        .setConcurrencyKey("customer-" + customer);
  }

  String trigger(Task<JsonObject> task, JsonObject payload) {
    return trigger(task, payload, new TriggerOptions());
  }

  private String trigger(Task<JsonObject> task, JsonObject payload, TriggerOptions options) {
    return await(runlane.trigger(task, payload, options)).run().id();
  }

  /** Three hours up to now, with a stretch in which nothing happened. */
  private void countMinutes() {
    Instant now = Instant.now().truncatedTo(ChronoUnit.MINUTES);
    List<ThroughputBucket> buckets = new ArrayList<>();
    for (int ago = MINUTES; ago > -MINUTES_TO_LOOK; ago--) {
      if (ago > SILENT_FROM && ago < SILENT_UNTIL) {
        continue;
      }
      Instant minute = now.minus(Duration.ofMinutes(ago));
      int wave = (int) Math.round(20 + 12 * Math.sin(ago / 13.0) + ago % 5);
      boolean isSlow = ago < 25;
      buckets.add(bucket(minute, "orders", SHIP, wave, 0, 40));
      buckets.add(bucket(
          minute,
          "payments",
          CHARGE,
          isSlow ? wave / 3 : wave,
          isSlow ? 1 : 0,
          isSlow ? 9_000 : 60));
      buckets.add(bucket(minute, "orders", MAIL, wave * 2, ago % 17 == 0 ? 3 : 0, 25));
    }
    await(runlane
        .lane()
        .storage()
        .operator()
        .orElseThrow()
        .addThroughput(new AddThroughput(runlane.environment(), buckets)));
  }

  private static ThroughputBucket bucket(
      Instant minute, String queue, String task, int succeeded, int failed, long waitedMillis) {
    Latencies waited = times(succeeded, waitedMillis);
    Latencies run = times(succeeded, waitedMillis * 3 + 400);
    int all = succeeded + failed;
    return new ThroughputBucket(
        minute, queue, task, all, all, succeeded, failed, failed, 0, 0, 0, waited, run, run);
  }

  /** Most about as long, one in twenty eight times as long. */
  private static Latencies times(int number, long millis) {
    Latencies all = Latencies.NONE;
    for (int each = 0; each < number; each++) {
      long factor = each % 20 == 0 ? 8 : 1;
      all = all.plus(Latencies.of(Duration.ofMillis(millis * factor)));
    }
    return all;
  }

  private void jobs() {
    JobQueue thumbnails = jobs.queue("thumbnails");
    jobs.worker("thumbnails", (job, signal) -> work(job));
    JobOptions once =
        JobOptions.builder().attempts(1).deadLetterQueue("thumbnails-dead").build();
    await(thumbnails.add("resize", Map.of("image", "cat.png", "fails", true), once));
    for (int number = 0; number < 6; number++) {
      await(thumbnails.add("resize", Map.of("image", "dog-" + number + ".png"), JobOptions.NONE));
    }
    await(thumbnails.schedule(Duration.ofHours(1), "resize", Map.of("image", "late.png"), once));
    await(thumbnails.every("1 hour", "sweep", Map.of(), JobOptions.NONE));
    await(thumbnails.upsertSchedule(
        "nightly",
        JobRepeat.cron("30 3 * * *", ZoneId.of("Europe/Berlin")),
        "sweep",
        Map.of(),
        JobOptions.NONE));
    FlowJob flow = FlowJob.of("album", "albums", Map.of("name", "holidays"))
        .after(
            FlowJob.of("cover", "thumbnails", Map.of("image", "cover.png")),
            FlowJob.of("pages", "albums", Map.of("from", 1))
                .after(
                    FlowJob.of("page", "thumbnails", Map.of("image", "page.png", "hangs", true))),
            FlowJob.of("index", "albums", Map.of()));
    album = await(jobs.flows().add(flow)).job().id();
  }

  private Future<JobResult> work(Job job) {
    JsonObject image = job.dataAs(JsonObject.class);
    if (image.getBoolean("fails", false)) {
      return Future.failedFuture(new IllegalStateException("cat.png is no image"));
    }
    return job.log("reads " + image.getString("image"))
        .compose(logged -> job.updateProgress(40))
        .compose(told -> image.getBoolean("hangs", false)
            ? press.future()
            : pause(50).map(JobResult.done(Map.of("width", 120))));
  }

  @Override
  public void close() {
    bank.tryComplete();
    press.tryComplete(JobResult.done());
    await(console.close());
    if (connectors != null) {
      connectors.close();
    }
    await(jobs.close());
    await(runlane.close());
    await(vertx.close());
  }

  /** A shop that stays until its input ends, to be looked at; prints its address. */
  public static void main(String[] arguments) throws IOException {
    try (LiveShop shop = withConnectors()) {
      Day day = shop.day();
      LiveConnectors.Day connected = shop.connectors.day();
      shop.connectors.asking();
      System.out.println(
          "http://127.0.0.1:" + shop.port + " " + day + " " + connected + " " + shop.album);
      System.in.read();
    }
  }

  /** The runs of a day. */
  record Day(String shipped, String mailed, String failed, List<String> held) {}
}
