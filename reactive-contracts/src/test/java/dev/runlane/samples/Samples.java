package dev.runlane.samples;

import dev.runlane.run.Actor;
import dev.runlane.run.Awaiting;
import dev.runlane.run.DeliveryIntent;
import dev.runlane.run.DispatchReservation;
import dev.runlane.run.Environment;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.EventHeader;
import dev.runlane.run.FailureRecord;
import dev.runlane.run.IdempotencyTtl;
import dev.runlane.run.Json;
import dev.runlane.run.Lease;
import dev.runlane.run.RunCounters;
import dev.runlane.run.RunEvent;
import dev.runlane.run.RunEventType;
import dev.runlane.run.RunKeys;
import dev.runlane.run.RunRecord;
import dev.runlane.run.RunSource;
import dev.runlane.run.RunStatus;
import dev.runlane.run.StepDispatch;
import dev.runlane.storage.read.RunFilter;
import dev.runlane.storage.read.RunSummary;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Values of every kind, sparse ones and full ones; their JSON is in {@code src/test/resources/golden}. */
public final class Samples {
  public static final Environment PRODUCTION = new Environment("production");
  public static final String RUN = "run_1";
  public static final String STEP = "run_1:7";
  public static final String TASK = "orders.charge";
  public static final String QUEUE = "payments";
  public static final Instant NOON = Instant.parse("2026-03-04T12:00:00Z");
  public static final Instant EXACT = Instant.parse("2026-03-04T12:00:00.123456Z");
  public static final Json PAYLOAD =
      Json.ofChecked("{ \"amount\":1.00,\n \"of\" : [1e2, \"\\u00e4\"] }");
  public static final Json META = Json.ofChecked("{\"note\":\"gr\u00fc\u00dfe \ud83d\ude80\"}");
  public static final Map<String, String> TRACE =
      Map.of("traceparent", "00-1", "baggage", "a=\"b\"");
  public static final Lease LEASE = new Lease("tok_1", "worker_1", NOON.plusSeconds(30));
  public static final FailureRecord FAILURE =
      new FailureRecord(ErrorCode.TASK_FAILED, "Task failed.", true, null);
  public static final FailureRecord REFUSED = new FailureRecord(
      ErrorCode.TRANSPORT_PUBLISH_FAILED,
      "broker said \"no\"\n",
      false,
      Json.ofChecked("{\"status\":\"429\"}"));
  public static final RunKeys KEYS =
      new RunKeys("customer_1", "order-1", IdempotencyTtl.of(Duration.ofDays(30)), "nightly");

  public static final RunFilter FILTER = RunFilter.ALL
      .withStatuses(Set.of(RunStatus.QUEUED, RunStatus.FAILED))
      .withTaskIds(List.of(TASK))
      .withQueues(List.of(QUEUE, "other"))
      .withConcurrencyKey("customer_1")
      .withIdempotencyKey("order-1")
      .withSingletonKey("nightly")
      .withCreated(NOON, EXACT);

  private Samples() {}

  public static EventHeader header() {
    return EventHeader.bySystem(PRODUCTION, RUN, NOON);
  }

  public static EventHeader fullHeader() {
    return new EventHeader(PRODUCTION, RUN, Actor.operator("ann"), EXACT, TRACE, META);
  }

  public static RunEvent.Created created() {
    return new RunEvent.Created(
        header(), TASK, QUEUE, Json.ofChecked("null"), null, RunKeys.NONE, RunSource.TRIGGER);
  }

  public static RunEvent.DeliveryRequested requested() {
    return new RunEvent.DeliveryRequested(
        header(), new DeliveryIntent(PRODUCTION, RUN, QUEUE, NOON, NOON, null, null));
  }

  public static RunEvent.DeliveryRequested reserved() {
    return new RunEvent.DeliveryRequested(
        fullHeader(),
        new DeliveryIntent(PRODUCTION, RUN, QUEUE, NOON, EXACT, NOON.plusSeconds(60), TRACE));
  }

  /** Every type of event, with everything it may leave out and with everything it may say. */
  public static Map<String, RunEvent> events() {
    Map<String, RunEvent> events = new LinkedHashMap<>();
    events.put("created", created());
    events.put("created-full", created(KEYS, RunSource.schedule("nightly", "occ_1", EXACT)));
    RunKeys active = RunKeys.NONE.withIdempotencyKey("order-1", IdempotencyTtl.ACTIVE);
    events.put("created-rerun", created(active, RunSource.rerun("run_0")));
    events.put("created-manual-retry", created(RunKeys.NONE, RunSource.manualRetry("run_0")));
    events.put("delivery-requested", requested());
    events.put("delivery-requested-full", reserved());
    events.put("lease-claimed", new RunEvent.LeaseClaimed(header(), LEASE));
    events.put("lease-heartbeat", new RunEvent.LeaseHeartbeat(header(), LEASE));
    events.put("started", new RunEvent.Started(header(), 1));
    events.put("succeeded", new RunEvent.Succeeded(header(), 1, null));
    events.put("succeeded-full", new RunEvent.Succeeded(fullHeader(), 2, PAYLOAD));
    events.put("failed", new RunEvent.Failed(header(), 1, FAILURE));
    events.put("failed-full", new RunEvent.Failed(fullHeader(), 1, REFUSED));
    events.put("retry-scheduled", new RunEvent.RetryScheduled(header(), 1, REFUSED, EXACT));
    events.put("released", new RunEvent.Released(header(), 1, EXACT, null));
    events.put("released-full", new RunEvent.Released(fullHeader(), 1, EXACT, "waiting"));
    events.put(
        "released-awaiting", new RunEvent.Released(header(), 1, EXACT, null, Awaiting.STEPS));
    events.put(
        "step-requested",
        new RunEvent.StepRequested(header(), STEP, "charge", null, null, 1, null));
    events.put(
        "step-requested-full",
        new RunEvent.StepRequested(
            fullHeader(), STEP, "invoice:print", "printers@eu", PAYLOAD, 2, null));
    events.put(
        "step-requested-remote",
        new RunEvent.StepRequested(
            header(),
            STEP,
            "print",
            "print",
            PAYLOAD,
            1,
            null,
            new StepDispatch(EXACT, 3, Duration.ofSeconds(1), Duration.ofMinutes(5), 20)));
    events.put(
        "step-requested-sleep",
        new RunEvent.StepRequested(header(), STEP, "sleep", null, null, 1, EXACT));
    events.put("step-completed", new RunEvent.StepCompleted(header(), STEP, 0, null, null, null));
    events.put(
        "step-completed-full",
        new RunEvent.StepCompleted(fullHeader(), STEP, 3, EXACT, PAYLOAD, null));
    events.put(
        "step-completed-remote",
        new RunEvent.StepCompleted(header(), STEP, 2, EXACT, PAYLOAD, null, NOON));
    events.put(
        "step-completed-failed",
        new RunEvent.StepCompleted(header(), STEP, 3, NOON, null, REFUSED));
    events.put("cancellation-requested", new RunEvent.CancellationRequested(header(), null));
    events.put(
        "cancellation-requested-full", new RunEvent.CancellationRequested(fullHeader(), "stop"));
    events.put("cancelled", new RunEvent.Cancelled(header(), null));
    events.put("cancelled-full", new RunEvent.Cancelled(fullHeader(), "stop"));
    return events;
  }

  public static RunEvent event(RunEventType type) {
    return events().values().stream()
        .filter(event -> event.type() == type)
        .findFirst()
        .orElseThrow();
  }

  public static Map<String, RunRecord> runs() {
    return Map.of(
        "run",
        queued(),
        "run-full",
        fullRun(),
        "run-reserved",
        reservedRun(),
        "run-ended",
        ended(),
        "run-awaiting",
        awaiting());
  }

  public static RunRecord queued() {
    return RunRecord.builder(created()).build();
  }

  public static RunRecord running() {
    return waiting().status(RunStatus.RUNNING).lease(LEASE).build();
  }

  public static RunRecord reservedRun() {
    return waiting()
        .reservation(new DispatchReservation(NOON, NOON.plusSeconds(60)))
        .build();
  }

  public static RunRecord fullRun() {
    return RunRecord.builder(creation(
            new EventHeader(PRODUCTION, RUN, Actor.operator("ann"), NOON, TRACE, META),
            KEYS,
            RunSource.schedule("nightly", "occ_1", EXACT)))
        .status(RunStatus.CANCELLATION_REQUESTED)
        .eventSequence(17)
        .counters(new RunCounters(4, 1, 1, 2))
        .runAt(EXACT)
        .lease(LEASE)
        .failure(REFUSED)
        .updatedAt(EXACT)
        .startedAt(EXACT)
        .build();
  }

  public static RunRecord awaiting() {
    return waiting().status(RunStatus.RELEASED).awaiting(Awaiting.STEPS).build();
  }

  public static RunSummary summary() {
    return RunSummary.of(queued());
  }

  public static RunSummary fullSummary() {
    return RunSummary.of(fullRun().toBuilder()
        .status(RunStatus.FAILED)
        .eventSequence(9)
        .counters(new RunCounters(2, 2, 1, 0))
        .failure(FAILURE)
        .finishedAt(EXACT)
        .build());
  }

  private static RunEvent.Created created(RunKeys keys, RunSource source) {
    return creation(fullHeader(), keys, source);
  }

  private static RunEvent.Created creation(EventHeader header, RunKeys keys, RunSource source) {
    return new RunEvent.Created(header, TASK, QUEUE, PAYLOAD, EXACT, keys, source);
  }

  private static RunRecord ended() {
    RunKeys keys = RunKeys.NONE.withIdempotencyKey("order-1", IdempotencyTtl.ACTIVE);
    return RunRecord.builder(creation(header(), keys, RunSource.rerun("run_0")))
        .status(RunStatus.SUCCEEDED)
        .eventSequence(4)
        .counters(new RunCounters(1, 0, 0, 0))
        .runAt(null)
        .output(PAYLOAD)
        .updatedAt(EXACT)
        .startedAt(NOON)
        .finishedAt(EXACT)
        .build();
  }

  private static RunRecord.Builder waiting() {
    return RunRecord.builder(creation(header(), RunKeys.NONE, RunSource.TRIGGER))
        .eventSequence(2)
        .runAt(NOON);
  }
}
