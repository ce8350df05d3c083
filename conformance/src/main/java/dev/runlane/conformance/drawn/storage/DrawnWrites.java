package dev.runlane.conformance.drawn.storage;

import dev.runlane.conformance.drawn.Spoiler;
import dev.runlane.conformance.model.AppendAll;
import dev.runlane.conformance.model.ModelRun;
import dev.runlane.conformance.model.StorageModel;
import dev.runlane.run.Actor;
import dev.runlane.run.Awaiting;
import dev.runlane.run.DeliveryIntent;
import dev.runlane.run.Environment;
import dev.runlane.run.EventHeader;
import dev.runlane.run.IdempotencyTtl;
import dev.runlane.run.Lease;
import dev.runlane.run.QueuePolicy;
import dev.runlane.run.RunDueTimes;
import dev.runlane.run.RunEvent;
import dev.runlane.run.RunKeys;
import dev.runlane.run.RunRecord;
import dev.runlane.run.RunReducer;
import dev.runlane.run.RunSource;
import dev.runlane.run.RunlaneException;
import dev.runlane.run.StepDispatch;
import dev.runlane.run.StepIds;
import dev.runlane.storage.run.AppendRunEvents;
import dev.runlane.storage.run.ClaimRunLease;
import dev.runlane.storage.run.ClaimRuns;
import dev.runlane.storage.run.HeartbeatRunLease;
import dev.runlane.storage.run.ReleaseRunLease;
import dev.runlane.storage.run.ReserveRunDispatch;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Commands that write runs: legal ones mostly, of a run as it is or as some caller read it a while ago. What no
 * reducer lets pass is drawn anew.
 */
final class DrawnWrites {
  private static final int MOST_EVENTS = 4;

  private final StorageDraw draw;
  private final StorageModel model;
  private final boolean withSteps;

  DrawnWrites(StorageDraw draw, StorageModel model, boolean withSteps) {
    this.draw = draw;
    this.model = model;
    this.withSteps = withSteps;
  }

  AppendRunEvents create() {
    Optional<RunRecord> rival = draw.oneIn(6) ? rival() : Optional.empty();
    Instant now = rival.flatMap(ModelRun::retentionEnd).map(draw::at).orElseGet(draw::now);
    Instant at = draw.oneIn(2) ? now.truncatedTo(ChronoUnit.SECONDS) : now;
    QueuePolicy queue = draw.anyOf(draw.queues());
    EventHeader header = header(
            rival.map(RunRecord::environment).orElseGet(draw::environment), draw.runId(), at)
        .withMeta(draw.metaOrNull());
    List<RunEvent> events = new ArrayList<>();
    events.add(new RunEvent.Created(
        header,
        rival.map(RunRecord::taskId).orElseGet(() -> draw.anyOf(draw.tasks)),
        queue.queue(),
        draw.json(),
        draw.oneIn(4) ? draw.after(at) : null,
        rival.map(RunRecord::keys).orElseGet(this::keys),
        source(at),
        draw.tags()));
    RunRecord run = RunReducer.projectRunEvents(null, 0, events);
    if (draw.oneIn(5)) {
      run = add(events, run, new RunEvent.LeaseClaimed(header(run, at), lease(at)));
    } else if (!queue.isBounded() || draw.oneIn(8)) {
      run = add(events, run, delivery(run, at, draw.oneIn(2) ? at : draw.after(at), null));
    }
    for (int more = draw.upTo(3); more > 0; more--) {
      run = goOn(events, run, at);
    }
    return append(run, events, now);
  }

  /** A run whose keys another one wants. */
  private Optional<RunRecord> rival() {
    List<RunRecord> owners = draw.environments.stream()
        .flatMap(model::runs)
        .filter(run -> run.ownsIdempotencyKey || run.ownsSingletonKey)
        .map(run -> run.record)
        .toList();
    return owners.isEmpty() ? Optional.empty() : Optional.of(draw.anyOf(owners));
  }

  /** What may follow a run; or what must be refused. */
  Optional<AppendRunEvents> follow() {
    return anyRun().map(run -> follow(run, draw.now()));
  }

  private AppendRunEvents follow(RunRecord run, Instant now) {
    Instant at = laterOf(now, run.updatedAt());
    List<RunEvent> events = new ArrayList<>();
    RunRecord after = run;
    for (int tries = 0;
        (events.isEmpty() && tries < 20) || (draw.oneIn(2) && events.size() < MOST_EVENTS);
        tries++) {
      after = goOn(events, after, at);
    }
    AppendRunEvents append = append(after, events, now);
    return draw.oneIn(3) ? append.whileHeld(needed(run)) : append;
  }

  /** The lease that an append needs: the run's, one that it had before, or one that is easily taken for it. */
  private Lease needed(RunRecord run) {
    List<Lease> had = model.past().stream()
        .filter(
            each -> each.environment().equals(run.environment()) && each.id().equals(run.id()))
        .flatMap(each -> Stream.ofNullable(each.lease()))
        .toList();
    Lease own = run.lease();
    return own != null && !draw.oneIn(6)
        ? sent(own)
        : had.isEmpty() ? lease(draw.now()) : draw.anyOf(had);
  }

  /** Many at once: of several runs, and sometimes the second of one after the first. */
  AppendAll batch() {
    List<AppendRunEvents> commands = new ArrayList<>();
    for (int more = 1 + draw.upTo(5); more > 0; more--) {
      AppendRunEvents command =
          draw.oneIn(2) ? withoutLease() : follow().orElseGet(this::withoutLease);
      commands.add(command);
      if (draw.oneIn(4) && command.projectedRun().status().isActive()) {
        commands.add(follow(command.projectedRun(), command.now()));
      }
    }
    return new AppendAll(commands);
  }

  /** Which of two creations gets the last slot of a queue is not said for batches. */
  private AppendRunEvents withoutLease() {
    AppendRunEvents command = create();
    boolean leased = command.events().stream().anyMatch(RunEvent.LeaseClaimed.class::isInstance);
    return leased ? withoutLease() : command;
  }

  Optional<ClaimRunLease> claim() {
    return anyRun().map(run -> {
      Instant now = draw.now();
      Instant at = occurrence(run, now);
      List<RunEvent> events = new ArrayList<>();
      RunRecord after = add(events, run, new RunEvent.LeaseClaimed(header(run, at), lease(at)));
      if (!draw.oneIn(6)) {
        after = add(
            events, after, new RunEvent.Started(header(run, at), run.counters().attempts() + 1));
      }
      return new ClaimRunLease(
          run.environment(), run.id(), run.eventSequence(), events, after, policyOf(run), now);
    });
  }

  Optional<ReserveRunDispatch> reserve() {
    return anyRun().filter(run -> policyOf(run).isBounded()).map(run -> {
      Instant now = draw.now();
      Instant at = occurrence(run, now);
      RunEvent.DeliveryRequested event = delivery(run, at, at, draw.after(at));
      return new ReserveRunDispatch(
          run.environment(),
          run.id(),
          run.eventSequence(),
          event,
          RunReducer.projectRunEvents(run, run.eventSequence(), List.of(event)),
          policyOf(run),
          now);
    });
  }

  Optional<HeartbeatRunLease> heartbeat() {
    return anyRun().filter(run -> run.lease() != null).map(run -> {
      Instant now = draw.now();
      Instant at = laterOf(now, run.updatedAt());
      Lease longer = leaseOf(run).until(draw.after(at));
      RunEvent.LeaseHeartbeat own = new RunEvent.LeaseHeartbeat(header(run, at), longer);
      HeartbeatRunLease command = new HeartbeatRunLease(
          run.environment(),
          run.id(),
          run.eventSequence(),
          new RunEvent.LeaseHeartbeat(own.header(), sent(longer)),
          RunReducer.projectRunEvents(run, run.eventSequence(), List.of(own)),
          now);
      return draw.oneIn(8) ? withOtherProjection(command) : command;
    });
  }

  /** The lease that a command names: the run's mostly, or one that is easily taken for it. */
  private Lease sent(Lease own) {
    return switch (draw.upTo(10)) {
      case 0 -> new Lease(own.token(), draw.anyOf(draw.workers), own.expiresAt());
      case 1 -> new Lease(own.token(), draw.resembling(own.workerId()), own.expiresAt());
      case 2 -> new Lease(draw.resembling(own.token()), own.workerId(), own.expiresAt());
      default -> own;
    };
  }

  /** A projection that no reducer made of the event. */
  private HeartbeatRunLease withOtherProjection(HeartbeatRunLease command) {
    return new HeartbeatRunLease(
        command.environment(),
        command.runId(),
        command.expectedSequence(),
        command.event(),
        (RunRecord) Spoiler.spoil(command.projectedRun(), draw.random()),
        command.now());
  }

  Optional<ReleaseRunLease> release() {
    return anyRun()
        .filter(run -> run.lease() != null)
        .map(run -> new ReleaseRunLease(
            run.environment(), run.id(), leaseOf(run).token(), leaseOf(run).workerId()));
  }

  ClaimRuns claimRuns() {
    Instant now = draw.now();
    boolean areNamed = draw.oneIn(8);
    List<QueuePolicy> queues = draw.some(draw.queues());
    return new ClaimRuns(
        draw.environment(),
        areNamed && !draw.oneIn(6)
            ? queues.stream().filter(queue -> !queue.isBounded()).toList()
            : queues,
        draw.some(draw.tasks),
        draw.anyOf(draw.workers),
        token(),
        draw.oneIn(6) ? untilSomeUpdate(now) : draw.claimTime(),
        now,
        draw.oneIn(8) ? 1_000 : 1 + draw.upTo(6),
        areNamed ? named() : null);
  }

  private List<String> named() {
    return draw.oneIn(3) ? draw.some(draw.runIds) : draw.runIds;
  }

  /** A lease that would end when a faster clock has updated a run, or just before. */
  private Duration untilSomeUpdate(Instant now) {
    List<Duration> left = model.past().stream()
        .map(run -> Duration.between(now, draw.justAbout(run.updatedAt())))
        .filter(time -> time.compareTo(Duration.ofNanos(1_000)) >= 0)
        .toList();
    return left.isEmpty() ? draw.claimTime() : draw.anyOf(left);
  }

  private AppendRunEvents append(RunRecord after, List<RunEvent> events, Instant now) {
    AppendRunEvents plain = AppendRunEvents.of(after, events, now);
    boolean leased = events.stream().anyMatch(RunEvent.LeaseClaimed.class::isInstance);
    AppendRunEvents named = leased || draw.oneIn(3) ? plain.in(policyOf(after)) : plain;
    return draw.oneIn(4) ? named.claimingOutboxFor(draw.claimTime()) : named;
  }

  /** Adds an event if the reducer lets it pass. */
  private RunRecord goOn(List<RunEvent> events, RunRecord run, Instant at) {
    try {
      return add(events, run, event(run, at));
    } catch (RunlaneException impossible) {
      return run;
    }
  }

  private static RunRecord add(List<RunEvent> events, RunRecord run, RunEvent event) {
    RunRecord after = RunReducer.projectRunEvents(run, run.eventSequence(), List.of(event));
    events.add(event);
    return after;
  }

  private RunEvent event(RunRecord run, Instant at) {
    EventHeader header = header(run, at);
    int attempt = run.counters().attempts();
    return switch (draw.upTo(18)) {
      case 0, 1, 2 -> new RunEvent.Succeeded(header, attempt, draw.oneIn(2) ? draw.json() : null);
      case 3 -> new RunEvent.Failed(header, attempt, draw.failure());
      case 4, 5 -> new RunEvent.RetryScheduled(header, attempt, draw.failure(), draw.after(at));
      case 6 ->
        new RunEvent.Released(header, attempt, draw.after(at), draw.oneIn(2) ? "later" : null);
      case 7 -> new RunEvent.Released(header, attempt, draw.after(at), null, Awaiting.STEPS);
      case 8 -> new RunEvent.Started(header, attempt + 1);
      case 9 -> new RunEvent.CancellationRequested(header, draw.oneIn(2) ? "" : null);
      case 10 -> new RunEvent.Cancelled(header, draw.oneIn(2) ? "enough" : null);
      case 11, 12 -> delivery(run, at, draw.oneIn(2) ? at : draw.after(at), null);
      case 13, 14, 15, 16 -> stepRequested(run, header, at);
      default -> stepCompleted(run, header, at);
    };
  }

  private RunEvent stepRequested(RunRecord run, EventHeader header, Instant at) {
    boolean remote = withSteps && run.eventSequence() > 3 && !draw.oneIn(3);
    return new RunEvent.StepRequested(
        header,
        StepIds.of(run.id(), draw.upTo(12)),
        draw.anyOf(draw.tasks),
        remote ? draw.anyOf(draw.workers) : null,
        draw.oneIn(2) ? draw.json() : null,
        1 + draw.upTo(3),
        !remote && draw.oneIn(2) ? draw.after(at) : null,
        remote
            ? new StepDispatch(
                draw.after(at), 1 + draw.upTo(3), Duration.ofMillis(1), Duration.ofSeconds(1), 20)
            : null);
  }

  private RunEvent stepCompleted(RunRecord run, EventHeader header, Instant at) {
    return new RunEvent.StepCompleted(
        header,
        StepIds.of(run.id(), draw.upTo(12)),
        draw.upTo(3),
        draw.oneIn(2) ? at : null,
        draw.oneIn(2) ? draw.json() : null,
        draw.oneIn(3) ? draw.failure() : null,
        draw.oneIn(3) ? at : null);
  }

  private RunEvent.DeliveryRequested delivery(
      RunRecord run, Instant at, Instant availableAt, @Nullable Instant expiresAt) {
    return new RunEvent.DeliveryRequested(
        header(run, at),
        new DeliveryIntent(
            run.environment(),
            run.id(),
            run.queue(),
            at.plus(draw.unique(), ChronoUnit.MICROS), // what a message is known by until its id is
            availableAt,
            expiresAt,
            draw.traceOrNull()));
  }

  private RunKeys keys() {
    RunKeys keys = RunKeys.NONE;
    if (draw.oneIn(2)) {
      keys = keys.withConcurrencyKey(draw.anyOf(draw.keys));
    }
    if (draw.oneIn(3)) {
      IdempotencyTtl ttl = draw.oneIn(4)
          ? IdempotencyTtl.ACTIVE
          : IdempotencyTtl.of(Duration.ofSeconds(1 + draw.upTo(draw.oneIn(2) ? 60 : 500_000))
              .plusMillis(draw.upTo(2)));
      keys = keys.withIdempotencyKey(draw.anyOf(draw.keys), ttl);
    }
    if (draw.oneIn(3)) {
      keys = keys.withSingletonKey(draw.anyOf(draw.keys));
    }
    return keys;
  }

  private RunSource source(Instant at) {
    return switch (draw.upTo(6)) {
      case 0 -> RunSource.schedule(draw.anyOf(draw.keys), draw.anyOf(draw.keys), draw.after(at));
      case 1 -> RunSource.rerun(draw.anyOf(draw.runIds));
      case 2 -> RunSource.manualRetry(draw.anyOf(draw.runIds));
      default -> RunSource.TRIGGER;
    };
  }

  private EventHeader header(RunRecord run, Instant at) {
    return header(run.environment(), run.id(), at);
  }

  private EventHeader header(Environment environment, String runId, Instant at) {
    EventHeader plain = EventHeader.bySystem(environment, runId, at);
    Map<String, String> trace = draw.traceOrNull();
    EventHeader traced = trace == null ? plain : plain.withTrace(trace);
    return draw.oneIn(4)
        ? traced.by(Actor.operator(draw.anyOf(draw.workers))).withMeta(draw.metaOrNull())
        : traced;
  }

  private Lease lease(Instant at) {
    Instant end = draw.oneIn(5)
        ? at.truncatedTo(ChronoUnit.HOURS).plus(Duration.ofHours(2)) // as others of the hour
        : at.plus(draw.claimTime());
    return new Lease(token(), draw.anyOf(draw.workers), end);
  }

  private static Lease leaseOf(RunRecord run) {
    Lease lease = run.lease();
    if (lease == null) {
      throw new IllegalStateException("run " + run.id() + " has no lease");
    }
    return lease;
  }

  private QueuePolicy policyOf(RunRecord run) {
    return draw.policy(run.queue());
  }

  private String token() {
    return draw.anyOf(List.of("t", "T")) + draw.unique();
  }

  /** When a claim says that it happened: what only the storage can refuse, too. */
  private Instant occurrence(RunRecord run, Instant now) {
    Instant at = laterOf(now, run.updatedAt());
    Instant due = RunDueTimes.runnableAvailableAt(run).orElse(at);
    return draw.oneIn(2) ? at : laterOf(at, due);
  }

  private static Instant laterOf(Instant one, Instant other) {
    return one.isBefore(other) ? other : one;
  }

  /** A run as it is now, mostly, or as it was. */
  private Optional<RunRecord> anyRun() {
    List<RunRecord> past = model.past();
    if (past.isEmpty()) {
      return Optional.empty();
    }
    RunRecord one = draw.oneIn(2)
        ? draw.anyOf(past)
        : draw.anyOf(past.subList(Math.max(0, past.size() - 6), past.size()));
    return draw.oneIn(10)
        ? Optional.of(one)
        : model.find(one.environment(), one.id()).map(run -> run.record);
  }
}
