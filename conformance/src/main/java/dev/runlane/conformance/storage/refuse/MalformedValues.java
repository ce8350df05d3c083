package dev.runlane.conformance.storage.refuse;

import static dev.runlane.conformance.given.TestRuns.queued;
import static dev.runlane.conformance.kit.Given.ENVIRONMENT;
import static dev.runlane.conformance.kit.Given.FAILURE;
import static dev.runlane.conformance.kit.Given.MINUTE;
import static dev.runlane.conformance.kit.Given.NOON;
import static dev.runlane.conformance.kit.Given.TASK;
import static dev.runlane.conformance.kit.Given.TASKS;
import static dev.runlane.conformance.kit.Given.UNBOUNDED;
import static dev.runlane.conformance.kit.Given.minutes;

import dev.runlane.conformance.given.Commands;
import dev.runlane.conformance.given.Events;
import dev.runlane.conformance.kit.Given;
import dev.runlane.conformance.storage.refuse.MalformedCommands.Call;
import dev.runlane.run.Actor;
import dev.runlane.run.DeliveryIntent;
import dev.runlane.run.EventHeader;
import dev.runlane.run.FailureRecord;
import dev.runlane.run.IdempotencyTtl;
import dev.runlane.run.Lease;
import dev.runlane.run.QueuePolicy;
import dev.runlane.run.RunEvent;
import dev.runlane.run.RunKeys;
import dev.runlane.run.RunRecord;
import dev.runlane.run.RunSource;
import dev.runlane.storage.outbox.ClaimOutboxMessages;
import dev.runlane.storage.outbox.ClaimedOutboxMessage;
import dev.runlane.storage.outbox.MarkOutboxMessagesDeadLettered;
import dev.runlane.storage.outbox.MarkOutboxMessagesFailed;
import dev.runlane.storage.outbox.MarkOutboxMessagesPublished;
import dev.runlane.storage.read.GetRunByIdempotencyKey;
import dev.runlane.storage.read.ListRunEvents;
import dev.runlane.storage.read.ListRunnableRuns;
import dev.runlane.storage.read.ListRuns;
import dev.runlane.storage.read.ListRunsNeedingCancellationFinalization;
import dev.runlane.storage.read.ListRunsNeedingDelivery;
import dev.runlane.storage.read.ListRunsNeedingDispatch;
import dev.runlane.storage.read.RunEventFilter;
import dev.runlane.storage.read.RunEventSort;
import dev.runlane.storage.read.RunFilter;
import dev.runlane.storage.read.RunSort;
import dev.runlane.storage.run.AppendRunEvents;
import dev.runlane.storage.run.ClaimRunLease;
import dev.runlane.storage.run.HeartbeatRunLease;
import dev.runlane.storage.run.PruneRuns;
import dev.runlane.storage.run.ReleaseRunLease;
import dev.runlane.storage.run.ReserveRunDispatch;
import dev.runlane.storage.run.ResetIdempotencyKey;
import dev.runlane.storage.schedule.ClaimScheduleOccurrence;
import dev.runlane.storage.schedule.CompleteScheduleOccurrence;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Calls that are in order but for one value, by the place the value is in. Each is made for a run that is
 * stored as given, so that a storage which does not look at the value goes on and stores it.
 */
final class MalformedValues {
  private static final QueuePolicy ONE = Given.bounded(1);

  private MalformedValues() {}

  /** Every place of a text that is neither id nor key. The message is one that its token claims. */
  static Map<String, Call> texts(RunRecord running, ClaimedOutboxMessage message, String text) {
    Map<String, Call> calls = new LinkedHashMap<>();
    EventHeader header = Events.header(running, NOON);
    FailureRecord failure = new FailureRecord(FAILURE.code(), text, true, null);
    int attempt = running.counters().attempts();
    addHeaders(calls, running, text);
    calls.put(
        "reason of a cancellation request",
        appending(running, new RunEvent.CancellationRequested(header, text)));
    calls.put("reason of a cancellation", appending(running, new RunEvent.Cancelled(header, text)));
    calls.put(
        "reason of a release",
        appending(running, new RunEvent.Released(header, attempt, minutes(1), text)));
    calls.put(
        "message of a failure", appending(running, new RunEvent.Failed(header, attempt, failure)));
    calls.put(
        "message of a failure before a retry",
        appending(running, new RunEvent.RetryScheduled(header, attempt, failure, minutes(1))));
    calls.put("source run", creating(RunSource.rerun(text)));
    calls.put("schedule of the source", creating(RunSource.schedule(text, "occ_1", NOON)));
    calls.put("occurrence of the source", creating(RunSource.schedule("nightly", text, NOON)));
    addMarks(calls, message, text, failure);
    return calls;
  }

  private static void addHeaders(Map<String, Call> calls, RunRecord running, String text) {
    EventHeader header = Events.header(running, NOON);
    calls.put(
        "id of the actor",
        appending(
            running, new RunEvent.CancellationRequested(header.by(Actor.operator(text)), null)));
    calls.put(
        "name in a trace carrier",
        appending(
            running,
            new RunEvent.CancellationRequested(header.withTrace(Map.of(text, "1")), null)));
    calls.put(
        "value in a trace carrier",
        appending(
            running,
            new RunEvent.CancellationRequested(
                header.withTrace(Map.of("traceparent", text)), null)));
    calls.put(
        "trace carrier of a delivery",
        appending(
            running,
            new RunEvent.DeliveryRequested(
                header,
                new DeliveryIntent(
                    ENVIRONMENT,
                    running.id(),
                    running.queue(),
                    NOON,
                    NOON,
                    null,
                    Map.of("traceparent", text)))));
  }

  private static void addMarks(
      Map<String, Call> calls, ClaimedOutboxMessage message, String text, FailureRecord failure) {
    calls.put(
        "id of the provider",
        s -> s.markOutboxMessagesPublished(new MarkOutboxMessagesPublished(
            ENVIRONMENT,
            List.of(new MarkOutboxMessagesPublished.Published(
                message.id(), message.claimToken(), text)),
            NOON)));
    calls.put(
        "failure of a publish",
        s -> s.markOutboxMessagesFailed(new MarkOutboxMessagesFailed(
            ENVIRONMENT,
            List.of(new MarkOutboxMessagesFailed.Failed(
                message.id(), message.claimToken(), failure, null)),
            NOON)));
    calls.put(
        "failure of a message given up",
        s -> s.markOutboxMessagesDeadLettered(new MarkOutboxMessagesDeadLettered(
            ENVIRONMENT,
            List.of(new MarkOutboxMessagesDeadLettered.DeadLettered(
                message.id(), message.claimToken(), failure)),
            NOON)));
  }

  /** Every place of a token or a worker in what is done with leases. The run is due and nobody's. */
  static Map<String, Call> leases(RunRecord due, String id) {
    Map<String, Call> calls = new LinkedHashMap<>();
    Lease withToken = new Lease(id, Given.WORKER, minutes(1));
    Lease withWorker = new Lease("tok_1", id, minutes(1));
    calls.put(
        "token of a claim", s -> s.claimRunLease(Commands.claim(due, UNBOUNDED, withToken, NOON)));
    calls.put(
        "worker of a claim",
        s -> s.claimRunLease(Commands.claim(due, UNBOUNDED, withWorker, NOON)));
    calls.put(
        "token of a first lease",
        s -> s.appendRunEvents(queued("run_new").creationWithLease(withToken)));
    calls.put(
        "worker of a first lease",
        s -> s.appendRunEvents(queued("run_new").creationWithLease(withWorker)));
    calls.put(
        "token of a release",
        s -> s.releaseRunLease(new ReleaseRunLease(ENVIRONMENT, due.id(), id, Given.WORKER)));
    calls.put(
        "worker of a release",
        s -> s.releaseRunLease(new ReleaseRunLease(ENVIRONMENT, due.id(), "tok_1", id)));
    return calls;
  }

  /** Every place of an instant. The message is one that its token claims. */
  static Map<String, Call> instants(
      RunRecord running, ClaimedOutboxMessage message, Instant instant) {
    Map<String, Call> calls = new LinkedHashMap<>();
    addEventInstants(calls, running, instant);
    addRunInstants(calls, running, instant);
    addReadInstants(calls, instant);
    addOutboxInstants(calls, message, instant);
    addScheduleInstants(calls, instant);
    return calls;
  }

  private static void addEventInstants(
      Map<String, Call> calls, RunRecord running, Instant instant) {
    EventHeader header = Events.header(running, NOON);
    int attempt = running.counters().attempts();
    calls.put(
        "time of an event",
        appending(
            running, new RunEvent.CancellationRequested(Events.header(running, instant), null)));
    calls.put(
        "time of a retry",
        appending(running, new RunEvent.RetryScheduled(header, attempt, FAILURE, instant)));
    calls.put(
        "time of resuming",
        appending(running, new RunEvent.Released(header, attempt, instant, null)));
    calls.put("fire of the source", creating(RunSource.schedule("nightly", "occ_1", instant)));
    calls.put("due time of a run", s -> s.appendRunEvents(created(RunSource.TRIGGER, instant)));
    calls.put("request of a delivery", delivering(running, instant, NOON, null));
    calls.put("availability of a delivery", delivering(running, NOON, instant, null));
    calls.put("end of a reservation", delivering(running, NOON, NOON, instant));
  }

  private static void addRunInstants(Map<String, Call> calls, RunRecord running, Instant instant) {
    Lease lease = new Lease("tok_1", Given.WORKER, instant);
    calls.put(
        "now of an append",
        s -> s.appendRunEvents(append(
            running,
            new RunEvent.CancellationRequested(Events.header(running, NOON), null),
            instant)));
    calls.put("end of a lease", s -> s.claimRunLease(claim(running, lease, NOON)));
    calls.put(
        "now of a claim",
        s -> s.claimRunLease(claim(running, Given.lease("tok_1", minutes(1)), instant)));
    calls.put("end of a heartbeat", s -> s.heartbeatRunLease(heartbeat(running, lease, NOON)));
    calls.put(
        "now of a heartbeat",
        s -> s.heartbeatRunLease(heartbeat(running, Given.lease("tok_1", minutes(2)), instant)));
    calls.put(
        "now of a reservation",
        s -> s.reserveRunDispatch(new ReserveRunDispatch(
            ENVIRONMENT,
            running.id(),
            running.eventSequence(),
            Events.reservation(running, NOON, minutes(1)),
            running.toBuilder().eventSequence(running.eventSequence() + 1).build(),
            ONE,
            instant)));
    calls.put(
        "now of a look at a key",
        s -> s.getRunByIdempotencyKey(
            new GetRunByIdempotencyKey(ENVIRONMENT, TASK, "key", instant)));
    calls.put(
        "now of a reset",
        s -> s.resetIdempotencyKey(new ResetIdempotencyKey(ENVIRONMENT, TASK, "key", instant)));
  }

  private static void addReadInstants(Map<String, Call> calls, Instant instant) {
    calls.put(
        "creation from, in a filter",
        s -> s.listRuns(runs(RunFilter.ALL.withCreated(instant, null))));
    calls.put(
        "creation before, in a filter",
        s -> s.listRuns(runs(RunFilter.ALL.withCreated(null, instant))));
    calls.put(
        "events from, in a filter",
        s -> s.listRunEvents(events(new RunEventFilter("run_1", Set.of(), instant, null))));
    calls.put(
        "events before, in a filter",
        s -> s.listRunEvents(events(new RunEventFilter("run_1", Set.of(), null, instant))));
    calls.put(
        "now of a scan for runnable runs",
        s -> s.listRunnableRuns(
            new ListRunnableRuns(ENVIRONMENT, List.of(UNBOUNDED), TASKS, instant, 1)));
    calls.put(
        "now of a scan for dispatch",
        s -> s.listRunsNeedingDispatch(
            new ListRunsNeedingDispatch(ENVIRONMENT, List.of(ONE), instant, 1)));
    calls.put(
        "now of a scan for delivery",
        s -> s.listRunsNeedingDelivery(
            new ListRunsNeedingDelivery(ENVIRONMENT, List.of("default"), instant, 1)));
    calls.put(
        "now of a scan for cancellations",
        s -> s.listRunsNeedingCancellationFinalization(
            new ListRunsNeedingCancellationFinalization(ENVIRONMENT, instant, 1)));
    calls.put(
        "cutoff of a prune",
        s -> s.pruneRuns(new PruneRuns(ENVIRONMENT, Set.of(), instant, NOON, 1, null)));
    calls.put(
        "now of a prune",
        s -> s.pruneRuns(new PruneRuns(ENVIRONMENT, Set.of(), NOON, instant, 1, null)));
  }

  private static void addOutboxInstants(
      Map<String, Call> calls, ClaimedOutboxMessage message, Instant instant) {
    calls.put(
        "now of an outbox claim",
        s -> s.claimOutboxMessages(new ClaimOutboxMessages(ENVIRONMENT, instant, MINUTE, 1, null)));
    calls.put(
        "now of a published mark",
        s -> s.markOutboxMessagesPublished(new MarkOutboxMessagesPublished(
            ENVIRONMENT,
            List.of(new MarkOutboxMessagesPublished.Published(
                message.id(), message.claimToken(), null)),
            instant)));
    calls.put("now of a failed mark", failing(message, null, instant));
    calls.put("availability after a failed mark", failing(message, instant, NOON));
    calls.put(
        "now of a dead letter mark",
        s -> s.markOutboxMessagesDeadLettered(new MarkOutboxMessagesDeadLettered(
            ENVIRONMENT,
            List.of(new MarkOutboxMessagesDeadLettered.DeadLettered(
                message.id(), message.claimToken(), FAILURE)),
            instant)));
  }

  private static void addScheduleInstants(Map<String, Call> calls, Instant instant) {
    calls.put("fire of an occurrence", occurrence(instant, NOON, MINUTE));
    calls.put("now of an occurrence's claim", occurrence(NOON, instant, MINUTE));
    calls.put(
        "now of an occurrence's completion",
        s -> s.completeScheduleOccurrence(
            new CompleteScheduleOccurrence(ENVIRONMENT, "occ_1", "tok", List.of(), instant)));
  }

  /** Every place of a duration, counted from {@code now}. */
  static Map<String, Call> claims(Instant now, Duration duration) {
    Map<String, Call> calls = new LinkedHashMap<>();
    calls.put(
        "outbox claim",
        s -> s.claimOutboxMessages(new ClaimOutboxMessages(ENVIRONMENT, now, duration, 1, null)));
    calls.put("claim of an occurrence", occurrence(NOON, now, duration));
    calls.put(
        "outbox claim of an append",
        s -> s.appendRunEvents(queued("run_new").at(now).creation().claimingOutboxFor(duration)));
    return calls;
  }

  /** A creation whose key is kept so long. */
  static Call keeping(Duration retention) {
    return s -> s.appendRunEvents(
        queued("run_new").idempotencyKey("key", IdempotencyTtl.of(retention)).creation());
  }

  private static Call appending(RunRecord run, RunEvent event) {
    return s -> s.appendRunEvents(append(run, event, NOON));
  }

  private static AppendRunEvents append(RunRecord run, RunEvent event, Instant now) {
    return new AppendRunEvents(
        ENVIRONMENT,
        run.id(),
        run.eventSequence(),
        List.of(event),
        run.toBuilder().eventSequence(run.eventSequence() + 1).build(),
        null,
        now,
        null);
  }

  private static Call creating(RunSource source) {
    return s -> s.appendRunEvents(created(source, null));
  }

  private static AppendRunEvents created(RunSource source, @Nullable Instant runAt) {
    RunEvent.Created event = new RunEvent.Created(
        EventHeader.bySystem(ENVIRONMENT, "run_new", NOON),
        TASK,
        UNBOUNDED.queue(),
        Given.PAYLOAD,
        runAt,
        RunKeys.NONE,
        source);
    return AppendRunEvents.of(
        queued("run_new").creation().projectedRun().toBuilder().eventSequence(1).build(),
        List.of(event),
        NOON);
  }

  private static Call delivering(
      RunRecord run, Instant requestedAt, Instant availableAt, @Nullable Instant expiresAt) {
    return appending(
        run,
        new RunEvent.DeliveryRequested(
            Events.header(run, NOON),
            new DeliveryIntent(
                ENVIRONMENT, run.id(), run.queue(), requestedAt, availableAt, expiresAt, null)));
  }

  private static ClaimRunLease claim(RunRecord run, Lease lease, Instant now) {
    return new ClaimRunLease(
        ENVIRONMENT,
        run.id(),
        run.eventSequence(),
        List.of(Events.leaseClaimed(run, NOON, lease)),
        run.toBuilder().lease(lease).eventSequence(run.eventSequence() + 1).build(),
        UNBOUNDED,
        now);
  }

  private static HeartbeatRunLease heartbeat(RunRecord run, Lease lease, Instant now) {
    return new HeartbeatRunLease(
        ENVIRONMENT,
        run.id(),
        run.eventSequence(),
        Events.heartbeat(run, NOON, lease),
        run.toBuilder().lease(lease).eventSequence(run.eventSequence() + 1).build(),
        now);
  }

  private static Call failing(
      ClaimedOutboxMessage message, @Nullable Instant nextAvailableAt, Instant now) {
    return s -> s.markOutboxMessagesFailed(new MarkOutboxMessagesFailed(
        ENVIRONMENT,
        List.of(new MarkOutboxMessagesFailed.Failed(
            message.id(), message.claimToken(), FAILURE, nextAvailableAt)),
        now));
  }

  private static Call occurrence(Instant fireAt, Instant now, Duration claimFor) {
    return s -> s.claimScheduleOccurrence(
        new ClaimScheduleOccurrence(ENVIRONMENT, "nightly", "occ_1", fireAt, now, claimFor));
  }

  private static ListRuns runs(RunFilter filter) {
    return new ListRuns(ENVIRONMENT, filter, RunSort.NEWEST_FIRST, 1, null);
  }

  private static ListRunEvents events(RunEventFilter filter) {
    return new ListRunEvents(ENVIRONMENT, filter, RunEventSort.HISTORY, 1, null);
  }
}
