package dev.runlane.conformance.race;

import dev.runlane.conformance.given.Commands;
import dev.runlane.conformance.given.Events;
import dev.runlane.conformance.kit.Given;
import dev.runlane.conformance.model.ModelRun;
import dev.runlane.conformance.model.StorageModel;
import dev.runlane.run.Awaiting;
import dev.runlane.run.DeliveryIntent;
import dev.runlane.run.EventHeader;
import dev.runlane.run.IdempotencyTtl;
import dev.runlane.run.Lease;
import dev.runlane.run.QueuePolicy;
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
import dev.runlane.storage.run.HeartbeatRunLease;
import dev.runlane.storage.run.ReleaseRunLease;
import dev.runlane.storage.run.ReserveRunDispatch;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Commands about runs, each as a correct caller makes it who has just read the run. */
final class RunDraw {
  private final Random random;
  private final StorageModel model;
  private final List<QueuePolicy> queues;
  private final MeetingPoint meeting;
  private final boolean withSteps;
  private int made;

  RunDraw(
      Random random,
      StorageModel model,
      List<QueuePolicy> queues,
      MeetingPoint meeting,
      boolean withSteps) {
    this.random = random;
    this.model = model;
    this.queues = queues;
    this.meeting = meeting;
    this.withSteps = withSteps;
  }

  /** An id that no run has, always the same one until a run has it. */
  private String freeId() {
    return RaceDraw.RUNS.get((int) model.runs(RaceDraw.HERE).count());
  }

  /** One of the next free ids, so that others want it too, seldom one that is taken. */
  private String contestedId() {
    int taken = (int) model.runs(RaceDraw.HERE).count();
    int index = random.nextInt(8) == 0 ? 0 : taken + random.nextInt(4);
    return RaceDraw.RUNS.get(Math.min(index, RaceDraw.RUNS.size() - 1));
  }

  /** A creation that others compete with: for its id, a key or a slot. */
  AppendRunEvents create(Instant at) {
    Life[] lives = Life.values();
    Life life = random.nextBoolean() ? Life.RUNNING : lives[random.nextInt(lives.length)];
    return create(contestedId(), life, at, meeting == MeetingPoint.KEY);
  }

  /** A creation that nobody competes with. */
  AppendRunEvents createAlone(Life life, Instant at) {
    return create(freeId(), life, at, random.nextInt(meeting == MeetingPoint.KEY ? 8 : 4) == 0);
  }

  private AppendRunEvents create(String id, Life life, Instant at, boolean keyed) {
    QueuePolicy queue =
        queues.get(meeting == MeetingPoint.SLOT ? 0 : random.nextInt(queues.size()));
    EventHeader header = EventHeader.bySystem(RaceDraw.HERE, id, at);
    List<RunEvent> events = new ArrayList<>();
    events.add(new RunEvent.Created(
        header,
        RaceDraw.TASKS.get(0),
        queue.queue(),
        Given.PAYLOAD,
        null,
        keys(keyed),
        RunSource.TRIGGER));
    RunRecord run = RunReducer.projectRunEvents(null, 0, events);
    if (life == Life.QUEUED) {
      boolean asked = !queue.isBounded() || random.nextBoolean();
      run = asked ? add(events, run, delivery(run, at, at)) : run;
    } else {
      run = add(events, run, Events.leaseClaimed(run, at, lease(at)));
      run = add(events, run, Events.started(run, at));
    }
    if (life == Life.AWAITING_STEP) {
      run = add(events, run, stepRequested(run, at));
    }
    if (life == Life.ENDED) {
      run = add(events, run, Events.succeeded(run, at));
    }
    AppendRunEvents append = AppendRunEvents.of(run, events, at).in(queue);
    return random.nextInt(3) == 0 ? append.claimingOutboxFor(Given.MINUTE) : append;
  }

  /** What may follow a run that has not ended. */
  Optional<AppendRunEvents> follow(Instant now) {
    return anyRun(run -> run.status().isActive()).flatMap(run -> follow(run, now));
  }

  private Optional<AppendRunEvents> follow(RunRecord run, Instant now) {
    for (int tries = 0; tries < 20; tries++) {
      Optional<AppendRunEvents> possible = possible(run, now);
      if (possible.isPresent()) {
        return possible;
      }
    }
    return Optional.empty();
  }

  /** Empty where the reducer says that no correct caller sends what was drawn. */
  private Optional<AppendRunEvents> possible(RunRecord run, Instant now) {
    try {
      AppendRunEvents append = Commands.append(run, now, event(run, laterOf(now, run)));
      Lease held = run.lease();
      return Optional.of(held != null && random.nextBoolean() ? append.whileHeld(held) : append);
    } catch (RunlaneException impossible) {
      return Optional.empty();
    }
  }

  /** The end of a run that has a pending step. */
  Optional<AppendRunEvents> endOfStep(Instant now) {
    return model
        .runs(RaceDraw.HERE)
        .filter(run -> !run.steps.isEmpty() && run.record.lease() != null)
        .findFirst()
        .map(run -> Commands.append(
            run.record, now, Events.succeeded(run.record, laterOf(now, run.record))));
  }

  private RunEvent event(RunRecord run, Instant at) {
    return switch (random.nextInt(9)) {
      case 0, 1 -> Events.succeeded(run, at);
      case 2 -> Events.retryScheduled(run, at, at.plusSeconds(random.nextInt(2)));
      case 3 -> Events.released(run, at, at.plusSeconds(random.nextInt(2)));
      case 4 ->
        new RunEvent.Released(
            Events.header(run, at),
            run.counters().attempts(),
            at.plusSeconds(1),
            null,
            Awaiting.STEPS);
      case 5 -> Events.cancellationRequested(run, at);
      case 6 -> Events.cancelled(run, at);
      case 7 -> delivery(run, at, at);
      default -> random.nextBoolean() ? stepRequested(run, at) : Events.stepCompleted(run, at, 0);
    };
  }

  Optional<ClaimRunLease> claim(Instant now) {
    return anyRun(run -> run.status().isActive()).map(run -> {
      Instant at = laterOf(now, run);
      return Commands.claimOccurring(run, policyOf(run), lease(at), now, at);
    });
  }

  Optional<ReserveRunDispatch> reserve(Instant now) {
    return anyRun(run -> run.status().isActive() && policyOf(run).isBounded()).map(run -> {
      Instant at = laterOf(now, run);
      RunEvent.DeliveryRequested event = new RunEvent.DeliveryRequested(
          Events.header(run, at), intent(run, at, at, at.plusSeconds(1 + random.nextInt(9))));
      return new ReserveRunDispatch(
          run.environment(),
          run.id(),
          run.eventSequence(),
          event,
          Commands.project(run, List.of(event)),
          policyOf(run),
          now);
    });
  }

  Optional<HeartbeatRunLease> heartbeat(Instant now) {
    return anyRun(run -> run.lease() != null)
        .map(run -> Commands.heartbeat(run, laterOf(now, run).plus(Given.MINUTE), now));
  }

  Optional<ReleaseRunLease> release() {
    return anyRun(run -> run.lease() != null).flatMap(run -> Optional.ofNullable(run.lease())
        .map(lease ->
            new ReleaseRunLease(run.environment(), run.id(), lease.token(), lease.workerId())));
  }

  String token() {
    made++;
    return "t" + made;
  }

  private RunEvent.DeliveryRequested delivery(RunRecord run, Instant at, Instant availableAt) {
    return new RunEvent.DeliveryRequested(
        Events.header(run, at), intent(run, at, availableAt, null));
  }

  /** A message is known by its run and its request until the storage has shown its id. */
  private DeliveryIntent intent(
      RunRecord run, Instant at, Instant availableAt, @Nullable Instant expiresAt) {
    made++;
    return new DeliveryIntent(
        run.environment(),
        run.id(),
        run.queue(),
        at.plus(made, ChronoUnit.MICROS),
        availableAt,
        expiresAt,
        null);
  }

  private RunEvent.StepRequested stepRequested(RunRecord run, Instant at) {
    return new RunEvent.StepRequested(
        Events.header(run, at),
        StepIds.of(run.id(), random.nextInt(2)),
        "step",
        withSteps ? "steps" : null,
        Given.PAYLOAD,
        1,
        null,
        withSteps
            ? new StepDispatch(
                at.plusSeconds(60), 3, Duration.ofMillis(1), Duration.ofSeconds(1), 20)
            : null);
  }

  private RunKeys keys(boolean keyed) {
    RunKeys keys = RunKeys.NONE;
    if (keyed) {
      keys = keys.withIdempotencyKey(
          RaceDraw.KEY, random.nextBoolean() ? IdempotencyTtl.ACTIVE : Given.TTL_HOUR);
    }
    if (meeting != MeetingPoint.SLOT && random.nextInt(4) == 0) {
      keys = keys.withSingletonKey("s");
    }
    return keys;
  }

  private Lease lease(Instant at) {
    return new Lease(token(), Given.WORKER, at.plusSeconds(1 + random.nextInt(9)));
  }

  private static RunRecord add(List<RunEvent> events, RunRecord run, RunEvent event) {
    RunRecord after = Commands.project(run, List.of(event));
    events.add(event);
    return after;
  }

  private QueuePolicy policyOf(RunRecord run) {
    return queues.stream()
        .filter(each -> each.queue().equals(run.queue()))
        .findFirst()
        .orElseThrow();
  }

  private static Instant laterOf(Instant now, RunRecord run) {
    return now.isBefore(run.updatedAt()) ? run.updatedAt() : now;
  }

  private Optional<RunRecord> anyRun(Predicate<RunRecord> wanted) {
    List<RunRecord> all = model
        .runs(RaceDraw.HERE)
        .map((ModelRun run) -> run.record)
        .filter(wanted)
        .toList();
    return all.isEmpty() ? Optional.empty() : Optional.of(all.get(random.nextInt(all.size())));
  }
}
