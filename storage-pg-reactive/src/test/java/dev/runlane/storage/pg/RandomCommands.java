package dev.runlane.storage.pg;

import dev.runlane.run.DeliveryIntent;
import dev.runlane.run.Environment;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.EventHeader;
import dev.runlane.run.FailureRecord;
import dev.runlane.run.IdempotencyTtl;
import dev.runlane.run.Json;
import dev.runlane.run.Lease;
import dev.runlane.run.QueuePolicy;
import dev.runlane.run.RunEvent;
import dev.runlane.run.RunKeys;
import dev.runlane.run.RunRecord;
import dev.runlane.run.RunReducer;
import dev.runlane.run.RunSource;
import dev.runlane.run.RunStatus;
import dev.runlane.run.RunlaneException;
import dev.runlane.storage.StorageAdapter;
import dev.runlane.storage.outbox.ClaimOutboxMessages;
import dev.runlane.storage.outbox.ClaimedOutboxMessage;
import dev.runlane.storage.outbox.MarkOutboxMessagesDeadLettered;
import dev.runlane.storage.outbox.MarkOutboxMessagesFailed;
import dev.runlane.storage.outbox.MarkOutboxMessagesPublished;
import dev.runlane.storage.read.GetRun;
import dev.runlane.storage.read.GetRunByIdempotencyKey;
import dev.runlane.storage.read.ListRunnableRuns;
import dev.runlane.storage.read.ListRuns;
import dev.runlane.storage.read.ListRunsNeedingCancellationFinalization;
import dev.runlane.storage.read.ListRunsNeedingDelivery;
import dev.runlane.storage.read.ListRunsNeedingDispatch;
import dev.runlane.storage.read.RunFilter;
import dev.runlane.storage.read.RunSort;
import dev.runlane.storage.read.SortDirection;
import dev.runlane.storage.run.AppendRunEvents;
import dev.runlane.storage.run.ClaimRunLease;
import dev.runlane.storage.run.ClaimRuns;
import dev.runlane.storage.run.HeartbeatRunLease;
import dev.runlane.storage.run.PruneRuns;
import dev.runlane.storage.run.PrunedRuns;
import dev.runlane.storage.run.ReserveRunDispatch;
import dev.runlane.storage.run.ResetIdempotencyKey;
import io.vertx.core.Future;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Commands for two storages, drawn from a seed: legal ones mostly, of a run as it is or as it was, by callers
 * whose clocks differ a little. Instants and ids tie often, but no two deliveries are due at one instant, since
 * ids of messages are each storage's own.
 */
final class RandomCommands {
  private static final Environment ENVIRONMENT = new Environment("random");
  private static final FailureRecord FAILURE =
      new FailureRecord(ErrorCode.TASK_FAILED, "Task failed.", true, null);
  private static final List<String> TASKS = List.of("one", "other");
  private static final List<QueuePolicy> QUEUES = List.of(
      QueuePolicy.unbounded("free"),
      QueuePolicy.unbounded("also-free"),
      QueuePolicy.bounded("single", 1),
      QueuePolicy.bounded("few", 3));
  private static final List<String> ID_HEADS = List.of("run_", "run_\uFF5E", "run_\uD83D\uDE00");

  private final Random random;
  private final List<RunRecord> versions = new ArrayList<>();
  private Instant clock = Instant.parse("2026-03-04T12:00:00Z");
  private int made;
  private @Nullable String touched;

  RandomCommands(long seed) {
    this.random = new Random(seed);
  }

  /** A command, to be given to either side. */
  record Command(String text, Function<Side, Future<?>> on) {}

  /** What the next commands may start from: a run as it really was once, never as a refused command saw it. */
  void learn(Optional<RunRecord> run) {
    run.ifPresent(versions::add);
  }

  /** The run that the latest command was about, to be looked at and learned. */
  Optional<GetRun> toLearn() {
    return Optional.ofNullable(touched).map(id -> new GetRun(ENVIRONMENT, id));
  }

  Command next() {
    clock = clock.plus(Duration.ofMillis(random.nextInt(oneIn(8) ? 90_000 : 2_000)));
    Instant now = oneIn(6) ? clock.minusMillis(random.nextInt(4_000)) : clock;
    Instant exact = now.plusNanos(random.nextInt(2_000));
    int choice = random.nextInt(22);
    try {
      return switch (choice) {
        case 0, 1, 2, 3, 4 -> create(exact);
        case 5, 6 -> claimLease(exact);
        case 7 -> reserve(exact);
        case 8 -> heartbeat(exact);
        case 9, 10, 11 -> end(exact);
        case 12 -> cancel(exact);
        case 13, 14 -> claimRuns(exact);
        case 15, 16, 17 -> scan(exact);
        case 18, 19 -> outbox(exact);
        case 20 -> list(exact);
        default -> keysAndPruning(exact);
      };
    } catch (RunlaneException illegal) { // the reducer's word: nobody could send that
      return next();
    }
  }

  private Command create(Instant now) {
    QueuePolicy queue = anyOf(QUEUES);
    String id = anyOf(ID_HEADS) + made++;
    RunKeys keys = RunKeys.NONE;
    if (oneIn(2)) {
      keys = keys.withConcurrencyKey(anyOf(List.of("a", "b")));
    }
    if (oneIn(4)) {
      keys = keys.withIdempotencyKey(
          "key" + random.nextInt(4), IdempotencyTtl.of(Duration.ofSeconds(40).plusNanos(1_500)));
    }
    if (oneIn(5)) {
      keys = keys.withSingletonKey("only" + random.nextInt(3));
    }
    Instant at = now.truncatedTo(ChronoUnit.SECONDS);
    Instant runAt = oneIn(3) ? at.plusSeconds(random.nextInt(60)) : null;
    EventHeader header = new EventHeader(
        ENVIRONMENT, id, EventHeader.bySystem(ENVIRONMENT, id, at).actor(), at, trace(), null);
    List<RunEvent> events = new ArrayList<>();
    events.add(new RunEvent.Created(
        header, anyOf(TASKS), queue.queue(), Json.ofChecked("{}"), runAt, keys, RunSource.TRIGGER));
    boolean leased = runAt == null && oneIn(5);
    if (leased) {
      events.add(new RunEvent.LeaseClaimed(header(id, at), lease(id, at)));
      events.add(new RunEvent.Started(header(id, at), 1));
    } else if (!queue.isBounded()) {
      events.add(delivery(id, queue.queue(), at, runAt == null ? at : runAt, null));
    }
    RunRecord run = RunReducer.projectRunEvents(null, 0, events);
    AppendRunEvents plain = AppendRunEvents.of(run, events, now);
    AppendRunEvents named = leased || oneIn(2) ? plain.in(queue) : plain;
    AppendRunEvents command =
        oneIn(6) ? named.claimingOutboxFor(Duration.ofSeconds(20 + made)) : named;
    touched = run.id();
    return new Command("create " + command, side -> side.next().appendRunEvents(command));
  }

  private Command claimLease(Instant now) {
    RunRecord run = any();
    Instant at = later(now, run);
    List<RunEvent> events = List.of(
        new RunEvent.LeaseClaimed(header(run.id(), at), lease(run.id(), at)),
        new RunEvent.Started(header(run.id(), at), run.counters().attempts() + 1));
    RunRecord after = RunReducer.projectRunEvents(run, run.eventSequence(), events);
    ClaimRunLease command = new ClaimRunLease(
        ENVIRONMENT, run.id(), run.eventSequence(), events, after, policy(run.queue()), now);
    touched = after.id();
    return new Command("claim " + command, side -> side.next().claimRunLease(command));
  }

  private Command reserve(Instant now) {
    RunRecord run = any();
    QueuePolicy policy = policy(run.queue());
    if (!policy.isBounded()) {
      return next();
    }
    Instant at = later(now, run);
    RunEvent.DeliveryRequested event =
        delivery(run.id(), run.queue(), at, at, at.plusSeconds(1 + random.nextInt(30)));
    RunRecord after = RunReducer.projectRunEvents(run, run.eventSequence(), List.of(event));
    ReserveRunDispatch command = new ReserveRunDispatch(
        ENVIRONMENT, run.id(), run.eventSequence(), event, after, policy, now);
    touched = after.id();
    return new Command("reserve " + command, side -> side.next().reserveRunDispatch(command));
  }

  private Command heartbeat(Instant now) {
    RunRecord run = any();
    Lease lease = run.lease();
    if (lease == null) {
      return next();
    }
    Instant at = later(now, run);
    Lease longer = new Lease(lease.token(), lease.workerId(), at.plusSeconds(20));
    RunEvent.LeaseHeartbeat event = new RunEvent.LeaseHeartbeat(header(run.id(), at), longer);
    RunRecord after = RunReducer.projectRunEvents(run, run.eventSequence(), List.of(event));
    boolean stolen = oneIn(4);
    RunEvent.LeaseHeartbeat sent = stolen
        ? new RunEvent.LeaseHeartbeat(
            header(run.id(), at), new Lease(lease.token(), "thief", at.plusSeconds(20)))
        : event;
    HeartbeatRunLease command =
        new HeartbeatRunLease(ENVIRONMENT, run.id(), run.eventSequence(), sent, after, now);
    touched = after.id();
    return new Command("heartbeat " + command, side -> side.next().heartbeatRunLease(command));
  }

  private Command end(Instant now) {
    RunRecord run = any();
    Instant at = later(now, run);
    int attempt = run.counters().attempts();
    EventHeader header = header(run.id(), at);
    Instant again = at.plusSeconds(random.nextInt(30));
    List<RunEvent> events = new ArrayList<>();
    switch (random.nextInt(4)) {
      case 0 -> events.add(new RunEvent.Succeeded(header, attempt, null));
      case 1 -> events.add(new RunEvent.Failed(header, attempt, FAILURE));
      case 2 -> events.add(new RunEvent.RetryScheduled(header, attempt, FAILURE, again));
      default -> events.add(new RunEvent.Released(header, attempt, again, null));
    }
    if (oneIn(2)) {
      events.add(delivery(run.id(), run.queue(), at, again, null));
    }
    return append(run, events, now);
  }

  private Command cancel(Instant now) {
    RunRecord run = any();
    EventHeader header = header(run.id(), later(now, run));
    RunEvent event = oneIn(2)
        ? new RunEvent.Cancelled(header, null)
        : new RunEvent.CancellationRequested(header, null);
    return append(run, List.of(event), now);
  }

  private Command append(RunRecord run, List<RunEvent> events, Instant now) {
    RunRecord after = RunReducer.projectRunEvents(run, run.eventSequence(), events);
    AppendRunEvents command = AppendRunEvents.of(after, events, now);
    touched = after.id();
    return new Command("append " + command, side -> side.next().appendRunEvents(command));
  }

  private Command claimRuns(Instant now) {
    ClaimRuns command = new ClaimRuns(
        ENVIRONMENT,
        some(QUEUES),
        some(TASKS),
        "worker",
        "tok_" + made++,
        Duration.ofSeconds(1 + random.nextInt(20)).plusNanos(random.nextInt(2_000)),
        now,
        1 + random.nextInt(6));
    return new Command(
        "claim runs " + command,
        side -> side.next().batch().orElseThrow().claimRuns(command).map(claimed -> {
          claimed.runs().forEach(each -> versions.add(each.run()));
          return claimed;
        }));
  }

  private Command scan(Instant now) {
    int limit = 1 + random.nextInt(5);
    List<QueuePolicy> queues = some(QUEUES);
    List<QueuePolicy> bounded = queues.stream().filter(QueuePolicy::isBounded).toList();
    List<String> unbounded = queues.stream()
        .filter(queue -> !queue.isBounded())
        .map(QueuePolicy::queue)
        .toList();
    List<String> tasks = some(TASKS);
    String text = " " + queues + tasks + now + " limit " + limit;
    return switch (random.nextInt(4)) {
      case 0 ->
        new Command("runnable" + text, side -> side.next()
            .listRunnableRuns(new ListRunnableRuns(ENVIRONMENT, queues, tasks, now, limit)));
      case 1 ->
        new Command("needing dispatch" + text, side -> side.next()
            .listRunsNeedingDispatch(
                new ListRunsNeedingDispatch(ENVIRONMENT, bounded, now, limit)));
      case 2 ->
        new Command("needing delivery" + text, side -> side.next()
            .listRunsNeedingDelivery(
                new ListRunsNeedingDelivery(ENVIRONMENT, unbounded, now, limit)));
      default ->
        new Command("cancelling" + text, side -> side.next()
            .listRunsNeedingCancellationFinalization(
                new ListRunsNeedingCancellationFinalization(ENVIRONMENT, now, limit)));
    };
  }

  /** Claims one at a time, so that no two claims end at one instant. */
  private Command outbox(Instant now) {
    int mark = random.nextInt(5);
    Duration claimFor = Duration.ofSeconds(1 + random.nextInt(30)).plusNanos(1_000L * made++ + 500);
    int which = random.nextInt(1_000);
    if (mark < 3) {
      return new Command("claim outbox at " + now + " for " + claimFor, side -> side.next()
          .claimOutboxMessages(new ClaimOutboxMessages(ENVIRONMENT, now, claimFor, 1, null)));
    }
    Instant again = now.plusNanos(1_000L * made++);
    boolean failing = oneIn(2);
    boolean deadly = oneIn(3);
    return new Command(
        "mark " + which + (failing ? " failed" : " published") + " at " + now, side -> {
          List<String> names = side.everClaimed();
          if (names.isEmpty()) {
            return Future.succeededFuture();
          }
          ClaimedOutboxMessage message = side.claimOf(names.get(which % names.size()));
          StorageAdapter storage = side.next();
          if (message == null) {
            throw new AssertionError("a message without its claim");
          }
          if (!failing) {
            return storage.markOutboxMessagesPublished(new MarkOutboxMessagesPublished(
                ENVIRONMENT,
                List.of(new MarkOutboxMessagesPublished.Published(
                    message.id(), message.claimToken(), null)),
                now));
          }
          return deadly
              ? storage.markOutboxMessagesDeadLettered(new MarkOutboxMessagesDeadLettered(
                  ENVIRONMENT,
                  List.of(new MarkOutboxMessagesDeadLettered.DeadLettered(
                      message.id(), message.claimToken(), FAILURE)),
                  now))
              : storage.markOutboxMessagesFailed(new MarkOutboxMessagesFailed(
                  ENVIRONMENT,
                  List.of(new MarkOutboxMessagesFailed.Failed(
                      message.id(), message.claimToken(), FAILURE, again)),
                  now));
        });
  }

  private Command list(Instant now) {
    RunFilter filter = RunFilter.ALL;
    if (oneIn(2)) {
      filter = filter.withStatuses(Set.of(anyOf(List.of(RunStatus.values()))));
    }
    if (oneIn(2)) {
      filter = filter.withTaskIds(some(TASKS));
    }
    if (oneIn(2)) {
      filter = filter.withCreated(now.minusSeconds(60), now);
    }
    ListRuns query = new ListRuns(
        ENVIRONMENT,
        filter,
        new RunSort(anyOf(List.of(RunSort.Field.values())), anyOf(List.of(SortDirection.values()))),
        1 + random.nextInt(20),
        null);
    return new Command("list " + query, side -> side.next().listRuns(query));
  }

  private Command keysAndPruning(Instant now) {
    String task = anyOf(TASKS);
    String key = "key" + random.nextInt(4);
    return switch (random.nextInt(5)) {
      case 0 ->
        new Command("reset " + task + key, side -> side.next()
            .resetIdempotencyKey(new ResetIdempotencyKey(ENVIRONMENT, task, key, now)));
      case 1 -> new Command("prune before " + now, side -> prune(side.next(), now, null, 0));
      default ->
        new Command("owner of " + task + key + " at " + now, side -> side.next()
            .getRunByIdempotencyKey(new GetRunByIdempotencyKey(ENVIRONMENT, task, key, now)));
    };
  }

  /** To the end: how much one call removes is each storage's own. */
  private Future<Long> prune(
      StorageAdapter storage, Instant now, @Nullable String cursor, long sofar) {
    return storage
        .pruneRuns(new PruneRuns(ENVIRONMENT, Set.of(), now.minusSeconds(100), now, 3, cursor))
        .compose((PrunedRuns pruned) -> pruned.nextCursor() == null
            ? Future.succeededFuture(sofar + pruned.prunedRuns())
            : prune(storage, now, pruned.nextCursor(), sofar + pruned.prunedRuns()));
  }

  private RunEvent.DeliveryRequested delivery(
      String id, String queue, Instant at, Instant availableAt, @Nullable Instant expiresAt) {
    long unique = made++;
    return new RunEvent.DeliveryRequested(
        header(id, at),
        new DeliveryIntent(
            ENVIRONMENT,
            id,
            queue,
            at.plus(unique, ChronoUnit.MICROS),
            availableAt.plus(unique, ChronoUnit.MICROS),
            expiresAt,
            trace()));
  }

  private @Nullable Map<String, String> trace() {
    return oneIn(2) ? Map.of("traceparent", "00-" + random.nextInt(100)) : null;
  }

  private static EventHeader header(String id, Instant at) {
    return EventHeader.bySystem(ENVIRONMENT, id, at);
  }

  private Lease lease(String id, Instant at) {
    return new Lease("tok_" + id + made++, "worker", at.plusSeconds(1 + random.nextInt(30)));
  }

  private static Instant later(Instant now, RunRecord run) {
    return now.isAfter(run.updatedAt()) ? now : run.updatedAt();
  }

  private static QueuePolicy policy(String name) {
    return QUEUES.stream()
        .filter(queue -> queue.queue().equals(name))
        .findFirst()
        .orElseThrow();
  }

  private RunRecord any() {
    if (versions.isEmpty()) {
      throw RunlaneException.validationFailed("there is no run yet");
    }
    return oneIn(8) ? anyOf(versions) : recent();
  }

  /** What became of a run latest, as far as is known. */
  private RunRecord recent() {
    String id = anyOf(versions).id();
    for (int i = versions.size() - 1; i >= 0; i--) {
      if (versions.get(i).id().equals(id)) {
        return versions.get(i);
      }
    }
    throw new AssertionError("a run without versions");
  }

  private boolean oneIn(int many) {
    return random.nextInt(many) == 0;
  }

  private <T> T anyOf(List<T> all) {
    return all.get(random.nextInt(all.size()));
  }

  private <T> List<T> some(List<T> all) {
    List<T> chosen = new ArrayList<>(all.stream().filter(each -> !oneIn(3)).toList());
    return chosen.isEmpty() ? all : chosen;
  }
}
